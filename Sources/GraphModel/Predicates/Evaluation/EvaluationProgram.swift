/// A compiled tree: nodes in one block of memory, keys as handles, and constants as bytes.
///
/// Not `Sendable`: neither its scratch space nor regular expressions are. Each user compiles its
/// own. Ordinary comparisons, arithmetic, and constants allocate no memory during evaluation.
final class EvaluationProgram {
    /// A node, which refers to other nodes by their numbers.
    enum Node {
        case constant(EvaluatedValue)
        /// A key of the object itself, by its handle.
        case slot(Int)
        /// The length of the string at a key of the object itself, or the other node's value if the
        /// key has no string.
        case textLength(Int, other: Int)
        /// Keys from the object (depth 0) or from an element of an enclosing subquery.
        case path(depth: Int, handles: List, toManyCount: Int?, EvaluationShape)
        /// The object (depth 0) or an element of an enclosing subquery.
        case identity(depth: Int)
        case negation(Int)
        case arithmetic(ArithmeticOperator, Int, Int)
        /// A call of one of the program's functions.
        case function(Int, List)
        /// A random number: the one that a stream has for a row, whose number is the value of
        /// another node.
        case drawing(stream: Int64, row: Int)
        case conditional(Int, Int, Int)
        case list(List)
        case collection(Int, CollectionOperator, handles: List)
        case index(Int, IndexKind, position: Int)
        /// The value at keys of an object, which is the value of another node.
        case member(Int, handles: List, toManyCount: Int?)
        case subquery(Int, Int)
        case truth(Bool)
        case comparison(
            ComparisonOperator, ComparisonOptions, ComparisonModifier, Int, Int, EvaluationShape)
        /// A constant regular expression on the right of MATCHES.
        case pattern(Int)
        /// Whether a key of the object itself is nil, or is not if negated.
        case nilTest(Int, isNegated: Bool)
        case not(Int)
        case and(List)
        case or(List)
    }

    /// The kind of an index expression.
    enum IndexKind {
        case first, last, size, position
    }

    /// A list of numbers that belongs to a node: numbers of other nodes, or handles of keys.
    struct List {
        let start: UnsafePointer<Int>
        let count: Int

        subscript(index: Int) -> Int { start[index] }
    }

    /// The nodes; valid after `finish`.
    private(set) var nodes: UnsafeMutablePointer<Node>
    private var lists: [UnsafeMutablePointer<Int>] = []
    var patterns: [CompiledPattern] = []
    var functions: [PredicateFunction.Evaluation] = []
    let constants = EvaluationArena()
    let context = EvaluationContext()
    /// The number of the root entity, by the number of each entity below it.
    var rootNumbers: [Int64: Int64] = [:]
    /// The names of a row's fields, by handle, for messages.
    var fieldNames: [String] = []

    init() {
        nodes = .allocate(capacity: 0)
    }

    deinit {
        nodes.deallocate()
        for list in lists { list.deallocate() }
    }

    /// Whether the program matches strings against regular expressions, which can be slow.
    private(set) var mayTakeLong = false

    /// The indexes of long lists after IN, by the node of the list.
    private(set) var listIndexes: [Int: ListIndex] = [:]

    /// Builds an index for a list of strings that is compared without options.
    private func addIndex(of node: Node, in nodes: [Node]) {
        guard case .comparison(.in, let options, _, _, let right, _) = node,
            options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive]),
            case .list(let elements) = nodes[right], elements.count >= ListIndex.countMin
        else { return }
        var strings: [ByteView] = []
        for index in 0..<elements.count {
            guard case .constant(.untypedText(let text)) = nodes[elements[index]] else { return }
            strings.append(text)
        }
        listIndexes[right] = ListIndex(strings)
    }

    /// Stores the nodes; the program can run after this call.
    func finish(_ nodes: [Node]) {
        mayTakeLong = nodes.contains { node in
            if case .comparison(.matches, _, _, _, _, _) = node { true } else { false }
        }
        for node in nodes { addIndex(of: node, in: nodes) }
        self.nodes.deallocate()
        self.nodes = .allocate(capacity: nodes.count)
        for (index, node) in nodes.enumerated() { (self.nodes + index).initialize(to: node) }
    }

    /// Copies numbers to memory that is valid as long as the program.
    func list(_ numbers: [Int]) -> List {
        let copy = UnsafeMutablePointer<Int>.allocate(capacity: numbers.count)
        for (index, number) in numbers.enumerated() { (copy + index).initialize(to: number) }
        lists.append(copy)
        return List(start: copy, count: numbers.count)
    }
}

