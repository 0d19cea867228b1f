import TestSeeds

@testable import GraphModel

/// A generator of random predicates that the language can express.
struct PredicateGenerator {
    var random: SeededGenerator
    /// The keys that key paths consist of; keys of all kinds if empty.
    var names: [String] = []

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
        switch depth == 0 ? pick(4) : pick(14) {
        case 0: return .constant(value())
        case 1: return .keyPath(keys())
        case 2: return .variable("x", pick(2) == 0 ? [] : keys())
        case 3: return .evaluatedObject
        case 4: return .negation(expression(depth: depth - 1))
        case 5:
            let op = ArithmeticOperator.allCases.randomElement(using: &random) ?? .add
            return .arithmetic(op, expression(depth: depth - 1), expression(depth: depth - 1))
        case 6: return .aggregate((0..<pick(3)).map { _ in expression(depth: depth - 1) })
        case 7: return function(depth: depth - 1)
        case 8:
            let op = CollectionOperator.allCases.randomElement(using: &random) ?? .count
            return .collection(.keyPath(keys()), op, op == .count ? [] : keys())
        case 9:
            return .subquery(.keyPath(keys()), variable: "y", predicate(depth: depth - 1))
        case 10: return .index(collection(depth: depth - 1), index(depth: depth - 1))
        case 11:
            return .member(
                .index(collection(depth: depth - 1), index(depth: depth - 1)), keys(inMaps: true))
        case 12: return .negation(.constant(value()))
        default:
            return .conditional(
                predicate(depth: depth - 1), expression(depth: depth - 1),
                expression(depth: depth - 1))
        }
    }

    private mutating func collection(depth: Int) -> GraphExpression {
        switch pick(5) {
        case 0: .keyPath(keys() + keys(inMaps: true))
        case 1: .variable("x", keys(inMaps: true))
        case 2: .function("split", [expression(depth: depth), .constant(value())])
        case 3: .aggregate([expression(depth: depth)])
        default: .arithmetic(.add, expression(depth: depth), .evaluatedObject)
        }
    }

    private mutating func index(depth: Int) -> GraphIndex {
        switch pick(5) {
        case 0: .first
        case 1: .last
        case 2: .size
        case 3: .position(.keyPath([["first", "LAST", "size", "in", "a"][pick(5)]]))
        default: .position(expression(depth: depth))
        }
    }

    /// Returns a call of any function with a valid number of arguments.
    private mutating func function(depth: Int) -> GraphExpression {
        let functions = PredicateFunction.named.sorted { $0.key < $1.key }
        guard let (name, function) = functions.randomElement(using: &random) else {
            return .evaluatedObject
        }
        let counts = function.counts
        let count = Int.random(in: counts.lowerBound...min(counts.upperBound, 3), using: &random)
        var arguments = (0..<count).map { _ in expression(depth: depth) }
        let formats = ["yyyy-MM-dd", "d.M.yy H:m", "?", "Q"]
        switch name {
        case "cast":
            let type = AttributeType.allCases.randomElement(using: &random) ?? .string
            arguments[1] = .constant(.string(type.rawValue))
        case "date", "format":
            arguments[1] = .constant(.string(formats.randomElement(using: &random) ?? ""))
        case "split" where pick(2) == 0, "join" where pick(2) == 0:
            arguments = [.keyPath(keys()), .constant(.string(text()))]
        default: break
        }
        return .function(name, arguments)
    }

    mutating func value() -> GraphValue {
        switch pick(11) {
        case 8:
            .object(
                ManagedObjectID(
                    entityNumber: Int64(bitPattern: random.next()) >> Int64(pick(64)),
                    primaryKey: Int64(bitPattern: random.next()) >> Int64(pick(64))))
        case 9: .integer([Int64.min, .max, 0, -1].randomElement(using: &random) ?? 0)
        case 10:
            .double(
                [-0.0, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -.infinity, .infinity]
                    .randomElement(using: &random) ?? 0)
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
            "u0041", "\u{7F}", "\u{85}", "\u{2028}", "e\u{301}", "\u{FEFF}", "\u{10FFFF}", "\r\n",
        ]
        return (0..<pick(8)).map { _ in characters.randomElement(using: &random) ?? "" }.joined()
    }

    private mutating func keys(inMaps: Bool = false) -> [String] {
        if !self.names.isEmpty {
            return (0...pick(3)).map { _ in self.names.randomElement(using: &random) ?? "a" }
        }
        var names = [
            "title", "owner", "in", "SELF", "Full Name", "a.b", "größe", "_x1", "first", "",
            "@count", "#", "nil", "TRUEPREDICATE", "any", "1st", "\"", "'", "$x", "cast",
        ]
        if inMaps { names += ["@allKeys", "@allValues"] }
        return (0...pick(3)).map { _ in names.randomElement(using: &random) ?? "a" }
    }

    private mutating func predicates(depth: Int) -> [GraphPredicate] {
        (0..<(2 + pick(2))).map { _ in predicate(depth: depth) }
    }

    private mutating func pick(_ count: Int) -> Int {
        Int.random(in: 0..<count, using: &random)
    }
}
