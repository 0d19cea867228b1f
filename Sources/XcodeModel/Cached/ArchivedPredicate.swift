internal import GraphModel

/// A reader of the predicates in archived models, which belong to requests and partial indexes.
///
/// ```
/// NSComparisonPredicate { NSLeftExpression, NSRightExpression, NSPredicateOperator }
///     the operator      { NSOperatorType, NSModifier, NSOptions or NSFlags }
/// NSCompoundPredicate   { NSCompoundPredicateType: 0 not, 1 and, 2 or; NSSubpredicates }
/// NSTruePredicate, NSFalsePredicate
/// ```
/// The numbers are those of `NSPredicateOperatorType` and similar public types.
struct ArchivedPredicate {
    private static let depthMax = 64
    /// The maximum number of nodes of a predicate.
    ///
    /// A limit on the depth is not enough, because an object can be part of many others.
    private static let nodesMax = 10_000

    private var nodes = 0

    /// Returns the predicate as a format string; `nil` if `GraphPredicate` cannot express it.
    static func text(of node: ArchivedNode) -> String? {
        // Some archivers store only the format string.
        if let format = node.text { return format }
        var reader = ArchivedPredicate()
        return reader.predicate(node, depth: 0)?.description
    }

    /// Returns an archived `NSExpression` as a tree; `nil` if `GraphExpression` cannot express it.
    static func expression(of node: ArchivedNode) -> GraphExpression? {
        var reader = ArchivedPredicate()
        return reader.expression(node, depth: 0)
    }

    private mutating func enter(_ depth: Int) -> Bool {
        nodes += 1
        return depth < Self.depthMax && nodes < Self.nodesMax
    }

    // MARK: Predicates

    private mutating func predicate(_ node: ArchivedNode, depth: Int) -> GraphPredicate? {
        guard enter(depth) else { return nil }
        switch node.className {
        case "NSTruePredicate": return .constant(true)
        case "NSFalsePredicate": return .constant(false)
        default: break
        }
        guard let kind = node["NSCompoundPredicateType"]?.integer else {
            return comparison(node, depth: depth)
        }
        var parts: [GraphPredicate] = []
        for item in node["NSSubpredicates"]?.items ?? [] {
            guard let part = predicate(item, depth: depth + 1) else { return nil }
            parts.append(part)
        }
        switch (kind, parts.count) {
        case (0, 1): return .not(parts[0])
        case (1...2, 1): return parts[0]
        case (1, _): return .and(parts)
        case (2, _): return .or(parts)
        default: return nil
        }
    }

    private static let operators = Dictionary(
        uniqueKeysWithValues: PredicateArchive.operators.map { (Int64($1.number), $0) })
    private static let modifiers: [Int64: ComparisonModifier] = [0: .direct, 1: .all, 2: .any]
    /// The highest value of comparison options that can be translated: `[c]`, `[d]`, and `[n]`.
    ///
    /// A store cannot evaluate `[l]`, which depends on the locale.
    private static let optionsMax: Int64 = 7

    private mutating func comparison(_ node: ArchivedNode, depth: Int) -> GraphPredicate? {
        guard let how = node["NSPredicateOperator"],
            let op = how["NSOperatorType"]?.integer.flatMap({ Self.operators[$0] }),
            let modifier = Self.modifiers[how["NSModifier"]?.integer ?? 0],
            let options = (how["NSOptions"] ?? how["NSFlags"]).map(\.integer) ?? 0,
            (0...Self.optionsMax).contains(options),
            let left = expression(node["NSLeftExpression"], depth: depth + 1),
            let right = expression(node["NSRightExpression"], depth: depth + 1)
        else { return nil }
        return .comparison(
            GraphComparison(
                left, op, right, modifier: modifier,
                options: ComparisonOptions(rawValue: UInt8(options))))
    }

    // MARK: Expressions

    private mutating func expression(_ node: ArchivedNode?, depth: Int) -> GraphExpression? {
        guard let node, enter(depth) else { return nil }
        if let path = node["NSKeyPath"]?.text { return Self.path(path, from: .evaluatedObject) }
        switch node["NSExpressionType"]?.integer {
        case 0:
            // A class that is the target of functions is not a value.
            guard node["NSConstantValueClassName"] == nil else { return nil }
            guard let value = node["NSConstantValue"] else { return .constant(.null) }
            return literal(value, depth: depth + 1)
        case 1: return .evaluatedObject
        case 2: return node["NSVariable"]?.text.map { .variable($0, []) }
        case 3, 4: return function(node, depth: depth)
        case 14:
            return expressions(node["NSCollection"], depth: depth + 1).map { .aggregate($0) }
        default: return nil
        }
    }

