import GraphModel

/// Case-insensitive comparisons over the folded strings of the store.
///
/// They compare bytes, so they work as for plain strings and use indexes.
extension PredicateSQL {
    /// Compiles a comparison with a string; `nil` if folded strings cannot be used.
    func searched(
        _ left: SQLOperand, _ op: ComparisonOperator, _ text: String, _ options: ComparisonOptions
    ) throws(StoreError) -> SQLFragment? {
        guard let texts = left.folded, options.contains(.caseInsensitive) else { return nil }
        if op == .notEqual { return try searched(left, .equal, text, options).map(Self.not) }
        let needle = Self.folded(text, options)
        let constant = SQLOperand(constant: .string(needle), schema)
        var condition = try compare(texts.operand(options), op, constant, [])
        let isExact = options.contains(.diacriticInsensitive)
        // If a string contains an ASCII string, so does its form without diacritics, so the index
        // of that form narrows the search. For other strings this is false: case folding turns some
        // marks into letters.
        if !isExact, op == .equal || op == .beginsWith, needle.utf8.allSatisfy({ $0 < 0x80 }) {
            let unmarked = texts.operand([.caseInsensitive, .diacriticInsensitive])
            condition = "(" + (try compare(unmarked, op, constant, [])) + " AND " + condition + ")"
        }
        let unfolded = try compare(
            texts.text, op, SQLOperand(constant: .string(text), schema), options)
        return texts.search(condition, unfolded)
    }

    /// Compiles BETWEEN two strings; `nil` if folded strings cannot be used.
    func searched(
        _ left: SQLOperand, between low: SQLOperand, and high: SQLOperand,
        _ options: ComparisonOptions
    ) throws(StoreError) -> SQLFragment? {
        guard let texts = left.folded, options.contains(.caseInsensitive),
            let first = low.constantText, let last = high.constantText
        else { return nil }
        let condition = try range(
            texts.operand(options),
            SQLOperand(constant: .string(Self.folded(first, options)), schema),
            SQLOperand(constant: .string(Self.folded(last, options)), schema), [])
        return texts.search(condition, try range(texts.text, low, high, options))
    }

    /// Compiles IN a list of strings and NULLs; `nil` if folded strings cannot be used.
    mutating func searched(
        _ left: SQLOperand, in list: [SQLOperand], _ options: ComparisonOptions
    ) throws(StoreError) -> SQLFragment? {
        guard let texts = left.folded, options.contains(.caseInsensitive) else { return nil }
        var plain: [GraphExpression] = []
        var folded: [GraphExpression] = []
        var hasNull = false
        for element in list {
            switch element.constant {
            case .null?: hasNull = true
            case .string(let text)?:
                plain.append(.constant(.string(text)))
                folded.append(.constant(.string(Self.folded(text, options))))
            default: return nil
            }
        }
        guard !plain.isEmpty else { return nil }
        let condition = try membership(texts.operand(options), folded, [])
        let found = texts.search(condition, try membership(texts.text, plain, options))
        return hasNull ? "(" + found + " OR " + left.sql + " IS NULL)" : found
    }

    private static func folded(_ text: String, _ options: ComparisonOptions) -> String {
        let bytes = Array(text.utf8).withUnsafeBufferPointer {
            TextComparison.folded($0, options)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
