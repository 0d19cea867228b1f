extension ScalarFormatter {
    /// Returns the length of the base64 text for a number of bytes.
    package static func base64Bytes(_ count: Int) -> Int { (count + 2) / 3 * 4 }

    /// Writes base64 (RFC 4648 section 4), padded, without line breaks.
    package static func base64(
        _ bytes: ByteView, into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        guard buffer.count >= base64Bytes(bytes.count) else { return 0 }
        var written = 0
        var source = 0
        while source < bytes.count {
            let left = min(3, bytes.count - source)
            var group: UInt32 = 0
            for offset in 0..<left {
                group |= UInt32(bytes[source + offset]) << UInt32(16 - 8 * offset)
            }
            for offset in 0..<4 {
                buffer[written] =
                    offset <= left
                    ? digit(group >> UInt32(18 - 6 * offset) & 63) : UInt8(ascii: "=")
                written += 1
            }
            source += 3
        }
        return written
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: value)
        return switch value {
        case 0..<26: UInt8(ascii: "A") &+ value
        case 26..<52: UInt8(ascii: "a") &+ (value &- 26)
        case 52..<62: UInt8(ascii: "0") &+ (value &- 52)
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }
}
