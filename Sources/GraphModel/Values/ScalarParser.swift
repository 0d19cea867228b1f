/// Bytes that the caller owns, valid until the call returns.
package typealias ByteView = UnsafeBufferPointer<UInt8>

/// Parses the values of attributes directly from the bytes of text.
///
/// Nothing is converted silently: a text is either exactly a value of the type, or the result is
/// nil. No memory is allocated, except for numbers with more than 19 digits or large exponents.
/// Each type has its own extension. The grammars are the same as in the casts of imports.
package enum ScalarParser {
    /// Reads `-?(0|[1-9][0-9]*)` in the range of 64 bits, so not `007`, `+1`, or `1.0`.
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
            // Nineteen digits fit, so this cannot overflow.
            magnitude = magnitude &* 10 &+ UInt64(digit)
            index += 1
        }
        return signed(magnitude, isNegative: isNegative)
    }

    /// Reads a JSON number whose value is an integer: `1`, `1.0`, or `1e3`, but not `1.5`.
    ///
    /// The digits are evaluated exactly, never as a double.
    package static func jsonIntegral(_ bytes: ByteView) -> Int64? {
        if let plain = integer(bytes) { return plain }
        return DecimalNumber(bytes).flatMap(integral)
    }

    /// Returns the number's value, or `nil` if it is not an integer in the range of 64 bits.
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

    /// Reads `true`, `false`, `yes`, `no`, `1`, or `0` in any case.
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

    /// Returns the length of UTF-8 text in UTF-16 units, as in Foundation.
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

    /// Returns whether the bytes are `word`, which must be lowercase, in any case.
    private static func equalsIgnoringCase(_ bytes: ByteView, _ word: StaticString) -> Bool {
        guard word.utf8CodeUnitCount == bytes.count else { return false }
        for index in 0..<bytes.count where bytes[index] | 0x20 != word.utf8Start[index] {
            return false
        }
        return true
    }
}
