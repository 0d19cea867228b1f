/// Escapes control characters that could affect a terminal.
enum TerminalText {
    private static let delete: UInt8 = 0x7F
    /// The first byte of U+0080 to U+00BF, of which the first half are control characters.
    private static let lead: UInt8 = 0xC2

    /// Returns the UTF-8 text with control characters escaped as `\u001b`, or `nil` if it contains
    /// none.
    ///
    /// Line feeds and tabs are not escaped. The escape has the same meaning in JSON.
    static func escaped(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard bytes.indices.contains(where: { control(bytes, at: $0) != nil }) else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 64)
        var index = 0
        while index < bytes.count {
            guard let control = control(bytes, at: index) else {
                result.append(bytes[index])
                index += 1
                continue
            }
            let digits = String(control, radix: 16)
            result += Array("\\u00\(control < 0x10 ? "0" : "")\(digits)".utf8)
            index += control < 0x80 ? 1 : 2
        }
        return result
    }

    /// Returns the control character that starts at an index, or `nil`.
    private static func control(_ bytes: UnsafeRawBufferPointer, at index: Int) -> UInt8? {
        let byte = bytes[index]
        if byte == 0x0A || byte == 0x09 { return nil }
        if byte < 0x20 || byte == delete { return byte }
        guard byte == lead, index + 1 < bytes.count else { return nil }
        let next = bytes[index + 1]
        return next < 0xA0 ? next : nil
    }
}
