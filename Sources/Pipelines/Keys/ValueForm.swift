/// What may stand as a value in a file.
package indirect enum ValueForm: Sendable {
    /// One of the words that a key allows, and what it stands for.
    package struct Word: Sendable, Hashable {
        package var text: String
        package var meaning: String
    }

    /// A key that is a name of the user's, and what stands under each.
    package struct Named: Sendable {
        /// What stands for the name in texts, such as `ATTRIBUTE`.
        package var placeholder: String
        package var form: ValueForm
    }

    case text
    /// Text that a regular expression describes, and what it is in words.
    case pattern(String, String)
    /// A path from the spec's folder, in which parameters may stand.
    case path
    case predicate
    case expression
    case character
    case boolean
    case integer(ClosedRange<Int64>)
    /// Text, a number or a truth value.
    case scalar
    /// Any of them, or null.
    case constant
    case words([Word])
    case list(ValueForm)
    /// A list, or its only item.
    case oneOrMore(ValueForm)
    /// A mapping of the file's own.
    ///
    /// Looked up when it is needed, for mappings may hold themselves.
    case described(@Sendable () -> any DescribedMapping)
    case named(Named)
    case either([ValueForm])
    /// A mapping with any keys.
    case record
}

extension ValueForm {
    /// The words of an enumeration.
    static func choice<Choice: ExplainedChoice>(_ type: Choice.Type) -> ValueForm {
        .words(Choice.allCases.map { Word(text: $0.rawValue, meaning: $0.meaning) })
    }

    /// A part of a spec.
    static func mapping(
        _ mapping: @autoclosure @escaping @Sendable () -> SpecificationMapping
    ) -> ValueForm {
        .described { mapping() }
    }

    /// A mapping from names of the user's.
    static func named(_ placeholder: String, _ form: ValueForm) -> ValueForm {
        .named(Named(placeholder: placeholder, form: form))
    }

    /// `30m`, `1h30m`, `7d`.
    static let duration = ValueForm.pattern(
        "^([0-9]+[smhdw])+[0-9]*$", "a duration such as 30m, 1h30m or 7d")

    /// A number of bytes.
    static let size = either([
        .integer(1...Int64.max), .pattern("^[0-9]+([KMG]iB)?$", "a size such as 64KiB or 8MiB"),
    ])

    /// N or N%.
    static let limit = either([
        .integer(0...Int64.max), .pattern(#"^[0-9]+(\.[0-9]+)?%$"#, "a share such as 5%"),
    ])

    /// What the value is, for a table of keys.
    package var phrase: String {
        switch self {
        case .text: "text"
        case .pattern(_, let words): words
        case .path: "a path"
        case .predicate: "[a predicate](predicates.md)"
        case .expression: "[an expression](predicates.md)"
        case .character: "one character"
        case .boolean: "true or false"
        case .integer(let bounds): Self.phrase(bounds)
        case .scalar: "text, a number, true or false"
        case .constant: "a value"
        case .words(let words): words.map { "`\($0.text)`" }.joined(separator: ", ")
        case .list(let item): "a list: \(item.phrase)"
        case .oneOrMore(let item): "\(item.phrase), or a list"
        case .described(let mapping): "[\(mapping().title)](\(mapping().address))"
        case .named(let named): "`{ \(named.placeholder): … }`, \(named.form.phrase)"
        case .either(let forms): forms.map(\.phrase).joined(separator: "; or ")
        case .record: "a mapping"
        }
    }

    private static func phrase(_ bounds: ClosedRange<Int64>) -> String {
        switch (bounds.lowerBound, bounds.upperBound) {
        case (.min, _): "a whole number"
        case (let lower, .max): "a whole number from \(lower) on"
        case (let lower, let upper) where lower == upper: "\(lower)"
        case (let lower, let upper): "a whole number from \(lower) to \(upper)"
        }
    }

    /// The words with a meaning, where some are allowed.
    package var words: [Word] {
        switch self {
        case .words(let words): words
        case .oneOrMore(let item), .list(let item): item.words
        case .either(let forms): forms.flatMap(\.words)
        default: []
        }
    }

    /// The mappings of specs that it names, in order.
    var mappings: [SpecificationMapping] {
        switch self {
        case .described(let mapping): (mapping() as? SpecificationMapping).map { [$0] } ?? []
        case .list(let item), .oneOrMore(let item): item.mappings
        case .named(let named): named.form.mappings
        case .either(let forms): forms.flatMap(\.mappings)
        default: []
        }
    }
}
