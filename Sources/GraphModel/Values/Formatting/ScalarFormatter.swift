/// Writes values as text into a caller's buffer; `ScalarParser` reads the text as the same value.
///
/// Every function returns the number of bytes written. If the buffer is too small, it writes
/// nothing and returns 0; the `…BytesMax` constants always suffice.
package enum ScalarFormatter {
    /// The length of every UUID.
    package static let uuidBytes = 36
    /// The maximum length of a date: an 8-digit year, a sign, and an 18-digit fraction.
    package static let isoDateBytesMax = 45

    /// Writes an integer in decimal digits.
    package static func integer(
        _ value: Int64, into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        var writer = TextWriter(buffer)
        if value < 0 { writer.append(UInt8(ascii: "-")) }
        writer.append(number: value.magnitude)
        return writer.finish()
    }

    /// Writes the shortest JSON number that is read as the same double: `1`, `0.1`, `1e-7`.
    ///
    /// Infinities and NaN are not valid in JSON and write nothing.
    package static func double(
        _ value: Double, into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        var writer = TextWriter(buffer)
        guard value.isFinite else { return 0 }
        if value.magnitude < 18_014_398_509_481_984,
            Double(UInt64(value.magnitude)) == value.magnitude
        {
            if value.sign == .minus { writer.append(UInt8(ascii: "-")) }
            writer.append(number: UInt64(value.magnitude))
            return writer.finish()
        }
        var text = value.description
        text.withUTF8 { bytes in
            for (index, byte) in bytes.enumerated() {
                let before = index > 0 ? bytes[index - 1] : 0
                let isInExponent = before | 0x20 == UInt8(ascii: "e")
                if byte == UInt8(ascii: "+") { continue }
                // Shorten `1e-05` to `1e-5`.
                if byte == UInt8(ascii: "0"), index > 1,
                    isInExponent || isSign(before) && bytes[index - 2] == UInt8(ascii: "e")
                {
                    continue
                }
                writer.append(byte)
            }
        }
        return writer.finish()
    }

    /// Writes 16 bytes as an uppercase UUID; any other number of bytes writes nothing.
    package static func uuid(
        _ bytes: ByteView, into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        guard bytes.count == 16, buffer.count >= uuidBytes else { return 0 }
        let source = UnsafeRawBufferPointer(bytes)
        let target = UnsafeMutableRawBufferPointer(buffer)
        let first = digits(of: source, at: 0)
        let second = digits(of: source, at: 4)
        let third = digits(of: source, at: 8)
        let fourth = digits(of: source, at: 12)
        target.storeBytes(of: first.bigEndian, toByteOffset: 0, as: UInt64.self)
        store(second >> 32, to: target, at: 9)
        store(second, to: target, at: 14)
        store(third >> 32, to: target, at: 19)
        store(third, to: target, at: 24)
        target.storeBytes(of: fourth.bigEndian, toByteOffset: 28, as: UInt64.self)
        buffer[8] = UInt8(ascii: "-")
        buffer[13] = UInt8(ascii: "-")
        buffer[18] = UInt8(ascii: "-")
        buffer[23] = UInt8(ascii: "-")
        return uuidBytes
    }

    /// Returns the 8 hexadecimal digits of 4 bytes, with the first digit in the highest byte.
    private static func digits(of source: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        let word = source.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        var nibbles = UInt64(UInt32(bigEndian: word))
        // Spread the nibbles to one per byte, by halving the distance three times.
        nibbles = (nibbles & 0xFFFF_0000) << 16 | nibbles & 0xFFFF
        nibbles = (nibbles & 0x0000_FF00_0000_FF00) << 8 | nibbles & 0x0000_00FF_0000_00FF
        nibbles = (nibbles & 0x00F0_00F0_00F0_00F0) << 4 | nibbles & 0x000F_000F_000F_000F
        // In ASCII, there are seven other characters between `9` and `A`.
        let letters = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 7
    }

    private static func store(
        _ digits: UInt64, to target: UnsafeMutableRawBufferPointer, at offset: Int
    ) {
        let four = UInt32(truncatingIfNeeded: digits)
        target.storeBytes(of: four.bigEndian, toByteOffset: offset, as: UInt32.self)
    }

    private static func isSign(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
    }
}

/// Appends to a buffer, and records whether the buffer was large enough.
struct TextWriter {
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private var count = 0
    private var isFull = false

    init(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        self.buffer = buffer
    }

    mutating func append(_ byte: UInt8) {
        if count < buffer.count {
            buffer[count] = byte
            count += 1
        } else {
            isFull = true
        }
    }

    /// Appends decimal digits, with leading zeros up to the width.
    mutating func append(number: UInt64, width: Int = 1) {
        var digits = 1
        var bound: UInt64 = 10
        while digits < 19, number >= bound {
            digits += 1
            bound &*= 10
        }
        if number >= 10_000_000_000_000_000_000 { digits = 20 }
        digits = max(digits, width)
        guard digits <= buffer.count - count else {
            isFull = true
            return
        }
        var rest = number
        var place = count + digits
        while place > count {
            place -= 1
            buffer[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count += digits
    }

    /// Returns the number of bytes written, or 0 if some did not fit.
    func finish() -> Int { isFull ? 0 : count }
}
