/// A decimal number with all its digits: `±magnitude × 10^exponent`.
///
/// It has at most 38 significant digits, as Foundation's `Decimal` does. The magnitude has no
/// trailing zeros, and zero is 0 × 10⁰, so equal numbers have equal parts.
package struct ExactDecimal: Sendable, Hashable {
    /// Whether the number is less than zero.
    package let isNegative: Bool
    /// The significant digits as an integer, without trailing zeros.
    package let magnitude: UInt128
    /// The power of ten that scales the magnitude; 0 for zero.
    package let exponent: Int

    /// The maximum number of significant digits.
    package static let digitsMax = 38
    /// The maximum number of decimal places in stores.
    package static let placesMax = 128
    /// The maximum number of digits before the decimal point in stores.
    package static let wholeDigitsMax = 165

    init(isNegative: Bool, _ magnitude: UInt128, exponent: Int) {
        var (magnitude, exponent) = (magnitude, exponent)
        while magnitude != 0, magnitude.isMultiple(of: 10) {
            magnitude /= 10
            exponent += 1
        }
        self.isNegative = isNegative && magnitude != 0
        self.magnitude = magnitude
        self.exponent = magnitude == 0 ? 0 : exponent
    }

    /// Creates the number of an integer.
    package init(_ number: Int64) {
        self.init(isNegative: number < 0, UInt128(number.magnitude), exponent: 0)
    }

    /// Creates the number of a double's shortest text; returns `nil` for infinities and NaN.
    package init?(_ number: Double) {
        guard number.isFinite else { return nil }
        self.init(text: number.description)
    }

    /// Parses a string; returns `nil` if it is not a JSON number of at most 38 significant digits.
    package init?(text: String) {
        var text = text
        guard let number = text.withUTF8({ ExactDecimal($0) }) else { return nil }
        self = number
    }

    /// Creates the number of a stored value; returns `nil` if it is not a number.
    package init?(_ value: StoredValue) {
        let number: ExactDecimal? =
            switch value {
            case .integer(let number): ExactDecimal(number)
            case .real(let number): ExactDecimal(number)
            case .text(let text): ExactDecimal(text: text)
            case .blob, .null: nil
            }
        guard let number else { return nil }
        self = number
    }

    /// Parses a JSON number (RFC 8259 section 6) of at most 38 significant digits; otherwise `nil`.
    package init?(_ bytes: ByteView) {
        guard let number = DecimalNumber(bytes) else { return nil }
        guard number.isTruncated else {
            self.init(
                isNegative: number.isNegative, UInt128(number.magnitude),
                exponent: number.exponent)
            return
        }
        // The text is a valid number; only its further digits must be read.
        var magnitude: UInt128 = 0
        var taken = 0
        var zeros = 0
        for byte in bytes {
            if byte | 0x20 == UInt8(ascii: "e") { break }
            let digit = byte &- UInt8(ascii: "0")
            if digit > 9 { continue }
            if digit == 0 {
                if magnitude != 0 { zeros += 1 }
                continue
            }
            taken += zeros + 1
            guard taken <= Self.digitsMax else { return nil }
            for _ in 0...zeros { magnitude *= 10 }
            magnitude += UInt128(digit)
            zeros = 0
        }
        // The truncated magnitude has at most 19 digits, and its exponent is known.
        self.init(
            isNegative: number.isNegative, magnitude,
            exponent: number.exponent - (taken - Self.digitCount(UInt128(number.magnitude))))
    }

    /// Whether stores can hold it: it is within their limits of digits before and after the point.
    package var isStorable: Bool {
        exponent >= -Self.placesMax
            && Self.digitCount(magnitude) + exponent <= Self.wholeDigitsMax
    }

    /// Returns whether a text is canonical and has at most 38 bytes; false for all longer texts.
    package static func isCanonical(_ bytes: ByteView) -> Bool {
        guard bytes.count <= digitsMax else { return false }
        let start = bytes.first == UInt8(ascii: "-") ? 1 : 0
        var point: Int?
        for index in start..<max(start, bytes.count) where bytes[index] &- UInt8(ascii: "0") > 9 {
            guard bytes[index] == UInt8(ascii: "."), point == nil, index > start else {
                return false
            }
            point = index
        }
        let end = point ?? bytes.count
        // A leading zero must be the only digit before the point, a fraction must not end in zero,
        // and zero has no minus.
        guard end > start, bytes[start] != UInt8(ascii: "0") || end == start + 1 else {
            return false
        }
        guard point == nil else {
            let last = bytes[bytes.count - 1]
            return last != UInt8(ascii: "0") && last != UInt8(ascii: ".")
        }
        return start == 0 || bytes[start] != UInt8(ascii: "0")
    }

    /// The canonical text: no exponent, no redundant zeros, and no `-0`.
    package var text: String {
        let digits = String(magnitude)
        let sign = isNegative ? "-" : ""
        if exponent >= 0 { return sign + digits + String(repeating: "0", count: exponent) }
        let places = -exponent
        if digits.utf8.count <= places {
            return sign + "0." + String(repeating: "0", count: places - digits.utf8.count) + digits
        }
        return sign + digits.dropLast(places) + "." + digits.suffix(places)
    }

    /// Returns the number of decimal digits; 0 for zero.
    static func digitCount(_ number: UInt128) -> Int {
        var count = 0
        var rest = number
        while rest != 0 {
            rest /= 10
            count += 1
        }
        return count
    }
}

extension ExactDecimal: Comparable {
    /// Returns whether the left number is less, compared exactly.
    package static func < (left: ExactDecimal, right: ExactDecimal) -> Bool {
        order(left, right) < 0
    }

    /// Returns a negative number, zero, or a positive number if left is less, equal, or greater.
    package static func order(_ left: ExactDecimal, _ right: ExactDecimal) -> Int {
        if left.isNegative != right.isNegative { return left.isNegative ? -1 : 1 }
        let order = orderOfSizes(left, right)
        return left.isNegative ? -order : order
    }

    private static func orderOfSizes(_ left: ExactDecimal, _ right: ExactDecimal) -> Int {
        if left.magnitude == 0 || right.magnitude == 0 {
            return left.magnitude == right.magnitude ? 0 : left.magnitude == 0 ? -1 : 1
        }
        let leftDigits = digitCount(left.magnitude)
        let rightDigits = digitCount(right.magnitude)
        let tops = (leftDigits + left.exponent, rightDigits + right.exponent)
        if tops.0 != tops.1 { return tops.0 < tops.1 ? -1 : 1 }
        // The first digits have the same position. After scaling to the same number of digits, at
        // most 38, compare them as integers.
        var (one, other) = (left.magnitude, right.magnitude)
        for _ in stride(from: leftDigits, to: rightDigits, by: 1) { one *= 10 }
        for _ in stride(from: rightDigits, to: leftDigits, by: 1) { other *= 10 }
        return one < other ? -1 : one == other ? 0 : 1
    }
}
