extension ScalarParser {
    /// Returns the maximum number of decoded bytes for base64 text of that length.
    package static func base64BytesMax(_ count: Int) -> Int { count / 4 * 3 }

    /// Decodes base64 (RFC 4648 section 4): padded, without line breaks, unused bits zero.
    ///
    /// - Returns: The number of bytes written, or `nil` if the text is invalid or the destination
    ///   is smaller than `base64BytesMax`.
    package static func base64(
        _ bytes: ByteView, into destination: UnsafeMutableBufferPointer<UInt8>
    ) -> Int? {
        guard bytes.count.isMultiple(of: 4), destination.count >= base64BytesMax(bytes.count)
        else { return nil }
        if bytes.isEmpty { return 0 }
        var padding = 0
        if bytes[bytes.count - 1] == UInt8(ascii: "=") { padding = 1 }
        if padding == 1, bytes[bytes.count - 2] == UInt8(ascii: "=") { padding = 2 }
        var written = 0
        var source = 0
        while source < bytes.count {
            let digits = source + 4 < bytes.count ? 4 : 4 - padding
            var group: UInt32 = 0
            for offset in 0..<digits {
                let value = sextet(bytes[source + offset])
                guard value < 64 else { return nil }
                group |= UInt32(value) << UInt32(18 - 6 * offset)
            }
            for offset in 0..<digits - 1 {
                destination[written] = UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * offset))
                written += 1
            }
            if digits < 4, group & (digits == 3 ? 0xFF : 0xFFFF) != 0 { return nil }
            source += 4
        }
        return written
    }

    /// Returns the value of a base64 digit, or 255 for other bytes.
    private static func sextet(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: 255
        }
    }
}
