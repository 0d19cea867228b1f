import GraphModel

/// The assignment of entities to a container's stores.
///
/// The store of a configuration contains the configuration's entities, each with its complete
/// hierarchy, which is one table. A store without a configuration contains the remaining entities.
enum StoreAssignment {
    /// Returns the entities of each store, in the order of the stores; `nil` if one store has them
    /// all.
    static func entities(
        of stores: [StoreDescription], _ model: ManagedObjectModel
    ) throws(StoreError) -> [Set<String>?] {
        var owners: [String: Int] = [:]
        for (place, store) in stores.enumerated() {
            guard let configuration = store.configuration else { continue }
            guard let names = model.configurations[configuration] else {
                let known = model.configurations.keys.sorted().joined(separator: ", ")
                throw StoreError(
                    .invalidRequest,
                    "\(store.path): the model has no configuration '\(configuration)'; it has "
                        + (known.isEmpty ? "none" : known))
            }
            for name in names {
                let root = model.rootName(of: name)
                let owner = owners[root] ?? place
                guard owner == place else {
                    throw StoreError(
                        .invalidRequest,
                        "'\(name)' would be in \(stores[owner].path) and in \(store.path);"
                            + " an entity, with those above and below it, lives in one store")
                }
                owners[root] = place
            }
        }
        let rests = stores.indices.filter { stores[$0].configuration == nil }
        guard rests.count < 2 else {
            throw StoreError(
                .invalidRequest,
                "\(stores[rests[0]].path) and \(stores[rests[1]].path) name no configuration;"
                    + " one store at most takes what the others leave")
        }
        if stores.count == 1, rests.count == 1 { return [nil] }
        if let rest = rests.first {
            for entity in model.entities where entity.superentityName == nil {
                if owners[entity.name] == nil { owners[entity.name] = rest }
            }
        }
        try checkRelationships(owners, stores, model)
        return stores.indices.map { place in
            Set(model.entities.map(\.name).filter { owners[model.rootName(of: $0)] == place })
        }
    }

    /// Throws if a relationship crosses stores, because a stored key is meaningless in another
    /// file.
    private static func checkRelationships(
        _ owners: [String: Int], _ stores: [StoreDescription], _ model: ManagedObjectModel
    ) throws(StoreError) {
        for entity in model.entities {
            guard let owner = owners[model.rootName(of: entity.name)] else { continue }
            for relationship in model.ownRelationships(of: entity) {
                let destination = relationship.destinationEntityName
                let other = owners[model.rootName(of: destination)]
                guard other != owner else { continue }
                let place = other.map { "in \(stores[$0].path)" } ?? "in no store"
                throw StoreError(
                    .invalidRequest,
                    "'\(entity.name).\(relationship.name)' leads from \(stores[owner].path) to"
                        + " '\(destination)', which is \(place); links stay within a store:"
                        + " keep the other object's key, and a fetched property for it")
            }
        }
    }
}
