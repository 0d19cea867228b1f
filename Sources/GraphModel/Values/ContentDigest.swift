internal import Crypto

/// SHA-256 over texts that come one after another.
package struct ContentDigest {
    private var hash = SHA256()

    package init() {}

    /// Adds a text, and where it ends.
    package mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        hash.update(data: [0xFF])
    }

    /// Adds bytes.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        hash.update(bufferPointer: bytes)
    }

    /// Adds bytes.
    package mutating func add(_ bytes: [UInt8]) { hash.update(data: bytes) }

    /// The first digits of it, in hexadecimal.
    ///
    /// - Parameter bytes: two digits for each.
    package func text(bytes: Int) -> String { hash.finalize().prefix(bytes).hexText }
}
