/// A number during evaluation; integers stay integers.
enum NumericValue {
    case integer(Int64)
    case double(Double)

    /// Creates the number of a value, or returns `nil`; text counts only if it is untyped.
    ///
    /// Comparisons and casts use it: an integer is exact here, even if it is written `3e18`.
    init?(_ value: EvaluatedValue) throws(EvaluationError) {
        switch value {
        case .boolean(let flag): self = .integer(flag ? 1 : 0)
        case .integer(let number): self = .integer(number)
        case .double(let number): self = .double(number)
        case .number(let bytes), .untypedText(let bytes), .decimal(let bytes):
            try self.init(reading: bytes)
        default: return nil
        }
    }

    /// Creates the number of a value; throws if it is not a number.
    init(needed value: EvaluatedValue) throws(EvaluationError) {
        guard let number = try NumericValue(value) else {
            throw .wrongKind(needed: "A number", found: value.kindName)
        }
        self = number
    }

    /// Creates the number of an operand of arithmetic; throws if it is not a number.
    ///
    /// As in the language itself, only a number without a decimal point and an exponent is an
    /// integer. Otherwise, `/` would truncate `3.0` but not `2.5` of the same field.
    init(operand value: EvaluatedValue) throws(EvaluationError) {
        switch value {
        case .number(let bytes), .untypedText(let bytes):
            try self.init(reading: bytes, asWritten: true)
        default: try self.init(needed: value)
        }
    }

    /// Returns whether a number's text has a decimal point or an exponent.
    static func isFraction(_ bytes: ByteView) -> Bool {
        bytes.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
    }

    /// Reads the most frequent numbers, integers or those with few digits, in a single pass.
    ///
    /// Returns `nil` if the number needs a complete parser.
    @inline(__always)
    init?(plain bytes: ByteView) {
        let isNegative = bytes.first == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        // In 16 bytes, an integer cannot overflow. A number with a decimal point has at most 15
        // digits, which are exact in a double.
        guard bytes.count - start <= 16 else {
            guard let integer = ScalarParser.integer(bytes) else { return nil }
            self = .integer(integer)
            return
        }
        var digits: Int64 = 0
        var index = start
        while index < bytes.count {
            let digit = bytes[index] &- UInt8(ascii: "0")
            if digit > 9 { break }
            digits = digits &* 10 &+ Int64(digit)
            index &+= 1
        }
        // A leading zero must be the only digit before the point. Negative zero needs the complete
        // parser.
        guard index > start, index == start + 1 || bytes[start] != UInt8(ascii: "0") else {
            return nil
        }
        if index == bytes.count {
            if isNegative, digits == 0 { return nil }
            self = .integer(isNegative ? -digits : digits)
            return
        }
        guard bytes[index] == UInt8(ascii: "."), index < bytes.count - 1 else { return nil }
        var scale: Int64 = 1
        index &+= 1
        while index < bytes.count {
            let digit = bytes[index] &- UInt8(ascii: "0")
            if digit > 9 { return nil }
            digits = digits &* 10 &+ Int64(digit)
            scale &*= 10
            index &+= 1
        }
        if isNegative, digits == 0 { return nil }
        // Both operands of the division are exact, so the result is the nearest double.
        let double = Double(digits) / Double(scale)
        self = .double(isNegative ? -double : double)
    }

    /// Reads a JSON number: exactly if it is an integer in range, otherwise as the nearest double.
    ///
    /// - Parameter asWritten: Whether a decimal point or an exponent makes any number a double.
    private init(
        reading bytes: ByteView, asWritten: Bool = false
    ) throws(EvaluationError) {
        if let plain = NumericValue(plain: bytes) {
            self = plain
            return
        }
        guard let number = DecimalNumber(bytes) else {
            throw .notANumber(EvaluationError.excerpt(bytes))
        }
        if !(asWritten && Self.isFraction(bytes)), let integer = ScalarParser.integral(number) {
            self = .integer(integer)
        } else if let double = number.nearestDouble ?? ScalarParser.slowDouble(bytes) {
            self = .double(double)
        } else {
            throw .notANumber(EvaluationError.excerpt(bytes))
        }
    }

