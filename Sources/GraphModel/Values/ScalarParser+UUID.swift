extension ScalarParser {
    /// Reads `8-4-4-4-12` hexadecimal digits of any case into 16 bytes, in big-endian order.
    ///
    /// - Returns: Whether the text is a UUID; if not, the destination may be partly written.
    package static func uuid(
        _ bytes: ByteView, into destination: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        guard bytes.count == 36 else { return false }
        var source = 0
        var written = 0
        while written < 16 {
            if source == 8 || source == 13 || source == 18 || source == 23 {
                guard bytes[source] == UInt8(ascii: "-") else { return false }
                source += 1
            }
            let high = hexadecimal(bytes[source])
            let low = hexadecimal(bytes[source + 1])
            guard high | low < 16 else { return false }
            destination[written] = high << 4 | low
            source += 2
            written += 1
        }
        return true
    }

    /// Returns the value of a hexadecimal digit, or 255 for other bytes.
    private static func hexadecimal(_ byte: UInt8) -> UInt8 {
        let digit = byte &- UInt8(ascii: "0")
        if digit <= 9 { return digit }
        let letter = byte | 0x20 &- UInt8(ascii: "a")
        return letter <= 5 ? letter &+ 10 : 255
    }
}
