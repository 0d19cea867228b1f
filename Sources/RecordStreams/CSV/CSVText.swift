/// Text as a CSV field.
struct CSVText {
    private let delimiter: UInt8
    private let delimiters: UInt64
    private static let quote = UInt8(ascii: "\"")

    init(delimiter: UInt8) {
        self.delimiter = delimiter
        delimiters = Words.repeating(delimiter)
    }

    /// Adds the text, in quotes only where it would not read back as the same text.
    @inline(__always)
    func append(_ text: UnsafeBufferPointer<UInt8>, to buffer: inout ByteBuffer) {
        guard let start = text.baseAddress, text.count > 0, !mustBeQuoted(start, text.count) else {
            appendQuoted(text, to: &buffer)
            return
        }
        buffer.append(start, text.count)
    }

    @inline(__always)
    private func mustBeQuoted(_ start: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        var index = 0
        while index + 8 <= count {
            let word = Words.load(start + index)
            let feeds = word ^ 0x0A0A_0A0A_0A0A_0A0A
            let returns = word ^ 0x0D0D_0D0D_0D0D_0D0D
            let separators = word ^ delimiters
            let quotes = word ^ 0x2222_2222_2222_2222
            let ends =
                ((feeds &- Words.ones) & ~feeds) | ((returns &- Words.ones) & ~returns)
                | ((separators &- Words.ones) & ~separators) | ((quotes &- Words.ones) & ~quotes)
            if ends & Words.highBits != 0 { return true }
            index += 8
        }
        while index < count {
            let byte = start[index]
            if byte == 10 || byte == 13 || byte == delimiter || byte == Self.quote { return true }
            index += 1
        }
        return false
    }

    /// Adds the text in quotes.
    @inline(never)
    func appendQuoted(_ text: UnsafeBufferPointer<UInt8>, to buffer: inout ByteBuffer) {
        buffer.reserve(text.count * 2 + 2)
        buffer.put(Self.quote)
        for byte in text {
            if byte == Self.quote { buffer.put(byte) }
            buffer.put(byte)
        }
        buffer.put(Self.quote)
    }
}
