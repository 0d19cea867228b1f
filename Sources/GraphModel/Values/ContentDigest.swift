internal import Digests

/// SHA-256 over texts that come one after another.
package struct ContentDigest {
    private var digest = ByteDigest()

    package init() {}

    /// Adds a text, and where it ends.
    package mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { digest.add(UnsafeRawBufferPointer($0)) }
        digest.add([0xFF])
    }

    /// Adds bytes.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        digest.add(bytes)
    }

    /// Adds bytes.
    package mutating func add(_ bytes: [UInt8]) { digest.add(bytes) }

    /// The first digits of it, in hexadecimal.
    ///
    /// - Parameter bytes: two digits for each.
    package func text(bytes: Int) -> String { digest.value.prefix(bytes).hexText }
}
