/// A compiled predicate that can be evaluated for the objects of an `EvaluationGraph`.
package final class CompiledGraphPredicate {
    private let program: EvaluationProgram
    private let root: Int

    /// Compiles a tree; `scheme` resolves its keys, and `CompiledPredicate` describes the others.
    package init<Scheme: EvaluationScheme>(
        _ predicate: GraphPredicate, over scheme: inout Scheme, now: Double = 0
    ) throws(GraphPredicateError) {
        var compiler = EvaluationCompiler(scheme, .init(variables: [:], now: now))
        root = try compiler.compile(predicate)
        scheme = compiler.scheme
        program = compiler.program
        program.finish(compiler.nodes)
    }

    /// Returns whether the object meets the predicate.
    package func evaluate<Graph: EvaluationGraph>(
        _ object: Graph.Node, in graph: Graph
    ) throws(EvaluationError) -> Bool {
        program.context.arena.reset()
        if program.mayTakeLong { program.context.stop = graph.stop }
        defer { if program.mayTakeLong { program.context.stop = nil } }
        return try program.test(root, EvaluationScope(graph, object))
    }
}

/// A compiled expression that can be computed from objects.
package final class CompiledGraphExpression {
    private let program: EvaluationProgram
    private let root: Int
    /// Whether it has several values, so that `forEach` must be used; `nil` if unknown.
    package let isCollection: Bool?

    /// Compiles a tree; `CompiledGraphPredicate` describes the parameters.
    package init<Scheme: EvaluationScheme>(
        _ expression: GraphExpression, over scheme: inout Scheme, now: Double = 0
    ) throws(GraphPredicateError) {
        var compiler = EvaluationCompiler(scheme, .init(variables: [:], now: now))
        let compiled = try compiler.compile(expression)
        root = compiled.node
        isCollection = compiled.shape == .unknown ? nil : compiled.shape == .several
        scheme = compiler.scheme
        program = compiler.program
        program.finish(compiler.nodes)
    }

    /// Returns the value for an object; its bytes are valid until the next evaluation.
    package func evaluate<Graph: EvaluationGraph>(
        _ object: Graph.Node, in graph: Graph
    ) throws(EvaluationError) -> EvaluatedValue {
        program.context.arena.reset()
        return try program.value(root, EvaluationScope(graph, object))
    }

    /// Calls the body with each value of a collection until it returns false.
    package func forEach<Graph: EvaluationGraph>(
        _ object: Graph.Node, in graph: Graph,
        _ body: (EvaluatedElement<Graph.Node>) throws(EvaluationError) -> Bool
    ) throws(EvaluationError) {
        program.context.arena.reset()
        _ = try program.visit(root, EvaluationScope(graph, object), body)
    }
}
