import GraphModel

/// The folded texts of a searchable attribute, and by which key they belong to what is compared.
struct FoldedTexts {
    let table: FoldTable
    let column: String
    /// The key of the object whose attribute it is.
    let key: String
    /// Whether the key may be of no object.
    let isLink: Bool

    /// The alias of the texts themselves, where they are not folded.
    static let textAlias = "ETL_TEXT"

    /// Without case and marks, or without case.
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

    /// Whether the object is one whose folded text meets the first condition, or, where its text
    /// is not folded, whose text meets the second.
    fileprivate func search(_ condition: SQLFragment, _ unfolded: SQLFragment) -> SQLFragment {
        let objects =
            isLink
            ? " AND EXISTS (SELECT 1 FROM \(table.source) \(Self.textAlias)"
                + " WHERE \(Self.textAlias).Z_PK = \(table.name).Z_PK)" : ""
        // A CROSS JOIN, whose left side SQLite takes first: it has no way to know that nearly
        // every text is folded (https://www.sqlite.org/optoverview.html#crossjoin).
        return "(\(key) IN (SELECT \(table.name).Z_PK FROM \(table.name) WHERE " + condition
            + " AND \(table.name).Z_PK NOT IN (SELECT Z_PK FROM \(table.unfolded))\(objects)"
            + " UNION ALL SELECT \(table.unfolded).Z_PK FROM \(table.unfolded)"
            + " CROSS JOIN \(table.source) \(Self.textAlias)"
            + " ON \(Self.textAlias).Z_PK = \(table.unfolded).Z_PK WHERE " + unfolded + "))"
    }
}

/// Comparisons without case, over folded texts that the store keeps: bytes decide there, so
/// everything is as for plain texts, with indexes.
extension PredicateSQL {
    /// A comparison with a text; nil where no folded texts serve it.
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
        // What has an ASCII text in it has the same without marks, so that index narrows it down.
        // With others that is not so: case makes letters of some marks.
        if !isExact, op == .equal || op == .beginsWith, needle.utf8.allSatisfy({ $0 < 0x80 }) {
            let unmarked = texts.operand([.caseInsensitive, .diacriticInsensitive])
            condition = "(" + (try compare(unmarked, op, constant, [])) + " AND " + condition + ")"
        }
        let unfolded = try compare(
            texts.text, op, SQLOperand(constant: .string(text), schema), options)
        return texts.search(condition, unfolded)
    }

    /// BETWEEN two texts; nil where no folded texts serve it.
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

    /// IN a list of texts, nil among them or not; nil where no folded texts serve it.
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
