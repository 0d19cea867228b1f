/// Runs a pattern's program over strings, in time linear in their length.
///
/// It follows all paths through the program at once. A state is the set of paths that are active
/// after a scalar. The transitions between states are cached, so most scalars cost one table lookup
/// (a DFA that is built lazily). The table is bounded: when it is full, it is emptied.
///
/// All scalars that pass the same tests of the program form one class, which is a column of the
/// table.
final class PatternMachine {
    /// The facts about the previous scalar and the position that assertions such as `\b` test.
    private struct Context: OptionSet, Hashable {
        let rawValue: UInt8

        static let word = Context(rawValue: 1)
        static let lineTerminator = Context(rawValue: 2)
        static let lineFeed = Context(rawValue: 4)
        static let carriageReturn = Context(rawValue: 8)
        /// The position before a line terminator that ends the text.
        static let lastTerminator = Context(rawValue: 16)
        /// The absence of a scalar, at the start or the end of the text.
        static let none = Context(rawValue: 32)
    }

    private struct ScalarClass: Hashable {
        /// One bit for each test of the program, which is set if scalars of this class pass the
        /// test.
        var passed: [UInt64]
        var context: Context
    }

    private struct State: Hashable {
        /// The instructions at which the active paths through the program continue, in ascending
        /// order.
        var instructions: [Int32]
        var context: Context
    }

    private static let unknown: Int32 = -1
    private static let dead = 0
    private static let classesMax = 2_048

    /// The number of scalars read and instructions visited so far, for tests of linear time.
    private(set) var steps = 0

    private let program: PatternProgram
    private let usedContext: Context
    private let stride: Int
    private let statesMax: Int

    /// The maximum number of instructions in all cached states; the table is emptied above it.
    private static let namedMax = 1 << 18
    private var named = 0

    private var states: [State] = []
    private var stateNumbers: [State: Int] = [:]
    /// For each state, whether the text may end there: 1, 0, or `unknown`.
    private var accepts: [Int32] = []
    /// The transitions: the next state for each state and class.
    private var table: [Int32] = []

    private var classes: [ScalarClass] = []
    private var classNumbers: [ScalarClass: Int] = [:]
    private var asciiClasses: [Int32] = Array(repeating: unknown, count: 128)
    /// The classes of recent non-ASCII scalars, indexed by their low 8 bits.
    private var recent: [(scalar: UInt32, number: Int32)] = []

    private let visited: SparseSet
    private let reached: SparseSet
    private var stack: [Int] = []

    /// Creates a machine for a program.
    ///
    /// - Parameter tableMax: The maximum number of entries in the table; it has space for at least
    ///   three states.
    init(_ program: PatternProgram, tableMax: Int = 131_072) {
        self.program = program
        usedContext = Self.context(of: program.assertions)
        let tests = program.tests.count
        let classesMax = min(Self.classesMax, tests < 10 ? 1 << tests : .max, 2 * tests + 16)
        stride = usedContext.isEmpty ? classesMax : classesMax * 4
        statesMax = max(tableMax / max(stride, 1), 3)
        visited = SparseSet(program.instructions.count)
        reached = SparseSet(program.instructions.count)
    }

    private static func context(of assertions: Set<PatternAssertion>) -> Context {
        assertions.reduce(into: []) { used, assertion in
            switch assertion {
            case .textStart, .textEnd: used.formUnion([.none])
            case .lastLineEnd: used.formUnion([.none, .lastTerminator])
            case .lineStart, .lineEnd:
                used.formUnion([.none, .lineTerminator, .lineFeed, .carriageReturn])
            case .wordBoundary, .noWordBoundary: used.formUnion([.word])
            }
        }
    }

    // MARK: Texts

    /// The number of steps after which the stop flag is checked again.
    private static let stepsUnseen = 1 << 16
    private var stepsSeen = 0
    private var isStopped = false
    private var stop: (any EvaluationStop)?

    /// Returns whether the complete text matches, or `nil` if it was stopped before the result.
    func matches(_ text: ByteView, unless stop: (any EvaluationStop)?) -> Bool? {
        self.stop = stop
        (stepsSeen, isStopped) = (steps, false)
        defer { self.stop = nil }
        let isMatch = matches(text)
        return isStopped ? nil : isMatch
    }

