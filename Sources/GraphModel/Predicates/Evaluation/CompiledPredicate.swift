/// A compiled tree with the memory that its evaluation over rows needs.
private final class RowProgram {
    let program: EvaluationProgram
    let root: Int
    // Raw memory and an unretained reference: reference counting costs more than a comparison.
    private let slotCount: Int
    private let slots: UnsafeMutablePointer<Int>
    private let values: UnsafeMutablePointer<EvaluatedValue>
    private unowned(unsafe) let arena: EvaluationArena
    /// The number of leading parts of the root's AND or OR that are comparisons with a constant.
    ///
    /// These parts are in `comparisons`, and are evaluated first.
    private let comparisonCount: Int
    private let comparisons: UnsafeMutablePointer<ConstantComparison>
    /// The result of one part that alone determines the root's result.
    ///
    /// It is `false` for AND and `true` for OR. If no part has it, the root has the opposite one.
    private let decisive: Bool
    private let isWhole: Bool

    init(_ compiler: consuming EvaluationCompiler<RowScheme>, root: Int) {
        program = compiler.program
        program.finish(compiler.nodes)
        program.fieldNames = compiler.scheme.names
        self.root = root
        arena = program.context.arena
        let used = compiler.scheme.slots
        slotCount = used.count
        slots = .allocate(capacity: used.count)
        for (index, slot) in used.enumerated() { (slots + index).initialize(to: slot) }
        values = .allocate(capacity: used.count)
        values.initialize(repeating: .null, count: used.count)

        let (parts, decisive) = program.parts(of: root)
        var quick: [ConstantComparison] = []
        for part in parts {
            guard
                let comparison = ConstantComparison(
                    program.nodes[part], of: program, slots: used)
            else { break }
            quick.append(comparison)
        }
        self.decisive = decisive
        isWhole = quick.count == parts.count
        comparisonCount = quick.count
        comparisons = .allocate(capacity: quick.count)
        for (index, part) in quick.enumerated() { (comparisons + index).initialize(to: part) }
    }

    deinit {
        slots.deallocate()
        values.deallocate()
        comparisons.deallocate()
    }

    /// Returns the scope for evaluating a row: reads the fields that the program uses.
    @inline(__always)
    func scope(_ row: some EvaluationRow) -> EvaluationScope<RowGraph> {
        arena.reset()
        if program.mayTakeLong { program.context.stop = row.stop }
        for index in 0..<slotCount { values[index] = row.value(at: slots[index]) }
        return EvaluationScope(RowGraph(values: values), ())
    }

    /// Returns whether the row meets the predicate at the root.
    @inline(__always)
    func test(_ row: some EvaluationRow) throws(EvaluationError) -> Bool {
        // The slot and value of the last comparison, and the number parsed from the value.
        var slot = -1
        var value = EvaluatedValue.null
        var number: NumericValue?
        for index in 0..<comparisonCount {
            let comparison = comparisons[index]
            if comparison.slot != slot {
                slot = comparison.slot
                value = row.value(at: slot)
                number = nil
            }
            guard let holds = comparison.holds(value, &number) else {
                return try program.test(root, scope(row))
            }
            if holds == decisive { return decisive }
        }
        return isWhole ? !decisive : try program.test(root, scope(row))
    }
}

extension EvaluationProgram {
    /// Returns the parts of an AND or OR, with the result of a part that decides the result.
    ///
    /// Any other predicate is its only part.
    fileprivate func parts(of root: Int) -> (nodes: [Int], decisive: Bool) {
        switch nodes[root] {
        case .and(let parts): ((0..<parts.count).map { parts[$0] }, false)
        case .or(let parts): ((0..<parts.count).map { parts[$0] }, true)
        default: ([root], false)
        }
    }
}

/// A compiled predicate that can be evaluated for rows in memory, such as records before import.
package struct CompiledPredicate {
    private let program: RowProgram

    /// Compiles a tree.
    ///
    /// - Parameters:
    ///   - source: The source of the tree, for the positions in errors.
    ///   - variables: The values of `$name`, without the dollar sign.
    ///   - lists: The lists of strings for `$name`. Each string takes the type of the value that it
    ///     is compared with, such as a number.
    ///   - now: The result of `now()`, in seconds since 2001-01-01 UTC.
    ///   - slotOf: Returns the slot of a key path in the rows, or `nil` if the field does not
    ///     exist.
    package init(
        _ predicate: GraphPredicate, source: PredicateSource? = nil,
        variables: [String: GraphValue] = [:], lists: [String: [String]] = [:], now: Double = 0,
        slotOf: @escaping ([String]) -> Int?
    ) throws(GraphPredicateError) {
        var compiler = EvaluationCompiler(
            RowScheme(slotOf),
            .init(variables: variables, lists: lists, now: now, source: source))
        let root = try compiler.compile(predicate)
        program = RowProgram(compiler, root: root)
    }

    /// Returns whether the row meets the predicate.
    package func evaluate(_ row: some EvaluationRow) throws(EvaluationError) -> Bool {
        try program.test(row)
    }
}

/// A compiled expression that can be computed from rows in memory.
package struct CompiledExpression {
    private let program: RowProgram

    /// Compiles a tree; `CompiledPredicate` describes the other parameters.
    ///
    /// - Parameters:
    ///   - drawing: The source of values for `random`, `pick`, and `lorem`, in generated rows.
    ///   - keepsDigits: Whether numbers with fractions are decimals of 38 digits or doubles; `nil`
    ///     if it depends on the values.
    package init(
        _ expression: GraphExpression, source: PredicateSource? = nil,
        variables: [String: GraphValue] = [:], lists: [String: [String]] = [:], now: Double = 0,
        drawing: Drawing? = nil, keepsDigits: Bool? = nil, slotOf: @escaping ([String]) -> Int?
    ) throws(GraphPredicateError) {
        var compiler = EvaluationCompiler(
            RowScheme(slotOf),
            .init(
                variables: variables, lists: lists, now: now, source: source, drawing: drawing))
        compiler.program.context.keepsDigits = keepsDigits ?? false
        compiler.roundsConstants = keepsDigits == false
        let root = try compiler.compile(expression)
        try compiler.rejectSeveral(root)
        program = RowProgram(compiler, root: root.node)
    }

    /// Returns the value for a row.
    ///
    /// Its bytes are valid until the next evaluation or the end of the row.
    package func evaluate(_ row: some EvaluationRow) throws(EvaluationError) -> EvaluatedValue {
        let scope = program.scope(row)
        return try program.program.value(program.root, scope)
    }
}
