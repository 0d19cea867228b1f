extension EvaluationProgram {
    /// Whether the comparison holds, by the rules for nil that SQL is made to follow as well.
    func compare(
        _ op: ComparisonOperator, _ options: ComparisonOptions, _ leftNode: Int, _ rightNode: Int,
        _ row: some EvaluationRow
    ) throws(EvaluationError) -> Bool {
        let left = try value(leftNode, row)
        switch op {
        case .in:
            for element in elements(rightNode)
            where try isEqual(left, try value(element, row), options) {
                return true
            }
            return false
        case .between:
            let bounds = elements(rightNode)
            guard bounds.count == 2 else { return false }
            let low = try value(bounds[0], row)
            let high = try value(bounds[1], row)
            if left.isNull || low.isNull || high.isNull { return false }
            if try order(left, low, options) < 0 { return false }
            return try order(left, high, options) <= 0
        default: break
        }
        let right = try value(rightNode, row)
        switch op {
        case .equal: return try isEqual(left, right, options)
        case .notEqual: return try !isEqual(left, right, options)
        case .lessOrEqual, .greaterOrEqual:
            if left.isNull || right.isNull { return left.isNull && right.isNull }
            let order = try order(left, right, options)
            return op == .lessOrEqual ? order <= 0 : order >= 0
        case .less, .greater:
            if left.isNull || right.isNull { return false }
            let order = try order(left, right, options)
            return op == .less ? order < 0 : order > 0
        default:
            if left.isNull || right.isNull { return false }
            guard let text = left.textBytes else {
                throw .wrongKind(needed: "Text", found: left.kindName)
            }
            guard let part = right.textBytes else {
                throw .wrongKind(needed: "Text", found: right.kindName)
            }
            return TextComparison.holds(op, text, part, options)
        }
    }

    private func elements(_ node: Int) -> [Int] {
        guard case .list(let elements) = nodes[node] else { return [] }
        return elements
    }

    private func isEqual(
        _ left: EvaluatedValue, _ right: EvaluatedValue, _ options: ComparisonOptions
    ) throws(EvaluationError) -> Bool {
        if left.isNull || right.isNull { return left.isNull && right.isNull }
        if let left = left.textBytes, let right = right.textBytes {
            return TextComparison.holds(.equal, left, right, options)
        }
        return try order(left, right, options) == 0
    }

    /// The order of two values that are not nil; untyped text is read as the other side's kind.
    private func order(
        _ left: EvaluatedValue, _ right: EvaluatedValue, _ options: ComparisonOptions
    ) throws(EvaluationError) -> Int {
        switch (left, right) {
        case (.text(let left), .text(let right)), (.text(let left), .untypedText(let right)),
            (.untypedText(let left), .text(let right)),
            (.untypedText(let left), .untypedText(let right)):
            return TextComparison.order(left, right, options)
        case (.uuid(let left), .uuid(let right)), (.binary(let left), .binary(let right)):
            return TextComparison.order(left, right)
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
            return NumericValue.order(one, other)
        }
    }

    private func boolean(_ bytes: ByteView) throws(EvaluationError) -> Bool {
        guard let flag = ScalarParser.boolean(bytes) else {
            throw .notABoolean(EvaluationError.excerpt(bytes))
        }
        return flag
    }

    /// The order of a value, which must be text, to a date.
    private func order(
        _ value: EvaluatedValue, date: Double
    ) throws(EvaluationError) -> Int {
        guard let bytes = value.textBytes else { throw .incomparable(value.kindName, "a date") }
        guard let read = ScalarParser.isoDate(bytes) else {
            throw .notADate(EvaluationError.excerpt(bytes))
        }
        return read < date ? -1 : read > date ? 1 : 0
    }

    /// The order of a value, which must be text, to a UUID.
    private func order(
        _ value: EvaluatedValue, uuid: ByteView
    ) throws(EvaluationError) -> Int {
        guard let bytes = value.textBytes else { throw .incomparable(value.kindName, "a UUID") }
        let order = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { read -> Int? in
            guard let start = read.baseAddress, ScalarParser.uuid(bytes, into: start) else {
                return nil
            }
            return TextComparison.order(ByteView(read), uuid)
        }
        guard let order else { throw .notAUUID(EvaluationError.excerpt(bytes)) }
        return order
    }
}