    private func matches(_ text: ByteView) -> Bool {
        let end = usedContext.contains(.lastTerminator) ? lastTerminator(of: text) : text.count
        var state = number(
            State(instructions: [Int32(program.start)], context: usedContext.intersection(.none)))
        state = run(text, 0..<end, from: state)
        if end < text.count, state != Self.dead {
            state = step(
                state, described(ScalarDecoder.scalar(text, end).scalar, also: .lastTerminator),
                column: nil)
            let next = end + ScalarDecoder.scalar(text, end).length
            state = run(text, next..<text.count, from: state)
        }
        return state != Self.dead && accepts(state)
    }

    private func run(_ text: ByteView, _ range: Range<Int>, from start: Int) -> Int {
        var state = start
        var index = range.lowerBound
        while index < range.upperBound, state != Self.dead {
            // One table hit is too fast for a check.
            let end = min(range.upperBound, index + Self.stepsUnseen)
            state = run(text, from: &index, to: end, state)
            if stop != nil, mustStop() { return Self.dead }
        }
        return state
    }

    private func run(
        _ text: ByteView, from index: inout Int, to end: Int, _ start: Int
    ) -> Int {
        var state = start
        while index < end, state != Self.dead {
            let byte = text[index]
            var number: Int
            if byte < 0x80 {
                number = Int(asciiClasses[Int(byte)])
                if number < 0 { number = asciiClass(byte) }
                index &+= 1
            } else {
                let (scalar, length) = ScalarDecoder.scalar(text, index)
                number = classNumber(of: scalar)
                index &+= length
            }
            steps &+= 1
            if number < stride {
                let next = table[state &* stride &+ number]
                if next >= 0 {
                    state = Int(next)
                    continue
                }
                state = step(state, classes[number], column: number)
            } else {
                state = step(state, classes[number], column: nil)
            }
            if stop != nil, mustStop() { return Self.dead }
        }
        return state
    }

    private func mustStop() -> Bool {
        guard steps - stepsSeen >= Self.stepsUnseen else { return isStopped }
        stepsSeen = steps
        if stop?.isRaised == true { isStopped = true }
        return isStopped
    }

    /// Returns the position of the line terminator that ends the text, or the text's end.
    private func lastTerminator(of text: ByteView) -> Int {
        var start = text.count
        guard start > 0 else { return 0 }
        repeat { start -= 1 } while start > 0 && text[start] & 0xC0 == 0x80
        let (scalar, length) = ScalarDecoder.scalar(text, start)
        guard start + length == text.count, ScalarProperty.isLineTerminator(scalar) else {
            return text.count
        }
        let isPair = scalar == "\n" && start > 0 && text[start - 1] == 0x0D
        return isPair ? start - 1 : start
    }

    // MARK: Classes

    private func asciiClass(_ byte: UInt8) -> Int {
        let number = number(of: described(Unicode.Scalar(byte)))
        asciiClasses[Int(byte)] = Int32(number)
        return number
    }

    private func classNumber(of scalar: Unicode.Scalar) -> Int {
        if recent.isEmpty {
            // No scalar has this number.
            recent = Array(repeating: (.max, 0), count: 256)
        }
        let place = Int(scalar.value & 255)
        if recent[place].scalar == scalar.value { return Int(recent[place].number) }
        let number = number(of: described(scalar))
        recent[place] = (scalar.value, Int32(number))
        return number
    }

    private func number(of described: ScalarClass) -> Int {
        if let known = classNumbers[described] { return known }
        // Classes beyond the table are rare; their transitions are not cached.
        classes.append(described)
        classNumbers[described] = classes.count - 1
        return classes.count - 1
    }

    private func described(
        _ scalar: Unicode.Scalar, also more: Context = []
    ) -> ScalarClass {
        var passed = [UInt64](repeating: 0, count: (program.tests.count + 63) / 64)
        for (index, test) in program.tests.enumerated() where test.contains(scalar) {
            passed[index / 64] |= 1 << UInt64(index % 64)
        }
        steps &+= program.tests.count
        var context = more
        if usedContext.contains(.word), ScalarProperty.isWord(scalar) { context.insert(.word) }
        if ScalarProperty.isLineTerminator(scalar) { context.insert(.lineTerminator) }
        if scalar == "\n" { context.insert(.lineFeed) }
        if scalar == "\r" { context.insert(.carriageReturn) }
        return ScalarClass(passed: passed, context: context.intersection(usedContext))
    }

    // MARK: States

