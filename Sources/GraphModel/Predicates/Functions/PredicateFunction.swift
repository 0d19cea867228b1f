/// A function of predicates and expressions, declared once.
///
/// The parser, the resolver, the evaluator, SQL, and the reference all use its declaration. A new
/// function is one more declaration in a list of `all`. SQL calls the evaluator, unless
/// `PredicateSQL` has an equivalent for the function.
package struct PredicateFunction: Sendable {
    /// The type of an argument.
    enum Argument {
        case any, text, number, date
        /// An integer, since a fraction has no bits.
        case wholeNumber
        /// A UUID, or its text.
        case uuid
        /// The name of an attribute type, a constant.
        case typeName
        case datePattern
        /// Several values, or several strings.
        case list, texts
    }

    /// The type of the result.
    package enum Result: Sendable {
        case text, integer, date, uuid
        /// An integer that is not negative and fits in 31 bits.
        case count
        /// A number of the same kind as the argument.
        case number
        /// Several strings.
        case texts
        /// The common type of all arguments.
        case common
        /// The type that the last argument names, for a cast.
        case cast
    }

    /// The way in which a call computes its value.
    ///
    /// The bytes of the value are valid until the context's arena is reset.
    enum Evaluation {
        /// A value that depends only on the time of the run.
        case moment(@Sendable (_ now: Double) -> Double)
        /// The first argument that is not nil; later ones are not evaluated.
        case firstValue
        /// A value computed from the arguments; nil if one of them is nil.
        case values(
            @Sendable (Values, EvaluationContext) throws(EvaluationError) -> EvaluatedValue)
        /// A value computed from the elements of the first argument and the values of the others.
        ///
        /// The result is nil if one of the other arguments is nil.
        case elements(
            @Sendable ([EvaluatedValue], Values, EvaluationContext) throws(EvaluationError)
                -> EvaluatedValue)
        /// Several values, each of which is passed to a closure until the closure returns false.
        case pieces(
            @Sendable (Values, (EvaluatedValue) throws(EvaluationError) -> Bool)
                throws(EvaluationError) -> Bool)
    }

    /// The values of a call's arguments; an argument that the call omits is `null`.
    struct Values {
        var first = EvaluatedValue.null
        var second = EvaluatedValue.null
        var third = EvaluatedValue.null
    }

    /// A special property of a function.
    enum Trait {
        /// Each call returns another value.
        case isVolatile
        /// Only records that an import generates can use it.
        ///
        /// Its last value is the number that the row has drawn for it.
        case isOfGeneratedRecords
        /// It accepts more in records than in objects: dates as text, bytes, and other values in
        /// lists.
        case takesMoreOfRecords
    }

    /// The name; case is ignored.
    package let name: String
    let parameters: [(name: String, takes: Argument)]
    /// The allowed numbers of arguments.
    package let counts: ClosedRange<Int>
    /// The type of the value that a call returns.
    package let result: Result
    /// The description of the result, in one sentence.
    package let meaning: String
    /// An example of a call.
    package let example: String
    /// The result of the example, as an expression; `nil` if it varies.
    package let exampleResult: String?
    /// The selector of the same function in `NSExpression`.
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

    /// All functions with call syntax, in the order of the reference.
    package static let all = texts + numbers + conversions + moments + identifiers + generators

    /// All functions by name, including the operator `~`.
    package static let named = Dictionary(
        uniqueKeysWithValues: (all + [complement]).map { ($0.name, $0) })

    /// Whether only records that an import generates can use it.
    package var isOfGeneratedRecords: Bool { traits.contains(.isOfGeneratedRecords) }

    /// Whether each call returns another value for the same arguments.
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
    /// The message for one value instead of several; `nil` for arguments that are one value.
    var wantedList: String? {
        switch self {
        case .texts: "a collection or a list, then a separator"
        case .list: "a list, such as {'low', 'high'}"
        default: nil
        }
    }
}
