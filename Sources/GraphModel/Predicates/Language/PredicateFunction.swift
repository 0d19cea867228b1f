/// A function of predicates and expressions: what the parser takes, and what the reference shows.
package struct PredicateFunction: Sendable, Hashable {
    /// The name; case does not matter.
    package var name: String
    /// The names of the arguments, those that may be left out last.
    package var parameters: [String]
    /// How many arguments it takes.
    package var counts: ClosedRange<Int>
    /// What it gives, in one sentence.
    package var meaning: String
    /// A call of it.
    package var example: String
    /// What the example gives, as an expression; nil where that depends on more.
    package var result: String?
    /// Only records that an import generates have it.
    package var isOfGeneratedRecords = false

    private init(
        _ name: String, _ parameters: [String], optional: Int = 0, most: Int? = nil,
        _ meaning: String, _ example: String, gives result: String? = nil,
        isOfGeneratedRecords: Bool = false
    ) {
        self.name = name
        self.parameters = parameters
        counts = (parameters.count - optional)...(most ?? parameters.count)
        self.meaning = meaning
        self.example = example
        self.result = result
        self.isOfGeneratedRecords = isOfGeneratedRecords
    }

    /// The call with the names of its arguments: `substring(text, start, length)`.
    package var usage: String {
        "\(name)(\((parameters + (counts.upperBound > parameters.count ? ["…"] : [])).joined(separator: ", ")))"
    }

    /// All functions, those of texts first.
    package static let all = [
        PredicateFunction(
            "lowercase", ["text"], "The text in small letters.", "lowercase('ÀBC')",
            gives: "'àbc'"),
        PredicateFunction(
            "uppercase", ["text"], "The text in capitals.", "uppercase('abc')", gives: "'ABC'"),
        PredicateFunction(
            "canonical", ["text"], "The text without case and diacritics, as `[cd]` compares it.",
            "canonical('Zoë')", gives: "'zoe'"),
        PredicateFunction(
            "trim", ["text"], "The text without white space at its ends.", "trim('  a b ')",
            gives: "'a b'"),
        PredicateFunction(
            "length", ["text"], "How many UTF-16 units the text has.", "length('abc')",
            gives: "3"),
        PredicateFunction(
            "substring", ["text", "start", "length"], optional: 1,
            "A part of the text, from a place that is counted from 0; without a length, the rest.",
            "substring('2026-01-31', 5, 2)", gives: "'01'"),
        PredicateFunction(
            "replace", ["text", "part", "other"], "The text with each such part replaced.",
            "replace('a-b-c', '-', '')", gives: "'abc'"),
        PredicateFunction(
            "split", ["text", "separator"], "The parts of the text, a list.",
            "split('a,b', ',')[0]", gives: "'a'"),
        PredicateFunction(
            "join", ["texts", "separator"],
            "The texts of a list, in one; those that are nil are left out.",
            "join({'Ada', 'Lovelace'}, ' ')", gives: "'Ada Lovelace'"),
        PredicateFunction(
            "sha256", ["text"], "The text's SHA-256, in hexadecimal digits.",
            "substring(sha256('abc'), 0, 8)", gives: "'ba7816bf'"),
        PredicateFunction(
            "abs", ["number"], "The number without its sign.", "abs(-3)", gives: "3"),
        PredicateFunction(
            "floor", ["number"], "The whole number below.", "floor(2.7)", gives: "2.0"),
        PredicateFunction(
            "ceiling", ["number"], "The whole number above.", "ceiling(2.2)", gives: "3.0"),
        PredicateFunction(
            "round", ["number"], "The nearest whole number; halves go away from zero.",
            "round(2.5)", gives: "3.0"),
        PredicateFunction(
            "coalesce", ["value"], most: 100, "The first of the values that is not nil.",
            "coalesce(nil, 'none')", gives: "'none'"),
        PredicateFunction(
            "cast", ["value", "type"],
            "The value as another type of attribute, without loss; what cannot be is an error.",
            "cast('42', 'Integer 64')", gives: "42"),
        PredicateFunction(
            "date", ["text", "pattern"], "The date that a text holds in a pattern of Unicode's.",
            "date('31.01.2026', 'dd.MM.yyyy')", gives: "cast('2026-01-31', 'Date')"),
        PredicateFunction(
            "format", ["date", "pattern"], "The date in a pattern of Unicode's, in UTC.",
            "format(cast('2026-01-31', 'Date'), 'd.M.yy')", gives: "'31.1.26'"),
        PredicateFunction("now", [], "The moment at which the run began.", "now()"),
        PredicateFunction("today", [], "The day of the run, at 00:00 UTC.", "today()"),
        PredicateFunction("uuid", [], "A new random UUID, another one with each call.", "uuid()"),
        PredicateFunction(
            "uuid5", ["namespace", "name"], "The UUID of a name, the same each time (RFC 9562).",
            "cast(uuid5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'python.org'), 'String')",
            gives: "'886313E1-3B8A-5372-9B90-0C9AEE199E5D'"),
        PredicateFunction(
            "random", ["low", "high"], "A number or a date from the first to the second.",
            "random(1, 6)", isOfGeneratedRecords: true),
        PredicateFunction(
            "pick", ["list"], "One of the values.", "pick({'low', 'high'})",
            isOfGeneratedRecords: true),
        PredicateFunction(
            "lorem", ["words"], "So many words that mean nothing.", "lorem(4)",
            isOfGeneratedRecords: true),
    ]
}

/// What is written like a function and is none, since a condition stands in it.
package enum PredicateForm: String, Sendable, CaseIterable {
    case subquery, ternary
}
