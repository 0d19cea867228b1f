/// Text as a JSON string.
enum JSONText {
    /// Adds the text in quotes; only what RFC 8259 demands is escaped.
    static func append(_ text: UnsafeBufferPointer<UInt8>, to buffer: inout ByteBuffer) {
        buffer.reserve(text.count + 2 + 8)
        buffer.put(JSONToken.quote)
        if let start = text.baseAddress { appendContents(start, text.count, to: &buffer) }
        buffer.put(JSONToken.quote)
    }

    @inline(__always)
    private static func appendContents(
        _ start: UnsafePointer<UInt8>, _ count: Int, to buffer: inout ByteBuffer
    ) {
        var index = 0
        while index + 8 <= count {
            let word = Words.load(start + index)
            // Stored first: what must not stay is written over.
            UnsafeMutableRawPointer(buffer.start + buffer.count).storeBytes(
                of: word.littleEndian, as: UInt64.self)
            let controls = (word &- 0x2020_2020_2020_2020) & ~word
            let quotes = word ^ 0x2222_2222_2222_2222
            let backslashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
            let marks =
                (controls | ((quotes &- Words.ones) & ~quotes)
                    | ((backslashes &- Words.ones) & ~backslashes)) & Words.highBits
            if marks == 0 {
                index += 8
                buffer.count += 8
            } else {
                let plain = marks.trailingZeroBitCount &>> 3
                buffer.count += plain
                appendEscape(start[index + plain], left: count - index, to: &buffer)
                index += plain + 1
            }
        }
        while index < count {
            let byte = start[index]
            if byte < 0x20 || byte == JSONToken.quote || byte == JSONToken.backslash {
                appendEscape(byte, left: count - index, to: &buffer)
            } else {
                buffer.put(byte)
            }
            index += 1
        }
    }

    @inline(never)
    private static func appendEscape(_ byte: UInt8, left: Int, to buffer: inout ByteBuffer) {
        buffer.reserve(left + 16)
        buffer.put(JSONToken.backslash)
        switch byte {
        case JSONToken.quote, JSONToken.backslash: buffer.put(byte)
        case 10: buffer.put(UInt8(ascii: "n"))
        case 13: buffer.put(UInt8(ascii: "r"))
        case 9: buffer.put(UInt8(ascii: "t"))
        case 8: buffer.put(UInt8(ascii: "b"))
        case 12: buffer.put(UInt8(ascii: "f"))
        default:
            let digits = StaticString("0123456789abcdef").utf8Start
            buffer.put(UInt8(ascii: "u"))
            buffer.put(UInt8(ascii: "0"))
            buffer.put(UInt8(ascii: "0"))
            buffer.put(digits[Int(byte >> 4)])
            buffer.put(digits[Int(byte & 15)])
        }
    }
}
