import GraphModel
import SQLite

/// A part of a predicate that the evaluator computes, called from SQL with the values that it
/// needs.
///
/// Queries and the evaluator thus agree where SQLite has no exact equivalent. The leaves of the
/// tree are slots, such as `.keyPath(["0"])`, which the arguments of the call fill.
struct SQLProgram {
    private(set) var arguments: [SQLOperand] = []
    /// The positions of arguments by their SQL, so that equal columns share a slot.
    private var places: [String: Int] = [:]
    /// The time of `now()`.
    let now: Double

    init(now: Double) {
        self.now = now
    }

    /// Returns the slot for a value that SQL computes.
    mutating func slot(for operand: SQLOperand) -> GraphExpression {
        if let constant = operand.constant { return .constant(constant) }
        let isColumn = operand.sql.values.isEmpty && operand.sql.lists.isEmpty
        if isColumn, let place = places[operand.sql.sql], arguments[place].type == operand.type {
            return .keyPath(["\(place)"])
        }
        if isColumn { places[operand.sql.sql] = arguments.count }
        arguments.append(operand)
        return .keyPath(["\(arguments.count - 1)"])
    }

    /// Returns the call that evaluates a predicate over the slots to 1 or 0.
    func test(_ predicate: GraphPredicate) throws(StoreError) -> SQLFragment {
        try test(predicate, slots: Array(arguments.indices))
    }

    /// Returns the call that evaluates a predicate over some of the slots to 1 or 0.
    func test(_ predicate: GraphPredicate, slots: [Int]) throws(StoreError) -> SQLFragment {
        let places = Dictionary(uniqueKeysWithValues: slots.enumerated().map { ($1, $0) })
        let compiled: CompiledPredicate
        do {
            compiled = try CompiledPredicate(predicate, now: now) {
                Self.slot($0).flatMap { places[$0] }
            }
        } catch {
            throw StoreError(.invalidRequest, error.message)
        }
        let arguments = slots.map { self.arguments[$0] }
        let types = arguments.map(\.type)
        return call(with: arguments) { call throws(FunctionError) in
            do throws(EvaluationError) {
                let row = ArgumentRow(call: call, types: types)
                call.setResult(try compiled.evaluate(row) ? Int64(1) : 0)
            } catch {
                throw FunctionError(error.description)
            }
        }
    }

    /// Returns the call that computes the value of an expression over the slots.
    ///
    /// - Parameter isDecimal: Whether numbers are returned as the strings of exact decimals.
    func value(
        _ expression: GraphExpression, isDecimal: Bool
    ) throws(StoreError) -> SQLFragment {
        let compiled = try compile(expression)
        let types = arguments.map(\.type)
        return call(with: arguments) { call throws(FunctionError) in
            do throws(EvaluationError) {
                let value = try compiled.evaluate(ArgumentRow(call: call, types: types))
                if isDecimal, let number = value.exactDecimal {
                    var text = number.text
                    text.withUTF8 { call.setResult(text: $0) }
                } else {
                    call.setResult(value)
                }
            } catch {
                throw FunctionError(error.description)
            }
        }
    }

    /// Returns the value of an expression without slots; `nil` if it varies by row or cannot be
    /// computed.
    func constant(_ expression: GraphExpression) throws(StoreError) -> GraphValue? {
        guard arguments.isEmpty, !expression.isVolatile else { return nil }
        let compiled = try compile(expression)
        do throws(EvaluationError) {
            // The value's bytes belong to the program until they are copied.
            return try withExtendedLifetime(compiled) { () throws(EvaluationError) in
                try GraphValue(compiled.evaluate(EmptyRow()))
            }
        } catch {
            // The error is reported when a row needs the value.
            return nil
        }
    }

    private func compile(
        _ expression: GraphExpression
    ) throws(StoreError) -> CompiledExpression {
        do {
            return try CompiledExpression(expression, now: now, slotOf: Self.slot)
        } catch {
            throw StoreError(.invalidRequest, error.message)
        }
    }

    private static func slot(_ keys: [String]) -> Int? {
        keys.first.flatMap { Int($0) }
    }

    private func call(
        with arguments: [SQLOperand],
        _ body: @escaping (FunctionCall) throws(FunctionError) -> Void
    ) -> SQLFragment {
        let start = SQLFragment("\(BoundFunction.sqlName)(?", calling: BoundFunction(body))
        return ([start] + arguments.map(\.sql)).joined(separator: ", ") + ")"
    }
}

/// The arguments of a call as a row for the evaluator.
private struct ArgumentRow: EvaluationRow {
    let call: FunctionCall
    let types: [SQLType]

    var stop: (any EvaluationStop)? { call.watchedFlag }

    func value(at slot: Int) -> EvaluatedValue {
        let type = types[slot]
        switch call.storage(slot) {
        case .null: return .null
        case .integer:
            let number = call.integer(slot)
            switch type {
            case .boolean: return .boolean(number != 0)
            case .date: return .date(Double(number))
            case .double: return .double(Double(number))
            default: return .integer(number)
            }
        case .real: return type == .date ? .date(call.double(slot)) : .double(call.double(slot))
        case .text:
            return type == .decimal ? .decimal(call.bytes(slot)) : .text(call.bytes(slot))
        case .blob: return type == .uuid ? .uuid(call.bytes(slot)) : .binary(call.bytes(slot))
        }
    }
}

/// A row without values.
private struct EmptyRow: EvaluationRow {
    func value(at slot: Int) -> EvaluatedValue { .null }
}

extension FunctionCall {
    /// Sets the result to a value in the form in which a column stores it.
    fileprivate func setResult(_ value: EvaluatedValue) {
        switch value {
        // Only records contain nested values, and numbers in their notation.
        case .null, .nested, .number: break
        case .boolean(let flag): setResult(flag ? Int64(1) : 0)
        case .integer(let number): setResult(number)
        case .double(let number), .date(let number): setResult(number)
        case .text(let bytes), .untypedText(let bytes), .decimal(let bytes):
            setResult(text: bytes)
        case .uuid(let bytes), .binary(let bytes): setResult(blob: bytes)
        case .object(let id): setResult(id.primaryKey)
        }
    }
}

extension GraphExpression {
    /// Whether each row has a different value although the expression reads no property.
    fileprivate var isVolatile: Bool {
        switch self {
        case .function(let name, _) where PredicateFunction.named[name]?.isVolatile == true: true
        case .function(_, let operands), .aggregate(let operands):
            operands.contains(where: \.isVolatile)
        case .negation(let operand), .collection(let operand, _, _), .index(let operand, _):
            operand.isVolatile
        case .arithmetic(_, let left, let right): left.isVolatile || right.isVolatile
        default: false
        }
    }
}

extension InterruptFlag: EvaluationStop {}
