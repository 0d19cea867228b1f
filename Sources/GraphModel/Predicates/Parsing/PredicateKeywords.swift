/// Words that mean something in predicates, whatever their case.
enum PredicateKeywords {
    /// Operators between two expressions that are words.
    static let comparisons: [String: ComparisonOperator] = [
        "IN": .in, "BETWEEN": .between, "CONTAINS": .contains, "BEGINSWITH": .beginsWith,
        "ENDSWITH": .endsWith, "LIKE": .like, "MATCHES": .matches,
    ]

    /// Words before a comparison.
    static let modifiers: [String: ComparisonModifier] = [
        "ANY": .any, "SOME": .any, "ALL": .all, "NONE": .none,
    ]

    /// Words that are values.
    static let constants: [String: GraphValue] = [
        "YES": .boolean(true), "TRUE": .boolean(true), "NO": .boolean(false),
        "FALSE": .boolean(false), "NIL": .null, "NULL": .null,
    ]

    private static let others: Set<String> = [
        "AND", "OR", "NOT", "SELF", "TRUEPREDICATE", "FALSEPREDICATE",
    ]

    /// Whether a key of this name needs a `#` before it.
    static func isReserved(_ word: String) -> Bool {
        let upper = word.uppercased()
        return comparisons[upper] != nil || modifiers[upper] != nil || constants[upper] != nil
            || others.contains(upper)
    }

    /// The functions, with how many arguments they take.
    static let functions: [String: ClosedRange<Int>] = [
        "now": 0...0, "today": 0...0, "lowercase": 1...1, "uppercase": 1...1, "trim": 1...1,
        "length": 1...1, "abs": 1...1, "floor": 1...1, "ceiling": 1...1, "round": 1...1,
        "coalesce": 1...100, "substring": 2...3, "replace": 3...3, "split": 2...2, "join": 2...2,
        "date": 2...2, "format": 2...2, "uuid": 0...0, "uuid5": 2...2, "sha256": 1...1,
        "cast": 2...2,
    ]
}
