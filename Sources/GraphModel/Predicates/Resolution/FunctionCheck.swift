/// Checks the arguments of a function and determines its result type.
struct FunctionCheck {
    let resolver: PredicateResolver
    let name: String
    let node: Int

    /// Returns the type of the result; throws if the function does not take the arguments.
    func kind(
        _ arguments: [PredicateResolver.Resolved]
    ) throws(GraphPredicateError) -> ExpressionKind {
        guard let function = PredicateFunction.named[name] else {
            throw resolver.error(
                .function,
                "There is no function '\(name)'"
                    + PredicateParser.suggestion(name, PredicateFunction.named.keys.sorted()),
                node: node)
        }
        guard function.counts.contains(arguments.count) else {
            throw resolver.error(
                .function, PredicateParser.wrongCount(name, function.counts, arguments.count),
                node: node, fix: "write \(function.usage)")
        }
        guard !function.isOfGeneratedRecords else {
            throw resolver.error(
                .function, "'\(name)' makes values of generated records, and nothing else",
                node: node)
        }
        for (argument, parameter) in zip(arguments, function.parameters) {
            try check(argument, parameter.takes, isOfAnyKeys: !function.takesMoreOfRecords)
        }
        switch function.result {
        case .text: return .text
        case .texts: return .collection(.text)
        case .count, .integer: return .integer
        case .date: return .date
        case .uuid: return .uuid
        case .number: return ExpressionKind.numeric(arguments[0].kind, .integer)
        case .cast: return try castKind(arguments)
        case .common:
            var result = arguments[0]
            for argument in arguments.dropFirst() {
                result.kind = try resolver.common(result, argument)
            }
            return result.kind
        }
    }

    private func check(
        _ argument: PredicateResolver.Resolved, _ wanted: PredicateFunction.Argument,
        isOfAnyKeys: Bool
    ) throws(GraphPredicateError) {
        switch wanted {
        case .text, .datePattern: try check(argument, is: .text, isOfAnyKeys)
        case .number: try check(argument, is: .double, isOfAnyKeys)
        case .wholeNumber:
            try check(argument, is: .double, isOfAnyKeys)
            try resolver.rejectFraction(argument, by: name)
        case .date: try check(argument, is: .date, isOfAnyKeys)
        case .uuid:
            guard [.uuid, .text, .unknown].contains(argument.kind) else {
                throw resolver.error(
                    .function, "'\(name)' needs a UUID, not \(argument.kind)", node: argument.node)
            }
        case .texts:
            switch argument.kind {
            case .list:
                for element in argument.elements { try check(element, is: .text, isOfAnyKeys) }
            case .collection(.text), .unknown: break
            default:
                throw resolver.error(
                    .function, "'\(name)' needs a list of texts, not \(argument.kind)",
                    node: argument.node)
            }
        // The type name determines the result type; see `castType`.
        case .any, .list, .typeName: break
        }
    }

    private func check(
        _ argument: PredicateResolver.Resolved, is kind: ExpressionKind, _ isOfAnyKeys: Bool
    ) throws(GraphPredicateError) {
        guard !argument.kind.isComparable(with: kind) else { return }
        throw resolver.error(
            .function, "'\(name)' needs \(kind), not \(argument.kind)", node: argument.node,
            isOfAnyKeys: isOfAnyKeys)
    }

    private func castKind(
        _ arguments: [PredicateResolver.Resolved]
    ) throws(GraphPredicateError) -> ExpressionKind {
        let type = try castType(arguments)
        switch arguments[0].kind {
        case .object, .collection, .list, .opaque:
            throw resolver.error(
                .function, "cast cannot read \(arguments[0].kind)", node: arguments[0].node)
        case .decimal where type == .decimal: return .decimal
        default: return ExpressionKind(type)
        }
    }

    /// Returns the type in the second argument of a cast, by its model or Foundation name.
    ///
    /// The number of arguments must be correct.
    func castType(
        _ arguments: [PredicateResolver.Resolved]
    ) throws(GraphPredicateError) -> AttributeType {
        guard case .constant(.string(let text)) = arguments[1].expression,
            let type = AttributeType(rawValue: text) ?? Self.foundationTypes[text],
            type != .transformable, type != .undefined
        else {
            throw resolver.error(.function, CastFunction.needsType, node: arguments[1].node)
        }
        return type
    }

    private static let foundationTypes: [String: AttributeType] = [
        "NSString": .string, "NSNumber": .double, "NSDecimalNumber": .decimal, "NSDate": .date,
        "NSUUID": .uuid, "NSData": .binary, "NSURL": .uri,
    ]
}
