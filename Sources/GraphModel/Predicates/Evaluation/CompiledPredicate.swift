/// A predicate ready to be tested against rows in memory, such as records before their import.
package struct CompiledPredicate {
    private let program: EvaluationProgram
    private let root: Int

    /// Compiles a tree.
    ///
    /// - Parameters:
    ///   - source: where the tree came from, for the places in errors.
    ///   - variables: the values of `$name`, without the dollar sign.
    ///   - now: what `now()` is, in seconds since 2001-01-01 UTC.
    ///   - slotOf: the slot of a key path in the rows to come, or nil where there is no such
    ///     field.
    package init(
        _ predicate: GraphPredicate, source: PredicateSource? = nil,
        variables: [String: GraphValue] = [:], now: Double = 0,
        slotOf: @escaping ([String]) -> Int?
    ) throws(GraphPredicateError) {
        var compiler = EvaluationCompiler(
            .init(slotOf: slotOf, variables: variables, now: now, source: source))
        root = try compiler.compile(predicate)
        program = compiler.program
    }

    /// Whether the row meets the predicate.
    package func evaluate(_ row: some EvaluationRow) throws(EvaluationError) -> Bool {
        program.scratch.reset()
        return try program.test(root, row)
    }
}

/// An expression ready to be computed from rows in memory.
package struct CompiledExpression {
    private let program: EvaluationProgram
    private let root: Int

    /// Compiles a tree; the parameters are those of `CompiledPredicate`.
    package init(
        _ expression: GraphExpression, source: PredicateSource? = nil,
        variables: [String: GraphValue] = [:], now: Double = 0,
        slotOf: @escaping ([String]) -> Int?
    ) throws(GraphPredicateError) {
        var compiler = EvaluationCompiler(
            .init(slotOf: slotOf, variables: variables, now: now, source: source))
        root = try compiler.compile(expression)
        program = compiler.program
    }

    /// The value for a row; its bytes are valid until the next evaluation or the row's end.
    package func evaluate(_ row: some EvaluationRow) throws(EvaluationError) -> EvaluatedValue {
        program.scratch.reset()
        return try program.value(root, row)
    }
}
