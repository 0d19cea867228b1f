/// Checks the arguments of a function and says what it returns.
struct FunctionCheck {
    let resolver: PredicateResolver
    let name: String
    let node: Int

    func kind(
        _ arguments: [PredicateResolver.Resolved]
    ) throws(GraphPredicateError) -> ExpressionKind {
        switch name {
        case "now", "today": return .date
        case "uuid": return .uuid
        case "lowercase", "uppercase", "trim", "sha256":
            try check(arguments, [.text])
            return .text
        case "length":
            try check(arguments, [.text])
            return .integer
        case "abs":
            try check(arguments, [.double])
            return arguments.first?.kind == .double ? .double : .integer
        case "floor", "ceiling", "round":
            try check(arguments, [.double])
            return arguments.first?.kind == .double ? .double : .integer
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
        case "join": return .text
        case "date":
            try check(arguments, [.text, .text])
            return .date
        case "format":
            try check(arguments, [.date, .text])
            return .text
        case "uuid5": return .uuid
        case "cast": return try castKind(arguments)
        default:
            throw resolver.error(.function, "There is no function '\(name)'", node: node)
        }
    }

    private func castKind(
        _ arguments: [PredicateResolver.Resolved]
    ) throws(GraphPredicateError) -> ExpressionKind {
        guard arguments.count == 2, case .constant(.string(let text)) = arguments[1].expression,
            let type = AttributeType(rawValue: text)
        else {
            throw resolver.error(
                .function, "cast needs the name of an attribute's type, such as 'Integer 64'",
                node: arguments.last?.node ?? node)
        }
        return ExpressionKind(type)
    }

    private func check(
        _ arguments: [PredicateResolver.Resolved], _ kinds: [ExpressionKind]
    ) throws(GraphPredicateError) {
        for (argument, kind) in zip(arguments, kinds)
        where !argument.kind.isComparable(with: kind) {
            throw resolver.error(
                .function, "'\(name)' needs \(kind), not \(argument.kind)", node: argument.node)
        }
    }
}
