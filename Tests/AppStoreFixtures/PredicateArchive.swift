package import GraphModel

/// Archives predicates as Foundation does: comparisons with an operator of their own, key paths as
/// functions of the object.
package struct PredicateArchive {
    private let writer: ArchiveWriter

    package init(_ writer: ArchiveWriter) {
        self.writer = writer
    }

    /// The archived predicate's number.
    package func number(of predicate: GraphPredicate) -> Int {
        switch predicate {
        case .constant(let value):
            writer.object(value ? "NSTruePredicate" : "NSFalsePredicate", [])
        case .comparison(let comparison): number(of: comparison)
        case .not(let part): compound(0, [part])
        case .and(let parts): compound(1, parts)
        case .or(let parts): compound(2, parts)
        }
    }

    private func compound(_ kind: Int, _ parts: [GraphPredicate]) -> Int {
        writer.object(
            "NSCompoundPredicate",
            [
                ("NSCompoundPredicateType", .integer(kind)),
                ("NSSubpredicates", .uid(writer.list(parts.map { number(of: $0) }))),
            ])
    }

    /// The number, the class and the key of the options of each operator.
    private static let operators: [ComparisonOperator: (Int, String, String)] = [
        .less: (0, "NSComparisonPredicateOperator", "NSOptions"),
        .lessOrEqual: (1, "NSComparisonPredicateOperator", "NSOptions"),
        .greater: (2, "NSComparisonPredicateOperator", "NSOptions"),
        .greaterOrEqual: (3, "NSComparisonPredicateOperator", "NSOptions"),
        .equal: (4, "NSEqualityPredicateOperator", "NSOptions"),
        .notEqual: (5, "NSEqualityPredicateOperator", "NSOptions"),
        .matches: (6, "NSMatchingPredicateOperator", "NSFlags"),
        .like: (7, "NSLikePredicateOperator", "NSFlags"),
        .beginsWith: (8, "NSSubstringPredicateOperator", "NSFlags"),
        .endsWith: (9, "NSSubstringPredicateOperator", "NSFlags"),
        .in: (10, "NSInPredicateOperator", "NSFlags"),
        .contains: (99, "NSInPredicateOperator", "NSFlags"),
        .between: (100, "NSBetweenPredicateOperator", "NSOptions"),
    ]

    private func number(of comparison: GraphComparison) -> Int {
        let (kind, name, options) = Self.operators[comparison.op] ?? (0, "", "")
        let modifiers: [ComparisonModifier] = [.direct, .all, .any]
        var entries: [(String, BinaryPlist)] = [
            ("NSOperatorType", .integer(kind)),
            ("NSModifier", .integer(modifiers.firstIndex(of: comparison.modifier) ?? 0)),
            (options, .integer(Int(comparison.options.rawValue))),
        ]
        if name == "NSEqualityPredicateOperator" {
            entries.append(("NSNegate", .boolean(kind == 5)))
        }
        return writer.object(
            "NSComparisonPredicate",
            [
                ("NSPredicateOperator", .uid(writer.object(name, entries))),
                ("NSLeftExpression", .uid(number(of: comparison.left))),
                ("NSRightExpression", .uid(number(of: comparison.right))),
            ])
    }

    private static let arithmetic: [ArithmeticOperator: String] = [
        .add: "add:to:", .subtract: "from:subtract:", .multiply: "multiply:by:",
        .divide: "divide:by:",
    ]

    private func number(of expression: GraphExpression) -> Int {
        switch expression {
        case .evaluatedObject: typed("NSSelfExpression", 1, [])
        case .keyPath(let keys): path(keys, of: typed("NSSelfExpression", 1, []), 3)
        case .collection(.keyPath(let keys), let op, let rest):
            path(keys + [op.rawValue] + rest, of: typed("NSSelfExpression", 1, []), 3)
        case .variable(let name, []): variable(name)
        case .variable(let name, let keys): path(keys, of: variable(name), 4)
        case .aggregate(let elements):
            typed(
                "NSAggregateExpression", 14,
                [("NSCollection", .uid(writer.list(elements.map { number(of: $0) })))])
        case .arithmetic(let op, let left, let right):
            function(Self.arithmetic[op] ?? "", [left, right])
        case .function(let name, let arguments):
            function(name + (arguments.isEmpty ? "" : ":"), arguments)
        case .constant(let value): constant(value)
        default: typed("NSBlockExpression", 19, [])
        }
    }

    private func typed(_ kind: String, _ type: Int, _ entries: [(String, BinaryPlist)]) -> Int {
        writer.object(kind, entries + [("NSExpressionType", .integer(type))])
    }

    private func variable(_ name: String) -> Int {
        typed("NSVariableExpression", 2, [("NSVariable", .uid(writer.text(name)))])
    }

    private func path(_ keys: [String], of operand: Int, _ type: Int) -> Int {
        let specifier = typed(
            "NSKeyPathSpecifierExpression", 10,
            [("NSKeyPath", .uid(writer.text(keys.joined(separator: "."))))])
        return typed(
            type == 3 ? "NSKeyPathExpression" : "NSFunctionExpression", type,
            [
                ("NSOperand", .uid(operand)),
                (
                    "NSSelectorName",
                    .uid(writer.text(keys.count == 1 ? "valueForKey:" : "valueForKeyPath:"))
                ),
                ("NSArguments", .uid(writer.list([specifier]))),
            ])
    }

    private func function(_ selector: String, _ arguments: [GraphExpression]) -> Int {
        let utilities = typed(
            "NSConstantValueExpression", 0,
            [("NSConstantValueClassName", .uid(writer.text("_NSPredicateUtilities")))])
        return typed(
            "NSFunctionExpression", 4,
            [
                ("NSOperand", .uid(utilities)), ("NSSelectorName", .uid(writer.text(selector))),
                ("NSArguments", .uid(writer.list(arguments.map { number(of: $0) }))),
            ])
    }

    private func constant(_ value: GraphValue) -> Int {
        let held: Int? =
            switch value {
            case .boolean(let value): writer.add(.boolean(value))
            case .integer(let value): writer.add(.integer(Int(value)))
            case .double(let value): writer.add(.real(value))
            case .string(let text): writer.text(text)
            case .date(let seconds): writer.object("NSDate", [("NS.time", .real(seconds))])
            case .uuid(let bytes): writer.object("NSUUID", [("NS.uuidbytes", .data(bytes))])
            case .binary(let bytes): writer.add(.data(bytes))
            case .null, .decimal, .object: nil
            }
        return typed(
            "NSConstantValueExpression", 0, [("NSConstantValue", .uid(held ?? 0))])
    }
}
