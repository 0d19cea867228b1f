import GraphModel
import TestSeeds

@testable import GraphStore

extension WorldPredicates {
    // MARK: Key paths

    mutating func start() -> Start {
        random.chance(60) ? starts[starts.count - 1] : random.pick(starts)
    }

    mutating func attributePath(_ kind: Kind) -> String? {
        let start = start()
        guard let path = attribute(kind, of: start.entity, hops: 2) else { return nil }
        return start.prefix.isEmpty ? path : "\(start.prefix).\(path)"
    }

    mutating func attribute(
        _ kind: Kind, of entity: StoreLayout.Entity, hops: Int
    ) -> String? {
        let (path, end) = toOnes(from: entity, hops: random.chance(60) ? 0 : hops)
        if kind == .number, random.chance(15) {
            return (path + [random.pick(["objectID", "#objectID"])]).joined(separator: ".")
        }
        let names = end.attributes.filter { Kind($0.value.attribute.type) == kind }.keys.sorted()
        return names.isEmpty ? nil : (path + [random.pick(names)]).joined(separator: ".")
    }

    mutating func toOnes(
        from entity: StoreLayout.Entity, hops: Int
    ) -> ([String], StoreLayout.Entity) {
        var path: [String] = []
        var here = entity
        for _ in 0..<hops {
            let names = here.toOnes.keys.sorted()
            guard !names.isEmpty else { break }
            let name = random.pick(names)
            let destination = here.toOnes[name]?.relationship.destinationEntityName ?? ""
            guard let next = schema.entity(named: destination) else { break }
            path.append(name)
            here = next
        }
        return (path, here)
    }

    mutating func objectPath() -> String? {
        let start = start()
        let (path, _) = toOnes(from: start.entity, hops: 1 + random.pick(2))
        if path.isEmpty { return start.prefix.isEmpty ? "SELF" : start.prefix }
        return ((start.prefix.isEmpty ? [] : [start.prefix]) + path).joined(separator: ".")
    }

    mutating func object() -> String { "$o\(random.pick(objectCount))" }

    /// Returns a path that contains a to-many relationship, and its destination.
    mutating func collection() -> (String, StoreLayout.Entity)? {
        let start = start()
        var path = start.prefix.isEmpty ? [] : [start.prefix]
        var here = start.entity
        for _ in 0..<(1 + random.pick(2)) {
            if random.chance(30) {
                let (more, next) = toOnes(from: here, hops: 1)
                path += more
                here = next
            }
            let names = here.toManys.keys.sorted()
            guard !names.isEmpty else { break }
            let name = random.pick(names)
            let destination = here.toManys[name]?.relationship.destinationEntityName ?? ""
            guard let next = schema.entity(named: destination) else { break }
            path.append(name)
            here = next
        }
        let isToMany = path.contains { name in schema.entities.contains { $0.toManys[name] != nil }
        }
        return isToMany ? (path.joined(separator: "."), here) : nil
    }

    // MARK: Words

    mutating func order() -> String { random.pick(["==", "!=", "<", "<=", ">", ">="]) }

    mutating func options() -> String { random.pick(["", "", "[c]", "[d]", "[cd]", "[n]"]) }

    mutating func list(_ element: (inout WorldPredicates) -> String) -> String {
        (0..<random.pick(4)).map { _ in random.chance(15) ? "nil" : element(&self) }
            .joined(separator: ", ")
    }

    mutating func literal() -> String {
        if random.chance(40) { return random.pick(WorldGenerator.nearTexts) }
        let parts = ["a", "A", "é", "e\u{301}", "E", "b", "SS", "1", "\0", "*", " "]
        return (0..<random.pick(3)).map { _ in random.pick(parts) }.joined()
    }

    mutating func pattern() -> String {
        let parts = ["a", "é", "*", "?", "\\*", "*", "1", "\0"]
        return (0..<random.pick(4)).map { _ in random.pick(parts) }.joined()
    }

    func quoted(_ text: String) -> String {
        GraphExpression.constant(.string(text)).description
    }
}
