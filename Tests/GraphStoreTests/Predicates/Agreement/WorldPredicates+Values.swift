import GraphModel
import TestSeeds

@testable import GraphStore
@testable import RowStore

extension WorldPredicates {
    // MARK: Values

    mutating func value(_ kind: Kind) -> String {
        switch kind {
        case .number: return number(1)
        case .text: return text(1)
        case .date:
            if random.chance(60), let path = attributePath(.date) { return path }
            return "'2001-01-01T00:00:0\(random.pick(4))Z'".asDate
        case .boolean:
            if random.chance(60), let path = attributePath(.boolean) { return path }
            return random.pick(["YES", "NO"])
        case .uuid: return attributePath(.uuid) ?? "nil"
        }
    }

    /// Returns an integer expression, including bit operators and powers.
    mutating func integer(_ depth: Int) -> String {
        if depth > 0 {
            switch random.pick(6) {
            case 0, 1, 2:
                let op = random.pick(["&", "|", "^", "<<", ">>"])
                return "(\(integer(depth - 1)) \(op) \(integer(depth - 1)))"
            case 3: return "~(\(integer(depth - 1)))"
            case 4: return "(\(integer(depth - 1)) ** \(random.pick(5) - 1))"
            default: break
            }
        }
        let start = start()
        let names = start.entity.attributes.filter {
            if case .integer = SQLType($0.value.attribute.type) { true } else { false }
        }.keys.sorted()
        guard random.chance(70), !names.isEmpty else { return "\(random.pick(9) - 2)" }
        let name = random.pick(names)
        return start.prefix.isEmpty ? name : "\(start.prefix).\(name)"
    }

    mutating func number(_ depth: Int) -> String {
        if depth > 0 {
            switch random.pick(16) {
            case 14: return integer(2)
            case 15:
                if let path = attributePath(.text) { return "\(path).length" }
            case 9: if let element = element(.number) { return element }
            case 0, 1:
                let op = random.pick(["+", "-", "*", "/"])
                return "(\(number(depth - 1)) \(op) \(number(depth - 1)))"
            case 2: return "-(\(number(depth - 1)))"
            case 3:
                let name = random.pick(["abs", "floor", "ceiling", "round"])
                return "\(name)(\(number(depth - 1)))"
            case 4: return "length(\(text(depth - 1)))"
            case 5: return "coalesce(\(number(depth - 1)), \(number(0)))"
            case 6:
                return
                    "TERNARY(\(predicate(depth: 0)), \(number(depth - 1)), \(number(depth - 1)))"
            case 7, 8: return aggregate(.number) ?? "1"
            default: break
            }
        }
        if random.chance(70), let path = attributePath(.number) { return path }
        return random.chance(60) ? "\(random.pick(6) - 2)" : "\(Double(random.pick(6)) / 2)"
    }

    mutating func text(_ depth: Int) -> String {
        if depth > 0 {
            switch random.pick(13) {
            case 10: if let element = element(.text) { return element }
            case 11: return "cast(\(number(depth - 1)), 'String')"
            case 12:
                if let (path, entity) = collection(),
                    let tail = attribute(.text, of: entity, hops: 1)
                {
                    return "join(\(path).\(tail), '-')"
                }
            case 0: return "\(random.pick(["lowercase", "uppercase", "trim"]))(\(text(depth - 1)))"
            case 1: return "coalesce(\(text(depth - 1)), \(text(0)))"
            case 2: return "substring(\(text(depth - 1)), 0, 2)"
            case 3: return "replace(\(text(depth - 1)), 'a', \(quoted("é")))"
            case 4: if let value = aggregate(.text) { return value }
            default: break
            }
        }
        if random.chance(60), let path = attributePath(.text) { return path }
        return random.chance(5) ? "nil" : quoted(literal())
    }

    mutating func aggregate(_ kind: Kind) -> String? {
        guard let (path, entity) = collection() else { return nil }
        let names = kind == .number ? ["@sum", "@avg", "@min", "@max"] : ["@min", "@max"]
        let name = random.pick(names)
        switch random.pick(5) {
        case 0 where starts.count < 3:
            guard let tail = attribute(kind, of: entity, hops: 1) else { return nil }
            return "\(subquery(path, entity, depth: 1)).\(name).\(tail)"
        default: break
        }
        guard let tail = attribute(kind, of: entity, hops: 1) else { return nil }
        return "\(path).\(name).\(tail)"
    }

    /// Returns a value of one element of an ordered collection.
    mutating func element(_ kind: Kind) -> String? {
        let start = start()
        let names = start.entity.toManys.filter { $0.value.relationship.isOrdered }.keys.sorted()
        guard !names.isEmpty else { return nil }
        let name = random.pick(names)
        let destination = start.entity.toManys[name]?.relationship.destinationEntityName ?? ""
        guard let entity = schema.entity(named: destination),
            let tail = attribute(kind, of: entity, hops: 1)
        else { return nil }
        let index = random.pick(["FIRST", "LAST", "0", "1", "2", "\(number(0))"])
        let path = start.prefix.isEmpty ? name : "\(start.prefix).\(name)"
        return "\(path)[\(index)].\(tail)"
    }

    mutating func subquery(_ path: String, _ entity: StoreLayout.Entity, depth: Int) -> String {
        variableCount += 1
        let name = "$x\(variableCount)"
        starts.append(Start(prefix: name, entity: entity))
        let inner = predicate(depth: depth - 1)
        starts.removeLast()
        return "SUBQUERY(\(path), \(name), \(inner))"
    }

    // MARK: Orders

    mutating func sortDescriptors() -> [GraphSortDescriptor] {
        (0..<random.pick(3)).compactMap { _ in
            var (path, _) = toOnes(from: starts[0].entity, hops: 2)
            if path.isEmpty || random.chance(85) {
                let kind = random.pick(Kind.all)
                guard let names = attribute(kind, of: starts[0].entity, hops: 1) else {
                    return nil
                }
                path = names.split(separator: ".").map(String.init)
            }
            return GraphSortDescriptor(
                path, ascending: random.chance(50),
                textOrder: random.pick(GraphSortDescriptor.TextOrder.allCases),
                nullOrder: random.pick([nil, .first, .last]))
        }
    }
}

extension String {
    /// A date's text with the language's cast.
    fileprivate var asDate: String { "cast(\(self), 'Date')" }
}
