/// A function of predicates and expressions, declared once: the parser, the resolver, the evaluator,
/// SQL, and the reference take from its declaration what each needs.
///
/// A new function is one more declaration in a list of `all`. SQL calls the evaluator, unless
/// `PredicateSQL` has a spelling for the function.
package struct PredicateFunction: Sendable {
    /// What an argument must be.
    enum Argument {
        case any, text, number, date
        /// A UUID, or the text of one.
        case uuid
        /// The name of an attribute's type, a constant.
        case typeName
        case datePattern
        /// Several values; their texts.
        case list, texts
    }

    /// What a call gives.
    package enum Result: Sendable {
        case text, integer, date, uuid
        /// A whole number that is not negative and fits 31 bits.
        case count
        /// A number of the argument's kind.
        case number
        /// Several texts.
        case texts
        /// What the arguments have in common.
        case common
        /// A value of the type that the last argument names.
        case cast
    }

    /// How a call gets its value; bytes stay until the context's arena is reset.
    enum Evaluation {
        /// From the moment of the run, before there is a row.
        case moment(@Sendable (_ now: Double) -> Double)
        /// The first argument that is not nil; those behind it are not looked at.
        case firstValue
        /// From the values of its arguments; nil where one of them is nil.
        case values(
            @Sendable (Values, EvaluationContext) throws(EvaluationError) -> EvaluatedValue)
        /// From the elements of its first argument and the values of the others; nil where one of
        /// these is nil.
        case elements(
            @Sendable ([EvaluatedValue], Values, EvaluationContext) throws(EvaluationError)
                -> EvaluatedValue)
        /// Several values, for a body that returns whether it wants more.
        case pieces(
            @Sendable (Values, (EvaluatedValue) throws(EvaluationError) -> Bool)
                throws(EvaluationError) -> Bool)
    }

    /// The values of arguments, `null` for those that a call does not have.
    struct Values {
        var first = EvaluatedValue.null
        var second = EvaluatedValue.null
        var third = EvaluatedValue.null
    }

    /// What else is to be known of a function.
    enum Trait {
        /// It gives another value with each call.
        case isVolatile
        /// Only records that an import generates have it. Its last value is the number that the
        /// row has drawn for it.
        case isOfGeneratedRecords
        /// It takes more of a record than of an object: the text of a date, bytes, and what is no
        /// text in a list.
        case takesMoreOfRecords
    }

    /// The name; case does not matter.
    package let name: String
    let parameters: [(name: String, takes: Argument)]
    /// How many arguments it takes.
    package let counts: ClosedRange<Int>
    package let result: Result
    /// What it gives, in one sentence.
    package let meaning: String
    /// A call of it.
    package let example: String
    /// What the example gives, as an expression; nil where that depends on more.
    package let exampleResult: String?
    /// The selector by which `NSExpression` has the same function.
    package let foundationSelector: String?
    private let traits: Set<Trait>
    let evaluation: Evaluation

    init(
        _ name: String, _ parameters: KeyValuePairs<String, Argument>, optional: Int = 0,
        most: Int? = nil, gives result: Result, meaning: String, example: String,
        is exampleResult: String? = nil, foundation: String? = nil, traits: Set<Trait> = [],
        by evaluation: Evaluation
    ) {
        self.name = name
        self.parameters = parameters.map { ($0.key, $0.value) }
        counts = (parameters.count - optional)...(most ?? parameters.count)
        self.result = result
        self.meaning = meaning
        self.example = example
        self.exampleResult = exampleResult
        foundationSelector = foundation
        self.traits = traits
        self.evaluation = evaluation
    }

    /// All functions that are written as such, in the order of the reference.
    package static let all = texts + numbers + conversions + moments + identifiers + generators

    /// Every function by its name, the operator `~` among them.
    package static let named = Dictionary(
        uniqueKeysWithValues: (all + [complement]).map { ($0.name, $0) })

    /// Whether only records that an import generates have it.
    package var isOfGeneratedRecords: Bool { traits.contains(.isOfGeneratedRecords) }

    /// Whether each call gives another value, although its arguments are the same.
    package var isVolatile: Bool { traits.contains(.isVolatile) }

    var takesMoreOfRecords: Bool { traits.contains(.takesMoreOfRecords) }

    /// Whether its first argument is a collection or a list.
    package var takesList: Bool { parameters.first?.takes.wantedList != nil }

    /// The call with the names of its arguments: `substring(text, start, length)`.
    package var usage: String {
        let more = counts.upperBound > parameters.count ? ["…"] : []
        return "\(name)(\((parameters.map(\.name) + more).joined(separator: ", ")))"
    }
}

extension PredicateFunction.Argument {
    /// What to say where one value stands for several; nil of arguments that are one value.
    var wantedList: String? {
        switch self {
        case .texts: "a collection or a list, then a separator"
        case .list: "a list, such as {'low', 'high'}"
        default: nil
        }
    }
}
