/// The entities of a store and their relationships; immutable.
///
/// `entities` is in the order in which stores number them: depth first over the inheritance tree,
/// siblings by case-insensitive name.
public struct ManagedObjectModel: Sendable, Hashable, Codable {
    /// All entities, in the order of their numbers in a store.
    public let entities: [EntityDescription]
    /// The author's names for this version.
    public let versionIdentifiers: [String]
    /// Named sets of entities.
    public let configurations: [String: [String]]
    /// The sets of attributes that entities use as types, sorted by name.
    public let composites: [CompositeDescription]
    /// The named fetch requests, sorted by name.
    public let fetchRequestTemplates: [FetchRequestTemplate]
    /// Contents of a model file that have no property here, by their keys in the file.
    public let extras: [String: String]

    private let positionByName: [String: Int]
    /// The attributes, expanded into elements, of each entity that has composites.
    let attributesWithElements: [String: [AttributeDescription]]
    /// The stored relationships of each entity that also declares others.
    private let storedRelationships: [String: [RelationshipDescription]]

    /// Creates a model.
    ///
    /// - Throws: `ModelError` if names clash, a parent, destination, or composite is missing,
    ///   parents or composites form a cycle, or an inverse does not point back.
    public init(
        entities: [EntityDescription], versionIdentifiers: [String] = [],
        configurations: [String: [String]] = [:], composites: [CompositeDescription] = [],
        fetchRequestTemplates: [FetchRequestTemplate] = [], extras: [String: String] = [:]
    ) throws(ModelError) {
        let ordered = try Self.depthFirst(entities)
        self.entities = ordered
        self.versionIdentifiers = versionIdentifiers
        self.configurations = configurations
        self.composites = composites.sorted { $0.name < $1.name }
        self.fetchRequestTemplates = fetchRequestTemplates.sorted { $0.name < $1.name }
        self.extras = extras
        positionByName = Dictionary(
            uniqueKeysWithValues: ordered.enumerated().map { ($1.name, $0) })
        attributesWithElements = try Self.withElements(ordered, self.composites)
        storedRelationships = Self.stored(ordered)
        try checkRelationships()
    }

    /// Returns the entity of that name, or `nil`.
    public func entity(named name: String) -> EntityDescription? {
        positionByName[name].map { entities[$0] }
    }

    /// Returns the entity and its ancestors, nearest first.
    public func lineage(of name: String) -> [EntityDescription] {
        var found: [EntityDescription] = []
        var next = entity(named: name)
        while let entity = next {
            found.append(entity)
            next = entity.superentityName.flatMap { self.entity(named: $0) }
        }
        return found
    }

    /// Returns the name of the root ancestor, whose table holds the whole family.
    public func rootName(of name: String) -> String {
        lineage(of: name).last?.name ?? name
    }

    /// Returns the entity and all its descendants, in the order of their numbers.
    public func family(of name: String) -> [EntityDescription] {
        entities.filter { entity in lineage(of: entity.name).contains { $0.name == name } }
    }

    /// Returns every stored relationship of the entity, inherited ones first.
    ///
    /// Objects have no transient relationships; `EntityDescription.ownRelationships` lists them.
    public func relationships(of name: String) -> [RelationshipDescription] {
        lineage(of: name).reversed().flatMap { ownRelationships(of: $0) }
    }

    /// Returns the stored relationships that the entity declares.
    ///
    /// The inverse is `nil` if it is transient.
    public func ownRelationships(of entity: EntityDescription) -> [RelationshipDescription] {
        storedRelationships[entity.name] ?? entity.ownRelationships
    }

    /// Returns the names of the stored relationships that the entity of that name declares.
    package func ownRelationshipNames(of name: String) -> [String] {
        ownRelationships(named: name).map(\.name)
    }

    /// Returns the stored relationships that the entity of that name declares.
    package func ownRelationships(named name: String) -> [RelationshipDescription] {
        entity(named: name).map { ownRelationships(of: $0) } ?? []
    }

    /// Returns whether the entity declares or inherits a transient relationship of that name.
    package func isTransientRelationship(_ property: String, of name: String) -> Bool {
        lineage(of: name).contains { entity in
            entity.ownRelationships.contains { $0.name == property && $0.isTransient }
        }
    }

    /// Returns the inverse of a relationship, with the entity that declares it, or `nil`.
    ///
    /// In models compiled by Xcode, that entity can be a descendant of the destination.
    package func inverse(
        of relationship: RelationshipDescription
    ) -> (owner: String, relationship: RelationshipDescription)? {
        guard let name = relationship.inverseName else { return nil }
        let destination = relationship.destinationEntityName
        return inverse(named: name, at: destination) { ownRelationships(of: $0) }
    }

    private func inverse(
        named name: String, at destination: String,
        among relationships: (EntityDescription) -> [RelationshipDescription]
    ) -> (owner: String, relationship: RelationshipDescription)? {
        func first(
            _ entities: [EntityDescription]
        ) -> (owner: String, relationship: RelationshipDescription)? {
            for entity in entities {
                if let found = relationships(entity).first(where: { $0.name == name }) {
                    return (entity.name, found)
                }
            }
            return nil
        }
        return first(lineage(of: destination)) ?? first(family(of: destination))
    }

    /// Returns the stored relationship of that name, declared or inherited, or `nil`.
    public func relationship(_ property: String, of name: String) -> RelationshipDescription? {
        for entity in lineage(of: name).reversed() {
            let own = ownRelationships(of: entity)
            if let place = own.firstIndex(where: { $0.name == property }) { return own[place] }
        }
        return nil
    }

