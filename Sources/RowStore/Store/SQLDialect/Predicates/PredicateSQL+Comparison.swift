import GraphModel

/// Comparisons of two values.
extension PredicateSQL {
    func compare(
        _ left: SQLOperand, _ op: ComparisonOperator, _ right: SQLOperand,
        _ options: ComparisonOptions
    ) throws(StoreError) -> SQLFragment {
        let isPlain = options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive])
        switch op {
        case .equal, .notEqual:
            if let (left, right) = DecimalSQL.pair(left, right) { return plain(left, op, right) }
            if isPlain || (left.type != .text && right.type != .text) {
                return plain(left, op, right)
            }
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            if let (left, right) = DecimalSQL.pair(left, right) {
                return plain(left.collated, op, right)
            }
            // The options apply only to strings.
            if isPlain || (left.type != .text && right.type != .text) {
                return plain(left, op, right)
            }
        case .contains where isPlain:
            return try contains(left, right)
        case .beginsWith where isPlain:
            if let prefix = right.constantText { return Self.begins(left.sql, with: prefix) }
            return Self.slice(left.sql, "1, length(", right.sql)
        case .endsWith where isPlain:
            return Self.slice(left.sql, "-length(", right.sql)
        case .like where isPlain:
            if let pattern = right.constantText { return try like(left, pattern) }
        default: break
        }
        if op == .equal || op == .notEqual, let text = left.constantText,
            let found = try searched(right, op, text, options)
        {
            return found
        }
        if op != .matches, let text = right.constantText, left.constant == nil {
            if let found = try searched(left, op, text, options) { return found }
            switch op {
            case .notEqual: return "NOT " + folded(left, text, .equal, options)
            case .equal, .contains, .beginsWith, .endsWith, .like:
                return folded(left, text, op, options)
            default: break
            }
        }
        return try evaluated(left, op, right, options)
    }

    /// Returns a call that folds the left side and compares it with a string folded in advance.
    private func folded(
        _ left: SQLOperand, _ text: String, _ op: ComparisonOperator, _ options: ComparisonOptions
    ) -> SQLFragment {
        let needle = TextNeedle(text, op, options)
        return SQLFragment("etl_call(?, ", calling: needle.function) + left.sql + ")"
    }

    /// Returns a call of the evaluator for two values.
    private func evaluated(
        _ left: SQLOperand, _ op: ComparisonOperator, _ right: SQLOperand,
        _ options: ComparisonOptions
    ) throws(StoreError) -> SQLFragment {
        var program = SQLProgram(now: now)
        let comparison = GraphComparison(
            program.slot(for: left), op, program.slot(for: right), options: options)
        return try program.test(.comparison(comparison))
    }

    // MARK: Plain

    private func plain(
        _ left: SQLOperand, _ op: ComparisonOperator, _ right: SQLOperand
    ) -> SQLFragment {
        if case .object(let one) = left.type, case .object(let other) = right.type, one != other {
            // Keys of different hierarchies belong to different objects.
            let bothNil = "(" + left.sql + " IS NULL AND " + right.sql + " IS NULL)"
            return op == .notEqual ? "NOT " + bothNil : bothNil
        }
        let one = Self.compared(left, with: right)
        let other = Self.compared(right, with: left)
        let pair = { (op: String) in "(" + one + " \(op) " + other + ")" }
        switch op {
        case .equal: return pair("IS")
        case .notEqual: return pair("IS NOT")
        case .lessOrEqual, .greaterOrEqual:
            if left.isNonNullConstant || right.isNonNullConstant { return pair(op.rawValue) }
            return "(" + pair(op.rawValue) + " OR (" + one + " IS NULL AND " + other
                + " IS NULL))"
        default: return pair(op.rawValue)
        }
    }

    /// Returns one side of a comparison, without its index if the index would round the other side.
    ///
    /// An index of doubles would round a large integer. A constant date with whole seconds becomes
    /// an integer, as the file stores it, because SQLite compares two integers faster.
    private static func compared(_ side: SQLOperand, with other: SQLOperand) -> SQLFragment {
        if case .date(let seconds)? = side.constant, let whole = Int64(exactly: seconds) {
            return SQLFragment("?", [.integer(whole)])
        }
        guard side.type == .double, let bounds = other.type.bounds,
            Double(exactly: bounds.lowerBound) == nil || Double(exactly: bounds.upperBound) == nil
        else { return side.sql }
        return "+" + side.sql
    }

    // MARK: Substrings

    /// Searches with `instr` for a short string, and with our own function for a long one, because
    /// `instr` compares the complete string at each position.
    private func contains(_ left: SQLOperand, _ right: SQLOperand) throws(StoreError) -> SQLFragment
    {
        let search = "instr(" + left.sql + ", " + right.sql + ") > 0"
        if let text = right.constantText {
            if text.utf8.count > TextComparison.shortPartMax, left.constant == nil {
                return folded(left, text, .contains, [])
            }
            return "(" + right.sql + " <> '' AND " + search + ")"
        }
        return "(" + right.sql + " <> '' AND CASE WHEN length(CAST(" + right.sql
            + " AS BLOB)) > \(TextComparison.shortPartMax) THEN "
            + (try evaluated(left, .contains, right, [])) + " ELSE " + search + " END)"
    }

    /// Returns the condition that the part of the text at this position equals the other string;
    /// false if that string is empty.
    ///
    /// It compares bytes, because SQLite's string functions stop at a NUL. In UTF-8, bytes match
    /// only if characters match.
    private static func slice(
        _ text: SQLFragment, _ place: String, _ part: SQLFragment
    ) -> SQLFragment {
        let bytes = "CAST(" + part + " AS BLOB)"
        return "(" + part + " <> '' AND substr(CAST(" + text + " AS BLOB), \(place)" + bytes
            + ")) = " + bytes + ")"
    }

    /// Returns a range for an index: from the prefix up to the first string after all its
    /// extensions.
    private static func begins(_ left: SQLFragment, with prefix: String) -> SQLFragment {
        guard !prefix.isEmpty else { return SQLFragment("0") }
        let from = left + SQLFragment(" >= ?", [.text(prefix)])
        guard let end = successor(of: prefix) else { return from }
        return "(" + from + " AND " + left + SQLFragment(" < ?", [.text(end)]) + ")"
    }

    /// Returns the smallest string after all strings with this prefix; UTF-8 sorts by Unicode
    /// scalars.
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

    /// Compiles LIKE to a range for the part before the first wildcard, and a matcher for the rest.
    private func like(_ left: SQLOperand, _ pattern: String) throws(StoreError) -> SQLFragment {
        var prefix = String.UnicodeScalarView()
        var scalars = Substring(pattern).unicodeScalars
        while let scalar = scalars.first, scalar != "*", scalar != "?" {
            scalars.removeFirst()
            if scalar == "\\", let escaped = scalars.popFirst() {
                prefix.append(escaped)
            } else {
                prefix.append(scalar)
            }
        }
        let start = String(prefix)
        if scalars.isEmpty {
            let text = SQLOperand(constant: .string(start), schema)
            return "(" + left.sql + " = " + text.sql + ")"
        }
        if start.isEmpty { return folded(left, pattern, .like, []) }
        let range = Self.begins(left.sql, with: start)
        if scalars.elementsEqual("*".unicodeScalars) { return range }
        return "(" + range + " AND " + folded(left, pattern, .like, []) + ")"
    }

    // MARK: Lists

    func range(
        _ value: SQLOperand, _ low: SQLOperand, _ high: SQLOperand, _ options: ComparisonOptions
    ) throws(StoreError) -> SQLFragment {
        let isPlain = options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive])
        if isPlain || value.type != .text {
            if value.type == .decimal || low.type == .decimal || high.type == .decimal {
                let value = DecimalSQL.operand(value).collated
                return "(" + value.sql + " BETWEEN " + DecimalSQL.operand(low).sql + " AND "
                    + DecimalSQL.operand(high).sql + ")"
            }
            let value = Self.compared(Self.compared(value, low), high)
            return "(" + value.sql + " BETWEEN " + Self.compared(low, with: value) + " AND "
                + Self.compared(high, with: value) + ")"
        }
        if let found = try searched(value, between: low, and: high, options) { return found }
        var program = SQLProgram(now: now)
        let comparison = GraphComparison(
            program.slot(for: value), .between,
            .aggregate([program.slot(for: low), program.slot(for: high)]), options: options)
        return try program.test(.comparison(comparison))
    }

    private static func compared(_ side: SQLOperand, _ other: SQLOperand) -> SQLOperand {
        var result = side
        result.sql = compared(side, with: other)
        return result
    }

    /// Returns whether SQLite stores a constant as NULL, which it also does with NaN.
    private static func isNull(_ constant: GraphValue) -> Bool {
        switch constant.stored {
        case .null: true
        case .real(let number): number.isNaN
        default: false
        }
    }

    /// Returns the condition that the value is in a list in braces.
    mutating func membership(
        _ left: SQLOperand, _ elements: [GraphExpression], _ options: ComparisonOptions
    ) throws(StoreError) -> SQLFragment {
        var operands: [SQLOperand] = []
        for element in elements { operands.append(try operand(element)) }
        let isPlain = options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive])
        if !isPlain, left.type == .text || left.type == .null {
            if let found = try searched(left, in: operands, options) { return found }
            var program = SQLProgram(now: now)
            let value = program.slot(for: left)
            let list = operands.map { program.slot(for: $0) }
            return try program.test(
                .comparison(GraphComparison(value, .in, .aggregate(list), options: options)))
        }
        var values: [StoredValue] = []
        var alternatives: [SQLFragment] = []
        var isGuarded = false
        var left = left
        if operands.contains(where: { DecimalSQL.pair(left, $0) != nil }) {
            left = DecimalSQL.operand(left)
        }
        for element in operands {
            guard let constant = element.constant, !Self.isNull(constant) else {
                // An element that may be NULL must also equal NULL, which SQL's IN does not
                // support.
                alternatives.append(try compare(left, .equal, element, []))
                continue
            }
            if left.type.isObject, element.type != left.type { continue }
            if Self.compared(left, with: element).sql != left.sql.sql { isGuarded = true }
            values.append(
                left.type == .decimal ? DecimalSQL.stored(constant) : constant.stored)
        }
        let value = isGuarded ? "+" + left.sql : left.sql
        if values.count > TemporaryList.parametersMax {
            let list = TemporaryList(values)
            var inList = value + " IN (SELECT value FROM \(list.table))"
            inList.lists.append(list)
            alternatives.insert(inList, at: 0)
        } else if !values.isEmpty || alternatives.isEmpty {
            let marks = Array(repeating: "?", count: values.count).joined(separator: ", ")
            alternatives.insert(value + SQLFragment(" IN (\(marks))", values), at: 0)
        }
        return alternatives.count == 1 ? alternatives[0] : Self.nested(alternatives, "OR")
    }
}
