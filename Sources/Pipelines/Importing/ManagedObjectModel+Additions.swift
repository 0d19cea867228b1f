import GraphModel

/// Methods that add entities and properties to a model for a lightweight migration.
extension ManagedObjectModel {
    /// Returns the model with an entity edited, or with a new entity of that name.
    func editing(
        _ name: String, _ edit: (inout EntityDescription) -> Void
    ) throws(ModelError) -> ManagedObjectModel {
        var edited = entities
        if let place = edited.firstIndex(where: { $0.name == name }) {
            edit(&edited[place])
        } else {
            var entity = EntityDescription(name: name)
            edit(&entity)
            edited.append(entity)
        }
        return try replacing(edited)
    }

    /// Returns the model with a relationship and its inverse.
    func adding(
        _ relationship: RelationshipDescription, to name: String, inverse: RelationshipDescription
    ) throws(ModelError) -> ManagedObjectModel {
        var edited = entities
        for place in edited.indices {
            if edited[place].name == name { edited[place].ownRelationships.append(relationship) }
            if edited[place].name == relationship.destinationEntityName {
                edited[place].ownRelationships.append(inverse)
            }
        }
        return try replacing(edited)
    }

    private func replacing(
        _ entities: [EntityDescription]
    ) throws(ModelError) -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: entities, versionIdentifiers: versionIdentifiers,
            configurations: configurations, composites: composites,
            fetchRequestTemplates: fetchRequestTemplates, extras: extras)
    }

    /// Returns the names of all properties of the entity, its ancestors, and its descendants.
    func takenNames(in entity: String) -> TakenNames {
        let related = Set((lineage(of: entity) + family(of: entity)).map(\.name))
        return TakenNames(
            entities.filter { related.contains($0.name) }.flatMap { entity in
                entity.ownAttributes.map(\.name) + entity.ownRelationships.map(\.name)
            })
    }
}
