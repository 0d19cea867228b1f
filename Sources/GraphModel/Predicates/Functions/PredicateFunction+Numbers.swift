// This import links the C math library, which rounding calls.
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension PredicateFunction {
    /// The functions of numbers.
    static let numbers = [
        PredicateFunction(
            "abs", ["number": .number], gives: .number, meaning: "The number without its sign.",
            example: "abs(-3)", is: "3", foundation: "abs:",
            by: .values { values, context throws(EvaluationError) in
                try number(
                    of: values.first, context, decimal: { $0.absolute }, double: { $0.magnitude },
                    whole: { value throws(EvaluationError) in
                        guard let magnitude = Int64(exactly: value.magnitude) else {
                            throw .overflow
                        }
                        return magnitude
                    })
            }),
        PredicateFunction(
            "floor", ["number": .number], gives: .number, meaning: "The number rounded down.",
            example: "floor(2.7)", is: "2.0", foundation: "floor:",
            by: rounding(.down, .down)),
        PredicateFunction(
            "ceiling", ["number": .number], gives: .number, meaning: "The number rounded up.",
            example: "ceiling(2.2)", is: "3.0", foundation: "ceiling:",
            by: rounding(.up, .up)),
        PredicateFunction(
            "round", ["number": .number], gives: .number,
            meaning: "The nearest integer; halves are rounded away from zero.",
            example: "round(2.5)",
            is: "3.0",
            by: rounding(.nearest, .toNearestOrAwayFromZero)),
    ]

    /// The bitwise complement, which is written as the operator `~`.
    package static let complement = PredicateFunction(
        "~", ["number": .wholeNumber], gives: .integer,
        meaning: "The integer with every bit inverted.",
        example: "~priority", foundation: "onesComplement:",
        by: .values { values, _ throws(EvaluationError) in
            guard case .integer(let number) = try NumericValue(operand: values.first) else {
                throw .wrongKind(needed: "A whole number", found: "a fraction")
            }
            return .integer(~number)
        })

    private static func rounding(
        _ decimal: ExactDecimal.Rounding, _ double: FloatingPointRoundingRule
    ) -> Evaluation {
        .values { values, context throws(EvaluationError) in
            try number(
                of: values.first, context, decimal: { $0.rounded(places: 0, decimal) },
                double: { $0.rounded(double) })
        }
    }

    /// Returns a number computed from a number; a decimal keeps all its digits.
    private static func number(
        of value: EvaluatedValue, _ context: EvaluationContext,
        decimal: (ExactDecimal) -> ExactDecimal, double: (Double) -> Double,
        whole: (Int64) throws(EvaluationError) -> Int64 = { $0 }
    ) throws(EvaluationError) -> EvaluatedValue {
        if value.isDecimal, let exact = value.exactDecimal {
            return .decimal(context.arena.store(decimal(exact).text.utf8))
        }
        switch try NumericValue(operand: value) {
        case .integer(let number): return .integer(try whole(number))
        case .double(let number): return .double(double(number))
        }
    }
}
