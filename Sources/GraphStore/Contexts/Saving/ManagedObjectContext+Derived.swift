extension ManagedObjectContext {
    /// Copies the values that the store derived into the objects that the save has written.
    func readDerived(_ change: StoreChange) {
        guard container.objects.hasDerived else { return }
        var waiting: [ManagedObjectID: ManagedObject] = [:]
        for object in registeredObjects
        where object.layout.hasDerived && object.presence == .realized && object.isStored {
            let id = object.objectID
            if change.inserted.contains(id) || change.updated.contains(id) { waiting[id] = object }
        }
        guard !waiting.isEmpty else { return }
        // The save has succeeded; the next save throws the error.
        noting { () throws(StoreError) in
            try objectReader().rows(Array(waiting.keys)) { id, row in
                guard let object = waiting[id] else { return }
                for slot in object.layout.attributes.indices
                where object.layout.attributes[slot].isDerived
                    && object.layout.attributes[slot].column != nil
                {
                    object.values[slot] = row.values[slot]
                    object.committed?.values[slot] = row.values[slot]
                }
            }
        }
    }
}
