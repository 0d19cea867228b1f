/// Sums, differences, products, and quotients.
///
/// A result is exact if it has at most 38 digits. Otherwise, it is rounded to 38 digits, halves
/// away from zero.
extension ExactDecimal {
    /// Returns the result, or `nil` for a division by zero or a result too large for stores.
    package static func compute(
        _ op: ArithmeticOperator, _ left: ExactDecimal, _ right: ExactDecimal
    ) -> ExactDecimal? {
        let result: ExactDecimal? =
            switch op {
            case .add: sum(left, right)
            case .subtract: sum(left, right.negated)
            case .multiply: product(left, right)
            case .divide: quotient(left, right)
            case .power, .shiftLeft, .shiftRight, .bitAnd, .bitXor, .bitOr: nil
            }
        guard let result = result?.rounded(places: placesMax, .nearest) else { return nil }
        return result.isStorable ? result : nil
    }

    /// The number with the opposite sign.
    package var negated: ExactDecimal {
        ExactDecimal(isNegative: !isNegative, magnitude, exponent: exponent)
    }

    /// The absolute value.
    package var absolute: ExactDecimal {
        ExactDecimal(isNegative: false, magnitude, exponent: exponent)
    }

    /// The direction in which excess decimal places are rounded.
    package enum Rounding {
        case down, up
        /// To the nearest number; halves are rounded away from zero.
        case nearest
    }

    /// Returns the number rounded to at most that number of decimal places.
    package func rounded(places: Int, _ rounding: Rounding) -> ExactDecimal {
        guard exponent < -places else { return self }
        let excess = -places - exponent
        let power = Self.power(excess)
        let whole = power.map { magnitude / $0 } ?? 0
        let isAway: Bool
        switch rounding {
        // Rounding a negative number down moves it away from zero.
        case .down: isAway = isNegative
        case .up: isAway = !isNegative
        case .nearest:
            // The last digit is not zero, so there is a remainder. Without a power, the number is
            // less than half.
            isAway = power.map { magnitude % $0 >= $0 - $0 / 2 } ?? false
        }
        return ExactDecimal(
            isNegative: isNegative, whole + (isAway ? 1 : 0), exponent: -places)
    }

    /// Returns a power of ten, or `nil` if it has more than 128 bits.
    private static func power(_ exponent: Int) -> UInt128? {
        exponent <= digitsMax ? .powerOfTen(exponent) : nil
    }

    private static func sum(_ left: ExactDecimal, _ right: ExactDecimal) -> ExactDecimal {
        if left.magnitude == 0 { return right }
        if right.magnitude == 0 { return left }
        let (high, low) = left.exponent >= right.exponent ? (left, right) : (right, left)
        let distance = high.exponent - low.exponent
        // The smaller number is less than half of the last of 38 digits, so rounding removes it. A
        // difference can have one digit less than the minuend.
        let digitsSeen = 2 * digitsMax + (high.isNegative == low.isNegative ? 0 : 1)
        guard digitCount(high.magnitude) + distance <= digitsSeen else { return high }
        var wide = WideDecimal(high.magnitude)
        wide.scale(byTenTo: distance)
        let isNegative: Bool
        if high.isNegative == low.isNegative {
            wide.add(WideDecimal(low.magnitude))
            isNegative = high.isNegative
        } else if wide < WideDecimal(low.magnitude) {
            var other = WideDecimal(low.magnitude)
            other.subtract(wide)
            wide = other
            isNegative = low.isNegative
        } else {
            wide.subtract(WideDecimal(low.magnitude))
            isNegative = high.isNegative
        }
        return wide.number(isNegative: isNegative, exponent: low.exponent)
    }

    private static func product(_ left: ExactDecimal, _ right: ExactDecimal) -> ExactDecimal {
        let (high, low) = left.magnitude.multipliedFullWidth(by: right.magnitude)
        return WideDecimal(high: high, low: low).number(
            isNegative: left.isNegative != right.isNegative,
            exponent: left.exponent + right.exponent)
    }

    private static func quotient(_ left: ExactDecimal, _ right: ExactDecimal) -> ExactDecimal? {
        if right.magnitude == 0 { return nil }
        if left.magnitude == 0 { return left }
        // A dividend of 77 digits and a divisor of at most 38 give at least 39 digits of the
        // quotient. The 39th digit determines the rounding.
        var wide = WideDecimal(left.magnitude)
        let shift = 2 * digitsMax + 1 - digitCount(left.magnitude)
        wide.scale(byTenTo: shift)
        wide.divide(by: right.magnitude)
        return wide.number(
            isNegative: left.isNegative != right.isNegative,
            exponent: left.exponent - shift - right.exponent)
    }

    /// A 256-bit integer, in which digits are aligned before rounding to 38.
    private struct WideDecimal {
        var high: UInt128 = 0
        var low: UInt128

        init(_ number: UInt128) {
            low = number
        }

        init(high: UInt128, low: UInt128) {
            self.high = high
            self.low = low
        }

        static func < (left: WideDecimal, right: WideDecimal) -> Bool {
            left.high == right.high ? left.low < right.low : left.high < right.high
        }

        mutating func scale(byTenTo exponent: Int) {
            for _ in 0..<exponent {
                let product = low.multipliedFullWidth(by: 10)
                low = product.low
                high = high &* 10 &+ product.high
            }
        }

        mutating func add(_ other: WideDecimal) {
            let (sum, overflow) = low.addingReportingOverflow(other.low)
            low = sum
            high = high &+ other.high &+ (overflow ? 1 : 0)
        }

        /// Subtracts a number that is not larger.
        mutating func subtract(_ other: WideDecimal) {
            let (difference, overflow) = low.subtractingReportingOverflow(other.low)
            low = difference
            high = high &- other.high &- (overflow ? 1 : 0)
        }

        mutating func divide(by divisor: UInt128) {
            let top = high.quotientAndRemainder(dividingBy: divisor)
            let bottom = divisor.dividingFullWidth((top.remainder, low))
            high = top.quotient
            low = bottom.quotient
        }

        /// Returns the number rounded to at most 38 digits, halves away from zero.
        func number(isNegative: Bool, exponent: Int) -> ExactDecimal {
            var rest = self
            var exponent = exponent
            var last = 0
            while rest.high != 0 || rest.low >= Self.limit {
                let whole = rest
                rest.divide(by: 10)
                last = Int((whole.low &- rest.low &* 10) & 0xF)
                exponent += 1
            }
            // The first dropped digit suffices, since halves are rounded away from zero.
            if last >= 5 { rest.low += 1 }
            return ExactDecimal(isNegative: isNegative, rest.low, exponent: exponent)
        }

        /// The smallest number of 39 digits.
        private static let limit = power(ExactDecimal.digitsMax) ?? .max
    }
}
