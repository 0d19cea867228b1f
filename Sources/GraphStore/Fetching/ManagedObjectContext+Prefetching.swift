import GraphModel

/// Reading relationships along key paths.
extension ManagedObjectContext {
    /// Loads relationships along key paths, with one statement per step and 500 objects.
    ///
    /// The objects stay in memory until the next prefetch, save, or reset.
    public func prefetch(
        _ keyPaths: [String], of objects: [ManagedObject]
    ) throws(StoreError) {
        guard !keyPaths.isEmpty else { return }
        var found: [ManagedObject] = []
        for keyPath in keyPaths {
            var here = objects
            for name in keyPath.keyPath {
                here = try prefetch(step: name, of: here)
                found.append(contentsOf: here)
            }
        }
        prefetched = found
    }

    private func prefetch(
        step name: String, of objects: [ManagedObject]
    ) throws(StoreError) -> [ManagedObject] {
        try fault(objects)
        var ids: [ManagedObjectID] = []
        var seen: Set<ManagedObjectID> = []
        for (_, group) in Dictionary(grouping: objects, by: { $0.layout.number }) {
            switch try group[0].property(name) {
            case .attribute:
                throw StoreError(
                    .invalidRequest, "'\(group[0].layout.name).\(name)' is not a relationship")
            case .toOne(let slot):
                for object in group where object.presence != .fault {
                    if let id = object.links[slot], seen.insert(id).inserted { ids.append(id) }
                }
            case .toMany(let slot):
                try loadLists(of: group, slot)
                for object in group {
                    for id in try object.toManyIDs(slot) where seen.insert(id).inserted {
                        ids.append(id)
                    }
                }
            }
        }
        return try fault(ids)
    }

    /// Loads one to-many relationship of many objects at once.
    func loadLists(of owners: [ManagedObject], _ slot: Int) throws(StoreError) {
        for owner in owners { owner.prepareLists() }
        let faults = owners.filter {
            $0.lists[slot].isFault && $0.isStored && isListOfStore($0.objectID, slot)
        }
        guard faults.count > 1 else { return }
        let toMany = faults[0].layout.toManys[slot]
        let found = try objectReader().lists(of: faults.map(\.objectID), toMany)
        for owner in faults { load(found[owner.objectID.primaryKey] ?? [], into: owner, slot) }
    }
}
