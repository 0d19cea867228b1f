/// A tree made ready to run: nodes in one array, key paths as slots, constants as bytes.
///
/// Not `Sendable`: it has scratch space, and regular expressions are not. Each user compiles its
/// own. Ordinary comparisons, arithmetic and constants allocate nothing while they run.
final class EvaluationProgram {
    /// Nodes point to others by their number.
    enum Node {
        case constant(EvaluatedValue)
        case slot(Int)
        case negation(Int)
        case arithmetic(ArithmeticOperator, Int, Int)
        case function(EvaluationFunction, [Int])
        case conditional(Int, Int, Int)
        case list([Int])
        case truth(Bool)
        case comparison(ComparisonOperator, ComparisonOptions, Int, Int)
        case matches(Int, pattern: Int)
        case not(Int)
        case and([Int])
        case or([Int])
    }

    var nodes: [Node] = []
    var patterns: [CompiledPattern] = []
    let constants = EvaluationArena()
    let scratch = EvaluationArena()

    /// The answer of a predicate's node.
    func test(_ node: Int, _ row: some EvaluationRow) throws(EvaluationError) -> Bool {
        switch nodes[node] {
        case .truth(let value): return value
        case .not(let part): return try !test(part, row)
        case .and(let parts):
            for part in parts where try !test(part, row) {
                return false
            }
            return true
        case .or(let parts):
            for part in parts where try test(part, row) {
                return true
            }
            return false
        case .comparison(let op, let options, let left, let right):
            return try compare(op, options, left, right, row)
        case .matches(let text, let pattern):
            return try match(try value(text, row), patterns[pattern])
        default: return false
        }
    }

    /// The value of an expression's node.
    func value(
        _ node: Int, _ row: some EvaluationRow
    ) throws(EvaluationError) -> EvaluatedValue {
        switch nodes[node] {
        case .constant(let value): return value
        case .slot(let slot): return row.value(at: slot)
        case .negation(let operand):
            let value = try value(operand, row)
            if value.isNull { return .null }
            return try compute(.subtract, .integer(0), value)
        case .arithmetic(let op, let left, let right):
            let left = try value(left, row)
            let right = try value(right, row)
            if left.isNull || right.isNull { return .null }
            return try compute(op, left, right)
        case .function(let function, let arguments):
            return try call(function, arguments, row)
        case .conditional(let predicate, let yes, let no):
            return try value(try test(predicate, row) ? yes : no, row)
        default: return .null
        }
    }

    private func compute(
        _ op: ArithmeticOperator, _ left: EvaluatedValue, _ right: EvaluatedValue
    ) throws(EvaluationError) -> EvaluatedValue {
        let result = try NumericValue.compute(op, number(left), number(right))
        return result?.value ?? .null
    }

    /// The value as a number, which it must be.
    func number(_ value: EvaluatedValue) throws(EvaluationError) -> NumericValue {
        guard let number = try NumericValue(value) else {
            throw .wrongKind(needed: "A number", found: value.kindName)
        }
        return number
    }

    private func match(
        _ value: EvaluatedValue, _ pattern: CompiledPattern
    ) throws(EvaluationError) -> Bool {
        if value.isNull { return false }
        guard let bytes = value.textBytes else {
            throw .wrongKind(needed: "Text", found: value.kindName)
        }
        do {
            return try pattern.matches(bytes)
        } catch {
            throw .textTooLong(bytes: bytes.count)
        }
    }
}
