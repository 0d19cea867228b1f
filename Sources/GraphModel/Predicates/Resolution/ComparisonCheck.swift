/// Checks the types of the two sides of a comparison.
struct ComparisonCheck {
    let resolver: PredicateResolver
    let comparison: GraphComparison
    /// The errors in the elements of a list, which are all reported.
    private(set) var mistakes: [GraphPredicateError] = []

    init(resolver: PredicateResolver, comparison: GraphComparison) {
        self.resolver = resolver
        self.comparison = comparison
    }

    /// Returns the two sides, with constants converted to the type of the other side.
    mutating func check(
        _ left: PredicateResolver.Resolved, _ right: PredicateResolver.Resolved
    ) throws(GraphPredicateError) -> (left: GraphExpression, right: GraphExpression) {
        guard left.kind != .unknown, right.kind != .unknown else {
            return (left.expression, right.expression)
        }
        var left = left
        if case .collection(let element) = left.kind {
            if comparison.modifier != .direct {
                left.kind = element
            } else if comparison.op == .contains {
                let member = try match(right, to: element, other: left)
                return (left.expression, member)
            } else {
                throw resolver.toManyAlone(left)
            }
        } else if comparison.modifier != .direct {
            throw resolver.error(
                .toMany, "\(comparison.modifier.rawValue) needs a to-many key path after it",
                node: left.node)
        }
        switch comparison.op {
        case .in: return try membership(left, right)
        case .between: return try range(left, right)
        case .contains, .beginsWith, .endsWith, .like, .matches: return try text(left, right)
        case .equal, .notEqual: return try pair(left, right)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            let sides = try pair(left, right)
            for side in [left, right] {
                if case .object = side.kind {
                    throw resolver.error(.type, "Objects have no order", node: side.node)
                }
            }
            return sides
        }
    }

    private func pair(
        _ left: PredicateResolver.Resolved, _ right: PredicateResolver.Resolved
    ) throws(GraphPredicateError) -> (left: GraphExpression, right: GraphExpression) {
        if case .constant = left.expression {
            return (try match(left, to: right.kind, other: right), right.expression)
        }
        return (left.expression, try match(right, to: left.kind, other: left))
    }

    private mutating func membership(
        _ left: PredicateResolver.Resolved, _ right: PredicateResolver.Resolved
    ) throws(GraphPredicateError) -> (left: GraphExpression, right: GraphExpression) {
        switch right.kind {
        case .collection(let element):
            return (try match(left, to: element, other: right), right.expression)
        case .list:
            return (left.expression, try list(right, for: left))
        case .text:
            throw resolver.error(
                .toMany,
                "\(comparison.modifier.rawValue) with IN needs a list or a collection on its right",
                node: right.node)
        default:
            throw resolver.error(
                .type, "IN needs a list, a collection, or a text on its right, not \(right.kind)",
                node: right.node, fix: "write a list: {\(right.expression)}")
        }
    }

    private mutating func range(
        _ left: PredicateResolver.Resolved, _ right: PredicateResolver.Resolved
    ) throws(GraphPredicateError) -> (left: GraphExpression, right: GraphExpression) {
        guard case .aggregate(let bounds) = right.expression, bounds.count == 2 else {
            throw resolver.error(
                .type, "BETWEEN needs a list of two bounds: {1, 5}", node: right.node)
        }
        if case .object = left.kind {
            throw resolver.error(.type, "Objects have no order", node: left.node)
        }
        return (left.expression, try list(right, for: left))
    }

    /// Returns the list, with each element converted to the type of the left side.
    private mutating func list(
        _ list: PredicateResolver.Resolved, for left: PredicateResolver.Resolved
    ) throws(GraphPredicateError) -> GraphExpression {
        var results: [GraphExpression] = []
        for element in list.elements {
            do throws(GraphPredicateError) {
                results.append(try match(element, to: left.kind, other: left))
            } catch {
                guard resolver.collects else { throw error }
                mistakes.append(error)
                results.append(element.expression)
            }
        }
        return .aggregate(results)
    }

    private func text(
        _ left: PredicateResolver.Resolved, _ right: PredicateResolver.Resolved
    ) throws(GraphPredicateError) -> (left: GraphExpression, right: GraphExpression) {
        for side in [left, right]
        where side.kind != .text && side.kind != .null && side.kind != .unknown {
            throw resolver.error(
                .type, "\(comparison.op.rawValue) compares text, not \(side.kind)",
                node: side.node)
        }
        if comparison.op == .matches, case .constant(.string(let pattern)) = right.expression {
            do {
                _ = try CompiledPattern(pattern)
            } catch {
                throw resolver.error(.type, error.description, node: right.node)
            }
        }
        return (left.expression, right.expression)
    }

