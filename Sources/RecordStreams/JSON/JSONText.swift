/// Writes text as a JSON string.
package enum JSONText {
    /// The maximum number of bytes of an escape.
    package static let escapeBytesMax = 6

    /// Returns the text in quotes; only the characters that RFC 8259 requires are escaped.
    package static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            guard needsEscape(byte) else {
                bytes.append(byte)
                continue
            }
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: escapeBytesMax) {
                guard let target = $0.baseAddress else { return }
                bytes += $0.prefix(writeEscape(of: byte, to: target))
            }
        }
        return String(decoding: bytes, as: UTF8.self) + "\""
    }

    /// Appends the text in quotes; only the characters that RFC 8259 requires are escaped.
    ///
    /// - Returns: whether it contains bytes above 0x7F, which are not escaped.
    @discardableResult
    static func append(_ text: UnsafeBufferPointer<UInt8>, to buffer: inout ByteBuffer) -> Bool {
        buffer.reserve(text.count + 2 + ByteBlock.byteCount)
        buffer.put(JSONToken.quote)
        var isHigh = false
        if let start = text.baseAddress {
            isHigh = appendContents(start, text.count, to: &buffer)
        }
        buffer.put(JSONToken.quote)
        return isHigh
    }

    /// Appends a part of a text without quotes, with the escapes of `append`.
    static func appendPart(_ text: UnsafeBufferPointer<UInt8>, to buffer: inout ByteBuffer) {
        guard let start = text.baseAddress else { return }
        buffer.reserve(text.count + ByteBlock.byteCount)
        _ = appendContents(start, text.count, to: &buffer)
    }

    @inline(__always)
    private static func appendContents(
        _ start: UnsafePointer<UInt8>, _ count: Int, to buffer: inout ByteBuffer
    ) -> Bool {
        var index = 0
        // The bitwise or of all bytes.
        var union: UInt64 = 0
        var blocks = SIMD16<UInt8>()
        // A local variable, because the compiler must assume that stores can alias the buffer's
        // fields.
        var target = buffer.start + buffer.count
        while index + ByteBlock.byteCount <= count {
            let block = ByteBlock(start + index)
            blocks |= block.bytes
            // Stored first: the bytes that need an escape are overwritten.
            block.store(to: target)
            if let plain = ByteBlock.first(in: escapes(in: block)) {
                target = appendEscape(
                    start[index + plain], at: target + plain, left: count - index, to: &buffer)
                index += plain + 1
            } else {
                index += ByteBlock.byteCount
                target += ByteBlock.byteCount
            }
        }
        if index < count, count >= ByteBlock.byteCount {
            // If the last sixteen bytes need no escape, they are stored unchanged, and the bytes
            // among them that were already written keep their values.
            let block = ByteBlock(start + count - ByteBlock.byteCount)
            if ByteBlock.first(in: escapes(in: block)) == nil {
                blocks |= block.bytes
                target += count - index
                block.store(to: target - ByteBlock.byteCount)
                index = count
            }
        }
        while index + 8 <= count {
            let word = Words.load(start + index)
            union |= word
            // Stored first: the bytes that need an escape are overwritten.
            UnsafeMutableRawPointer(target).storeBytes(of: word.littleEndian, as: UInt64.self)
            let controls = word &- 0x2020_2020_2020_2020
            let quotes = (word ^ 0x2222_2222_2222_2222) &- Words.ones
            let backslashes = (word ^ 0x5C5C_5C5C_5C5C_5C5C) &- Words.ones
            // Bytes above 0x7F are none of these characters.
            let marks = (controls | quotes | backslashes) & ~word & Words.highBits
            if marks == 0 {
                index += 8
                target += 8
            } else {
                let plain = marks.trailingZeroBitCount &>> 3
                target = appendEscape(
                    start[index + plain], at: target + plain, left: count - index, to: &buffer)
                index += plain + 1
            }
        }
        while index < count {
            let byte = start[index]
            union |= UInt64(byte)
            if needsEscape(byte) {
                target = appendEscape(byte, at: target, left: count - index, to: &buffer)
            } else {
                target[0] = byte
                target += 1
            }
            index += 1
        }
        buffer.count = target - buffer.start
        return union & Words.highBits != 0 || ByteBlock.hasHighByte(blocks)
    }

    /// Returns a mask of the bytes that need an escape.
    @inline(__always)
    private static func escapes(in block: ByteBlock) -> SIMDMask<SIMD16<Int8>> {
        (block.bytes .< SIMD16(repeating: 0x20)) .| block.equals(SIMD16(repeating: JSONToken.quote))
            .| block.equals(SIMD16(repeating: JSONToken.backslash))
    }

    /// Appends an escape at `target`, the end of the bytes written so far.
    ///
    /// - Returns: the position after it, with capacity for the `left` remaining bytes.
    @inline(never)
    private static func appendEscape(
        _ byte: UInt8, at target: UnsafeMutablePointer<UInt8>, left: Int,
        to buffer: inout ByteBuffer
    ) -> UnsafeMutablePointer<UInt8> {
        buffer.count = target - buffer.start
        buffer.reserve(left + 16)
        let place = buffer.start + buffer.count
        return place + writeEscape(of: byte, to: place)
    }

    /// Returns whether a byte must be escaped in a string (RFC 8259, section 7).
    package static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == JSONToken.quote || byte == JSONToken.backslash
    }

    /// Writes the shortest escape of a byte that needs one.
    ///
    /// - Returns: the number of bytes, at most `escapeBytesMax`.
    package static func writeEscape(of byte: UInt8, to target: UnsafeMutablePointer<UInt8>) -> Int {
        target[0] = JSONToken.backslash
        switch byte {
        case JSONToken.quote, JSONToken.backslash: target[1] = byte
        case 10: target[1] = UInt8(ascii: "n")
        case 13: target[1] = UInt8(ascii: "r")
        case 9: target[1] = UInt8(ascii: "t")
        case 8: target[1] = UInt8(ascii: "b")
        case 12: target[1] = UInt8(ascii: "f")
        default:
            let digits = StaticString("0123456789abcdef").utf8Start
            target[1] = UInt8(ascii: "u")
            target[2] = UInt8(ascii: "0")
            target[3] = UInt8(ascii: "0")
            target[4] = digits[Int(byte >> 4)]
            target[5] = digits[Int(byte & 15)]
            return escapeBytesMax
        }
        return 2
    }
}
