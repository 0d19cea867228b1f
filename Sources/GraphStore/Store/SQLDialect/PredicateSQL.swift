import GraphModel

/// Turns resolved predicates and expressions into SQL.
///
/// SQL's comparisons give NULL where a side is NULL, which WHERE takes for false. Under a NOT
/// that would be wrong, so negation is carried down to the comparisons, and there only a
/// definite truth counts: `NOT (x < 5)` becomes `NOT ifnull(x < 5, 0)`. What is not negated stays
/// bare, so that indexes serve it.
struct PredicateSQL {
    private var paths: KeyPathSQL

    init(_ paths: KeyPathSQL) {
        self.paths = paths
    }

    /// The joins that the compiled text needs.
    var joins: String { paths.joins }

    // MARK: Predicates

    mutating func condition(_ predicate: GraphPredicate) throws(StoreError) -> SQLFragment {
        try condition(predicate, negated: false)
    }

    private mutating func condition(
        _ predicate: GraphPredicate, negated: Bool
    ) throws(StoreError) -> SQLFragment {
        switch predicate {
        case .constant(let value):
            return SQLFragment(value != negated ? "1" : "0")
        case .not(let inner):
            return try condition(inner, negated: !negated)
        case .and(let parts):
            return try compound(parts, negated: negated, isAnd: !negated)
        case .or(let parts):
            return try compound(parts, negated: negated, isAnd: negated)
        case .comparison(let comparison):
            let sql = try self.comparison(comparison)
            return negated ? "NOT ifnull(" + sql + ", 0)" : sql
        }
    }

    private mutating func compound(
        _ parts: [GraphPredicate], negated: Bool, isAnd: Bool
    ) throws(StoreError) -> SQLFragment {
        guard !parts.isEmpty else { return SQLFragment(isAnd ? "1" : "0") }
        var fragments: [SQLFragment] = []
        for part in parts { fragments.append(try condition(part, negated: negated)) }
        return "(" + fragments.joined(separator: isAnd ? " AND " : " OR ") + ")"
    }

    private mutating func comparison(
        _ comparison: GraphComparison
    ) throws(StoreError) -> SQLFragment {
        guard comparison.modifier == .direct else {
            throw Self.notYet(comparison.modifier.rawValue)
        }
        guard comparison.options.isEmpty else {
            throw Self.notYet("\(comparison.op.rawValue) with [c], [d] or [n]")
        }
        if let fragment = try membership(comparison) { return fragment }
        let left = try expression(comparison.left)
        let right = try expression(comparison.right)
        let pair = { (op: String) in "(" + left + " \(op) " + right + ")" }
        switch comparison.op {
        case .equal: return pair("IS")
        case .notEqual: return pair("IS NOT")
        case .less: return pair("<")
        case .greater: return pair(">")
        case .lessOrEqual, .greaterOrEqual:
            let op = comparison.op.rawValue
            if Self.isNonNullConstant(comparison.left) || Self.isNonNullConstant(comparison.right) {
                return pair(op)
            }
            return "(" + pair(op) + " OR (" + left + " IS NULL AND " + right + " IS NULL))"
        case .contains:
            return "(" + right + " <> '' AND instr(" + left + ", " + right + ") > 0)"
        case .beginsWith:
            if case .constant(.string(let prefix)) = comparison.right {
                return Self.begins(left, with: prefix)
            }
            let bytes = Self.bytes(right)
            return "(" + right + " <> '' AND substr(" + Self.bytes(left) + ", 1, length(" + bytes
                + ")) = " + bytes + ")"
        case .endsWith:
            let bytes = Self.bytes(right)
            return "(" + right + " <> '' AND substr(" + Self.bytes(left) + ", -length(" + bytes
                + ")) = " + bytes + ")"
        case .like, .matches, .in, .between:
            throw Self.notYet(comparison.op.rawValue)
        }
    }

    /// The text's bytes, since SQLite's functions on text stop at a NUL.
    ///
    /// UTF-8 is such that bytes match only where characters do.
    private static func bytes(_ text: SQLFragment) -> SQLFragment {
        "CAST(" + text + " AS BLOB)"
    }

