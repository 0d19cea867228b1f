/// Checks the arguments of a function and says what it returns.
struct FunctionCheck {
    let resolver: PredicateResolver
    let name: String
    let node: Int

    func kind(
        _ arguments: [PredicateResolver.Resolved]
    ) throws(GraphPredicateError) -> ExpressionKind {
        guard let counts = PredicateKeywords.functions[name] else {
            throw resolver.error(
                .function,
                "There is no function '\(name)'"
                    + PredicateParser.suggestion(name, PredicateKeywords.functions.keys.sorted()),
                node: node)
        }
        guard counts.contains(arguments.count) else {
            throw resolver.error(
                .function, PredicateParser.wrongCount(name, counts, arguments.count), node: node)
        }
        switch name {
        case "now", "today": return .date
        case "uuid": return .uuid
        case "lowercase", "uppercase", "canonical", "trim", "sha256":
            try check(arguments, [.text])
            return .text
        case "length":
            try check(arguments, [.text])
            return .integer
        case "~":
            try check(arguments, [.integer])
            return .integer
        case "abs", "floor", "ceiling", "round":
            try check(arguments, [.double])
            return ExpressionKind.numeric(arguments.first?.kind ?? .integer, .integer)
        case "coalesce":
            guard var result = arguments.first else { return .null }
            for argument in arguments.dropFirst() {
                result.kind = try resolver.common(result, argument)
            }
            return result.kind
        case "substring":
            try check(arguments, [.text, .integer, .integer])
            return .text
        case "replace":
            try check(arguments, [.text, .text, .text])
            return .text
        case "split":
            try check(arguments, [.text, .text])
            return .collection(.text)
        case "join":
            try checkJoin(arguments)
            return .text
        case "date":
            try check(arguments, [.text, .text])
            return .date
        case "format":
            try check(arguments, [.date, .text])
            return .text
        case "uuid5":
            guard let space = arguments.first,
                [.uuid, .text, .unknown].contains(space.kind)
            else {
                throw resolver.error(
                    .function, "'uuid5' needs a UUID, not \(arguments[0].kind)",
                    node: arguments[0].node)
            }
            try check(Array(arguments.dropFirst()), [.text])
            return .uuid
        case "cast": return try castKind(arguments)
        case "random", "pick", "lorem":
            throw resolver.error(
                .function, "'\(name)' makes values of generated records, and nothing else",
                node: node)
        default:
            throw resolver.error(.function, "There is no function '\(name)'", node: node)
        }
    }

    private func checkJoin(
        _ arguments: [PredicateResolver.Resolved]
    ) throws(GraphPredicateError) {
        guard let list = arguments.first else { return }
        try check(Array(arguments.dropFirst()), [.text])
        switch list.kind {
        case .list: try check(list.elements, list.elements.map { _ in .text })
        case .collection(.text), .unknown: break
        default:
            throw resolver.error(
                .function, "'join' needs a list of texts, not \(list.kind)", node: list.node)
        }
    }

    private func castKind(
        _ arguments: [PredicateResolver.Resolved]
    ) throws(GraphPredicateError) -> ExpressionKind {
        guard let type = try castType(arguments) else { return .null }
        switch arguments[0].kind {
        case .object, .collection, .list, .opaque:
            throw resolver.error(
                .function, "cast cannot read \(arguments[0].kind)", node: arguments[0].node)
        case .decimal where type == .decimal: return .decimal
        default: return ExpressionKind(type)
        }
    }

    /// The type that the second argument of a cast names, as models or as Foundation call it.
    func castType(
        _ arguments: [PredicateResolver.Resolved]
    ) throws(GraphPredicateError) -> AttributeType? {
        guard arguments.count == 2, case .constant(.string(let text)) = arguments[1].expression,
            let type = AttributeType(rawValue: text) ?? Self.foundationTypes[text],
            type != .transformable, type != .undefined
        else {
            throw resolver.error(
                .function, "cast needs the name of an attribute's type, such as 'Integer 64'",
                node: arguments.last?.node ?? node)
        }
        return type
    }

    private static let foundationTypes: [String: AttributeType] = [
        "NSString": .string, "NSNumber": .double, "NSDecimalNumber": .decimal, "NSDate": .date,
        "NSUUID": .uuid, "NSData": .binary, "NSURL": .uri,
    ]

    /// Those that take more of a record than of an object: the text of a date, bytes, and what is
    /// no text in a list.
    private static let takesMore: Set<String> = ["format", "sha256", "join"]

    private func check(
        _ arguments: [PredicateResolver.Resolved], _ kinds: [ExpressionKind]
    ) throws(GraphPredicateError) {
        for (argument, kind) in zip(arguments, kinds)
        where !argument.kind.isComparable(with: kind) {
            throw resolver.error(
                .function, "'\(name)' needs \(kind), not \(argument.kind)",
                node: argument.node, isOfAnyKeys: !Self.takesMore.contains(name))
        }
    }
}