    /// Returns the name of the entity, possibly an ancestor, that declares the property, or `nil`.
    public func declaringEntityName(of property: String, in name: String) -> String? {
        lineage(of: name).first { entity in
            ownAttributes(of: entity).contains { $0.name == property }
                || entity.ownRelationships.contains { $0.name == property }
        }?.name
    }

    /// Returns the composite of that name, or `nil`.
    public func composite(named name: String) -> CompositeDescription? {
        composites.first { $0.name == name }
    }

    /// Returns the fetch request of that name, or `nil`.
    public func fetchRequestTemplate(named name: String) -> FetchRequestTemplate? {
        fetchRequestTemplates.first { $0.name == name }
    }

    /// Returns every uniqueness constraint of the entity's objects, inherited ones first.
    public func uniquenessConstraints(of name: String) -> [[String]] {
        lineage(of: name).reversed().flatMap(\.uniquenessConstraints)
    }

    private static func depthFirst(
        _ entities: [EntityDescription]
    ) throws(ModelError) -> [EntityDescription] {
        var names: Set<String> = []
        for entity in entities where !names.insert(entity.name).inserted {
            throw ModelError(.duplicateEntity(entity.name))
        }
        for entity in entities {
            if let parent = entity.superentityName, !names.contains(parent) {
                throw ModelError(.missingParent(entity: entity.name, parent: parent))
            }
        }
        let children = Dictionary(grouping: entities) { $0.superentityName ?? "" }
        var ordered: [EntityDescription] = []
        func visit(_ parent: String) {
            let siblings = (children[parent] ?? []).sorted {
                ($0.name.lowercased(), $0.name) < ($1.name.lowercased(), $1.name)
            }
            for entity in siblings {
                ordered.append(entity)
                visit(entity.name)
            }
        }
        visit("")
        if ordered.count < entities.count {
            let reached = Set(ordered.map(\.name))
            let cyclic = entities.first { !reached.contains($0.name) }
            throw ModelError(.parentCycle(entity: cyclic?.name ?? ""))
        }
        return ordered
    }

    private static func stored(
        _ entities: [EntityDescription]
    ) -> [String: [RelationshipDescription]] {
        // A transient relationship and its inverse refer to each other by name and entity.
        var transient: Set<[String]> = []
        for entity in entities {
            for relationship in entity.ownRelationships where relationship.isTransient {
                transient.insert([entity.name, relationship.name])
            }
        }
        guard !transient.isEmpty else { return [:] }
        let parents = Dictionary(
            uniqueKeysWithValues: entities.map { ($0.name, $0.superentityName) })
        func hasTransientInverse(_ relationship: RelationshipDescription) -> Bool {
            guard let inverse = relationship.inverseName else { return false }
            var next: String? = relationship.destinationEntityName
            while let name = next {
                if transient.contains([name, inverse]) { return true }
                next = parents[name] ?? nil
            }
            return false
        }
        var stored: [String: [RelationshipDescription]] = [:]
        for entity in entities {
            let own = entity.ownRelationships.filter { !$0.isTransient }.map { relationship in
                guard hasTransientInverse(relationship) else { return relationship }
                var single = relationship
                single.inverseName = nil
                return single
            }
            if own != entity.ownRelationships { stored[entity.name] = own }
        }
        return stored
    }

    private func checkRelationships() throws(ModelError) {
        for entity in entities {
            var names: Set<String> = []
            // Both the composite's name and the paths of its elements must be unique.
            let composites = lineage(of: entity.name).reversed().flatMap(\.ownAttributes)
                .filter { $0.type == .composite }
            let all =
                (composites + attributes(of: entity.name)).map(\.name)
                + lineage(of: entity.name).flatMap(\.ownRelationships).map(\.name)
            for name in all where !names.insert(name).inserted {
                throw ModelError(.duplicateProperty(entity: entity.name, property: name))
            }
            for relationship in entity.ownRelationships {
                let destination = relationship.destinationEntityName
                guard self.entity(named: destination) != nil else {
                    throw ModelError(
                        .missingDestination(
                            entity: entity.name, relationship: relationship.name,
                            destination: destination))
                }
                guard let inverseName = relationship.inverseName else { continue }
                let inverse = inverse(named: inverseName, at: destination) { $0.ownRelationships }
                guard inverse?.relationship.inverseName == relationship.name
                else {
                    throw ModelError(
                        .inverseMismatch(
                            entity: entity.name, relationship: relationship.name,
                            inverse: "\(destination).\(inverseName)"))
                }
            }
        }
    }
}

extension ManagedObjectModel {
    private enum CodingKeys: String, CodingKey {
        case entities, versionIdentifiers, configurations
        case composites, fetchRequestTemplates, extras
    }

    /// Decodes the output of `encode(to:)`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            entities: container.decode([EntityDescription].self, forKey: .entities),
            versionIdentifiers: container.decode([String].self, forKey: .versionIdentifiers),
            configurations: container.decode([String: [String]].self, forKey: .configurations),
            composites: container.decodeIfPresent(
                [CompositeDescription].self, forKey: .composites) ?? [],
            fetchRequestTemplates: container.decodeIfPresent(
                [FetchRequestTemplate].self, forKey: .fetchRequestTemplates) ?? [],
            extras: container.decodeIfPresent([String: String].self, forKey: .extras) ?? [:])
    }

    /// Encodes the declarations, without the properties derived from them.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(entities, forKey: .entities)
        try container.encode(versionIdentifiers, forKey: .versionIdentifiers)
        try container.encode(configurations, forKey: .configurations)
        if !composites.isEmpty { try container.encode(composites, forKey: .composites) }
        if !fetchRequestTemplates.isEmpty {
            try container.encode(fetchRequestTemplates, forKey: .fetchRequestTemplates)
        }
        if !extras.isEmpty { try container.encode(extras, forKey: .extras) }
    }
}
