import GraphModel
import SQLite
import TestSeeds

@testable import GraphStore

/// A generator of models with inheritance and every kind of relationship, and of their objects.
struct WorldGenerator {
    var random: SeededGenerator
    private static let types = [
        "Integer 16", "Integer 32", "Integer 64", "Decimal", "Double", "Float", "String", "String",
        "Boolean", "Date", "UUID", "URI",
    ]

    /// Returns the entities in the format of a model file.
    mutating func entities() -> String {
        var bodies: [String: (attributes: [String], relationships: [String])] = [:]
        let names = ["A", "B", "C", "D"]
        let parents = ["B": "A", "D": random.chance(50) ? "C" : "B"]
        var attributeCount = 0
        for name in names {
            var attributes = parents[name] == nil ? ["id: Integer 64"] : []
            for _ in 0..<(2 + random.pick(3)) {
                attributeCount += 1
                let type = random.pick(Self.types)
                let isSearchable = type == "String" && random.chance(70)
                attributes.append(
                    "a\(attributeCount): "
                        + (isSearchable ? "{ type: String, searchable: true }" : type))
            }
            bodies[name] = (attributes, [])
        }
        var relationshipCount = 0
        func add(_ owner: String, _ to: String, _ name: String, _ inverse: String, _ kind: String) {
            bodies[owner]?.relationships.append(
                "\(name): { to: \(to), inverse: \(inverse)\(kind) }")
        }
        for _ in 0..<(4 + random.pick(3)) {
            relationshipCount += 1
            let name = "r\(relationshipCount)"
            let from = random.pick(names)
            let to = random.chance(30) ? from : random.pick(names)
            let ordered = random.chance(50) ? ", ordered: true" : ""
            let many = ", many: true" + ordered
            switch random.pick(5) {
            case 4 where from == to && random.chance(50): add(from, to, name, name, "")
            case 4:
                add(from, to, name, name + "o", "")
                add(to, from, name + "o", name, "")
            case 0, 1:
                add(from, to, name, name + "s", "")
                add(to, from, name + "s", name, many)
            case 2 where from == to:
                add(from, to, name, name, ", many: true")
            default:
                add(from, to, name, name + "b", many)
                add(to, from, name + "b", name, random.chance(50) ? ", many: true" : many)
            }
        }
        return names.map { name in
            let body = bodies[name] ?? ([], [])
            var lines = ["\(name):"]
            if let parent = parents[name] { lines.append("  parent: \(parent)") }
            if name == "A", random.chance(30) { lines.append("  abstract: true") }
            lines.append("  attributes:")
            lines += body.attributes.map { "    " + $0 }
            if !body.relationships.isEmpty { lines.append("  relationships:") }
            lines += body.relationships.map { "    " + $0 }
            if parents[name] == nil { lines.append("  unique: [[id]]") }
            return lines.joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// Creates and links objects of every entity, and writes them into the store's tables.
    mutating func fill(_ store: TestStore) throws -> [WorldObject] {
        let schema = store.container.schema
        var objects: [WorldObject] = []
        var keys: [Int64: Int64] = [:]
        for entity in schema.entities where !entity.isAbstract {
            for _ in 0..<(3 + random.pick(5)) {
                let key = keys[entity.rootNumber, default: 0] + 1
                keys[entity.rootNumber] = key
                let object = WorldObject(entity, key)
                for (name, column) in entity.attributes.sorted(by: { $0.key < $1.key }) {
                    object.values[name] =
                        name == "id" ? .integer(key) : value(column.attribute.type)
                }
                objects.append(object)
            }
        }
        let ranks = link(objects, in: schema)
        try write(objects, ranks, into: store)
        return objects
    }

    mutating func value(_ type: AttributeType) -> GraphValue {
        if random.chance(20) { return .null }
        let isExtreme = random.chance(5)
        switch type {
        case .integer16: return .integer(isExtreme ? random.pick([-32_768, 32_767]) : small(9) - 3)
        case .integer32:
            return .integer(
                isExtreme ? random.pick([-2_147_483_648, 2_147_483_647]) : small(9) - 3)
        case .integer64:
            return .integer(isExtreme ? random.pick([.max, .min, .max - 1]) : small(5))
        case .boolean: return .boolean(random.chance(50))
        case .date:
            return .date(
                secondsSinceReference: isExtreme
                    ? random.pick([-63_114_076_800, 252_423_993_599.5]) : Double(small(7)) / 2)
        case .uuid: return .uuid(Array(repeating: UInt8(random.pick(3)), count: 16))
        case .string, .uri: return .string(text())
        case .double where isExtreme:
            // Not -0.0, because SQLite does not keep its sign.
            return .double(
                random.pick([
                    1e308, -1e308, Double.leastNonzeroMagnitude, .leastNormalMagnitude, 1 / 3, 1e16,
                ]))
        case .double where random.chance(30): return .double(Double(small(9)) / 10)
        default: return .double(Double(small(9)) / 2 - 1)
        }
    }

    private mutating func small(_ count: Int) -> Int64 { Int64(random.pick(count)) }

    /// Texts that differ in case or marks only, as the options require; random parts almost never
    /// produce such pairs.
    static let nearTexts = [
        "a", "A", "á", "a\u{301}", "Á", "b", "B", "e", "E", "é", "É", "ab", "Ab", "aB", "AB", "áb",
    ]

    mutating func text() -> String {
        if random.chance(40) { return random.pick(Self.nearTexts) }
        let parts = [
            "a", "A", "é", "e\u{301}", "É", "b", "ß", "1", "10", "\0", "%", "*", "😀", " ", "ﬁ",
            "İ", "Σ", "ς", "\u{AC00}", "\u{1100}\u{1161}", "\u{323}", "日本", "-",
        ]
        return (0..<random.pick(4)).map { _ in random.pick(parts) }.joined()
    }

    // MARK: Links

    /// The position of each object among its owner's ordered objects, by relationship.
    typealias Ranks = [String: [ObjectIdentifier: Int]]

    private mutating func link(_ objects: [WorldObject], in schema: StoreLayout) -> Ranks {
        var ranks: Ranks = [:]
        for object in objects {
            for name in object.entity.toManys.keys { object.toManys[name] = [] }
        }
        for object in objects {
            for (name, place) in object.entity.toOnes.sorted(by: { $0.key < $1.key }) {
                let candidates = family(place.relationship.destinationEntityName, objects, schema)
                guard !candidates.isEmpty, random.chance(70) else { continue }
                let other = random.pick(candidates)
                let inverse = place.relationship.inverseName ?? ""
                if other.entity.toOnes[inverse] != nil {
                    guard object.toOnes[name] == nil, other.toOnes[inverse] == nil else { continue }
                    other.toOnes[inverse] = object
                }
                object.toOnes[name] = other
                if other.toManys[inverse] == nil { continue }
                ranks[name, default: [:]][ObjectIdentifier(object)] =
                    other.toManys[inverse]?.count ?? 0
                other.toManys[inverse]?.append(object)
            }
            for (name, place) in object.entity.toManys.sorted(by: { $0.key < $1.key }) {
                guard case .joinTable(let join) = place else { continue }
                let inverse = join.relationship.inverseName ?? ""
                for other in family(join.relationship.destinationEntityName, objects, schema)
                where random.chance(15)
                    && object.toManys[name]?.contains(where: { $0 === other }) == false
                {
                    object.toManys[name]?.append(other)
                    if inverse != name || other !== object {
                        other.toManys[inverse]?.append(object)
                    }
                }
            }
        }
        return ranks
    }

    private func family(
        _ name: String, _ objects: [WorldObject], _ schema: StoreLayout
    ) -> [WorldObject] {
        let numbers = schema.entity(named: name)?.familyNumbers ?? []
        return objects.filter { numbers.contains($0.entity.number) }
    }
}
