/// The language's functions for predicates that are written in Swift:
/// `GraphFunction.length(title) > 3`.
public enum GraphFunction {
    private static func call(
        _ name: String, _ arguments: any GraphPredicateArgument...
    ) -> GraphComputed {
        call(name, arguments)
    }

    private static func call(
        _ name: String, _ arguments: [any GraphPredicateArgument]
    ) -> GraphComputed {
        GraphComputed(.function(name, arguments.map(\.graphExpression)))
    }

    /// The moment of the request.
    public static var now: GraphComputed { call("now") }

    /// The start of the day of the request.
    public static var today: GraphComputed { call("today") }

    /// Text in small letters.
    public static func lowercase(_ text: some GraphPredicateArgument) -> GraphComputed {
        call("lowercase", text)
    }

    /// Text in capitals.
    public static func uppercase(_ text: some GraphPredicateArgument) -> GraphComputed {
        call("uppercase", text)
    }

    /// Text without spaces at its ends.
    public static func trim(_ text: some GraphPredicateArgument) -> GraphComputed {
        call("trim", text)
    }

    /// The length of text in UTF-16 units.
    public static func length(_ text: some GraphPredicateArgument) -> GraphComputed {
        call("length", text)
    }

    /// The magnitude of a number.
    public static func abs(_ number: some GraphPredicateArgument) -> GraphComputed {
        call("abs", number)
    }

    /// The next whole number below.
    public static func floor(_ number: some GraphPredicateArgument) -> GraphComputed {
        call("floor", number)
    }

    /// The next whole number above.
    public static func ceiling(_ number: some GraphPredicateArgument) -> GraphComputed {
        call("ceiling", number)
    }

    /// The nearest whole number.
    public static func round(_ number: some GraphPredicateArgument) -> GraphComputed {
        call("round", number)
    }

    /// The SHA-256 of text, in hexadecimal.
    public static func sha256(_ text: some GraphPredicateArgument) -> GraphComputed {
        call("sha256", text)
    }

    /// The first value that is not nil.
    public static func coalesce(_ values: any GraphPredicateArgument...) -> GraphComputed {
        call("coalesce", values)
    }

    /// One of two values, as the condition holds or not.
    public static func ternary(
        _ condition: GraphPredicate, _ yes: some GraphPredicateArgument,
        _ no: some GraphPredicateArgument
    ) -> GraphComputed {
        GraphComputed(.conditional(condition, yes.graphExpression, no.graphExpression))
    }

    /// A value read as another type.
    public static func cast(
        _ value: some GraphPredicateArgument, to type: AttributeType
    ) -> GraphComputed {
        call("cast", value, type.rawValue)
    }

    /// Any function of the language by its name.
    public static func named(
        _ name: String, _ arguments: any GraphPredicateArgument...
    ) -> GraphComputed {
        call(name, arguments)
    }
}
