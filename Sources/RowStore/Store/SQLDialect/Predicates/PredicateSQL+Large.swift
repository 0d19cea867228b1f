import GraphModel

/// Predicates with many terms, or with deep nesting.
///
/// SQLite's parser has a stack of 100 symbols, and its expressions may be 1,000 levels deep, which
/// `a OR b OR c …` is with 1,000 terms (https://www.sqlite.org/limits.html). Therefore:
///
/// - Compounds are split in halves.
/// - Equalities of one key path with several constants become a list.
/// - Terms beyond `termsMax` or `levelsMax` become one call of the evaluator with the columns that
///   it needs.
extension PredicateSQL {
    /// Maximum number of comparisons that one statement contains as SQL.
    static let termsMax = 200
    /// Maximum nesting of compounds that one statement contains as SQL.
    static let levelsMax = 3
    /// Maximum number of parts that follow each other without further parentheses.
    private static let rowMax = 48
    /// Maximum number of values in a call; SQLite allows 127 arguments, one of which is the
    /// function.
    private static let argumentsMax = 100
    /// Minimum number of equalities that become a list.
    private static let equalitiesMin = 16

    /// Joins the parts with an operator, in parentheses; many parts are split in halves.
    static func nested(_ parts: [SQLFragment], _ word: String) -> SQLFragment {
        nested(ArraySlice(parts), " \(word) ")
    }

    private static func nested(_ parts: ArraySlice<SQLFragment>, _ word: String) -> SQLFragment {
        guard parts.count > rowMax else {
            return "(" + Array(parts).joined(separator: word) + ")"
        }
        let middle = parts.startIndex + parts.count / 2
        return "(" + nested(parts[..<middle], word) + word + nested(parts[middle...], word) + ")"
    }

    /// Replaces many equalities with one value by a single list membership.
    static func gathered(_ parts: [GraphPredicate], isAnd: Bool) -> [GraphPredicate] {
        guard parts.count >= equalitiesMin else { return parts }
        var lists: [GraphExpression: [GraphExpression]] = [:]
        for part in parts {
            if let (value, constant) = part.equality(isAnd ? .notEqual : .equal) {
                lists[value, default: []].append(constant)
            }
        }
        lists = lists.filter { $0.value.count >= equalitiesMin }
        if lists.isEmpty { return parts }
        var result: [GraphPredicate] = []
        for part in parts {
            guard let (value, _) = part.equality(isAnd ? .notEqual : .equal),
                let list = lists[value]
            else {
                result.append(part)
                continue
            }
            // The list replaces the first of the equalities, and the others are dropped.
            guard !list.isEmpty else { continue }
            let membership = GraphPredicate.comparison(
                GraphComparison(value, .in, .aggregate(list)))
            result.append(isAnd ? .not(membership) : membership)
            lists[value] = []
        }
        return result
    }

    /// A part of a predicate that Swift code evaluates, called from SQL, instead of SQLite.
    private struct Part {
        var predicate: GraphPredicate
        /// The indexes of the call's arguments that the part reads.
        var slots: Set<Int> = []
    }

    /// The values and comparisons that become arguments of one or more calls of the evaluator, each
    /// once.
    private struct Terms {
        var program: SQLProgram
        var known: [GraphComparison: Part] = [:]

        /// Returns a part that has the result of a SQL expression.
        mutating func answer(_ sql: SQLFragment) -> Part {
            let slot = program.slot(for: SQLOperand(sql, .boolean))
            return Part(
                predicate: .comparison(
                    GraphComparison(slot, .equal, .constant(.boolean(true)))),
                slots: [program.arguments.count - 1])
        }

        func call(_ parts: [Part], isAnd: Bool) throws(StoreError) -> SQLFragment {
            let predicates = parts.map(\.predicate)
            return try program.test(
                isAnd ? .and(predicates) : .or(predicates),
                slots: parts.reduce(into: Set()) { $0.formUnion($1.slots) }.sorted())
        }
    }

    /// Compiles the parts of a compound to one call of the evaluator, or to several if they read
    /// too many values.
    ///
    /// - Parameters:
    ///   - negated: Whether each part is negated.
    ///   - isAnd: Whether all parts must be true, after the negation.
    mutating func evaluated(
        _ parts: [GraphPredicate], negated: Bool, isAnd: Bool
    ) throws(StoreError) -> [SQLFragment] {
        var terms = Terms(program: SQLProgram(now: now))
        let parts = negated ? parts.map { GraphPredicate.not($0) } : parts
        var calls: [SQLFragment] = []
        for group in try groups(of: parts, &terms) {
            calls.append(try terms.call(group, isAnd: isAnd))
        }
        return calls
    }

    /// Returns the parts in groups, each of which fits in one call.
    private mutating func groups(
        of parts: [GraphPredicate], _ terms: inout Terms
    ) throws(StoreError) -> [[Part]] {
        var groups: [[Part]] = []
        var group: [Part] = []
        var slots: Set<Int> = []
        for predicate in parts {
            let part = try self.part(predicate, &terms)
            let all = slots.union(part.slots)
            if all.count > Self.argumentsMax, !group.isEmpty {
                groups.append(group)
                group = []
                slots = part.slots
            } else {
                slots = all
            }
            group.append(part)
        }
        if !group.isEmpty { groups.append(group) }
        return groups
    }

