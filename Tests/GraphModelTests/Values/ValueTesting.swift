@testable import GraphModel

/// Calls `body` with the UTF-8 bytes of a text.
func withBytes<R>(_ text: String, _ body: (ByteView) -> R) -> R {
    var text = text
    return text.withUTF8 { body($0) }
}

/// Returns the output of a formatter as text.
func written(
    capacity: Int = 512, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int
) -> String {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
        let count = body(buffer)
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}
