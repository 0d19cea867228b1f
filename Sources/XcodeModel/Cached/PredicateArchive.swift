package import GraphModel

/// A writer that archives predicates and expressions as Foundation does, for `ArchivedPredicate` to
/// read.
///
/// The stores of apps contain the comparisons `==`, `<=`, `>=`, and `CONTAINS`, `AND`, key paths of
/// the object and of a variable, constants, and functions. The other operators and expressions
/// follow the same pattern, with the class names of Foundation's archives; no examined store
/// contains them.
package final class PredicateArchive {
    private let writer: ArchiveWriter
    private lazy var itself = writer.object("NSSelfExpression", [("NSExpressionType", .integer(1))])

    /// Creates a writer.
    ///
    /// - Parameter writer: receives the objects.
    package init(_ writer: ArchiveWriter) {
        self.writer = writer
    }

    /// Archives a predicate and returns its number.
    ///
    /// - Throws: `ArchiveFault` if `NSPredicate` cannot express the predicate.
    package func number(of predicate: GraphPredicate) throws(ArchiveFault) -> Int {
        switch predicate {
        case .constant(let value):
            writer.object(value ? "NSTruePredicate" : "NSFalsePredicate", [])
        case .comparison(let comparison): try number(of: comparison)
        case .not(let part): try compound(0, [part])
        case .and(let parts): try compound(1, parts)
        case .or(let parts): try compound(2, parts)
        }
    }

    private func compound(_ kind: Int, _ parts: [GraphPredicate]) throws(ArchiveFault) -> Int {
        let numbers = try parts.map { part throws(ArchiveFault) in try number(of: part) }
        return writer.object(
            "NSCompoundPredicate",
            [
                ("NSCompoundPredicateType", .integer(kind)),
                ("NSSubpredicates", .uid(writer.list(numbers))),
            ])
    }

    // MARK: Comparisons

    /// For each operator, its number, its class in archives, and the key of its options.
    static let operators: [ComparisonOperator: (number: Int, String, String)] = [
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

    private func number(of comparison: GraphComparison) throws(ArchiveFault) -> Int {
        if comparison.modifier == .none {
            var any = comparison
            any.modifier = .any
            return try number(of: .not(.comparison(any)))
        }
        guard let (kind, name, options) = Self.operators[comparison.op] else {
            throw ArchiveFault("NSPredicate does not have \(comparison.op.rawValue)")
        }
        let modifiers: [ComparisonModifier] = [.direct, .all, .any]
        var entries: [(String, BinaryPlist)] = [
            ("NSOperatorType", .integer(kind)),
            ("NSModifier", .integer(modifiers.firstIndex(of: comparison.modifier) ?? 0)),
            (options, .integer(Int(comparison.options.rawValue))),
        ]
        switch name {
        case "NSEqualityPredicateOperator": entries.append(("NSNegate", .boolean(kind == 5)))
        case "NSComparisonPredicateOperator": entries.append(("NSVariant", .integer(kind)))
        default: break
        }
        return writer.object(
            "NSComparisonPredicate",
            [
                ("NSPredicateOperator", .uid(writer.object(name, entries))),
                ("NSLeftExpression", .uid(try number(of: comparison.left))),
                ("NSRightExpression", .uid(try number(of: comparison.right))),
            ])
    }

    // MARK: Expressions

    /// For each arithmetic operator, the selector of its function in archives.
    static let arithmetic: [ArithmeticOperator: String] = [
        .add: "add:to:", .subtract: "from:subtract:", .multiply: "multiply:by:",
        .divide: "divide:by:", .power: "raise:toPower:", .bitAnd: "bitwiseAnd:with:",
        .bitOr: "bitwiseOr:with:", .bitXor: "bitwiseXor:with:", .shiftLeft: "leftshift:by:",
        .shiftRight: "rightshift:by:",
    ]

    /// Archives an expression and returns its number.
    ///
    /// - Throws: `ArchiveFault` if `NSExpression` cannot express the expression.
    func number(of expression: GraphExpression) throws(ArchiveFault) -> Int {
        switch expression {
        case .evaluatedObject: return itself
        case .keyPath(let keys): return path(keys, of: itself, 3)
        case .variable(let name, []): return variable(name)
        case .variable(let name, let keys): return path(keys, of: variable(name), 4)
        case .member(let base, let keys): return path(keys, of: try number(of: base), 4)
        case .collection(let base, let op, let rest):
            // An archive has `tasks.@sum.hours` as one path.
            return try number(of: base.appending([op.rawValue] + rest))
        case .aggregate(let elements):
            return typed(
                "NSAggregateExpression", 14,
                [("NSCollection", .uid(writer.list(try numbers(of: elements))))])
        case .arithmetic(let op, let left, let right):
            return function(Self.arithmetic[op] ?? "", try numbers(of: [left, right]))
        case .function(let name, let arguments):
            guard let selector = PredicateFunction.named[name]?.foundationSelector else {
                throw ArchiveFault("NSExpression does not have the function '\(name)'")
            }
            return function(selector, try numbers(of: arguments))
        case .constant(let value): return try constant(value)
        case .negation, .index, .subquery, .conditional:
            throw ArchiveFault("the form of '\(expression)' in an archive is not known")
        }
    }

    private func numbers(of expressions: [GraphExpression]) throws(ArchiveFault) -> [Int] {
        try expressions.map { part throws(ArchiveFault) in try number(of: part) }
    }

    private func typed(_ kind: String, _ type: Int, _ entries: [(String, BinaryPlist)]) -> Int {
        writer.object(kind, entries + [("NSExpressionType", .integer(type))])
    }

    private func variable(_ name: String) -> Int {
        typed("NSVariableExpression", 2, [("NSVariable", .uid(writer.text(name)))])
    }

    private func path(_ keys: [String], of operand: Int, _ type: Int) -> Int {
        path(keys.joined(separator: "."), of: operand, type)
    }

    private func path(_ keys: String, of operand: Int, _ type: Int) -> Int {
        let specifier = typed(
            "NSKeyPathSpecifierExpression", 10, [("NSKeyPath", .uid(writer.text(keys)))])
        // A path from a variable uses `valueForKeyPath:`, even if it has only one key.
        let isKey = type == 3 && !keys.contains(".")
        return typed(
            "NSKeyPathExpression", type,
            [
                ("NSOperand", .uid(operand)),
                ("NSSelectorName", .uid(writer.text(isKey ? "valueForKey:" : "valueForKeyPath:"))),
                ("NSArguments", .uid(writer.list([specifier], kind: "NSMutableArray"))),
            ])
    }

    private func function(_ selector: String, _ arguments: [Int]) -> Int {
        let utilities = typed(
            "NSConstantValueExpression", 0,
            [("NSConstantValueClassName", .uid(writer.text("_NSPredicateUtilities")))])
        return typed(
            "NSFunctionExpression", 4,
            [
                ("NSOperand", .uid(utilities)), ("NSSelectorName", .uid(writer.text(selector))),
                ("NSArguments", .uid(writer.list(arguments))),
            ])
    }

    private func constant(_ value: GraphValue) throws(ArchiveFault) -> Int {
        let held: Int
        switch value {
        case .boolean(let value): held = writer.add(.boolean(value))
        case .integer(let value): held = writer.add(.integer(Int(value)))
        case .double(let value): held = writer.add(.real(value))
        case .string(let text): held = writer.text(text)
        case .date(let seconds): held = writer.object("NSDate", [("NS.time", .real(seconds))])
        case .uuid(let bytes): held = writer.object("NSUUID", [("NS.uuidbytes", .data(bytes))])
        case .binary(let bytes): held = writer.add(.data(bytes))
        case .decimal(let text): held = writer.decimal(text) ?? writer.add(.real(Double(text) ?? 0))
        case .null: held = 0
        case .object: throw ArchiveFault("an object cannot be part of an archived predicate")
        }
        return typed("NSConstantValueExpression", 0, [("NSConstantValue", .uid(held))])
    }

    // MARK: Derivations

    /// Archives a derivation in the syntax of models and returns its number.
    ///
    /// Examples are `photos.@count`, `count:(photos)`, and `canonical:(name)`.
    func number(ofDerivation text: String) -> Int {
        let text = text.trimmed
        guard let open = text.firstIndex(of: "("), text.hasSuffix(")") else {
            return path(text, of: itself, 3)
        }
        let arguments = Self.arguments(text[text.index(after: open)...].dropLast())
        return function(
            String(text[..<open]), arguments.map { number(ofDerivation: $0) })
    }

    /// Returns the parts between commas that are not in parentheses.
    private static func arguments(_ text: Substring) -> [String] {
        var parts: [String] = []
        var (part, depth) = ("", 0)
        for character in text {
            switch character {
            case "(": depth += 1
            case ")": depth -= 1
            case "," where depth == 0:
                parts.append(part.trimmed)
                part = ""
                continue
            default: break
            }
            part.append(character)
        }
        return part.trimmed.isEmpty ? parts : parts + [part.trimmed]
    }
}

extension StringProtocol {
    /// The string without leading and trailing spaces.
    fileprivate var trimmed: String {
        let start = drop { $0 == " " }
        return String(start.reversed().drop { $0 == " " }.reversed())
    }
}

extension ArchiveWriter {
    /// Adds an `NSDecimalNumber`; returns `nil` if the text is not a decimal number or has too many
    /// digits.
    ///
    /// The number has up to 38 digits, stored as a 16-byte little-endian integer, and an exponent.
    func decimal(_ text: String) -> Int? {
        let isNegative = text.hasPrefix("-")
        let parts = (isNegative ? text.dropFirst() : text[...]).split(
            separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count) else { return nil }
        var digits = Array(parts.joined().utf8)
        guard !digits.isEmpty,
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        var exponent = parts.count == 2 ? -parts[1].utf8.count : 0
        while digits.count > 1, digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        var mantissa = [UInt8](repeating: 0, count: 16)
        for digit in digits {
            var carry = Int(digit - UInt8(ascii: "0"))
            for place in mantissa.indices {
                carry += Int(mantissa[place]) * 10
                mantissa[place] = UInt8(truncatingIfNeeded: carry)
                carry >>= 8
            }
            guard carry == 0 else { return nil }
        }
        guard (-128...127).contains(exponent) else { return nil }
        let length = (mantissa.lastIndex { $0 != 0 } ?? -1) / 2 + 1
        return object(
            "NSDecimalNumber",
            [
                ("NS.exponent", .integer(exponent)), ("NS.length", .integer(length)),
                ("NS.negative", .boolean(isNegative)), ("NS.compact", .boolean(true)),
                ("NS.mantissa", .data(mantissa)), ("NS.mantissa.bo", .integer(1)),
            ])
    }
}