    /// Returns the number of a state and adds it to the table if necessary.
    private func number(_ state: State) -> Int {
        if let known = stateNumbers[state] { return known }
        if states.isEmpty || states.count >= statesMax || named > Self.namedMax {
            named = 0
            states.removeAll(keepingCapacity: true)
            stateNumbers.removeAll(keepingCapacity: true)
            accepts.removeAll(keepingCapacity: true)
            table.removeAll(keepingCapacity: true)
            append(State(instructions: [], context: []))
            if state.instructions.isEmpty { return Self.dead }
        }
        append(state)
        return states.count - 1
    }

    private func append(_ state: State) {
        stateNumbers[state] = states.count
        named += state.instructions.count
        states.append(state)
        accepts.append(Self.unknown)
        table.append(contentsOf: repeatElement(Self.unknown, count: stride))
    }

    /// Returns the state after a scalar of the class.
    ///
    /// - Parameter column: The column of the table in which to cache the result.
    private func step(_ state: Int, _ scalar: ScalarClass, column: Int?) -> Int {
        follow(states[state], next: scalar.context)
        reached.removeAll()
        for index in 0..<visited.count {
            guard case .test(let test, let next) = program.instructions[visited[index]],
                scalar.passed[test / 64] & 1 << UInt64(test % 64) != 0
            else { continue }
            reached.insert(next)
        }
        let instructions = reached.sorted()
        let context = instructions.isEmpty ? [] : scalar.context.subtracting(.lastTerminator)
        let known = states.count
        let next = number(State(instructions: instructions, context: context))
        // The table may have been emptied, including the state.
        if let column, states.count >= known { table[state * stride + column] = Int32(next) }
        return next
    }

    private func accepts(_ state: Int) -> Bool {
        if accepts[state] == Self.unknown {
            follow(states[state], next: .none)
            var isMatch = false
            for index in 0..<visited.count {
                if case .match = program.instructions[visited[index]] { isMatch = true }
            }
            accepts[state] = isMatch ? 1 : 0
        }
        return accepts[state] == 1
    }

    /// Visits every instruction that the state reaches without consuming a scalar.
    private func follow(_ state: State, next: Context) {
        visited.removeAll()
        for start in state.instructions {
            stack.append(Int(start))
            while let place = stack.popLast() {
                guard visited.insert(place) else { continue }
                steps &+= 1
                switch program.instructions[place] {
                case .test, .match: break
                case .split(let one, let other):
                    stack.append(other)
                    stack.append(one)
                case .assertion(let assertion, let after):
                    if Self.holds(assertion, state.context, next) { stack.append(after) }
                }
            }
        }
    }

    private static func holds(
        _ assertion: PatternAssertion, _ last: Context, _ next: Context
    ) -> Bool {
        let isInPair = last.contains(.carriageReturn) && next.contains(.lineFeed)
        return switch assertion {
        case .textStart: last.contains(.none)
        case .textEnd: next.contains(.none)
        case .lastLineEnd: next.contains(.none) || next.contains(.lastTerminator)
        case .lineStart:
            last.contains(.none)
                || last.contains(.lineTerminator) && !next.contains(.none) && !isInPair
        case .lineEnd: next.contains(.none) || next.contains(.lineTerminator) && !isInPair
        case .wordBoundary: last.contains(.word) != next.contains(.word)
        case .noWordBoundary: last.contains(.word) == next.contains(.word)
        }
    }
}

/// A set of numbers below a limit, with insertion, lookup, and removal of all in constant time.
private final class SparseSet {
    private let limit: Int
    // Raw memory: reference counting costs more than an insertion.
    private let dense: UnsafeMutablePointer<Int32>
    private let places: UnsafeMutablePointer<Int32>
    private(set) var count = 0

    init(_ limit: Int) {
        self.limit = limit
        dense = .allocate(capacity: limit)
        dense.initialize(repeating: 0, count: limit)
        places = .allocate(capacity: limit)
        places.initialize(repeating: 0, count: limit)
    }

    deinit {
        dense.deallocate()
        places.deallocate()
    }

    subscript(index: Int) -> Int { Int(dense[index]) }

    func contains(_ number: Int) -> Bool {
        let place = Int(places[number])
        return place < count && dense[place] == Int32(number)
    }

    /// Inserts a number, and returns whether it was absent.
    @discardableResult
    func insert(_ number: Int) -> Bool {
        guard !contains(number) else { return false }
        dense[count] = Int32(number)
        places[number] = Int32(count)
        count += 1
        return true
    }

    func removeAll() { count = 0 }

    func sorted() -> [Int32] {
        guard count > limit / 16 else {
            return UnsafeBufferPointer(start: dense, count: count).sorted()
        }
        return (0..<Int32(limit)).filter { contains(Int($0)) }
    }
}
