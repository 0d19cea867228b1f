import GraphModel

/// Function calls: SQL for functions that SQLite computes by our rules, the evaluator for the
/// others.
extension PredicateSQL {
    private typealias Spelling =
        @Sendable (inout PredicateSQL, [GraphExpression]) throws(StoreError) -> SQLOperand?

    /// The compilers by function name; each returns `nil` for arguments that need the evaluator.
    private static let spellings: [String: Spelling] = [
        "coalesce": { compiler, arguments throws(StoreError) in
            try compiler.firstValue(arguments)
        },
        "join": { compiler, arguments throws(StoreError) in
            guard arguments.count == 2, try compiler.isStoredCollection(arguments[0]) else {
                return nil
            }
            return try compiler.join(arguments[0], arguments[1])
        },
    ]

    /// Compiles a function call.
    mutating func function(
        _ name: String, _ arguments: [GraphExpression], as whole: GraphExpression
    ) throws(StoreError) -> SQLOperand {
        if let operand = try Self.spellings[name]?(&self, arguments) { return operand }
        return try program(for: whole, try type(ofCall: name, arguments))
    }

    private mutating func firstValue(
        _ arguments: [GraphExpression]
    ) throws(StoreError) -> SQLOperand? {
        // SQLite's function needs two arguments.
        if arguments.count == 1 { return try operand(arguments[0]) }
        var parts: [SQLOperand] = []
        for argument in arguments { parts.append(try operand(argument)) }
        let type = parts.reduce(SQLType.null) { $0.common(with: $1.type) }
        return SQLOperand(
            "coalesce(" + parts.map { Self.part($0, of: type) }.joined(separator: ", ") + ")", type)
    }

    /// Returns the type of the evaluator's result for a call.
    private mutating func type(
        ofCall name: String, _ arguments: [GraphExpression]
    ) throws(StoreError) -> SQLType {
        switch PredicateFunction.named[name]?.result {
        case .text, .texts, .common, nil: return .text
        case .integer: return .anyInteger
        case .count: return .integer(0...Int64(Int32.max))
        case .date: return .date
        case .uuid: return .uuid
        case .number:
            let type = try operand(arguments[0]).type
            if type.bounds != nil { return .anyInteger }
            return type == .number || type == .decimal ? type : .double
        case .cast:
            guard arguments.count == 2, case .constant(.string(let name)) = arguments[1],
                let type = AttributeType(rawValue: name)
            else { return .text }
            let value = try operand(arguments[0]).type
            return type == .decimal && value == .decimal ? .decimal : SQLType(type)
        }
    }
}