    /// Returns one side of a comparison in the type of the other side.
    ///
    /// A constant is converted if the type has an equal value. Throws if the types cannot be
    /// compared.
    private func match(
        _ side: PredicateResolver.Resolved, to kind: ExpressionKind,
        other: PredicateResolver.Resolved
    ) throws(GraphPredicateError) -> GraphExpression {
        if case .collection = side.kind { throw resolver.toManyAlone(side) }
        if case .constant(let value) = side.expression {
            if let typed = Self.value(value, as: kind) { return .constant(typed) }
        } else if side.kind.isComparable(with: kind) {
            return side.expression
        }
        if case .constant(.string(let text)) = side.expression, kind == .date {
            throw resolver.error(
                .type,
                "'\(text)' is not a date; write one such as \"2026-01-31\" or \"2026-01-31T18:30:00Z\"",
                node: side.node)
        }
        if case .constant(.decimal(let text)) = side.expression, kind == .decimal {
            throw resolver.error(
                .type,
                "\(text) has more digits than the \(ExactDecimal.digitsMax) that decimals have",
                node: side.node)
        }
        if side.kind == .list, other.kind == .list {
            throw resolver.error(
                .type, "Lists are not compared with each other; ask for values by IN",
                node: side.node)
        }
        throw resolver.error(
            .type, "\(other.kind.capitalized) cannot be compared with \(side.describing)",
            node: side.node, fix: Self.fix(for: side, as: kind))
    }

    /// Returns the fix for a value of another type, if it is obvious.
    private static func fix(
        for side: PredicateResolver.Resolved, as kind: ExpressionKind
    ) -> String? {
        switch (kind, side.expression) {
        case (.date, _): return dateFix(for: side)
        case _ where side.variable != nil: return nil
        case (.text, .constant(.integer)), (.text, .constant(.double)),
            (.text, .constant(.decimal)):
            return "a text needs quotes: '\(side.expression)'"
        case (.integer, .constant(.string(let text))) where Int64(text) != nil,
            (.double, .constant(.string(let text))) where Double(text) != nil:
            return "a number has no quotes: \(text)"
        case (.object, .constant):
            return "compare an attribute of the object, or its number, `objectID`"
        default: return nil
        }
    }

    /// Returns the fix for a date without quotes: `2026-05-05` is a subtraction.
    private static func dateFix(for side: PredicateResolver.Resolved) -> String? {
        switch side.expression {
        case _ where side.variable != nil: nil
        case .constant(.integer), .arithmetic: "a date needs quotes: '2026-01-31'"
        default: nil
        }
    }

    /// Returns a constant as a column of that kind stores it, or `nil` if the kind has no equal.
    static func value(_ value: GraphValue, as kind: ExpressionKind) -> GraphValue? {
        switch (kind, value) {
        case (_, .null), (.null, _): value
        case (.boolean, .integer(let number)):
            number == 0 || number == 1 ? .boolean(number == 1) : nil
        case (.boolean, .double(let number)):
            number == 0 || number == 1 ? .boolean(number == 1) : nil
        case (.integer, .boolean(let flag)): .integer(flag ? 1 : 0)
        case (.double, .boolean(let flag)): .double(flag ? 1 : 0)
        case (.integer, .double(let number)): Int64(exactly: number).map { .integer($0) } ?? value
        case (.double, .integer(let number)): Double(exactly: number).map { .double($0) } ?? value
        case (.decimal, .boolean(let flag)): .integer(flag ? 1 : 0)
        // Only decimals that a store can hold, with at most 38 digits, are valid.
        case (.decimal, .decimal(let text)):
            ExactDecimal(text: text)?.isStorable == true ? value : nil
        case (.double, .decimal), (.integer, .decimal): GraphExpression.rounded(value)
        case (.date, .string(let text)): PredicateCast.date(text)
        case (.uuid, .string(let text)): PredicateCast.uuid(text)
        default: ExpressionKind(value).isComparable(with: kind) ? value : nil
        }
    }
}

extension GraphExpression {
    /// A constant with many digits as the nearest double; other expressions are unchanged.
    var rounded: GraphExpression {
        guard case .constant(let value) = self else { return self }
        return .constant(Self.rounded(value))
    }

    static func rounded(_ value: GraphValue) -> GraphValue {
        guard case .decimal(let text) = value, let number = Double(text) else { return value }
        return .double(number)
    }
}

extension ExpressionKind {
    /// The description at the start of a sentence.
    var capitalized: String {
        let text = description
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}
