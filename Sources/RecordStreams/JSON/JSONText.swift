/// Text as a JSON string.
package enum JSONText {
    /// The bytes that an escape has at most.
    package static let escapeBytesMax = 6

    /// The text in quotes; only what RFC 8259 demands is escaped.
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

    /// Adds the text in quotes; only what RFC 8259 demands is escaped.
    ///
    /// - Returns: whether it has bytes above 0x7F, which are written as they are.
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

    /// Adds a part of a text without quotes, escaped as `append` does it.
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
        // All bytes on top of each other.
        var union: UInt64 = 0
        var blocks = SIMD16<UInt8>()
        // A variable of its own, since what is written might be the buffer's fields to the compiler.
        var target = buffer.start + buffer.count
        while index + ByteBlock.byteCount <= count {
            let block = ByteBlock(start + index)
            blocks |= block.bytes
            // Stored first: what must not stay is written over.
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
            // If the last sixteen bytes need no escape, they are written as they are, and those of
            // them that were written before do not change.
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
            // Stored first: what must not stay is written over.
            UnsafeMutableRawPointer(target).storeBytes(of: word.littleEndian, as: UInt64.self)
            let controls = word &- 0x2020_2020_2020_2020
            let quotes = (word ^ 0x2222_2222_2222_2222) &- Words.ones
            let backslashes = (word ^ 0x5C5C_5C5C_5C5C_5C5C) &- Words.ones
            // Bytes above 0x7F are none of these.
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

    /// Where bytes need an escape.
    @inline(__always)
    private static func escapes(in block: ByteBlock) -> SIMDMask<SIMD16<Int8>> {
        (block.bytes .< SIMD16(repeating: 0x20)) .| block.equals(SIMD16(repeating: JSONToken.quote))
            .| block.equals(SIMD16(repeating: JSONToken.backslash))
    }

    /// Adds an escape behind what was written up to a place in the buffer.
    ///
    /// - Returns: the place behind it, with room for what is left.
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

    /// Whether a byte may not stand in a string as it is (RFC 8259 section 7).
    package static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == JSONToken.quote || byte == JSONToken.backslash
    }

    /// Writes the shortest escape of a byte that needs one.
    ///
    /// - Returns: the number of bytes, `escapeBytesMax` at most.
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