    private static func isNonNullConstant(_ expression: GraphExpression) -> Bool {
        if case .constant(let value) = expression { value != .null } else { false }
    }

    /// `IN` and `BETWEEN`, whose right side is an aggregate.
    private mutating func membership(
        _ comparison: GraphComparison
    ) throws(StoreError) -> SQLFragment? {
        guard comparison.op == .in || comparison.op == .between else { return nil }
        guard case .aggregate(let elements) = comparison.right else {
            throw Self.notYet("\(comparison.op.rawValue) without {…}")
        }
        let left = try expression(comparison.left)
        if comparison.op == .between {
            guard elements.count == 2 else {
                throw StoreError(.invalidRequest, "BETWEEN takes two values, as in {1, 5}")
            }
            return "(" + left + " BETWEEN " + (try expression(elements[0])) + " AND "
                + (try expression(elements[1])) + ")"
        }
        var values: [SQLFragment] = []
        var alternatives: [SQLFragment] = []
        for element in elements {
            if Self.isNonNullConstant(element) {
                values.append(try expression(element))
            } else {
                // What may be nil equals nil, which SQL's IN does not know.
                alternatives.append(left + " IS " + (try expression(element)))
            }
        }
        let list = left + " IN (" + values.joined(separator: ", ") + ")"
        guard !alternatives.isEmpty else { return list }
        if !values.isEmpty { alternatives.insert(list, at: 0) }
        return "(" + alternatives.joined(separator: " OR ") + ")"
    }

    /// A range that an index can serve: from the prefix to the text just after all that begin so.
    private static func begins(_ left: SQLFragment, with prefix: String) -> SQLFragment {
        guard !prefix.isEmpty else { return SQLFragment("0") }
        let from = left + SQLFragment(" >= ?", [.text(prefix)])
        guard let end = successor(of: prefix) else { return from }
        return "(" + from + " AND " + left + SQLFragment(" < ?", [.text(end)]) + ")"
    }

    /// The smallest text above every text with that prefix; UTF-8 sorts as its scalars do.
    static func successor(of prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            if let scalar = Unicode.Scalar(next) {
                scalars.append(scalar)
                var text = String.UnicodeScalarView()
                text.append(contentsOf: scalars)
                return String(text)
            }
        }
        return nil
    }

    // MARK: Expressions

    mutating func expression(_ expression: GraphExpression) throws(StoreError) -> SQLFragment {
        switch expression {
        case .constant(let value):
            return SQLFragment("?", [value.stored])
        case .keyPath(let path):
            return SQLFragment(try paths.column(path))
        case .evaluatedObject:
            return SQLFragment("\(paths.alias).Z_PK")
        case .negation(let inner):
            return "(-" + (try self.expression(inner)) + ")"
        case .arithmetic(let op, let left, let right):
            return "(" + (try operand(left)) + " \(op.rawValue) " + (try operand(right)) + ")"
        case .variable(let name, _):
            throw StoreError(.invalidRequest, "$\(name) has no value")
        case .aggregate, .function, .collection, .subquery, .conditional:
            throw Self.notYet("\(expression)")
        }
    }

    /// A side of arithmetic: whole dates and decimals stand as integers in their columns, but are
    /// none, which a division would show.
    private mutating func operand(
        _ expression: GraphExpression
    ) throws(StoreError) -> SQLFragment {
        let sql = try self.expression(expression)
        guard case .keyPath(let path) = expression, let type = paths.type(of: path),
            type == .decimal || type == .date
        else { return sql }
        return "CAST(" + sql + " AS REAL)"
    }

    private static func notYet(_ what: String) -> StoreError {
        StoreError(.invalidRequest, "\(what) is not supported here yet")
    }
}

extension GraphValue {
    /// The value as a column holds it.
    var stored: StoredValue {
        switch self {
        case .null: .null
        case .boolean(let value): .integer(value ? 1 : 0)
        case .integer(let value): .integer(value)
        case .double(let value): .real(value)
        case .string(let value): .text(value)
        case .date(let seconds): .real(seconds)
        case .uuid(let bytes), .binary(let bytes): .blob(bytes)
        }
    }
}
