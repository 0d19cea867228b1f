import GraphModel

/// Comparisons and values of collections.
///
/// If a condition on the elements does not read the outer object, one query over all links finds
/// the owners (`t.Z_PK IN (SELECT …)`). This query can start at the inverse end, for example at the
/// only tag with a given name. Otherwise, a query runs for each object (`EXISTS`).
extension PredicateSQL {
    /// Compiles ANY, ALL, and NONE.
    mutating func quantified(_ comparison: GraphComparison) throws(StoreError) -> SQLFragment {
        var elements = try elements(comparison.left)
        let value = try value(of: elements)
        let condition = try inside(&elements) { compiler throws(StoreError) in
            try compiler.comparison(
                value, comparison.op, comparison.right, options: comparison.options)
        }
        switch comparison.modifier {
        case .all:
            return "NOT EXISTS (SELECT 1 " + rows(elements, and: [Self.not(condition)]) + ")"
        case .none:
            return Self.not(some(of: elements, meet: condition, by: comparison.op))
        case .any, .direct:
            return some(of: elements, meet: condition, by: comparison.op)
        }
    }

    /// Returns the condition that at least one element equals the value.
    mutating func any(
        _ collection: GraphExpression, _ op: ComparisonOperator, equalTo other: SQLOperand,
        options: ComparisonOptions
    ) throws(StoreError) -> SQLFragment {
        var elements = try elements(collection)
        if other.constant == nil { elements.isCorrelated = true }
        let condition = try compare(try value(of: elements), op, other, options)
        return some(of: elements, meet: condition, by: op)
    }

    /// Returns the SQL that tests whether an object has an element that satisfies a condition.
    ///
    /// - Parameter op: the operator of the condition; with `notEqual`, the SQL stops at the first
    ///   match instead of collecting all owners.
    private func some(
        of elements: ElementsSQL, meet condition: SQLFragment, by op: ComparisonOperator
    ) -> SQLFragment {
        // Nearly every element differs from a given value, so stop at the first match.
        if elements.isCorrelated || op == .notEqual {
            return "EXISTS (SELECT 1 " + rows(elements, and: [condition]) + ")"
        }
        return "(" + elements.ownerKey + " IN (SELECT \(elements.owner) "
            + allRows(elements, and: [condition]) + "))"
    }

    // MARK: Counts

    /// Compiles a comparison of a count with a number; `nil` for other comparisons.
    mutating func count(_ comparison: GraphComparison) throws(StoreError) -> SQLFragment? {
        var op = comparison.op
        let base: GraphExpression
        let limit: Int64
        if let counted = comparison.left.counted, let number = comparison.right.wholeNumber {
            (base, limit) = (counted, number)
        } else if let counted = comparison.right.counted,
            let number = comparison.left.wholeNumber
        {
            (base, limit) = (counted, number)
            op = op.flipped
        } else {
            return nil
        }
        guard !base.isMadeCollection, !base.isList, limit > .min, limit < .max else { return nil }
        switch op {
        case .greater: return try atLeast(limit + 1, of: base)
        case .greaterOrEqual: return try atLeast(limit, of: base)
        case .less: return Self.not(try atLeast(limit, of: base))
        case .lessOrEqual: return Self.not(try atLeast(limit + 1, of: base))
        case .equal: return try exactly(limit, of: base)
        case .notEqual: return Self.not(try exactly(limit, of: base))
        default: return nil
        }
    }

    private mutating func atLeast(
        _ limit: Int64, of base: GraphExpression
    ) throws(StoreError) -> SQLFragment {
        if limit <= 0 { return SQLFragment("1") }
        let elements = try elements(base)
        if limit > 1 { return try grouped(elements, ">=", limit) }
        if elements.isCorrelated || elements.conditions.isEmpty {
            return "EXISTS (SELECT 1 " + rows(elements) + ")"
        }
        return "(" + elements.ownerKey + " IN (SELECT \(elements.owner) " + allRows(elements)
            + "))"
    }

    private mutating func exactly(
        _ number: Int64, of base: GraphExpression
    ) throws(StoreError) -> SQLFragment {
        if number < 0 { return SQLFragment("0") }
        if number == 0 { return Self.not(try atLeast(1, of: base)) }
        return try grouped(try elements(base), "=", number)
    }

