/// A number while a predicate runs: whole ones stay whole.
enum NumericValue {
    case integer(Int64)
    case double(Double)

    /// The number that a value is; text only where it may stand for one.
    init?(_ value: EvaluatedValue) throws(EvaluationError) {
        switch value {
        case .boolean(let flag): self = .integer(flag ? 1 : 0)
        case .integer(let number): self = .integer(number)
        case .double(let number): self = .double(number)
        case .number(let bytes), .untypedText(let bytes): try self.init(reading: bytes)
        default: return nil
        }
    }

    /// Reads a JSON number: exactly where it is whole and fits, else as the nearest double.
    private init(reading bytes: ByteView) throws(EvaluationError) {
        if let integer = ScalarParser.integer(bytes) {
            self = .integer(integer)
            return
        }
        guard let number = DecimalNumber(bytes) else {
            throw .notANumber(EvaluationError.excerpt(bytes))
        }
        if let integer = ScalarParser.integral(number) {
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

    var double: Double {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        }
    }

    /// Negative, zero or positive as the first is smaller, equal or greater; exact.
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
        if let whole = Int64(exactly: right) {
            return left < whole ? -1 : left > whole ? 1 : 0
        }
        if right.magnitude >= 9_223_372_036_854_775_808 { return right > 0 ? -1 : 1 }
        // Not whole, so below 2⁵³: rounding the left cannot mislead.
        return Double(left) < right ? -1 : 1
    }

    /// The result, or nil for a division by zero.
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
        }
        if result.overflow { throw .overflow }
        return result.partialValue
    }
}
