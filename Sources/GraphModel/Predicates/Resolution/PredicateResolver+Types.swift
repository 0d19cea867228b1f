/// The types of expressions, derived from their operands.
extension PredicateResolver {
    mutating func arithmetic(
        _ op: ArithmeticOperator, _ left: GraphExpression, _ right: GraphExpression
    ) throws(GraphPredicateError) -> Resolved {
        let left = try resolve(left)
        let right = try resolve(right)
        let kinds = [try numeric(left), try numeric(right)]
        if op.isOfIntegers {
            for side in [left, right] { try rejectFraction(side, by: op.rawValue) }
        }
        let kind: ExpressionKind =
            kinds.contains(.unknown) ? .unknown : ExpressionKind.numeric(kinds[0], kinds[1])
        return Resolved(
            expression: .arithmetic(op, left.operand(of: kind), right.operand(of: kind)),
            kind: kinds.contains(.null) ? .null : kind, node: number())
    }

    /// Throws if an operand of an operator on integers can have a fraction.
    func rejectFraction(_ operand: Resolved, by op: String) throws(GraphPredicateError) {
        guard operand.kind == .double || operand.kind == .decimal else { return }
        throw error(.type, "'\(op)' takes whole numbers, not fractions", node: operand.node)
    }

    func numeric(_ operand: Resolved) throws(GraphPredicateError) -> ExpressionKind {
        if operand.kind.isNumeric || operand.kind == .null || operand.kind == .unknown {
            return operand.kind
        }
        if case .collection = operand.kind { throw toManyAlone(operand) }
        let fix: String? =
            switch operand.kind {
            case .text: "join texts by `join({a, b}, ' ')`"
            case .date:
                "a date is moved by seconds: cast(cast(\(operand.expression), 'Double') + 7 * 86400, "
                    + "'Date')"
            default: nil
            }
        throw error(
            .type, "Arithmetic needs numbers, not \(operand.kind)", node: operand.node, fix: fix,
            isOfAnyKeys: true)
    }

    /// Returns the common type of two values.
    func common(_ one: Resolved, _ other: Resolved) throws(GraphPredicateError) -> ExpressionKind {
        if one.kind == .unknown || other.kind == .unknown { return .unknown }
        for side in [one, other] {
            if case .collection = side.kind { throw toManyAlone(side) }
            guard side.kind != .list else {
                throw error(
                    .type, "A list has its place after IN and BETWEEN only", node: side.node)
            }
        }
        if one.kind == .null { return other.kind }
        if other.kind == .null || one.kind == other.kind { return one.kind }
        if one.kind.isNumeric, other.kind.isNumeric {
            return ExpressionKind.numeric(one.kind, other.kind)
        }
        throw error(
            .type, "The alternatives are of different types, \(one.kind) and \(other.kind)",
            node: other.node,
            fix: one.kind == .date
                ? dateFix(for: other) : other.kind == .date ? dateFix(for: one) : nil)
    }

    /// Returns the fix for a text or a number that is used as a date, or `nil`.
    ///
    /// `2026-05-05` without quotation marks is a subtraction.
    func dateFix(for wrong: Resolved) -> String? {
        var text = source?.format ?? ""
        switch wrong.expression {
        case .constant(.string(let constant)): text = constant
        case _ where wrong.kind == .text: return "cast(\(wrong.expression), 'Date') is its date"
        case _ where wrong.kind.isNumeric: break
        default: return nil
        }
        if PredicateCast.date(text) == nil { text = "2026-01-31" }
        return "a date is written cast('\(text)', 'Date')"
    }

    mutating func function(
        _ name: String, _ arguments: [GraphExpression]
    ) throws(GraphPredicateError) -> Resolved {
        let results = try arguments.map { part throws(GraphPredicateError) in try resolve(part) }
        let place = number()
        let check = FunctionCheck(resolver: self, name: name, node: place)
        let kind = try check.kind(results)
        var arguments = results.map { $0.operand(of: kind) }
        let result = PredicateFunction.named[name]?.result
        if result == .cast {
            arguments[1] = .constant(.string(try check.castType(results).rawValue))
        }
        return Resolved(
            expression: .function(name, arguments), kind: kind, node: place,
            isOrdered: result == .texts)
    }
}
