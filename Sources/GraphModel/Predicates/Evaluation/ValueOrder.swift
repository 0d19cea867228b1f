/// Equality and order of values, for comparisons and for sorting.
enum ValueOrder {
    /// Returns whether two values are equal; nil equals only nil.
    ///
    /// The caller compares objects, since only the program knows their root entities.
    static func isEqual(
        _ left: EvaluatedValue, _ right: EvaluatedValue, _ options: ComparisonOptions
    ) throws(EvaluationError) -> Bool {
        switch (left, right) {
        case (.boolean(let left), .boolean(let right)): return left == right
        case (.integer(let left), .integer(let right)): return left == right
        default: break
        }
        if left.isNull || right.isNull { return left.isNull && right.isNull }
        if let left = left.textBytes, let right = right.textBytes {
            return TextComparison.holds(.equal, left, right, options)
        }
        return try compare(left, right, options) == 0
    }

    /// Returns the order of two values that are not nil.
    ///
    /// Untyped text is read as the other side's kind.
    static func compare(
        _ left: EvaluatedValue, _ right: EvaluatedValue, _ options: ComparisonOptions
    ) throws(EvaluationError) -> Int {
        switch (left, right) {
        case (.text(let left), .text(let right)), (.text(let left), .untypedText(let right)),
            (.untypedText(let left), .text(let right)),
            (.untypedText(let left), .untypedText(let right)):
            return TextComparison.order(left, right, options)
        case (.uuid(let left), .uuid(let right)), (.binary(let left), .binary(let right)):
            return TextCollation.bytes(left, right)
        case (.date(let left), .date(let right)):
            return left < right ? -1 : left > right ? 1 : 0
        case (.date(let date), _): return -(try order(right, date: date))
        case (_, .date(let date)): return try order(left, date: date)
        case (.uuid(let bytes), _): return -(try order(right, uuid: bytes))
        case (_, .uuid(let bytes)): return try order(left, uuid: bytes)
        case (.boolean(let flag), .untypedText(let text)):
            return (flag ? 1 : 0) - (try boolean(text) ? 1 : 0)
        case (.untypedText(let text), .boolean(let flag)):
            return (try boolean(text) ? 1 : 0) - (flag ? 1 : 0)
        default:
            guard let one = try NumericValue(left), let other = try NumericValue(right) else {
                throw .incomparable(left.kindName, right.kindName)
            }
            let order = NumericValue.order(one, other)
            // Rounding can make numbers equal, or move one past an integer that no double
            // represents. Otherwise, it keeps the order.
            guard left.mayBeRounded || right.mayBeRounded,
                order == 0 || one.isBeyondDoubles || other.isBeyondDoubles,
                let one = left.exactDecimal, let other = right.exactDecimal
            else { return order }
            return ExactDecimal.order(one, other)
        }
    }

    private static func boolean(_ bytes: ByteView) throws(EvaluationError) -> Bool {
        guard let flag = ScalarParser.boolean(bytes) else {
            throw .notABoolean(EvaluationError.excerpt(bytes))
        }
        return flag
    }

    /// Returns the order of a value, which must be a string, relative to a date.
    private static func order(
        _ value: EvaluatedValue, date: Double
    ) throws(EvaluationError) -> Int {
        guard let bytes = value.textBytes else { throw .incomparable(value.kindName, "a date") }
        guard let read = ScalarParser.isoDate(bytes) else {
            throw .notADate(EvaluationError.excerpt(bytes))
        }
        return read < date ? -1 : read > date ? 1 : 0
    }

    /// Returns the order of a value, which must be a string, relative to a UUID.
    private static func order(
        _ value: EvaluatedValue, uuid: ByteView
    ) throws(EvaluationError) -> Int {
        guard let bytes = value.textBytes else { throw .incomparable(value.kindName, "a UUID") }
        let order = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { read -> Int? in
            guard let start = read.baseAddress, ScalarParser.uuid(bytes, into: start) else {
                return nil
            }
            return TextCollation.bytes(ByteView(read), uuid)
        }
        guard let order else { throw .notAUUID(EvaluationError.excerpt(bytes)) }
        return order
    }
}
