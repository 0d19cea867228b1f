/// The declarations of a model that are certain although others contain errors.
///
/// With them, the files that use the model can be checked in the same pass.
///
/// ```
/// entities:                          what is certain
///   Task:
///     attributes: { id: UID }        Task.id exists; its type is unknown
///     relationships:
///       owner: { to: Persn }         Task.owner exists
///   Note: { parent: Itm }            nothing: the properties of Note depend on its parent
///   Person: …                        Person, except that `tasks` has no inverse
/// ```
struct KnownDeclarations {
    /// The declarations without the uncertain ones.
    private(set) var declared: ModelDeclarations
    /// The entities that are left out.
    private(set) var unknownEntities: Set<String> = []

    /// Keeps all declarations of a model that has no errors.
    init(all declared: ModelDeclarations) {
        self.declared = declared
    }

    init(_ declared: ModelDeclarations) {
        self.declared = declared
        let byName = Dictionary(declared.entities.map { ($0.name, $0) }) { first, _ in first }
        let certain = byName.filter { Self.isCertain($0.value, byName) }
        unknownEntities = Set(byName.keys).subtracting(certain.keys)
        var seen: Set<String> = []
        self.declared.entities = declared.entities.filter {
            certain[$0.name] != nil && seen.insert($0.name).inserted
        }
        for index in self.declared.entities.indices { keepCertain(at: index) }
        dropInverses()
        self.declared.configurationMembers = []
    }

    /// Returns whether the entity and all its ancestors could be read.
    private static func isCertain(
        _ entity: EntityDeclaration, _ byName: [String: EntityDeclaration]
    ) -> Bool {
        var entity = entity
        for _ in 0...ModelLints.ancestorsMax {
            guard entity.isLegible else { return false }
            guard let parent = entity.description.superentityName else { return true }
            guard let next = byName[parent] else { return false }
            entity = next
        }
        return false
    }

    private func lineage(of name: String) -> [EntityDeclaration] {
        var found: [EntityDeclaration] = []
        var next = declared.entities.first { $0.name == name }
        while let entity = next {
            found.append(entity)
            next = entity.description.superentityName.flatMap { parent in
                declared.entities.first { $0.name == parent }
            }
        }
        return found
    }

    /// Keeps one property of each name.
    ///
    /// A relationship with an unknown destination becomes an attribute of undefined type.
    private mutating func keepCertain(at index: Int) {
        let entity = declared.entities[index]
        var names = Set(
            lineage(of: entity.name).dropFirst().flatMap { ancestor in
                ancestor.description.ownAttributes.map(\.name)
                    + ancestor.description.ownRelationships.map(\.name)
            })
        let elements = CompositeElements(declared.composites)
        var attributes = entity.description.ownAttributes.filter { names.insert($0.name).inserted }
            .map { attribute in
                // If the composite is unknown, only the attribute's name is certain.
                (try? elements.leaves(of: attribute)) == nil
                    ? AttributeDescription(name: attribute.name, type: .undefined) : attribute
            }
        var relationships: [RelationshipDescription] = []
        for relationship in entity.description.ownRelationships
        where names.insert(relationship.name).inserted {
            let destination = relationship.destinationEntityName
            if declared.entities.contains(where: { $0.name == destination }) {
                relationships.append(relationship)
            } else {
                attributes.append(AttributeDescription(name: relationship.name, type: .undefined))
            }
        }
        declared.entities[index].description.ownAttributes = attributes
        declared.entities[index].description.ownRelationships = relationships
    }

    /// Removes each inverse that does not point back.
    private mutating func dropInverses() {
        var mutual: Set<[String]> = []
        for entity in declared.entities {
            for relationship in entity.description.ownRelationships {
                let other = lineage(of: relationship.destinationEntityName)
                    .lazy.flatMap(\.description.ownRelationships)
                    .first { $0.name == relationship.inverseName }
                if other?.inverseName == relationship.name {
                    mutual.insert([entity.name, relationship.name])
                }
            }
        }
        for index in declared.entities.indices {
            let entity = declared.entities[index]
            for place in entity.description.ownRelationships.indices
            where !mutual.contains([
                entity.name, entity.description.ownRelationships[place].name,
            ]) {
                declared.entities[index].description.ownRelationships[place].inverseName = nil
            }
        }
    }
}