    private mutating func expressions(_ list: ArchivedNode?, depth: Int) -> [GraphExpression]? {
        var all: [GraphExpression] = []
        for item in list?.items ?? [] {
            guard let one = expression(item, depth: depth) else { return nil }
            all.append(one)
        }
        return all
    }

    private mutating func literal(_ node: ArchivedNode, depth: Int) -> GraphExpression? {
        guard enter(depth) else { return nil }
        if let text = node.text { return .constant(.string(text)) }
        if let date = node.date { return .constant(.date(secondsSinceReference: date)) }
        if let bytes = node["NS.uuidbytes"]?.data {
            return bytes.count == 16 ? .constant(.uuid(bytes)) : nil
        }
        if let bytes = node.data { return .constant(.binary(bytes)) }
        if let items = node.items {
            var elements: [GraphExpression] = []
            for item in items {
                guard let element = literal(item, depth: depth + 1) else { return nil }
                elements.append(element)
            }
            return .aggregate(elements)
        }
        if node.className == "NSNull" { return .constant(.null) }
        switch node.value {
        case .boolean(let value): return .constant(.boolean(value))
        case .integer(let value): return .constant(.integer(value))
        case .real(let value): return .constant(.double(value))
        default: return ArchivedDecimal.value(of: node).map { .constant(.double($0)) }
        }
    }

    private static let arithmetic = Dictionary(
        uniqueKeysWithValues: PredicateArchive.arithmetic.map { ($1, $0) })
    private static let collections: [String: CollectionOperator] = [
        "count:": .count, "sum:": .sum, "average:": .average, "min:": .minimum, "max:": .maximum,
    ]
    /// Functions with the same meaning in `NSExpression`, by their selectors there.
    private static let functions = Dictionary(
        uniqueKeysWithValues: PredicateFunction.named.values.compactMap { function in
            function.foundationSelector.map { ($0, function.name) }
        })

    private mutating func function(_ node: ArchivedNode, depth: Int) -> GraphExpression? {
        guard let selector = node["NSSelectorName"]?.text else { return nil }
        if ArchivedExpression.takesKeyPath(selector) {
            // The key is in its own expression, or it is a constant.
            let name = node["NSArguments"]?.items?.first
            guard let path = (name?["NSKeyPath"] ?? name?["NSConstantValue"])?.text,
                let operand = expression(node["NSOperand"], depth: depth + 1)
            else { return nil }
            return Self.path(path, from: operand)
        }
        guard let arguments = expressions(node["NSArguments"], depth: depth + 1) else { return nil }
        if let name = Self.functions[selector] { return .function(name, arguments) }
        switch arguments.count {
        case 1: return Self.collections[selector].flatMap { Self.collection($0, of: arguments[0]) }
        case 2:
            if selector == "castObject:toType:" { return Self.cast(arguments[0], to: arguments[1]) }
            return Self.arithmetic[selector].map { .arithmetic($0, arguments[0], arguments[1]) }
        default: return nil
        }
    }

    /// Returns the call of a collection function as a collection operator of a key path.
    ///
    /// For `sum:(tasks.hours)`, this is `tasks.@sum.hours`.
    private static func collection(
        _ op: CollectionOperator, of operand: GraphExpression
    ) -> GraphExpression? {
        guard case .keyPath(let keys) = operand else { return nil }
        if op == .count { return .collection(operand, op, []) }
        guard keys.count > 1 else { return nil }
        return .collection(.keyPath(Array(keys.dropLast())), op, Array(keys.suffix(1)))
    }

    /// Returns the date constant of a cast to `NSDate`; `nil` for another cast.
    ///
    /// Xcode writes a date as `CAST(1.5, "NSDate")`, in seconds since 2001.
    private static func cast(
        _ operand: GraphExpression, to type: GraphExpression
    ) -> GraphExpression? {
        guard case .constant(.string("NSDate")) = type, case .constant(let value) = operand else {
            return nil
        }
        return switch value {
        case .integer(let seconds): .constant(.date(secondsSinceReference: Double(seconds)))
        case .double(let seconds): .constant(.date(secondsSinceReference: seconds))
        default: nil
        }
    }

    /// Returns a key path on a base expression, with collection operators separated from keys.
    private static func path(_ text: String, from base: GraphExpression) -> GraphExpression? {
        let keys = text.keyPath
        guard !keys.contains("") else { return nil }
        let place = keys.firstIndex { $0.hasPrefix("@") } ?? keys.endIndex
        let start = base.appending(Array(keys[..<place]))
        guard place < keys.endIndex else { return start }
        let rest = Array(keys[(place + 1)...])
        guard let op = CollectionOperator(rawValue: keys[place]),
            !rest.contains(where: { $0.hasPrefix("@") })
        else { return nil }
        return .collection(start, op, rest)
    }
}