    /// Returns a comparison of the number of elements, which is false if there are no elements.
    private mutating func grouped(
        _ elements: ElementsSQL, _ op: String, _ number: Int64
    ) throws(StoreError) -> SQLFragment {
        let count = try counting(elements)
        let limit = SQLFragment(" \(op) ?", [.integer(number)])
        if elements.isCorrelated {
            return "((SELECT \(count) " + rows(elements) + ")" + limit + ")"
        }
        let isScan = elements.isAboutFlag && isTable(elements)
        return "(" + elements.ownerKey + " IN (SELECT \(elements.owner) "
            + allRows(elements, isScan: isScan)
            + " GROUP BY \(isScan ? "+" : "")\(elements.owner) HAVING \(count)" + limit + "))"
    }

    private mutating func counting(_ elements: ElementsSQL) throws(StoreError) -> String {
        guard elements.isDistinct else { return "count(*)" }
        return "count(DISTINCT " + (try value(of: elements)).sql.sql + ")"
    }

    // MARK: Aggregates

    /// Returns the strings of a collection in its order, joined with a separator.
    mutating func join(
        _ collection: GraphExpression, _ separator: GraphExpression
    ) throws(StoreError) -> SQLOperand {
        let elements = try elements(collection)
        let separator = try operand(separator).sql
        let value = try value(of: elements).sql
        var texts =
            "SELECT " + value + " AS value, row_number() OVER (ORDER BY "
            + elements.visits.joined(separator: ", ") + ") AS place " + rows(elements)
        if elements.isDistinct {
            texts = "SELECT value, min(place) AS place FROM (" + texts + ") GROUP BY value"
        }
        // `group_concat` returns NULL without elements, where the result must be an empty string.
        // With a NULL separator, the result is NULL.
        let joined =
            "(SELECT group_concat(value, " + separator + ") FROM (" + texts + " ORDER BY place))"
        return SQLOperand(
            "CASE WHEN " + separator + " IS NOT NULL THEN ifnull(" + joined + ", '') END", .text)
    }

    /// Returns the aggregate value of all elements of an object.
    mutating func aggregate(
        _ base: GraphExpression, _ op: CollectionOperator, _ path: [String]
    ) throws(StoreError) -> SQLOperand {
        let elements = try extend(try elements(base), by: path)
        if op == .count {
            let count = try counting(elements)
            return SQLOperand(
                "(SELECT \(count) " + rows(elements) + ")", .integer(0...Int64(UInt32.max)))
        }
        let value = try value(of: elements)
        let isWhole = value.type.bounds != nil
        // Integral decimals are stored as integers.
        let number =
            isWhole || value.type == .decimal ? value.sql : "CAST(" + value.sql + " AS REAL)"
        let each = elements.isDistinct ? "DISTINCT " : ""
        func select(_ function: String, _ value: SQLFragment) -> SQLFragment {
            "(SELECT \(function)(\(each)" + value + ") " + rows(elements) + ")"
        }
        switch op {
        case .sum:
            return SQLOperand(
                select(NumberAggregates.sum, number), isWhole ? .anyInteger : .double)
        case .average: return SQLOperand(select(NumberAggregates.average, number), .double)
        case .minimum: return SQLOperand(select("min", value.collated.sql), value.type)
        case .maximum: return SQLOperand(select("max", value.collated.sql), value.type)
        case .count, .unionOfObjects, .distinctUnionOfObjects:
            throw StoreError(
                .invalidRequest, "\(op.rawValue) gives a collection, where one value is needed")
        }
    }
}

extension GraphExpression {
    /// The collection whose elements the expression counts.
    fileprivate var counted: GraphExpression? {
        switch self {
        case .collection(let base, .count, []), .index(let base, .size): base
        default: nil
        }
    }

    fileprivate var wholeNumber: Int64? {
        switch self {
        case .constant(.integer(let number)): number
        case .constant(.double(let number)): Int64(exactly: number)
        default: nil
        }
    }
}

extension ComparisonOperator {
    /// The equivalent operator for exchanged sides.
    fileprivate var flipped: ComparisonOperator {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: self
        }
    }
}
