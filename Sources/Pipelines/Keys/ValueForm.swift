/// The allowed values of a key in a file.
package indirect enum ValueForm: Sendable {
    /// One of the words that a key allows, and its meaning.
    package struct Word: Sendable, Hashable {
        /// The word in the file.
        package var text: String
        /// The effect of the word, in one sentence.
        package var meaning: String
    }

    /// Keys that the user names, and the form of their values.
    package struct Named: Sendable {
        /// The placeholder of the name in documentation, such as `ATTRIBUTE`.
        package var placeholder: String
        /// The form of the values under these keys.
        package var form: ValueForm
    }

    case text
    /// Text that matches a regular expression, and its description in words.
    case pattern(String, String)
    /// A path relative to the spec's folder, which may contain parameters.
    case path
    case predicate
    case expression
    case character
    case boolean
    case integer(ClosedRange<Int64>)
    /// Text, a number, or a Boolean.
    case scalar
    /// Text, a number, a Boolean, or null.
    case constant
    case words([Word])
    case list(ValueForm)
    /// A list, or its only item without the list.
    case oneOrMore(ValueForm)
    /// A mapping with a description.
    ///
    /// The closure runs on demand, because mappings can be recursive.
    case described(@Sendable () -> DescribedMapping)
    case named(Named)
    case either([ValueForm])
    /// A mapping with any keys.
    case record
}

extension ValueForm {
    /// Returns the form for the words of an enumeration.
    static func choice<Choice: ExplainedChoice>(_ type: Choice.Type) -> ValueForm {
        .words(Choice.allCases.map { Word(text: $0.rawValue, meaning: $0.meaning) })
    }

    /// Returns the form for a part of a spec.
    static func mapping(
        _ mapping: @autoclosure @escaping @Sendable () -> DescribedMapping
    ) -> ValueForm {
        .described { mapping() }
    }

    /// Returns the form for a mapping whose keys are names that the user chooses.
    static func named(_ placeholder: String, _ form: ValueForm) -> ValueForm {
        .named(Named(placeholder: placeholder, form: form))
    }

    /// A duration such as `30m`, `1h30m`, or `7d`.
    static let duration = ValueForm.pattern(
        "^([0-9]+[smhdw])+[0-9]*$", "a duration such as 30m, 1h30m, or 7d")

    /// A number of bytes.
    static let size = either([
        .integer(1...Int64.max), .pattern("^[0-9]+([KMG]iB)?$", "a size such as 64KiB or 8MiB"),
    ])

    /// A limit that is a number or a percentage, such as `100` or `5%`.
    static let limit = either([
        .integer(0...Int64.max), .pattern(#"^[0-9]+(\.[0-9]+)?%$"#, "a percentage such as 5%"),
    ])

    /// The description of the form in a table of keys.
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
        case .scalar: "text, a number, true, or false"
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
        case (let lower, .max): "a whole number of at least \(lower)"
        case (let lower, let upper) where lower == upper: "\(lower)"
        case (let lower, let upper): "a whole number from \(lower) to \(upper)"
        }
    }

    /// The allowed words with their meanings, or an empty array.
    package var words: [Word] {
        switch self {
        case .words(let words): words
        case .oneOrMore(let item), .list(let item): item.words
        case .either(let forms): forms.flatMap(\.words)
        default: []
        }
    }

    /// The mappings of specs that the form refers to, in order.
    var mappings: [DescribedMapping] {
        switch self {
        case .described(let mapping): [mapping()]
        case .list(let item), .oneOrMore(let item): item.mappings
        case .named(let named): named.form.mappings
        case .either(let forms): forms.flatMap(\.mappings)
        default: []
        }
    }
}