    private mutating func part(
        _ predicate: GraphPredicate, _ terms: inout Terms
    ) throws(StoreError) -> Part {
        switch predicate {
        case .constant: return Part(predicate: predicate)
        case .not(let inner):
            let part = try self.part(inner, &terms)
            return Part(predicate: .not(part.predicate), slots: part.slots)
        case .and(let parts): return try compound(parts, isAnd: true, &terms)
        case .or(let parts): return try compound(parts, isAnd: false, &terms)
        case .comparison(let comparison):
            if let known = terms.known[comparison] { return known }
            var part = Part(predicate: try slotted(predicate, &terms.program))
            part.slots = Set(part.predicate.keyPaths.compactMap { $0.first.flatMap { Int($0) } })
            if part.slots.count > Self.argumentsMax {
                part = terms.answer("ifnull(" + (try leaf(comparison)) + ", 0)")
            }
            terms.known[comparison] = part
            return part
        }
    }

    /// Returns a compound as one part; groups that are too large become separate calls.
    private mutating func compound(
        _ parts: [GraphPredicate], isAnd: Bool, _ terms: inout Terms
    ) throws(StoreError) -> Part {
        var groups = try groups(of: parts, &terms)
        while groups.count > 1 {
            var answers: [[Part]] = []
            for group in groups {
                let answer = terms.answer(try terms.call(group, isAnd: isAnd))
                if let last = answers.last, last.count < Self.argumentsMax {
                    answers[answers.count - 1].append(answer)
                } else {
                    answers.append([answer])
                }
            }
            groups = answers
        }
        let all = groups.first ?? []
        let predicates = all.map(\.predicate)
        return Part(
            predicate: isAnd ? .and(predicates) : .or(predicates),
            slots: all.reduce(into: []) { $0.formUnion($1.slots) })
    }

    // MARK: Slots

    /// Replaces each part of the predicate that the store must compute with a slot.
    mutating func slotted(
        _ predicate: GraphPredicate, _ program: inout SQLProgram
    ) throws(StoreError) -> GraphPredicate {
        if case .comparison(let comparison) = predicate, try !isOfValues(comparison) {
            let answer = "ifnull(" + (try leaf(comparison)) + ", 0)"
            let slot = program.slot(for: SQLOperand(answer, .boolean))
            return .comparison(GraphComparison(slot, .equal, .constant(.boolean(true))))
        }
        return try predicate.rebuilt(
            { part throws(StoreError) in try slotted(part, &program) },
            side: { part throws(StoreError) in try slotted(part, &program) })
    }

    /// Returns whether both sides are values that can be arguments of a call, not links or
    /// collections.
    private mutating func isOfValues(_ comparison: GraphComparison) throws(StoreError) -> Bool {
        guard comparison.modifier == .direct, try isValue(comparison.left) else { return false }
        guard case .aggregate(let elements) = comparison.right else {
            return try isValue(comparison.right)
        }
        guard elements.count <= TemporaryList.parametersMax else { return false }
        for element in elements where try !isValue(element) { return false }
        return true
    }

    private mutating func isValue(_ expression: GraphExpression) throws(StoreError) -> Bool {
        switch expression {
        case .constant(.object), .evaluatedObject, .aggregate, .subquery, .collection, .index,
            .member:
            return false
        case .constant: return true
        default:
            if !valueVariables.isDisjoint(with: expression.variables) { return true }
            if try isStoredCollection(expression) || expression.isMadeCollection { return false }
            switch try operand(expression).type {
            case .opaque, .object: return false
            default: return true
            }
        }
    }
}

extension GraphPredicate {
    /// The key path or variable and the constant, if the comparison is a plain equality of the two.
    fileprivate func equality(
        _ op: ComparisonOperator
    ) -> (value: GraphExpression, constant: GraphExpression)? {
        guard case .comparison(let comparison) = self, comparison.op == op,
            comparison.modifier == .direct, comparison.options.isEmpty
        else { return nil }
        switch (comparison.left, comparison.right) {
        case (.keyPath, .constant), (.variable, .constant):
            return (comparison.left, comparison.right)
        case (.constant, .keyPath), (.constant, .variable):
            return (comparison.right, comparison.left)
        default: return nil
        }
    }
}

extension GraphExpression {
    /// Maximum nesting of values that one statement computes in SQL.
    private static let levelsMax = 8

    /// Whether the values are nested more deeply than SQLite's parser may allow.
    var isDeep: Bool {
        switch self {
        case .negation, .arithmetic, .function, .conditional: isDeeper(than: Self.levelsMax)
        default: false
        }
    }

    private func isDeeper(than levels: Int) -> Bool {
        if levels <= 0 { return true }
        let step = if case .conditional = self { 2 } else { 1 }
        return operands.contains { $0.isDeeper(than: levels - step) }
    }
}
