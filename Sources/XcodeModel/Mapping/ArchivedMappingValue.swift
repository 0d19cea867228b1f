internal import GraphModel

/// A translator for the `NSExpression`s of mapping models.
///
/// | in the mapping model | here |
/// |---|---|
/// | `$source.name` | the expression `name` |
/// | `FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", "AToB", $source.owner)` | links to the objects that `AToB` creates from `owner` |
/// | `FUNCTION($manager, "destinationInstancesForSourceRelationshipNamed:sourceInstances:", "owner", $source.owner)` | links to the objects that any mapping creates from `owner` |
/// | `FUNCTION($entityPolicy, …)` and other methods | cannot be translated |
enum ArchivedMappingValue {
    /// The maximum depth; no real expression is deeper.
    private static let depthMax = 32

    /// Returns the value of an archived expression.
    static func value(_ node: ArchivedNode) -> XcodeMapping.Value {
        if isVariable(node["NSOperand"], "manager"), let links = managed(node) { return links }
        guard let tree = ArchivedPredicate.expression(of: node),
            // An expression with another variable cannot be translated.
            let expression = try? tree.substituting(variables: [
                "source": GraphExpression.evaluatedObject
            ]),
            expression.variables.isEmpty
        else { return .untranslatable(text(node)) }
        return .expression(expression.description)
    }

    /// Returns the objects that an archived fetch of `$manager` selects.
    static func objects(_ node: ArchivedNode) -> XcodeMapping.Objects {
        let request = node["NSRequest"] ?? node["NSFetchRequest"] ?? node["NSOperand"] ?? node
        guard
            request["NSSelectorName"]?.text == "fetchRequestForSourceEntityNamed:predicateString:",
            let arguments = request["NSArguments"]?.items, arguments.count == 2,
            let predicate = arguments[1]["NSConstantValue"]?.text
        else { return .untranslatable(text(node)) }
        return predicate.uppercased() == "TRUEPREDICATE" ? .all : .matching(predicate)
    }

    /// Returns links to the objects that a mapping creates from the objects at a path of the old
    /// object.
    static func links(_ path: String, mapping: String?) -> XcodeMapping.Value {
        // Links are sets, so union operators can be removed from the path.
        let keys = path.split(separator: ".").map(String.init)
            .filter {
                !$0.hasPrefix("@distinctUnionOf") && !$0.hasPrefix("@unionOf") && $0 != "self"
            }
        guard !keys.contains(where: { $0.hasPrefix("@") }) else {
            return .untranslatable("$source.\(path)")
        }
        return .links(keys, mapping: mapping)
    }

    private static func managed(_ node: ArchivedNode) -> XcodeMapping.Value? {
        guard let arguments = node["NSArguments"]?.items, arguments.count == 2,
            let name = arguments[0]["NSConstantValue"]?.text,
            let path = sourcePath(arguments[1])
        else { return nil }
        switch node["NSSelectorName"]?.text {
        case "destinationInstancesForEntityMappingNamed:sourceInstances:":
            return links(path, mapping: name)
        case "destinationInstancesForSourceRelationshipNamed:sourceInstances:":
            return links(path, mapping: nil)
        default: return nil
        }
    }

    private static func isVariable(_ node: ArchivedNode?, _ name: String) -> Bool {
        node?["NSVariable"]?.text == name
    }

    /// Returns the key path from `$source`; empty for the object itself.
    private static func sourcePath(_ node: ArchivedNode) -> String? {
        if isVariable(node, "source") { return "" }
        guard let selector = node["NSSelectorName"]?.text,
            ArchivedExpression.takesKeyPath(selector), isVariable(node["NSOperand"], "source"),
            let name = node["NSArguments"]?.items?.first
        else { return nil }
        return (name["NSKeyPath"] ?? name["NSConstantValue"])?.text
    }

    // MARK: Text

    /// Returns the expression as `NSExpression` would print it, for messages.
    private static func text(_ node: ArchivedNode, depth: Int = 0) -> String {
        guard depth < depthMax else { return "…" }
        if let name = node["NSVariable"]?.text { return "$\(name)" }
        if let path = node["NSKeyPath"]?.text { return path }
        let arguments = node["NSArguments"]?.items ?? []
        if let selector = node["NSSelectorName"]?.text {
            let operand = node["NSOperand"].map { text($0, depth: depth + 1) }
            let parts = arguments.prefix(8).map { text($0, depth: depth + 1) }
            if ArchivedExpression.takesKeyPath(selector), let path = parts.first {
                return [operand, path].compactMap(\.self).joined(separator: ".")
            }
            return "FUNCTION("
                + ([operand ?? "", "\"\(selector)\""] + parts).joined(separator: ", ") + ")"
        }
        if let constant = node["NSConstantValue"] {
            if let text = constant.text { return "\"\(text)\"" }
            return constant.integer.map { "\($0)" } ?? constant.real.map { "\($0)" } ?? "a constant"
        }
        return node.className ?? "an expression"
    }
}
