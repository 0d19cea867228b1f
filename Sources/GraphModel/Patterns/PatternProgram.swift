/// A regular expression as instructions of a nondeterministic machine (Thompson).
///
/// Each instruction names the next one. So `a*` has two instructions: a split to the test of `a` or
/// past it, and the test, which returns to the split.
struct PatternProgram {
    enum Instruction {
        /// Consumes one scalar that passes the test with that number.
        case test(Int, next: Int)
        case split(Int, Int)
        case assertion(PatternAssertion, next: Int)
        case match
    }

    /// The maximum number of instructions of one expression.
    static let instructionsMax = 10_000

    private(set) var instructions: [Instruction] = [.match]
    /// The distinct tests.
    private(set) var tests: [ScalarTest] = []
    private(set) var assertions: Set<PatternAssertion> = []
    private(set) var start = 0
    private var testNumbers: [ScalarTest: Int] = [:]

    init(_ node: PatternNode) {
        start = add(numbered(node), next: 0)
        testNumbers = [:]
    }

    /// Returns the node with each test replaced by its number in the program.
    ///
    /// The copies of a repeated node then share their tests, which can be large.
    private mutating func numbered(_ node: PatternNode) -> PatternNode {
        switch node {
        case .scalar(let test): .numbered(number(of: test))
        case .sequence(let parts): .sequence(parts.map { numbered($0) })
        case .choice(let parts): .choice(parts.map { numbered($0) })
        case .repetition(let part, let least, let most):
            .repetition(numbered(part), least: least, most: most)
        case .empty, .assertion, .numbered: node
        }
    }

    /// Adds the instructions that match the node and continue at `next`; returns the first.
    private mutating func add(_ node: PatternNode, next: Int) -> Int {
        switch node {
        case .empty: return next
        case .scalar(let test): return add(.test(number(of: test), next: next))
        case .numbered(let test): return add(.test(test, next: next))
        case .assertion(let assertion):
            assertions.insert(assertion)
            return add(.assertion(assertion, next: next))
        case .sequence(let parts):
            var start = next
            for part in parts.reversed() { start = add(part, next: start) }
            return start
        case .choice(let parts):
            var start = parts.last.map { add($0, next: next) } ?? next
            for part in parts.dropLast().reversed() {
                start = add(.split(add(part, next: next), start))
            }
            return start
        case .repetition(let part, let least, let most):
            return add(part, least, most, next: next)
        }
    }

    private mutating func add(
        _ part: PatternNode, _ least: Int, _ most: Int?, next: Int
    ) -> Int {
        var start = next
        var copies = least
        if let most {
            for _ in 0..<(most - least) { start = add(.split(add(part, next: start), next)) }
        } else {
            let loop = add(.split(0, 0))
            let body = add(part, next: loop)
            instructions[loop] = .split(body, next)
            // The last required copy is the body of the loop.
            start = least > 0 ? body : loop
            copies = max(least - 1, 0)
        }
        for _ in 0..<copies { start = add(part, next: start) }
        return start
    }

    private mutating func add(_ instruction: Instruction) -> Int {
        instructions.append(instruction)
        return instructions.count - 1
    }

    private mutating func number(of test: ScalarTest) -> Int {
        if let known = testNumbers[test] { return known }
        tests.append(test)
        testNumbers[test] = tests.count - 1
        return tests.count - 1
    }
}
