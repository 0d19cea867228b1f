import RecordStreams

/// Detects the text encoding of a file.
struct EncodingPeek {
    /// The number of bytes that the current UTF-8 character still needs.
    private var open = 0
    private var characters = 0
    private var faults = 0

    /// Returns the most likely encoding of a file.
    ///
    /// Returns UTF-16 for a byte-order mark or many zero bytes. Otherwise, returns UTF-8, unless
    /// invalid bytes outnumber the characters beyond ASCII; in that case, Windows-1252.
    static func encoding(of file: InputFile) throws(RecordStreamError) -> TextEncoding {
        let source = try ByteSource(file, compression: .auto)
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 18)
        defer { room.deallocate() }
        var peek = EncodingPeek()
        var isFirst = true
        while true {
            let count = try source.read(into: room, count: 1 << 18)
            guard count > 0 else { break }
            let bytes = UnsafeBufferPointer(start: UnsafePointer(room), count: count)
            if isFirst, isUTF16(bytes) { return .utf16 }
            isFirst = false
            peek.add(bytes)
        }
        guard peek.faults > peek.characters else { return .utf8 }
        return TextEncoding(rawValue: "windows-1252") ?? .latin1
    }

    private static func isUTF16(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let start = bytes.prefix(1024)
        return bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
            || start.count > 3 && start.count(where: { $0 == 0 }) * 4 > start.count
    }

    /// Counts the characters beyond ASCII and the bytes that are not valid UTF-8.
    private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
        for byte in bytes {
            if open > 0 {
                if byte & 0xC0 == 0x80 {
                    open -= 1
                    if open == 0 { characters += 1 }
                    continue
                }
                faults += 1
                open = 0
            }
            switch byte {
            case ..<0x80: break
            case 0xC2...0xDF: open = 1
            case 0xE0...0xEF: open = 2
            case 0xF0...0xF4: open = 3
            default: faults += 1
            }
        }
    }
}
