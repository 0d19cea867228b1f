import GraphModel

/// The folded strings of a searchable attribute, and the key of the object that has the attribute.
struct FoldedTexts {
    let table: FoldTable
    let column: String
    /// The key of the object that has the attribute.
    let key: String
    /// Whether the key may refer to no object.
    let isLink: Bool

    /// The alias of the table with the original strings, for strings that are not folded.
    static let textAlias = "ETL_TEXT"

    /// Returns the string without case and diacritics, or without case only.
    fileprivate func operand(_ options: ComparisonOptions) -> SQLOperand {
        let folded = "\(table.name).\(column)"
        let sql =
            options.contains(.diacriticInsensitive)
            ? folded : "coalesce(\(table.name).\(FoldTable.caseColumn(column)), \(folded))"
        return SQLOperand(SQLFragment(sql), .text)
    }

    fileprivate var text: SQLOperand {
        SQLOperand(SQLFragment("\(Self.textAlias).\(column)"), .text)
    }

    /// Returns the condition that the object's folded string satisfies the first condition or, if
    /// the string is not folded yet, that the string satisfies the second.
    fileprivate func search(_ condition: SQLFragment, _ unfolded: SQLFragment) -> SQLFragment {
        let objects =
            isLink
            ? " AND EXISTS (SELECT 1 FROM \(table.source) \(Self.textAlias)"
                + " WHERE \(Self.textAlias).Z_PK = \(table.name).Z_PK)" : ""
        // SQLite evaluates the left side of a CROSS JOIN first. It cannot know that nearly every
        // string is folded (https://www.sqlite.org/optoverview.html#crossjoin).
        return "(\(key) IN (SELECT \(table.name).Z_PK FROM \(table.name) WHERE " + condition
            + " AND \(table.name).Z_PK NOT IN (SELECT Z_PK FROM \(table.unfolded))\(objects)"
            + " UNION ALL SELECT \(table.unfolded).Z_PK FROM \(table.unfolded)"
            + " CROSS JOIN \(table.source) \(Self.textAlias)"
            + " ON \(Self.textAlias).Z_PK = \(table.unfolded).Z_PK WHERE " + unfolded + "))"
    }
}

/// Case-insensitive comparisons over the folded strings of the store.
///
/// They compare bytes, so they work as for plain strings and use indexes.
extension PredicateSQL {
    /// Compiles a comparison with a string; `nil` if folded strings cannot be used.
    func searched(
        _ left: SQLOperand, _ op: ComparisonOperator, _ text: String, _ options: ComparisonOptions
    ) throws(StoreError) -> SQLFragment? {
        guard let texts = left.folded, options.contains(.caseInsensitive) else { return nil }
        switch op {
        case .notEqual:
            return try searched(left, .equal, text, options).map(Self.not)
        case .equal, .less, .lessOrEqual, .greater, .greaterOrEqual, .contains, .beginsWith,
            .endsWith, .like:
            break
        case .matches, .in, .between: return nil
        }
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
