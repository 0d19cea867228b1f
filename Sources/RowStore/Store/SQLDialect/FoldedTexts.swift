import GraphModel

/// The folded strings of a searchable attribute, and the key of the object that has the attribute.
package struct FoldedTexts {
    let table: FoldTable
    let column: String
    /// The key of the object that has the attribute.
    let key: String
    /// Whether the key may refer to no object.
    let isLink: Bool

    /// The alias of the table with the original strings, for strings that are not folded.
    package static let textAlias = "ETL_TEXT"

    /// Returns the string without case and diacritics, or without case only.
    func operand(_ options: ComparisonOptions) -> SQLOperand {
        let folded = "\(table.name).\(column)"
        let sql =
            options.contains(.diacriticInsensitive)
            ? folded : "coalesce(\(table.name).\(FoldTable.caseColumn(column)), \(folded))"
        return SQLOperand(SQLFragment(sql), .text)
    }

    var text: SQLOperand {
        SQLOperand(SQLFragment("\(Self.textAlias).\(column)"), .text)
    }

    /// Returns the condition that the object's folded string satisfies the first condition or, if
    /// the string is not folded yet, that the string satisfies the second.
    func search(_ condition: SQLFragment, _ unfolded: SQLFragment) -> SQLFragment {
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
