/// Bytes that someone else owns, valid for the length of a call.
package typealias ByteView = UnsafeBufferPointer<UInt8>

/// Reads the values of attributes from text, straight from its bytes.
///
/// Nothing is converted silently: a text is either exactly a value of the kind or nil. Nothing is
/// allocated, except for numbers of more than 19 digits or with large exponents. One extension a
/// kind; the grammars are those of the casts that imports make.
package enum ScalarParser {
    /// Reads `-?(0|[1-9][0-9]*)` in the range of 64 bits, so neither `007` nor `+1` nor `1.0`.
    package static func integer(_ bytes: ByteView) -> Int64? {
        var index = 0
        let isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative { index = 1 }
        let digits = bytes.count - index
        guard digits > 0, digits <= 19 else { return nil }
        if bytes[index] == UInt8(ascii: "0") { return digits == 1 ? 0 : nil }
        var magnitude: UInt64 = 0
        while index < bytes.count {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            // Nineteen digits fit, so this cannot wrap.
            magnitude = magnitude &* 10 &+ UInt64(digit)
            index += 1
        }
        return signed(magnitude, isNegative: isNegative)
    }

    /// Reads a JSON number whose value is an integer: `1`, `1.0`, `1e3`, but not `1.5`.
    ///
    /// The digits are counted exactly, never by way of a double.
    package static func jsonIntegral(_ bytes: ByteView) -> Int64? {
        if let plain = integer(bytes) { return plain }
        return DecimalNumber(bytes).flatMap(integral)
    }

    /// The number's value, where it is an integer in the range of 64 bits.
    static func integral(_ number: DecimalNumber) -> Int64? {
        guard !number.isTruncated, number.exponent >= 0, number.exponent <= 18 else { return nil }
        var magnitude = number.magnitude
        for _ in 0..<number.exponent {
            let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            if overflow { return nil }
            magnitude = product
        }
        return signed(magnitude, isNegative: number.isNegative)
    }

    /// Reads `true`, `false`, `yes`, `no`, `1` or `0` in any case.
    package static func boolean(_ bytes: ByteView) -> Bool? {
        switch bytes.count {
        case 1:
            if bytes[0] == UInt8(ascii: "1") { return true }
            return bytes[0] == UInt8(ascii: "0") ? false : nil
        case 2: return equalsIgnoringCase(bytes, "no") ? false : nil
        case 3: return equalsIgnoringCase(bytes, "yes") ? true : nil
        case 4: return equalsIgnoringCase(bytes, "true") ? true : nil
        case 5: return equalsIgnoringCase(bytes, "false") ? false : nil
        default: return nil
        }
    }

    /// The length of UTF-8 text in UTF-16 units, as Foundation counts.
    package static func utf16Length(_ bytes: ByteView) -> Int {
        var length = 0
        for byte in bytes where byte & 0xC0 != 0x80 {
            length &+= byte >= 0xF0 ? 2 : 1
        }
        return length
    }

    private static func signed(_ magnitude: UInt64, isNegative: Bool) -> Int64? {
        if !isNegative { return Int64(exactly: magnitude) }
        return magnitude <= UInt64(1) << 63 ? Int64(bitPattern: 0 &- magnitude) : nil
    }

    /// Whether the bytes are `word`, which is in lower case, whatever the case of their letters.
    private static func equalsIgnoringCase(_ bytes: ByteView, _ word: StaticString) -> Bool {
        guard word.utf8CodeUnitCount == bytes.count else { return false }
        for index in 0..<bytes.count where bytes[index] | 0x20 != word.utf8Start[index] {
            return false
        }
        return true
    }
}
