/// A JSON number, parsed without loss: `±magnitude × 10^exponent`.
///
/// The magnitude has no trailing zeros, so equal values have equal parts: `1.50`, `15e-1`, and
/// `0.15E+1` are all 15 × 10⁻¹. Zero is 0 × 10⁰.
package struct DecimalNumber: Sendable, Hashable {
    /// Whether the text starts with a minus, as in `-0`.
    package let isNegative: Bool
    /// The first 19 significant digits.
    package let magnitude: UInt64
    /// The power of ten, which is bounded: that of `1e999999999999` is large but not exact.
    package let exponent: Int
    /// Whether there are more than 19 significant digits; the magnitude is then rounded down.
    package let isTruncated: Bool

    /// Parses a JSON number (RFC 8259 section 6); returns `nil` for other bytes.
    package init?(_ bytes: ByteView) {
        var cursor = Cursor(bytes: bytes)
        isNegative = cursor.skip(UInt8(ascii: "-"))
        guard cursor.readInteger() else { return nil }
        if cursor.skip(UInt8(ascii: ".")) {
            guard cursor.readFraction() else { return nil }
        }
        var written = 0
        if cursor.skip(UInt8(ascii: "e")) || cursor.skip(UInt8(ascii: "E")) {
            guard let value = cursor.readExponent() else { return nil }
            written = value
        }
        guard cursor.index == bytes.count else { return nil }
        magnitude = cursor.magnitude
        exponent = cursor.magnitude == 0 ? 0 : cursor.exponent &+ written
        isTruncated = cursor.isTruncated
    }

    /// The nearest double, or `nil` if 64-bit arithmetic cannot determine it.
    package var nearestDouble: Double? {
        if isTruncated { return nil }
        return Self.nearest(magnitude, timesTenTo: exponent).map { isNegative ? -$0 : $0 }
    }

    /// Returns the double nearest to `magnitude × 10^exponent`, or `nil` for exponents beyond ±19.
    ///
    /// The result is exact: a 128-bit product or quotient, whose last bit records whether nonzero
    /// bits were truncated, is rounded once to 53 bits.
    package static func nearest(_ magnitude: UInt64, timesTenTo exponent: Int) -> Double? {
        if magnitude == 0 { return 0 }
        if exponent == 0 { return Double(magnitude) }
        guard exponent >= -19, exponent <= 19 else { return nil }
        let power = UInt64.powerOfTen(abs(exponent))
        if magnitude < 1 << 53, power < 1 << 53 {
            // Both are exact doubles, so one operation rounds only once (Clinger 1990).
            return exponent < 0
                ? Double(magnitude) / Double(power) : Double(magnitude) * Double(power)
        }
        if exponent > 0 {
            let product = magnitude.multipliedFullWidth(by: power)
            if product.high == 0 { return Double(product.low) }
            let shift = UInt64(product.high.leadingZeroBitCount)
            let top = product.high << shift | (shift == 0 ? 0 : product.low >> (64 - shift))
            let sticky: UInt64 = product.low << shift == 0 ? 0 : 1
            return scaled(top | sticky, by: 64 - Int(shift))
        }
        let dividendShift = magnitude.leadingZeroBitCount
        let divisorShift = power.leadingZeroBitCount
        let dividend = magnitude << UInt64(dividendShift)
        let divisor = power << UInt64(divisorShift)
        // Half the dividend is less than the divisor, so the quotient fits.
        let (quotient, remainder) = divisor.dividingFullWidth((dividend >> 1, dividend << 63))
        let sticky: UInt64 = remainder == 0 ? 0 : 1
        return scaled(quotient | sticky, by: divisorShift - dividendShift - 63)
    }

    /// Returns `value × 2^power`, exact after the rounding of `value`; the power must be within
    /// ±200.
    private static func scaled(_ value: UInt64, by power: Int) -> Double {
        Double(value) * Double(bitPattern: UInt64(1023 + power) << 52)
    }
}

/// Reads the parts of a number from left to right.
private struct Cursor {
    let bytes: ByteView
    var index = 0
    /// The significant digits so far, without trailing zeros.
    var magnitude: UInt64 = 0
    var isTruncated = false
    private var digitsTaken = 0
    /// The zeros since the last nonzero digit, which count only if another nonzero digit follows.
    private var pendingZeros = 0
    private var digitsDropped = 0
    private var fractionDigits = 0

    init(bytes: ByteView) {
        self.bytes = bytes
    }

    /// The power of ten of `magnitude`, before the written exponent.
    var exponent: Int { pendingZeros &+ digitsDropped &- fractionDigits }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    /// Reads `0`, or digits that do not start with 0; returns `false` if there are none.
    mutating func readInteger() -> Bool {
        skip(UInt8(ascii: "0")) || readDigits() > 0
    }

    /// Reads the digits after the decimal point; returns `false` if there are none.
    mutating func readFraction() -> Bool {
        fractionDigits = readDigits()
        return fractionDigits > 0
    }

    private mutating func readDigits() -> Int {
        let start = index
        while index < bytes.count {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { break }
            index += 1
            if digit != 0 {
                take(UInt64(digit))
            } else if magnitude != 0 {
                pendingZeros &+= 1
            }
        }
        return index - start
    }

    private mutating func take(_ digit: UInt64) {
        let wanted = digitsTaken &+ pendingZeros &+ 1
        if isTruncated || wanted > 19 {
            digitsDropped &+= pendingZeros &+ 1
            isTruncated = true
        } else {
            for _ in 0...pendingZeros { magnitude &*= 10 }
            magnitude &+= digit
            digitsTaken = wanted
        }
        pendingZeros = 0
    }

    mutating func readExponent() -> Int? {
        let isNegative = skip(UInt8(ascii: "-"))
        if !isNegative { _ = skip(UInt8(ascii: "+")) }
        let start = index
        var value = 0
        while index < bytes.count {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { break }
            // This is far beyond the exponent of any double and the length of any text in memory.
            if value < 1 << 40 { value = value &* 10 &+ Int(digit) }
            index += 1
        }
        guard index > start else { return nil }
        return isNegative ? -value : value
    }
}

extension FixedWidthInteger {
    /// Returns a power of ten, which the type must be able to hold.
    @inline(__always)
    static func powerOfTen(_ exponent: Int) -> Self {
        var power: Self = 1
        for _ in 0..<exponent { power &*= 10 }
        return power
    }
}