    var value: EvaluatedValue {
        switch self {
        case .integer(let number): .integer(number)
        case .double(let number): .double(number)
        }
    }

    /// Whether it is an integer so large that doubles cannot distinguish it from adjacent ones.
    var isBeyondDoubles: Bool {
        if case .integer(let number) = self { number.magnitude > 1 << 53 } else { false }
    }

    var double: Double {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        }
    }

    /// Returns a negative number, zero, or a positive number if left is less, equal, or greater;
    /// exact.
    static func order(_ left: NumericValue, _ right: NumericValue) -> Int {
        switch (left, right) {
        case (.integer(let left), .integer(let right)):
            left < right ? -1 : left > right ? 1 : 0
        case (.double(let left), .double(let right)):
            left < right ? -1 : left > right ? 1 : 0
        case (.integer(let left), .double(let right)): order(left, right)
        case (.double(let left), .integer(let right)): -order(right, left)
        }
    }

    private static func order(_ left: Int64, _ right: Double) -> Int {
        // The conversion is exact up to 2⁵³.
        if left.magnitude <= 1 << 53 {
            let left = Double(left)
            return left < right ? -1 : left == right ? 0 : 1
        }
        if let whole = Int64(exactly: right) {
            return left < whole ? -1 : left > whole ? 1 : 0
        }
        if right.magnitude >= 9_223_372_036_854_775_808 { return right > 0 ? -1 : 1 }
        // The right number has a fraction, so it is below 2⁵³, and rounding the left one is
        // harmless.
        return Double(left) < right ? -1 : 1
    }

    /// Returns the result, or `nil` for a division by zero.
    static func compute(
        _ op: ArithmeticOperator, _ left: NumericValue, _ right: NumericValue
    ) throws(EvaluationError) -> NumericValue? {
        if case .integer(let left) = left, case .integer(let right) = right {
            return try compute(op, left, right).map { .integer($0) }
        }
        let result: Double
        switch op {
        case .add: result = left.double + right.double
        case .subtract: result = left.double - right.double
        case .multiply: result = left.double * right.double
        case .divide:
            if right.double == 0 { return nil }
            result = left.double / right.double
        case .power, .shiftLeft, .shiftRight, .bitAnd, .bitXor, .bitOr:
            throw .wrongKind(needed: "A whole number", found: "a fraction")
        }
        guard result.isFinite else { throw .overflow }
        return .double(result)
    }

    private static func compute(
        _ op: ArithmeticOperator, _ left: Int64, _ right: Int64
    ) throws(EvaluationError) -> Int64? {
        let result: (partialValue: Int64, overflow: Bool)
        switch op {
        case .add: result = left.addingReportingOverflow(right)
        case .subtract: result = left.subtractingReportingOverflow(right)
        case .multiply: result = left.multipliedReportingOverflow(by: right)
        case .divide:
            if right == 0 { return nil }
            result = left.dividedReportingOverflow(by: right)
        case .power: return try power(left, right)
        // As in SQLite, a negative number shifts in the other direction, and 64 or more shifts out
        // all bits.
        case .shiftLeft: return left << right
        case .shiftRight: return left >> right
        case .bitAnd: return left & right
        case .bitXor: return left ^ right
        case .bitOr: return left | right
        }
        if result.overflow { throw .overflow }
        return result.partialValue
    }

    private static func power(
        _ base: Int64, _ exponent: Int64
    ) throws(EvaluationError) -> Int64? {
        if exponent < 0 {
            // The result is a fraction, which is truncated to an integer.
            return base == 0 ? nil : base == 1 || base == -1 ? try power(base, -(exponent % 2)) : 0
        }
        var result: Int64 = 1
        var factor = base
        var rest = exponent
        while rest > 0 {
            if rest & 1 == 1 {
                let product = result.multipliedReportingOverflow(by: factor)
                if product.overflow { throw .overflow }
                result = product.partialValue
            }
            rest >>= 1
            if rest == 0 { break }
            let square = factor.multipliedReportingOverflow(by: factor)
            if square.overflow { throw .overflow }
            factor = square.partialValue
        }
        return result
    }
}
