/// Writes text as a CSV field.
struct CSVText {
    private let delimiter: UInt8
    private let delimiters: SIMD16<UInt8>
    private static let quote = UInt8(ascii: "\"")
    private static var quotes: SIMD16<UInt8> { .init(repeating: quote) }
    private static var feeds: SIMD16<UInt8> { .init(repeating: 10) }
    private static var returns: SIMD16<UInt8> { .init(repeating: 13) }

    init(delimiter: UInt8) {
        self.delimiter = delimiter
        delimiters = SIMD16(repeating: delimiter)
    }

    /// Appends the text, quoted only if it would otherwise not be read back unchanged.
    ///
    /// - Returns: whether it can contain bytes above 0x7F; always true for quoted text.
    @inline(__always)
    @discardableResult
    func append(_ text: UnsafeBufferPointer<UInt8>, to buffer: inout ByteBuffer) -> Bool {
        var isHigh = false
        guard let start = text.baseAddress, text.count > 0,
            !mustBeQuoted(start, text.count, &isHigh)
        else {
            appendQuoted(text, to: &buffer)
            return true
        }
        buffer.append(start, text.count)
        return isHigh
    }

    /// Returns whether the text, or a text that contains it, must be quoted to be read back
    /// unchanged.
    func mustBeQuoted(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var isHigh = false
        return text.baseAddress.map { mustBeQuoted($0, text.count, &isHigh) } ?? false
    }

    /// Appends a part of a quoted text, without the enclosing quotes.
    func appendPart(_ text: UnsafeBufferPointer<UInt8>, to buffer: inout ByteBuffer) {
        guard let start = text.baseAddress else { return }
        buffer.reserve(text.count * 2 + 8)
        appendDoubled(start, text.count, to: &buffer)
    }

    @inline(__always)
    private func mustBeQuoted(
        _ start: UnsafePointer<UInt8>, _ count: Int, _ isHigh: inout Bool
    ) -> Bool {
        if count <= NullText.bytesMax, count > 0, NullText.mayBegin(with: start[0]),
            NullText.place(of: UnsafeBufferPointer(start: start, count: count)) != nil
        {
            return true
        }
        // The bitwise or of all bytes.
        var union = SIMD16<UInt8>()
        var index = 0
        if count >= ByteBlock.byteCount {
            let last = count - ByteBlock.byteCount
            while true {
                let block = ByteBlock(start + index)
                union |= block.bytes
                let ends =
                    block.equals(Self.feeds) .| block.equals(Self.returns)
                    .| block.equals(delimiters) .| block.equals(Self.quotes)
                if ByteBlock.first(in: ends) != nil { return true }
                if index == last { break }
                // The last block overlaps the one before it, so that no single bytes are left.
                index = min(index + ByteBlock.byteCount, last)
            }
            isHigh = ByteBlock.hasHighByte(union)
            return false
        }
        if count >= 8 {
            let first = Words.load(start)
            let last = Words.load(start + count - 8)
            isHigh = (first | last) & Words.highBits != 0
            return endsField(first) || endsField(last)
        }
        var short: UInt8 = 0
        while index < count {
            let byte = start[index]
            short |= byte
            if byte == 10 || byte == 13 || byte == delimiter || byte == Self.quote { return true }
            index += 1
        }
        isHigh = short >= 0x80
        return false
    }

    /// Returns whether one of eight bytes requires quotes.
    @inline(__always)
    private func endsField(_ word: UInt64) -> Bool {
        let feeds = (word ^ 0x0A0A_0A0A_0A0A_0A0A) &- Words.ones
        let returns = (word ^ 0x0D0D_0D0D_0D0D_0D0D) &- Words.ones
        let separators = (word ^ Words.repeating(delimiter)) &- Words.ones
        let quotes = (word ^ 0x2222_2222_2222_2222) &- Words.ones
        // Bytes above 0x7F are none of these characters.
        return (feeds | returns | separators | quotes) & ~word & Words.highBits != 0
    }

    /// Appends the text in quotes.
    @inline(never)
    func appendQuoted(_ text: UnsafeBufferPointer<UInt8>, to buffer: inout ByteBuffer) {
        buffer.reserve(text.count * 2 + 2 + 8)
        buffer.put(Self.quote)
        if let start = text.baseAddress { appendDoubled(start, text.count, to: &buffer) }
        buffer.put(Self.quote)
    }

    /// Appends the text with doubled quotes; capacity for them and one word must be reserved.
    @inline(__always)
    private func appendDoubled(
        _ start: UnsafePointer<UInt8>, _ count: Int, to buffer: inout ByteBuffer
    ) {
        var index = 0
        var target = buffer.start + buffer.count
        while index + 8 <= count {
            let word = Words.load(start + index)
            // Stored first: the bytes after a quote are overwritten.
            UnsafeMutableRawPointer(target).storeBytes(of: word.littleEndian, as: UInt64.self)
            let quotes = word ^ 0x2222_2222_2222_2222
            let marks = (quotes &- Words.ones) & ~quotes & Words.highBits
            guard marks != 0 else {
                index += 8
                target += 8
                continue
            }
            let plain = marks.trailingZeroBitCount &>> 3
            target[plain + 1] = Self.quote
            target += plain + 2
            index += plain + 1
        }
        while index < count {
            target[0] = start[index]
            target += 1
            if start[index] == Self.quote {
                target[0] = Self.quote
                target += 1
            }
            index += 1
        }
        buffer.count = target - buffer.start
    }
}
