@testable import GraphModel

/// Makes random predicates that the language can say.
struct PredicateGenerator {
    var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func predicate(depth: Int) -> GraphPredicate {
        switch depth == 0 ? pick(2) : pick(7) {
        case 0: return .constant(pick(2) == 0)
        case 3: return .not(predicate(depth: depth - 1))
        case 4: return .and(predicates(depth: depth - 1))
        case 5: return .or(predicates(depth: depth - 1))
        default:
            let op = ComparisonOperator.allCases.randomElement(using: &random) ?? .equal
            let modifier = ComparisonModifier.allCases.randomElement(using: &random) ?? .direct
            return .comparison(
                GraphComparison(
                    expression(depth: depth), op, expression(depth: depth), modifier: modifier,
                    options: ComparisonOptions(rawValue: UInt8(pick(8)))))
        }
    }

    mutating func expression(depth: Int) -> GraphExpression {
        switch depth == 0 ? pick(4) : pick(11) {
        case 0: return .constant(value())
        case 1: return .keyPath(keys())
        case 2: return .variable("x", pick(2) == 0 ? [] : keys())
        case 3: return .evaluatedObject
        case 4: return .negation(expression(depth: depth - 1))
        case 5:
            let op = ArithmeticOperator.allCases.randomElement(using: &random) ?? .add
            return .arithmetic(op, expression(depth: depth - 1), expression(depth: depth - 1))
        case 6: return .aggregate((0..<pick(3)).map { _ in expression(depth: depth - 1) })
        case 7: return .function("coalesce", [expression(depth: depth - 1)])
        case 8:
            let op = CollectionOperator.allCases.randomElement(using: &random) ?? .count
            return .collection(.keyPath(keys()), op, op == .count ? [] : keys())
        case 9:
            return .subquery(.keyPath(keys()), variable: "y", predicate(depth: depth - 1))
        default:
            return .conditional(
                predicate(depth: depth - 1), expression(depth: depth - 1),
                expression(depth: depth - 1))
        }
    }

    mutating func value() -> GraphValue {
        switch pick(8) {
        case 0: .null
        case 1: .boolean(pick(2) == 0)
        case 2: .integer(Int64(bitPattern: random.next()) >> Int64(pick(64)))
        case 3: .double(finiteDouble())
        case 4: .string(text())
        case 5: .date(secondsSinceReference: finiteDouble())
        case 6: .uuid((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })
        default: .binary((0..<pick(9)).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
    }

    private mutating func finiteDouble() -> Double {
        let value = Double(bitPattern: random.next())
        return value.isFinite ? value : 0.5
    }

    private mutating func text() -> String {
        let characters: [String] = [
            "a", "\"", "'", "\\", "\n", "\t", "\r", "é", "😀", "%@", "*", "?", " ", "\0", "n",
        ]
        return (0..<pick(8)).map { _ in characters.randomElement(using: &random) ?? "" }.joined()
    }

    private mutating func keys() -> [String] {
        let names = [
            "title", "owner", "in", "SELF", "Full Name", "a.b", "größe", "_x1", "first", "",
        ]
        return (0...pick(3)).map { _ in names.randomElement(using: &random) ?? "a" }
    }

    private mutating func predicates(depth: Int) -> [GraphPredicate] {
        (0..<(2 + pick(2))).map { _ in predicate(depth: depth) }
    }

    private mutating func pick(_ count: Int) -> Int {
        Int.random(in: 0..<count, using: &random)
    }
}