/// The graph and the object of an evaluation, with the current elements of subqueries.
struct EvaluationScope<Graph: EvaluationGraph> {
    let graph: Graph
    let object: Graph.Node
    /// The elements of the enclosing subqueries, outermost first.
    ///
    /// The memory belongs to the running subquery; an array would be reference-counted at every
    /// step.
    var elements: UnsafeMutablePointer<EvaluatedElement<Graph.Node>>?
    var depth = 0

    init(_ graph: Graph, _ object: Graph.Node) {
        self.graph = graph
        self.object = object
    }

    func element(_ depth: Int) -> EvaluatedElement<Graph.Node> {
        guard depth > 0, let elements else { return .object(object) }
        return elements[depth - 1]
    }

    /// Returns the object at a depth, or `nil` if the element is nil; throws for other values.
    func node(_ depth: Int) throws(EvaluationError) -> Graph.Node? {
        switch element(depth) {
        case .object(let node): return node
        case .value(let value): return try value.leading(to: nil)
        }
    }
}

extension EvaluatedValue {
    /// Returns the result of a path that leads through this value, which must be nil.
    ///
    /// Any other value has no keys, so it is an error.
    @inline(__always)
    func leading<Result>(to result: Result) throws(EvaluationError) -> Result {
        if isNull { return result }
        throw .wrongKind(needed: "An object", found: kindName)
    }
}

extension EvaluationProgram {
    /// Returns the result of a predicate's node.
    func test<Graph>(
        _ node: Int, _ scope: EvaluationScope<Graph>
    ) throws(EvaluationError) -> Bool {
        switch nodes[node] {
        case .truth(let value): return value
        case .not(let part): return try !test(part, scope)
        case .and(let parts):
            for index in 0..<parts.count where try !test(parts[index], scope) {
                return false
            }
            return true
        case .or(let parts):
            for index in 0..<parts.count where try test(parts[index], scope) {
                return true
            }
            return false
        case .comparison(let op, let options, let modifier, let left, let right, let shape):
            if modifier == .direct {
                return try compare(op, options, left, right, shape, scope)
            }
            return try compare(modifier, op, options, left, right, scope)
        case .nilTest(let slot, let isNegated):
            if case .value(let value) = scope.graph.property(slot, of: scope.object) {
                return value.isNull != isNegated
            }
            // It is an object; the compiler creates this node only for keys with one value.
            return isNegated
        default: return false
        }
    }

    /// Returns the value of an expression's node, which must have only one.
    func value<Graph>(
        _ node: Int, _ scope: EvaluationScope<Graph>
    ) throws(EvaluationError) -> EvaluatedValue {
        switch nodes[node] {
        case .constant(let value): return value
        case .slot(let slot):
            let value = try single(scope.graph.property(slot, of: scope.object), scope)
            if case .nested(let isList) = value { throw misuse(of: slot, isList: isList) }
            return value
        case .textLength(let slot, let other):
            if case .value(let value) = scope.graph.property(slot, of: scope.object),
                let text = value.textBytes
            {
                return .integer(Int64(ScalarParser.utf16Length(text)))
            }
            return try value(other, scope)
        case .path, .index, .member: return try single(property(node, scope), scope)
        case .identity(let depth): return value(of: scope.element(depth), scope)
        case .negation(let operand):
            let value = try value(operand, scope)
            if value.isNull { return .null }
            return try compute(.subtract, .integer(0), value)
        case .arithmetic(let op, let left, let right):
            let left = try value(left, scope)
            let right = try value(right, scope)
            if left.isNull || right.isNull { return .null }
            return try compute(op, left, right)
        case .function(let function, let arguments):
            return try call(function, arguments, scope)
        case .drawing(let stream, let row):
            guard case .integer(let row) = try NumericValue(needed: value(row, scope)) else {
                throw .wrongKind(needed: "The number of a row", found: "another value")
            }
            return .integer(Int64(bitPattern: Drawing.seed(stream: stream, row: row)))
        case .conditional(let predicate, let yes, let no):
            return try value(try test(predicate, scope) ? yes : no, scope)
        case .collection(let base, let op, let handles):
            return try aggregate(base, op, handles, scope)
        case .list, .subquery: throw .severalValues
        case .truth, .comparison, .pattern, .nilTest, .not, .and, .or: return .null
        }
    }

    /// Returns the error for a field that is used as a value but has nested content.
    private func misuse(of slot: Int, isList: Bool) -> EvaluationError {
        .nested(field: fieldNames[slot], isList: isList)
    }

