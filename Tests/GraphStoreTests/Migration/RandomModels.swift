import GraphModel
import TestSeeds

@testable import GraphStore

/// A model whose parts keep their numbers when their names change.
struct RandomModel {
    struct Attribute {
        var id: Int
        var name: String
        var type: AttributeType
        var isOptional = true
        var defaultValue: StoredValue?
        var isSearchable = false
        var before: String?
    }

    /// One end of a relationship; the inverse end has the number with the opposite sign.
    struct End {
        var id: Int
        var name: String
        var isToMany: Bool
        var isOrdered: Bool
        var before: String?
    }

    struct Entity {
        var id: Int
        var name: String
        var parent: Int?
        var isAbstract = false
        var attributes: [Attribute] = []
        var before: String?
    }

    /// A relationship between two entities, by their numbers.
    struct Link {
        var source: Int
        var destination: Int
        var forward: End
        var back: End
    }

    var entities: [Entity] = []
    var links: [Link] = []
    private var nextID = 1

    private static let types: [AttributeType] = [
        .integer16, .integer32, .integer64, .string, .boolean, .double, .date, .uuid, .binary,
    ]

    private mutating func newID() -> Int {
        nextID += 1
        return nextID
    }

    private mutating func attribute(_ numbers: inout SeededGenerator) -> Attribute {
        let id = newID()
        return Attribute(
            id: id, name: "a\(id)", type: Self.types.randomElement(using: &numbers) ?? .string)
    }

