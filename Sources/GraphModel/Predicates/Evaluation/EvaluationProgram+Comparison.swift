extension EvaluationProgram {
    /// Returns whether the comparison of one value holds; generated SQL has the same rules for nil.
    func compare<Graph>(
        _ op: ComparisonOperator, _ options: ComparisonOptions, _ leftNode: Int, _ rightNode: Int,
        _ shape: EvaluationShape, _ scope: EvaluationScope<Graph>
    ) throws(EvaluationError) -> Bool {
        if op == .contains, shape != .single, try isCollection(leftNode, shape, scope) {
            let part = try value(rightNode, scope)
            return try contains(leftNode, part, options, scope)
        }
        let left = try value(leftNode, scope)
        switch op {
        case .in, .between: return try holds(op, options, left, rightNode, scope)
        case .matches: return try matches(left, rightNode, options, scope)
        default: return try holds(op, options, left, try value(rightNode, scope))
        }
    }

    /// Returns whether the comparison holds for one, all, or none of the elements on the left.
    func compare<Graph>(
        _ modifier: ComparisonModifier, _ op: ComparisonOperator, _ options: ComparisonOptions,
        _ leftNode: Int, _ rightNode: Int, _ scope: EvaluationScope<Graph>
    ) throws(EvaluationError) -> Bool {
        // The right side is the same for all elements; without elements, it is not evaluated.
        var right: EvaluatedValue?
        let wanted = modifier == .all
        let isNeverBroken = try visit(leftNode, scope) {
            (element: EvaluatedElement<Graph.Node>) throws(EvaluationError) -> Bool in
            let left = self.value(of: element, scope)
            switch op {
            case .in, .between:
                return try self.holds(op, options, left, rightNode, scope) == wanted
            case .matches:
                return try self.matches(left, rightNode, options, scope) == wanted
            default:
                let value = if let right { right } else { try self.value(rightNode, scope) }
                right = value
                return try self.holds(op, options, left, value) == wanted
            }
        }
        return modifier == .any ? !isNeverBroken : isNeverBroken
    }

    /// Returns whether an expression of several or of an unknown number of values has several.
    private func isCollection<Graph>(
        _ node: Int, _ shape: EvaluationShape, _ scope: EvaluationScope<Graph>
    ) throws(EvaluationError) -> Bool {
        if shape == .several { return true }
        if case .elements = try property(node, scope) { return true }
        return false
    }

    /// Returns the string at a key, or `nil` if the key has another value.
    private func fieldText<Graph>(
        _ node: Int, _ scope: EvaluationScope<Graph>
    ) throws(EvaluationError) -> ByteView? {
        switch nodes[node] {
        case .slot, .path, .member:
            if case .value(let value) = try property(node, scope) { return value.textBytes }
        default: break
        }
        return nil
    }

    /// Returns whether an element equals the value.
    private func contains<Graph>(
        _ collection: Int, _ value: EvaluatedValue, _ options: ComparisonOptions,
        _ scope: EvaluationScope<Graph>
    ) throws(EvaluationError) -> Bool {
        try !visit(collection, scope) {
            (element: EvaluatedElement<Graph.Node>) throws(EvaluationError) -> Bool in
            try !self.isEqual(value, self.value(of: element, scope), options)
        }
    }

    /// Evaluates IN and BETWEEN.
    private func holds<Graph>(
        _ op: ComparisonOperator, _ options: ComparisonOptions, _ left: EvaluatedValue,
        _ rightNode: Int, _ scope: EvaluationScope<Graph>
    ) throws(EvaluationError) -> Bool {
        guard case .list(let elements) = nodes[rightNode] else {
            if op == .in {
                if let text = try fieldText(rightNode, scope) {
                    // `IN` between two strings means that the right one contains the left one.
                    if left.isNull { return false }
                    return TextComparison.holds(
                        .contains, text, try left.neededText(), options)
                }
                return try contains(rightNode, left, options, scope)
            }
            var bounds: [EvaluatedValue] = []
            _ = try visit(rightNode, scope) {
                (element: EvaluatedElement<Graph.Node>) throws(EvaluationError) -> Bool in
                bounds.append(self.value(of: element, scope))
                return bounds.count <= 2
            }
            guard bounds.count == 2 else {
                throw .wrongKind(needed: "A list of two bounds", found: "another one")
            }
            return try isBetween(left, bounds[0], bounds[1], options)
        }
        if op == .between {
            return try isBetween(
                left, try value(elements[0], scope), try value(elements[1], scope), options)
        }
        if let candidates = listIndexes[rightNode]?.candidates(left) {
            for index in candidates {
                if case .constant(.untypedText(let text)) = nodes[elements[index]],
                    try equals(left, listed: text, options)
                {
                    return true
                }
            }
            return false
        }
        for index in 0..<elements.count {
            if case .constant(.untypedText(let text)) = nodes[elements[index]] {
                if try equals(left, listed: text, options) { return true }
            } else if try isEqual(left, try value(elements[index], scope), options) {
                return true
            }
        }
        return false
    }

    /// Returns whether a value equals a string in a list, which takes the type of the value.
    ///
    /// A string that cannot be converted to the type is not equal, so the search continues.
    private func equals(
        _ value: EvaluatedValue, listed text: ByteView, _ options: ComparisonOptions
    ) throws(EvaluationError) -> Bool {
        do throws(EvaluationError) {
            if try isEqual(value, .untypedText(text), options) { return true }
            guard case .untypedText(let field) = value else { return false }
            // The field of a table can be the same number in another notation.
            return try ValueOrder.isEqual(.number(field), .number(text), options)
        } catch {
            switch error {
            case .notANumber, .notABoolean, .notADate, .notAUUID: return false
            default: throw error
            }
        }
    }

    private func isBetween(
        _ value: EvaluatedValue, _ low: EvaluatedValue, _ high: EvaluatedValue,
        _ options: ComparisonOptions
    ) throws(EvaluationError) -> Bool {
        if value.isNull || low.isNull || high.isNull { return false }
        if try ValueOrder.compare(value, low, options) < 0 { return false }
        return try ValueOrder.compare(value, high, options) <= 0
    }

    /// Returns whether two values are equal; objects are equal if root entity and primary key are.
    private func isEqual(
        _ left: EvaluatedValue, _ right: EvaluatedValue, _ options: ComparisonOptions
    ) throws(EvaluationError) -> Bool {
        if case .object(let left) = left, case .object(let right) = right {
            return left.primaryKey == right.primaryKey
                && rootNumber(left.entityNumber) == rootNumber(right.entityNumber)
        }
        return try ValueOrder.isEqual(left, right, options)
    }

    private func rootNumber(_ entityNumber: Int64) -> Int64 {
        rootNumbers[entityNumber] ?? entityNumber
    }

    /// Evaluates every operator except IN, BETWEEN, and MATCHES.
    private func holds(
        _ op: ComparisonOperator, _ options: ComparisonOptions, _ left: EvaluatedValue,
        _ right: EvaluatedValue
    ) throws(EvaluationError) -> Bool {
        switch op {
        case .equal: return try isEqual(left, right, options)
        case .notEqual: return try !isEqual(left, right, options)
        case .lessOrEqual, .greaterOrEqual:
            if left.isNull || right.isNull { return left.isNull && right.isNull }
            let order = try ValueOrder.compare(left, right, options)
            return op == .lessOrEqual ? order <= 0 : order >= 0
        case .less, .greater:
            if left.isNull || right.isNull { return false }
            let order = try ValueOrder.compare(left, right, options)
            return op == .less ? order < 0 : order > 0
        default:
            if left.isNull || right.isNull { return false }
            return TextComparison.holds(
                op, try left.neededText(), try right.neededText(), options)
        }
    }

    private func matches<Graph>(
        _ left: EvaluatedValue, _ rightNode: Int, _ options: ComparisonOptions,
        _ scope: EvaluationScope<Graph>
    ) throws(EvaluationError) -> Bool {
        if case .pattern(let index) = nodes[rightNode] {
            if left.isNull { return false }
            return try PatternMatch.holds(
                try left.neededText(), patterns[index], options, unless: context.stop)
        }
        let right = try value(rightNode, scope)
        if left.isNull || right.isNull { return false }
        let text = try left.neededText()
        let pattern = try context.pattern(try right.neededText(), options)
        return try PatternMatch.holds(text, pattern, options, unless: context.stop)
    }
}
