internal import GraphModel

/// The rules of attributes in archived models: predicates on the value, each with a message.
///
/// ```
/// NSValidationPredicates [length >= 3 AND length <= 50, SELF CONTAINS "title"]
/// NSValidationWarnings   ["Title must have …", "Title must contain …"]
/// ```
/// Lengths, ranges, and patterns are enforced; other predicates are only kept.
enum ArchivedRules {
    /// Returns the rules to archive for an attribute.
    static func rules(of attribute: AttributeDescription) -> [ValidationRule] {
        guard attribute.validationRules.isEmpty else { return attribute.validationRules }
        let (name, type) = (attribute.name, attribute.type)
        var rules: [ValidationRule] = []
        func add(
            _ value: GraphExpression, _ op: ComparisonOperator, _ limit: GraphValue, _ text: String
        ) {
            let predicate = GraphPredicate.comparison(
                GraphComparison(value, op, .constant(limit)))
            rules.append(
                ValidationRule(predicate: predicate.description, message: "'\(name)' must \(text)"))
        }
        let (length, range) = (attribute.length, attribute.range)
        if let limit = length?.minimum.map({ number($0, .integer64) }) {
            add(.keyPath(["length"]), .greaterOrEqual, limit, "have at least \(limit) characters")
        }
        if let limit = length?.maximum.map({ number($0, .integer64) }) {
            add(.keyPath(["length"]), .lessOrEqual, limit, "have at most \(limit) characters")
        }
        if let limit = range?.minimum.map({ number($0, type) }) {
            add(.evaluatedObject, .greaterOrEqual, limit, "be at least \(limit)")
        }
        if let limit = range?.maximum.map({ number($0, type) }) {
            add(.evaluatedObject, .lessOrEqual, limit, "be at most \(limit)")
        }
        if let pattern = attribute.pattern {
            add(.evaluatedObject, .matches, .string(pattern), "match \(pattern)")
        }
        return rules
    }

    private static func number(_ value: Double, _ type: AttributeType) -> GraphValue {
        if type == .date { return .date(secondsSinceReference: value) }
        return Int64(exactly: value).map { .integer($0) } ?? .double(value)
    }

    /// Applies the rules from an archive to an attribute.
    static func apply(_ rules: [ValidationRule], to attribute: inout AttributeDescription) {
        for rule in rules {
            // A rule that cannot be parsed adds no limit to the attribute.
            guard let predicate = try? GraphPredicate(format: rule.predicate) else { continue }
            let parts: [GraphPredicate] =
                if case .and(let parts) = predicate { parts } else {
                    [predicate]
                }
            for part in parts { enforce(part, on: &attribute) }
        }
        // Rules that the writer can derive from the attribute need no copy.
        if rules != Self.rules(of: attribute) { attribute.validationRules = rules }
    }

    private static func enforce(
        _ predicate: GraphPredicate, on attribute: inout AttributeDescription
    ) {
        guard case .comparison(let comparison) = predicate, comparison.modifier == .direct,
            comparison.options.isEmpty, case .constant(let limit) = comparison.right
        else { return }
        switch (comparison.left, comparison.op, limit) {
        case (.evaluatedObject, .matches, .string(let pattern)) where attribute.type == .string:
            // An invalid pattern is also kept, but not checked.
            attribute.pattern = pattern
        case (.keyPath(["length"]), let op, let limit) where attribute.type == .string:
            tighten(&attribute.length, op, limit)
        case (.evaluatedObject, let op, let limit) where attribute.type != .string:
            tighten(&attribute.range, op, limit)
        default: break
        }
    }

    private static func tighten(
        _ range: inout NumberRange?, _ op: ComparisonOperator, _ limit: GraphValue
    ) {
        let number: Double
        switch limit {
        case .integer(let value): number = Double(value)
        case .double(let value), .date(let value): number = value
        default: return
        }
        var tightened = range ?? NumberRange()
        switch op {
        case .greaterOrEqual: tightened.minimum = max(number, tightened.minimum ?? number)
        case .lessOrEqual: tightened.maximum = min(number, tightened.maximum ?? number)
        default: return
        }
        range = tightened
    }
}
