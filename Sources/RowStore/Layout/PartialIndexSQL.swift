import GraphModel

/// A translation of a partial index's predicate into SQL without parameters or functions.
///
/// Any SQLite version can therefore maintain the index (https://www.sqlite.org/partialindex.html).
/// The model's lints allow comparisons of the row's own columns with constants. For any other
/// predicate the result is `nil`, and the index covers all rows.
enum PartialIndexSQL {
    static func condition(
        _ predicate: GraphPredicate, column: (String) -> String
    ) -> String? {
        switch predicate {
        case .constant, .not: return nil
        case .and(let parts): return joined(parts, " AND ", column)
        case .or(let parts): return joined(parts, " OR ", column)
        case .comparison(let comparison):
            guard case .keyPath(let path) = comparison.left, path.count == 1,
                case .constant(let value) = comparison.right, let op = sqlOperator(comparison.op),
                comparison.options.isEmpty, comparison.modifier == .direct
            else { return nil }
            return "\(column(path[0])) \(op) \(SQLLiteral.text(value.stored))"
        }
    }

    private static func joined(
        _ parts: [GraphPredicate], _ separator: String, _ column: (String) -> String
    ) -> String? {
        let texts = parts.compactMap { condition($0, column: column) }
        guard texts.count == parts.count, !texts.isEmpty else { return nil }
        return "(" + texts.joined(separator: separator) + ")"
    }

    private static func sqlOperator(_ op: ComparisonOperator) -> String? {
        switch op {
        case .equal: "IS"
        case .notEqual: "IS NOT"
        case .less, .lessOrEqual, .greater, .greaterOrEqual: op.rawValue
        default: nil
        }
    }
}

/// Formats a value as an SQL literal, for values that are fixed when a statement is prepared.
enum SQLLiteral {
    static func text(_ value: StoredValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let value): String(value)
        case .real(let value): "\(value)"
        case .text(let value): "'" + value.replacing("'", with: "''") + "'"
        case .blob(let bytes):
            "x'" + bytes.hexText + "'"
        }
    }
}
