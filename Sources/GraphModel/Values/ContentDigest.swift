internal import Digests

/// The SHA-256 of a sequence of strings.
package struct ContentDigest {
    private var digest = ByteDigest()

    package init() {}

    /// Adds a string and a mark of its end.
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

    /// Returns the start of the digest in hexadecimal.
    ///
    /// - Parameter bytes: The number of bytes, with two digits each.
    package func text(bytes: Int) -> String { digest.value.prefix(bytes).hexText }
}
