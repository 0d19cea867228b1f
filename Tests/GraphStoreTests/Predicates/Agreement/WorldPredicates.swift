import GraphModel
import TestSeeds

@testable import GraphStore
@testable import RowStore

/// A generator of predicates, as text, that a generated world's model allows.
struct WorldPredicates {
    /// A possible start of key paths: the object, or a subquery's variable.
    struct Start {
        var prefix: String
        var entity: StoreLayout.Entity
    }

    enum Kind {
        case number, text, date, boolean, uuid

        static let all: [Kind] = [.number, .text, .text, .date, .boolean, .uuid]

        init?(_ type: AttributeType) {
            switch SQLType(type) {
            case .integer, .double: self = .number
            case .text: self = .text
            case .date: self = .date
            case .boolean: self = .boolean
            case .uuid: self = .uuid
            default: return nil
            }
        }
    }

    var random: SeededGenerator
    let schema: StoreLayout
    var starts: [Start]
    var variableCount = 0

    /// The number of variables, starting at `$o0`, that hold objects.
    let objectCount: Int

    init(
        _ random: SeededGenerator, _ schema: StoreLayout, over entity: StoreLayout.Entity,
        objectCount: Int
    ) {
        self.objectCount = objectCount
        self.random = random
        self.schema = schema
        starts = [Start(prefix: "", entity: entity)]
    }

    // MARK: Predicates

    mutating func predicate(depth: Int) -> String {
        if depth > 0 {
            switch random.pick(6) {
            case 0: return "NOT (\(predicate(depth: depth - 1)))"
            case 1: return "(\(predicate(depth: depth - 1)) AND \(predicate(depth: depth - 1)))"
            case 2: return "(\(predicate(depth: depth - 1)) OR \(predicate(depth: depth - 1)))"
            default: break
            }
        }
        return comparison(depth: depth)
    }

    mutating func comparison(depth: Int) -> String {
        switch random.pick(14) {
        case 0, 1: return "\(number(depth)) \(order()) \(number(depth))"
        case 2: return "\(number(1)) BETWEEN {\(number(0)), \(number(1))}"
        case 3: return "\(number(1)) IN {\(list { $0.number(0) })}"
        case 4, 5: return textComparison(text(depth), text(1))
        case 6: return "\(text(1)) IN\(options()) {\(list { $0.text(0) })}"
        case 7:
            let kind = random.pick([Kind.date, .boolean, .uuid])
            let op = kind == .date ? order() : random.pick(["==", "!="])
            return "\(value(kind)) \(op) \(random.chance(20) ? "nil" : value(kind))"
        case 8: return objectComparison()
        case 9, 10: return quantified()
        case 11: return membership()
        default: return count(depth)
        }
    }

    mutating func textComparison(_ left: String, _ right: String) -> String {
        switch random.pick(9) {
        case 8 where !left.contains(" "): return "\(right) IN\(options()) \(left)"
        case 0: return "\(left) LIKE\(options()) \(quoted(pattern()))"
        case 1:
            let expressions = ["a.*", "[aA]+", ".*é.?", "\\d+", "(a|b)*", "."]
            return
                "\(left) MATCHES\(random.chance(30) ? "[c]" : "") \(quoted(random.pick(expressions)))"
        case 2: return "\(left) \(order())\(options()) \(right)"
        case 3: return "\(left) BETWEEN\(options()) {\(right), \(text(0))}"
        default:
            let op = random.pick(["CONTAINS", "BEGINSWITH", "ENDSWITH", "==", "!="])
            return "\(left) \(op)\(options()) \(right)"
        }
    }

    mutating func objectComparison() -> String {
        guard let path = objectPath() else { return "TRUEPREDICATE" }
        if random.chance(40) { return "\(path) \(random.pick(["==", "!="])) nil" }
        if random.chance(20) { return "\(path) \(random.pick(["==", "!="])) \(object())" }
        if random.chance(20) { return "\(path) IN {\(list { $0.object() })}" }
        guard let other = objectPath() else { return "SELF == SELF" }
        return "\(path) \(random.pick(["==", "!="])) \(random.chance(30) ? "SELF" : other)"
    }

    mutating func quantified() -> String {
        let modifier = random.pick(["ANY", "ALL", "NONE", "SOME"])
        guard let (path, entity) = collection() else { return "FALSEPREDICATE" }
        let kind = random.pick([Kind.number, .text, .text, .date])
        guard let tail = attribute(kind, of: entity, hops: 1) else {
            return "\(modifier) \(path) \(random.pick(["==", "!="])) nil"
        }
        let left = "\(modifier) \(path).\(tail)"
        switch kind {
        case .number:
            switch random.pick(4) {
            case 0: return "\(left) IN {\(list { $0.number(0) })}"
            case 1: return "\(left) BETWEEN {\(number(0)), \(number(1))}"
            default: return "\(left) \(order()) \(random.chance(15) ? "nil" : number(1))"
            }
        case .text: return textComparison(left, text(1))
        default: return "\(left) \(order()) \(value(kind))"
        }
    }

    mutating func membership() -> String {
        guard let (path, entity) = collection() else { return "TRUEPREDICATE" }
        if random.chance(30), let object = objectPath() {
            return random.chance(50) ? "\(object) IN \(path)" : "\(path) CONTAINS \(object)"
        }
        let kind = random.pick([Kind.number, .text])
        guard let tail = attribute(kind, of: entity, hops: 1) else { return "\(path).@count > 1" }
        let member = random.chance(15) ? "nil" : kind == .number ? number(1) : text(1)
        let union = random.pick(["", "", "@unionOfObjects.", "@distinctUnionOfObjects."])
        return "\(member) IN \(path).\(union)\(tail)"
    }

    mutating func count(_ depth: Int) -> String {
        let number = random.pick(4) - (random.chance(5) ? 1 : 0)
        let count = collectionCount(depth)
        return random.chance(20)
            ? "\(number) \(order()) \(count)" : "\(count) \(order()) \(number)"
    }

    mutating func collectionCount(_ depth: Int) -> String {
        guard let (path, entity) = collection() else { return "0" }
        if random.chance(10) {
            variableCount += 1
            let variable = "$w\(variableCount)"
            if random.chance(40) {
                let condition = "\(variable) \(order()) \(number(0))"
                return "SUBQUERY({\(number(0)), 1, 2.5, nil}, \(variable), \(condition)).@count"
            }
            if let tail = attribute(.text, of: entity, hops: 0) {
                return
                    "SUBQUERY(\(path).\(tail), \(variable), \(textComparison(variable, text(0)))).@count"
            }
        }
        guard random.chance(60), depth > 0, starts.count < 3 else {
            return random.chance(10) ? "\(path)[SIZE]" : "\(path).@count"
        }
        return "\(subquery(path, entity, depth: depth)).@count"
    }
}
