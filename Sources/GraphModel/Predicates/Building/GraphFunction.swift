/// The functions of the predicate language, for predicates written in Swift.
///
/// An example is `GraphFunction.length(title) > 3`.
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

    /// The time of the request.
    public static var now: GraphComputed { call("now") }

    /// The start of the day of the request, in UTC.
    public static var today: GraphComputed { call("today") }

    /// Returns a string in lowercase.
    public static func lowercase(_ text: some GraphPredicateArgument) -> GraphComputed {
        call("lowercase", text)
    }

    /// Returns a string in uppercase.
    public static func uppercase(_ text: some GraphPredicateArgument) -> GraphComputed {
        call("uppercase", text)
    }

    /// Returns a string without white space at its ends.
    public static func trim(_ text: some GraphPredicateArgument) -> GraphComputed {
        call("trim", text)
    }

    /// Returns the length of a string in UTF-16 units.
    public static func length(_ text: some GraphPredicateArgument) -> GraphComputed {
        call("length", text)
    }

    /// Returns the magnitude of a number.
    public static func abs(_ number: some GraphPredicateArgument) -> GraphComputed {
        call("abs", number)
    }

    /// Returns the greatest integer that does not exceed a number.
    public static func floor(_ number: some GraphPredicateArgument) -> GraphComputed {
        call("floor", number)
    }

    /// Returns the least integer that is not less than a number.
    public static func ceiling(_ number: some GraphPredicateArgument) -> GraphComputed {
        call("ceiling", number)
    }

    /// Returns the nearest integer; halves are rounded away from zero.
    public static func round(_ number: some GraphPredicateArgument) -> GraphComputed {
        call("round", number)
    }

    /// Returns the SHA-256 of a string, in hexadecimal.
    public static func sha256(_ text: some GraphPredicateArgument) -> GraphComputed {
        call("sha256", text)
    }

    /// Returns the first value that is not nil.
    public static func coalesce(_ values: any GraphPredicateArgument...) -> GraphComputed {
        call("coalesce", values)
    }

    /// Returns the first value if the condition holds, otherwise the second.
    public static func ternary(
        _ condition: GraphPredicate, _ yes: some GraphPredicateArgument,
        _ no: some GraphPredicateArgument
    ) -> GraphComputed {
        GraphComputed(.conditional(condition, yes.graphExpression, no.graphExpression))
    }

    /// Returns a value converted to another type.
    public static func cast(
        _ value: some GraphPredicateArgument, to type: AttributeType
    ) -> GraphComputed {
        call("cast", value, type.rawValue)
    }

    /// Returns a call of any function of the language by its name.
    public static func named(
        _ name: String, _ arguments: any GraphPredicateArgument...
    ) -> GraphComputed {
        call(name, arguments)
    }
}