    /// Returns the property of an expression's node, without converting objects to IDs.
    func property<Graph>(
        _ node: Int, _ scope: EvaluationScope<Graph>
    ) throws(EvaluationError) -> EvaluatedProperty<Graph.Node> {
        switch nodes[node] {
        case .slot(let slot): return scope.graph.property(slot, of: scope.object)
        case .path(let depth, let handles, _, _):
            guard let node = try scope.node(depth) else { return .value(.null) }
            return try read(handles, from: node, scope)
        case .identity(let depth):
            switch scope.element(depth) {
            case .object(let node): return .object(node)
            case .value(let value): return .value(value)
            }
        case .index(let base, let kind, let position):
            return try element(base, kind, position, scope)
        case .member(let base, let handles, _):
            switch try property(base, scope) {
            case .object(let object): return try read(handles, from: object, scope)
            case .value(let value): return try value.leading(to: .value(.null))
            case .elements: throw .severalValues
            }
        default: return .value(try value(node, scope))
        }
    }

    /// Returns the value of a property; the value of an object is its ID.
    func single<Graph>(
        _ property: EvaluatedProperty<Graph.Node>, _ scope: EvaluationScope<Graph>
    ) throws(EvaluationError) -> EvaluatedValue {
        switch property {
        case .value(let value): return value
        case .object(let node): return scope.graph.identity(of: node)
        case .elements: throw .severalValues
        }
    }

    /// Returns the property at the end of a path of to-one keys.
    func read<Graph>(
        _ handles: List, from start: Graph.Node, _ scope: EvaluationScope<Graph>
    ) throws(EvaluationError) -> EvaluatedProperty<Graph.Node> {
        var node = start
        for index in 0..<handles.count {
            let property = scope.graph.property(handles[index], of: node)
            if index == handles.count - 1 { return property }
            switch property {
            case .object(let next): node = next
            case .value(let value): return try value.leading(to: property)
            case .elements: return property
            }
        }
        return .object(node)
    }

    private func compute(
        _ op: ArithmeticOperator, _ left: EvaluatedValue, _ right: EvaluatedValue
    ) throws(EvaluationError) -> EvaluatedValue {
        if !op.isOfIntegers, context.keepsDigits || left.isDecimal || right.isDecimal,
            let one = left.exactDecimal, let other = right.exactDecimal,
            // Integers that are not decimals stay integers.
            left.isDecimal || right.isDecimal || one.exponent < 0 || other.exponent < 0
                || left.isWrittenAsFraction || right.isWrittenAsFraction
        {
            if op == .divide, other.magnitude == 0 { return .null }
            guard let result = ExactDecimal.compute(op, one, other) else { throw .overflow }
            return .decimal(context.arena.store(result.text.utf8))
        }
        let result = try NumericValue.compute(op, .init(operand: left), .init(operand: right))
        return result?.value ?? .null
    }

    /// Returns the value of a function call.
    private func call<Graph>(
        _ function: Int, _ arguments: List, _ scope: EvaluationScope<Graph>
    ) throws(EvaluationError) -> EvaluatedValue {
        switch functions[function] {
        case .firstValue:
            for index in 0..<arguments.count {
                let value = try value(arguments[index], scope)
                if !value.isNull { return value }
            }
            return .null
        case .values(let body):
            guard let values = try values(of: arguments, from: 0, scope) else { return .null }
            return try body(values, context)
        case .elements(let body):
            guard let values = try values(of: arguments, from: 1, scope) else { return .null }
            var elements: [EvaluatedValue] = []
            _ = try visit(arguments[0], scope) {
                (element: EvaluatedElement<Graph.Node>) throws(EvaluationError) -> Bool in
                elements.append(self.value(of: element, scope))
                return true
            }
            return try body(elements, values, context)
        case .pieces: throw .severalValues
        // The compiler has replaced it with a constant.
        case .moment: return .null
        }
    }

    /// Returns the values of the arguments from `start` on, or `nil` if one of them is nil.
    func values<Graph>(
        of arguments: List, from start: Int, _ scope: EvaluationScope<Graph>
    ) throws(EvaluationError) -> PredicateFunction.Values? {
        var values = PredicateFunction.Values()
        let count = arguments.count - start
        if count > 0 { values.first = try value(arguments[start], scope) }
        if count > 1 { values.second = try value(arguments[start + 1], scope) }
        if count > 2 { values.third = try value(arguments[start + 2], scope) }
        let isNull =
            count > 0 && values.first.isNull || count > 1 && values.second.isNull
            || count > 2 && values.third.isNull
        return isNull ? nil : values
    }
}