    init(_ numbers: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 2...5, using: &numbers) {
            let id = newID()
            var entity = Entity(id: id, name: "E\(id)")
            if numbers.chance(1, of: 3) {
                entity.parent = entities.randomElement(using: &numbers)?.id
            }
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                entity.attributes.append(attribute(&numbers))
            }
            entities.append(entity)
        }
        for _ in 0..<Int.random(in: 1...4, using: &numbers) { addLink(&numbers) }
    }

    private mutating func addLink(_ numbers: inout SeededGenerator) {
        guard let source = entities.randomElement(using: &numbers)?.id,
            let destination = entities.randomElement(using: &numbers)?.id
        else { return }
        let id = newID()
        func end(_ id: Int, _ name: String, _ numbers: inout SeededGenerator) -> End {
            let isToMany = numbers.chance(2, of: 3)
            return End(
                id: id, name: name, isToMany: isToMany,
                isOrdered: isToMany && numbers.chance(1, of: 3))
        }
        links.append(
            Link(
                source: source, destination: destination, forward: end(id, "r\(id)", &numbers),
                back: end(-id, "s\(id)", &numbers)))
    }

    /// Applies a few valid changes.
    mutating func evolve(_ numbers: inout SeededGenerator) {
        for index in entities.indices {
            entities[index].before = nil
            for place in entities[index].attributes.indices {
                entities[index].attributes[place].before = nil
            }
        }
        for _ in 0..<Int.random(in: 1...8, using: &numbers) { change(&numbers) }
    }

    private mutating func change(_ numbers: inout SeededGenerator) {
        guard let index = entities.indices.randomElement(using: &numbers) else { return }
        let place = entities[index].attributes.indices.randomElement(using: &numbers)
        let link = links.indices.randomElement(using: &numbers)
        switch Int.random(in: 0..<13, using: &numbers) {
        case 0:
            let id = newID()
            entities[index].before = entities[index].before ?? entities[index].name
            entities[index].name = "N\(id)"
        case 1: entities[index].attributes.append(attribute(&numbers))
        case 2:
            var added = attribute(&numbers)
            (added.type, added.defaultValue, added.isOptional) = (.integer32, .integer(7), false)
            entities[index].attributes.append(added)
        case 3: if let place { entities[index].attributes.remove(at: place) }
        case 4:
            guard let place else { return }
            let name = entities[index].attributes[place].name
            entities[index].attributes[place].before =
                entities[index].attributes[place].before ?? name
            entities[index].attributes[place].name = "b\(newID())"
        case 5:
            guard let place else { return }
            let old = entities[index].attributes[place].type
            let wider = Self.types.filter { $0 != old && $0.holdsEveryValue(of: old) }
            if let type = wider.randomElement(using: &numbers),
                entities[index].attributes[place].defaultValue == nil
            {
                entities[index].attributes[place].type = type
            }
        case 6:
            guard let place, entities[index].attributes[place].type == .string else { return }
            entities[index].attributes[place].isOptional = false
            entities[index].attributes[place].defaultValue = .text("none")
            entities[index].attributes[place].isSearchable = true
        case 7:
            let id = newID()
            entities.append(Entity(id: id, name: "E\(id)", attributes: [attribute(&numbers)]))
        case 8:
            // Adds a parent above the root of a hierarchy.
            guard entities[index].parent == nil else { return }
            let id = newID()
            entities[index].parent = id
            entities.append(Entity(id: id, name: "E\(id)", isAbstract: true))
        case 9: addLink(&numbers)
        case 10: if let link { links.remove(at: link) }
        case 11:
            guard let link else { return }
            let end = links[link].forward
            links[link].forward.before = end.before ?? end.name
            links[link].forward.name = "q\(newID())"
        default:
            guard let link else { return }
            if links[link].forward.isToMany {
                links[link].forward.isOrdered.toggle()
            } else if links[link].back.isToMany {
                links[link].forward.isToMany = true
            }
        }
    }

    /// Returns the model; changed names have renaming identifiers.
    func model() throws -> ManagedObjectModel {
        let names = Dictionary(uniqueKeysWithValues: entities.map { ($0.id, $0.name) })
        return try ManagedObjectModel(
            entities: entities.map { entity in
                var relationships: [RelationshipDescription] = []
                for link in links {
                    if link.source == entity.id {
                        relationships.append(
                            Self.relationship(link.forward, link.back, names[link.destination]))
                    }
                    if link.destination == entity.id {
                        relationships.append(
                            Self.relationship(link.back, link.forward, names[link.source]))
                    }
                }
                return EntityDescription(
                    name: entity.name, superentityName: entity.parent.flatMap { names[$0] },
                    isAbstract: entity.isAbstract,
                    ownAttributes: entity.attributes.map { attribute in
                        AttributeDescription(
                            name: attribute.name, type: attribute.type,
                            isOptional: attribute.isOptional,
                            defaultValue: attribute.defaultValue,
                            isSearchable: attribute.isSearchable && attribute.type == .string,
                            renamingIdentifier: attribute.before)
                    },
                    ownRelationships: relationships, renamingIdentifier: entity.before)
            })
    }

    private static func relationship(
        _ end: End, _ inverse: End, _ destination: String?
    ) -> RelationshipDescription {
        RelationshipDescription(
            name: end.name, destinationEntityName: destination ?? "", inverseName: inverse.name,
            isToMany: end.isToMany, isOrdered: end.isOrdered, renamingIdentifier: end.before)
    }

    /// Returns the numbers of an entity's ancestors and its own.
    func lineage(of id: Int) -> [Int] {
        guard let entity = entities.first(where: { $0.id == id }) else { return [] }
        return [id] + (entity.parent.map { lineage(of: $0) } ?? [])
    }

    /// Returns all attributes of an entity, including inherited ones.
    func attributes(of id: Int) -> [Attribute] {
        lineage(of: id).flatMap { ancestor in
            entities.first { $0.id == ancestor }?.attributes ?? []
        }
    }

    /// Returns all ends of relationships of an entity, including inherited ones.
    func ends(of id: Int) -> [End] {
        let family = Set(lineage(of: id))
        return links.flatMap { link in
            (family.contains(link.source) ? [link.forward] : [])
                + (family.contains(link.destination) ? [link.back] : [])
        }
    }
}
