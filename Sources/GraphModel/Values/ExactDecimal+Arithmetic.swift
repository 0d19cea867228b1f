/// Sums, differences, products and quotients: exact where 38 digits hold them, else the nearest
/// such number, halves away from zero.
extension ExactDecimal {
    /// The result; nil for a division by zero, and for what no store keeps since it is too large.
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

    /// The number with the other sign.
    package var negated: ExactDecimal {
        ExactDecimal(isNegative: !isNegative, magnitude, exponent: exponent)
    }

    /// The number without its sign.
    package var absolute: ExactDecimal {
        ExactDecimal(isNegative: false, magnitude, exponent: exponent)
    }

    /// Where a number goes that has too many digits behind the point.
    package enum Rounding {
        case down, up
        /// Halves away from zero.
        case nearest
    }

    /// The number with at most that many digits behind the point.
    package func rounded(places: Int, _ rounding: Rounding) -> ExactDecimal {
        guard exponent < -places else { return self }
        let excess = -places - exponent
        let power = Self.power(excess)
        let whole = power.map { magnitude / $0 } ?? 0
        let isAway: Bool
        switch rounding {
        // What lies below zero moves away from it.
        case .down: isAway = isNegative
        case .up: isAway = !isNegative
        case .nearest:
            // The last digit is not zero, so there is a remainder; without a power it is small.
            isAway = power.map { magnitude % $0 >= $0 - $0 / 2 } ?? false
        }
        return ExactDecimal(
            isNegative: isNegative, whole + (isAway ? 1 : 0), exponent: -places)
    }

    /// 10 to that power; nil where it has more than 128 bits.
    private static func power(_ exponent: Int) -> UInt128? {
        guard exponent <= digitsMax else { return nil }
        var power: UInt128 = 1
        for _ in 0..<exponent { power *= 10 }
        return power
    }

    private static func sum(_ left: ExactDecimal, _ right: ExactDecimal) -> ExactDecimal {
        if left.magnitude == 0 { return right }
        if right.magnitude == 0 { return left }
        let (high, low) = left.exponent >= right.exponent ? (left, right) : (right, left)
        let distance = high.exponent - low.exponent
        // Less than half of the last of 38 digits, so it is rounded away; a difference may have a
        // digit less than what it is taken from.
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
        // With 77 digits above at most 38 there are 39 digits of the quotient at least, and the
        // 39th decides.
        var wide = WideDecimal(left.magnitude)
        let shift = 2 * digitsMax + 1 - digitCount(left.magnitude)
        wide.scale(byTenTo: shift)
        wide.divide(by: right.magnitude)
        return wide.number(
            isNegative: left.isNegative != right.isNegative,
            exponent: left.exponent - shift - right.exponent)
    }

    /// A whole number of 256 bits, in which digits are lined up before they are cut to 38.
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

        /// Takes away what is no larger.
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

        /// The number with at most 38 digits, halves away from zero.
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
            // A five decides alone, since halves go away from zero.
            if last >= 5 { rest.low += 1 }
            return ExactDecimal(isNegative: isNegative, rest.low, exponent: exponent)
        }

        /// The first number of 39 digits.
        private static let limit = power(ExactDecimal.digitsMax) ?? .max
    }
}
