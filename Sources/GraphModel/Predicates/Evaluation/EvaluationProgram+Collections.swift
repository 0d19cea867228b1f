extension EvaluationProgram {
    /// Returns the value of an element; the value of an object is its ID.
    func value<Graph>(
        of element: EvaluatedElement<Graph.Node>, _ scope: EvaluationScope<Graph>
    ) -> EvaluatedValue {
        switch element {
        case .value(let value): value
        case .object(let node): scope.graph.identity(of: node)
        }
    }

    /// Calls the body with each element of a collection until it returns false.
    ///
    /// Nil has no elements; elements that are nil count.
    ///
    /// - Returns: Whether the body never returned false.
    func visit<Graph>(
        _ node: Int, _ scope: EvaluationScope<Graph>,
        _ body: (EvaluatedElement<Graph.Node>) throws(EvaluationError) -> Bool
    ) throws(EvaluationError) -> Bool {
        switch nodes[node] {
        case .slot(let slot):
            return try visit(
                [slot], 0, toManyCount: nil, from: scope.object, scope, body)
        case .path(let depth, let handles, let toManyCount, _):
            guard let node = try scope.node(depth) else { return true }
            return try visit(
                handles.array, 0, toManyCount: toManyCount, from: node, scope, body)
        case .list(let elements):
            for index in 0..<elements.count
            where try !body(.value(try value(elements[index], scope))) {
                return false
            }
            return true
        case .member(let base, let handles, let toManyCount):
            guard case .object(let object) = try property(base, scope) else { return true }
            return try visit(
                handles.array, 0, toManyCount: toManyCount, from: object, scope, body)
        case .subquery(let base, let predicate):
            return try visitMatching(base, predicate, scope, body)
        case .collection(let base, let op, let handles)
        where op == .unionOfObjects || op == .distinctUnionOfObjects:
            var seen: Set<DistinctValue>? = op == .distinctUnionOfObjects ? [] : nil
            return try visitValues(base, handles, scope) {
                (element: EvaluatedElement<Graph.Node>) throws(EvaluationError) -> Bool in
                let value = self.value(of: element, scope)
                if value.isNull { return true }
                if seen != nil, seen?.insert(try DistinctValue(value)).inserted == false {
                    return true
                }
                return try body(element)
            }
        case .function(let function, let arguments):
            guard case .pieces(let visitPieces) = functions[function],
                let values = try values(of: arguments, from: 0, scope)
            else { return true }
            return try visitPieces(values) { piece throws(EvaluationError) in
                try body(.value(piece))
            }
        // The compiler rejects every other node, since it has one value.
        default: throw .wrongKind(needed: "A collection", found: "one value")
        }
    }

    /// Calls the body with each element that meets the predicate of a SUBQUERY.
    private func visitMatching<Graph>(
        _ base: Int, _ predicate: Int, _ scope: EvaluationScope<Graph>,
        _ body: (EvaluatedElement<Graph.Node>) throws(EvaluationError) -> Bool
    ) throws(EvaluationError) -> Bool {
        let depth = scope.depth
        let elements = UnsafeMutablePointer<EvaluatedElement<Graph.Node>>.allocate(
            capacity: depth + 1)
        var count = depth
        defer {
            elements.deinitialize(count: count)
            elements.deallocate()
        }
        if let outer = scope.elements { elements.initialize(from: outer, count: depth) }
        var inner = scope
        inner.elements = elements
        inner.depth = depth + 1
        return try visit(base, scope) {
            (element: EvaluatedElement<Graph.Node>) throws(EvaluationError) -> Bool in
            if count > depth {
                elements[depth] = element
            } else {
                (elements + depth).initialize(to: element)
                count = depth + 1
            }
            return try self.test(predicate, inner) ? try body(element) : true
        }
    }

    /// Follows a path from an object, branching at each to-many key.
    ///
    /// The result is the elements of the last to-many key, or the values of the keys after it. If a
    /// to-one key after the last to-many key is nil, the value is nil. If a to-one key before it is
    /// nil, the branch has no elements.
    private func visit<Graph>(
        _ handles: [Int], _ start: Int, toManyCount: Int?, isInside: Bool = false,
        from node: Graph.Node, _ scope: EvaluationScope<Graph>,
        _ body: (EvaluatedElement<Graph.Node>) throws(EvaluationError) -> Bool
    ) throws(EvaluationError) -> Bool {
        guard start < handles.count else { return try body(.object(node)) }
        let isLast = start == handles.count - 1
        switch scope.graph.property(handles[start], of: node) {
        case .object(let next):
            guard !isLast || isInside else {
                throw .wrongKind(needed: "A collection", found: "an object")
            }
            return try visit(
                handles, start + 1, toManyCount: toManyCount, isInside: isInside, from: next,
                scope, body)
        case .value(let value):
            if value.isNull, !isInside || start < toManyCount ?? 0 { return true }
            guard isInside, isLast || value.isNull else {
                throw .wrongKind(
                    needed: isLast ? "A collection" : "An object", found: value.kindName)
            }
            return try body(.value(value))
        case .elements:
            return try scope.graph.visit(handles[start], of: node) {
                (element: EvaluatedElement<Graph.Node>) throws(EvaluationError) -> Bool in
                if isLast { return try body(element) }
                switch element {
                case .object(let next):
                    return try self.visit(
                        handles, start + 1, toManyCount: toManyCount, isInside: true, from: next,
                        scope, body)
                case .value(let value): return try value.leading(to: true)
                }
            }
        }
    }

    /// Calls the body with the value of the handles for each element of a collection.
    private func visitValues<Graph>(
        _ base: Int, _ handles: List, _ scope: EvaluationScope<Graph>,
        _ body: (EvaluatedElement<Graph.Node>) throws(EvaluationError) -> Bool
    ) throws(EvaluationError) -> Bool {
        if handles.count == 0 { return try visit(base, scope, body) }
        let handles = handles.array
        return try visit(base, scope) {
            (element: EvaluatedElement<Graph.Node>) throws(EvaluationError) -> Bool in
            switch element {
            case .object(let node):
                return try self.visit(
                    handles, 0, toManyCount: nil, isInside: true, from: node, scope, body)
            case .value(let value): return try value.leading(to: true)
            }
        }
    }

    // MARK: One value of several

    /// Returns the result of an operator such as `@sum`; all except `@count` ignore nil.
    func aggregate<Graph>(
        _ base: Int, _ op: CollectionOperator, _ handles: List, _ scope: EvaluationScope<Graph>
    ) throws(EvaluationError) -> EvaluatedValue {
        var result = Aggregate(op)
        switch op {
        case .unionOfObjects, .distinctUnionOfObjects: throw .severalValues
        case .count:
            _ = try visit(base, scope) {
                (_: EvaluatedElement<Graph.Node>) throws(EvaluationError) -> Bool in
                result.count += 1
                return true
            }
        default:
            _ = try visitValues(base, handles, scope) {
                (element: EvaluatedElement<Graph.Node>) throws(EvaluationError) -> Bool in
                try result.add(self.value(of: element, scope))
                return true
            }
        }
        return try result.value()
    }

    /// Returns the element at an index, or nil if the element does not exist.
    func element<Graph>(
        _ base: Int, _ kind: IndexKind, _ positionNode: Int, _ scope: EvaluationScope<Graph>
    ) throws(EvaluationError) -> EvaluatedProperty<Graph.Node> {
        var wanted = Int64.max
        switch kind {
        case .first: wanted = 0
        case .last, .size: break
        case .position:
            let value = try value(positionNode, scope)
            if value.isNull { return .value(.null) }
            switch try NumericValue(needed: value) {
            case .integer(let number): wanted = number
            case .double(let number): wanted = Int64(exactly: number) ?? -1
            }
            if wanted < 0 { return .value(.null) }
        }
        var count: Int64 = 0
        var found = EvaluatedProperty<Graph.Node>.value(.null)
        _ = try visit(base, scope) {
            (element: EvaluatedElement<Graph.Node>) throws(EvaluationError) -> Bool in
            if kind == .last || count == wanted {
                switch element {
                case .value(let value): found = .value(value)
                case .object(let object): found = .object(object)
                }
            }
            count += 1
            return count <= wanted
        }
        return kind == .size ? .value(.integer(count)) : found
    }
}

extension EvaluationProgram.List {
    /// A copy of the numbers as an array.
    fileprivate var array: [Int] { Array(UnsafeBufferPointer(start: start, count: count)) }
}
