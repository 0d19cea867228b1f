import RecordStreams

/// Finds out how the bytes of a file stand for text.
struct EncodingPeek {
    /// Bytes of a character that are still to come.
    private var open = 0
    private var characters = 0
    private var faults = 0

    /// UTF-16 by its byte-order mark or by its zeros, UTF-8 where most of what is not ASCII is
    /// that, and else what has a character for each byte.
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

    /// Counts the characters beyond ASCII, and the bytes that are none.
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
