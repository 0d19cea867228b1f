/// Makes data harmless to the terminal that shows them.
enum TerminalText {
    private static let delete: UInt8 = 0x7F
    /// The first of the two bytes of U+0080 to U+00BF, the first half of which are controls.
    private static let lead: UInt8 = 0xC2

    /// The UTF-8 text with every control character but line ends and tabs as `\u001b`, which in
    /// JSON means the same; nil where there is none.
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

    /// The control character that begins there, if one does.
    private static func control(_ bytes: UnsafeRawBufferPointer, at index: Int) -> UInt8? {
        let byte = bytes[index]
        if byte == 0x0A || byte == 0x09 { return nil }
        if byte < 0x20 || byte == delete { return byte }
        guard byte == lead, index + 1 < bytes.count else { return nil }
        let next = bytes[index + 1]
        return next < 0xA0 ? next : nil
    }
}
