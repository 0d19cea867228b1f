/// The keywords of predicates; the case of ASCII letters is ignored.
package enum PredicateKeywords {
    /// The collection operators with function syntax.
    ///
    /// Core Data archives the derivation `pages.@count` as `count:(pages)`.
    static let collectionFunctions: [String: CollectionOperator] = [
        "count": .count, "sum": .sum, "average": .average, "min": .minimum, "max": .maximum,
    ]

    /// The binary operators that are words.
    static let comparisons: [String: ComparisonOperator] = [
        "IN": .in, "BETWEEN": .between, "CONTAINS": .contains, "BEGINSWITH": .beginsWith,
        "ENDSWITH": .endsWith, "LIKE": .like, "MATCHES": .matches,
    ]

    /// The modifiers before a comparison.
    static let modifiers: [String: ComparisonModifier] = [
        "ANY": .any, "SOME": .any, "ALL": .all, "NONE": .none,
    ]

    /// The words that are values.
    static let constants: [String: GraphValue] = [
        "YES": .boolean(true), "TRUE": .boolean(true), "NO": .boolean(false),
        "FALSE": .boolean(false), "NIL": .null, "NULL": .null,
    ]

    static let others: Set<String> = [
        "AND", "OR", "NOT", "SELF", "TRUEPREDICATE", "FALSEPREDICATE",
    ]

    /// The keywords, in uppercase, that need a `#` before them if they are keys.
    package static let reserved: [String] =
        (Array(comparisons.keys) + modifiers.keys + constants.keys + others).sorted()

    /// Returns the message for a keyword that is used as a key.
    static func isNoKey(_ word: String) -> String {
        "'\(word)' is a keyword; a key of that name is written #\(word)"
    }

    private static let longest = 14

    /// The words inside the brackets of an index expression.
    static let indexes: [String: GraphIndex] = [
        "FIRST": .first, "LAST": .last, "SIZE": .size,
    ]

    // The meanings of a word in uppercase.

    static func comparison(_ upper: String?) -> ComparisonOperator? {
        upper.flatMap { comparisons[$0] }
    }

    static func modifier(_ upper: String?) -> ComparisonModifier? {
        upper.flatMap { modifiers[$0] }
    }

    static func constant(_ upper: String?) -> GraphValue? { upper.flatMap { constants[$0] } }

    static func index(_ upper: String?) -> GraphIndex? { upper.flatMap { indexes[$0] } }

    /// Returns whether a key of this name needs a `#` before it.
    static func isReserved(_ word: String) -> Bool {
        upper(word).map(isReserved(upper:)) ?? false
    }

    static func isReserved(upper: String) -> Bool {
        comparisons[upper] != nil || modifiers[upper] != nil || constants[upper] != nil
            || others.contains(upper)
    }

    /// Returns the word in uppercase, or `nil` if it is too long for a keyword or not ASCII.
    static func upper(_ word: String) -> String? {
        guard word.utf8.count <= longest else { return nil }
        var bytes: [UInt8] = []
        for byte in word.utf8 {
            if byte >= 0x80 { return nil }
            bytes.append(byte >= 0x61 && byte <= 0x7A ? byte & 0xDF : byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
