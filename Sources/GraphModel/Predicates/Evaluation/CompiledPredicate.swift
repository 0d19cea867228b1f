/// A tree with the memory that runs over rows need.
private final class RowProgram {
    let program: EvaluationProgram
    let root: Int
    // Bare memory and an unretained reference: counting references costs more than a comparison.
    private let slotCount: Int
    private let slots: UnsafeMutablePointer<Int>
    private let values: UnsafeMutablePointer<EvaluatedValue>
    private unowned(unsafe) let arena: EvaluationArena
    /// The first parts of the root, as far as they compare a field with a constant.
    private let comparisonCount: Int
    private let comparisons: UnsafeMutablePointer<ConstantComparison>
    /// The answer of one part that is the root's, and of the root where no part has it.
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

    /// Takes what the row has in the slots in use, and starts anew.
    @inline(__always)
    func scope(_ row: some EvaluationRow) -> EvaluationScope<RowGraph> {
        arena.reset()
        if program.mayTakeLong { program.context.stop = row.stop }
        for index in 0..<slotCount { values[index] = row.value(at: slots[index]) }
        return EvaluationScope(RowGraph(values: values), ())
    }

    /// Whether the row meets the predicate that the root is.
    @inline(__always)
    func test(_ row: some EvaluationRow) throws(EvaluationError) -> Bool {
        // The field of the last comparison, and the number that its digits are.
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
    /// What a conjunction or disjunction is made of, with the answer of one that decides; another
    /// predicate is its own only part.
    fileprivate func parts(of root: Int) -> (nodes: [Int], decisive: Bool) {
        switch nodes[root] {
        case .and(let parts): ((0..<parts.count).map { parts[$0] }, false)
        case .or(let parts): ((0..<parts.count).map { parts[$0] }, true)
        default: ([root], false)
        }
    }
}

/// A predicate ready to be tested against rows in memory, such as records before their import.
package struct CompiledPredicate {
    private let program: RowProgram

    /// Compiles a tree.
    ///
    /// - Parameters:
    ///   - source: where the tree came from, for the places in errors.
    ///   - variables: the values of `$name`, without the dollar sign.
    ///   - lists: the lists of texts that `$name` stands for. Each text is what it is compared with:
    ///     a number to numbers.
    ///   - now: what `now()` is, in seconds since 2001-01-01 UTC.
    ///   - slotOf: the slot of a key path in the rows to come, or nil where there is no such
    ///     field.
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

    /// Whether the row meets the predicate.
    package func evaluate(_ row: some EvaluationRow) throws(EvaluationError) -> Bool {
        try program.test(row)
    }
}

/// An expression ready to be computed from rows in memory.
package struct CompiledExpression {
    private let program: RowProgram

    /// Compiles a tree; the parameters are those of `CompiledPredicate`.
    ///
    /// - Parameters:
    ///   - drawing: where `random`, `pick` and `lorem` draw from, in generated rows.
    ///   - keepsDigits: whether numbers with fractions are decimals of 38 digits or doubles; nil
    ///     where the values tell that.
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
        try compiler.refuseSeveral(root)
        program = RowProgram(compiler, root: root.node)
    }

    /// The value for a row; its bytes are valid until the next evaluation or the row's end.
    package func evaluate(_ row: some EvaluationRow) throws(EvaluationError) -> EvaluatedValue {
        let scope = program.scope(row)
        return try program.program.value(program.root, scope)
    }
}
