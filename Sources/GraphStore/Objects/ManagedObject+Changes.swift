import GraphModel

/// Changes since the last fetch or save.
extension ManagedObject {
    /// The properties set since the last fetch or save, with their current values.
    ///
    /// Elements of composites are listed under their paths. Reading the changes does not fire
    /// relationship faults. Values set with `setPrimitiveValue` are not included. To-manys contain
    /// the objects that are already known.
    public final var changedValues: [String: PropertyValue] {
        var changed: [String: PropertyValue] = [:]
        for (name, property) in layout.properties where mask.contains(layout.bit(property)) {
            changed[name] = known(property)
        }
        return changed
    }

    /// The names of the properties set since the last fetch or save.
    public final var changedKeys: Set<String> {
        Set(layout.properties.filter { mask.contains(layout.bit($0.value)) }.keys)
    }

    /// Returns values as of the last fetch or save.
    ///
    /// Without keys, the result includes every property except to-manys that are not in memory. For
    /// a new object, it is empty.
    public final func committedValues(
        forKeys keys: [String]? = nil
    ) throws(StoreError) -> [String: PropertyValue] {
        guard isStored else { return [:] }
        if presence == .fault { try realize() }
        let snapshot = committed ?? snapshot
        let context = try live()
        var result: [String: PropertyValue] = [:]
        for key in keys ?? layout.propertyNames {
            if let elements = layout.composites[key] {
                result[key] = try composite(key, elements) { slot in snapshot.values[slot] }
                continue
            }
            switch try property(key) {
            case .attribute(let slot): result[key] = .attribute(snapshot.values[slot])
            case .toOne(let slot):
                result[key] = .object(snapshot.links[slot].map { context.object(with: $0) })
            case .toMany(let slot):
                if keys != nil { _ = try toManyIDs(slot) }
                guard !lists.isEmpty, let saved = lists[slot].committed else { continue }
                result[key] = .objects(saved.map { context.object(with: $0) })
            }
        }
        return result
    }

    private func known(_ property: EntityLayout.Property) -> PropertyValue {
        switch property {
        case .attribute(let slot): .attribute(values[slot])
        case .toOne(let slot):
            .object(links[slot].flatMap { link.context?.object(with: $0) })
        case .toMany(let slot):
            .objects(
                (lists[slot].current?.ids ?? lists[slot].added.ids).compactMap {
                    link.context?.object(with: $0)
                })
        }
    }

    /// Returns the stored properties whose values differ from the saved ones.
    final func effectiveMask() -> ChangeMask {
        guard pending == .updated else { return mask }
        var found = ChangeMask()
        if let committed {
            for slot in layout.attributes.indices
            where mask.contains(slot) && layout.attributes[slot].column != nil
                && !committed.values[slot].isIdentical(to: values[slot])
            {
                found.insert(slot)
            }
            for slot in layout.toOnes.indices
            where mask.contains(layout.bit(toOne: slot)) && committed.links[slot] != links[slot] {
                found.insert(layout.bit(toOne: slot))
            }
        }
        for slot in changedLists { found.insert(layout.bit(toMany: slot)) }
        return found
    }

    /// The slots of the to-manys that differ from the saved ones.
    final var changedLists: [Int] {
        lists.indices.filter { lists[$0].isChanged(isOrdered: layout.toManys[$0].isOrdered) }
    }

    /// The current values of the attributes and to-ones.
    final var snapshot: Snapshot { Snapshot(values: values, links: links) }

    /// Makes all objects in the lists new ones, because the row and its links are inserted again.
    final func forgetSavedLists() {
        for slot in lists.indices {
            if lists[slot].isFault {
                lists[slot].load([], isOrdered: layout.toManys[slot].isOrdered)
            }
            lists[slot].committed = []
        }
    }

    /// Marks exactly the properties that differ from the saved ones as changed.
    final func markDifferences() {
        mask = ChangeMask()
        if let committed { markDifferences(from: committed) }
        for slot in changedLists { mask.insert(layout.bit(toMany: slot)) }
    }

    /// Marks the attributes and to-ones that differ from saved ones as changed.
    final func markDifferences(from saved: Snapshot) {
        for slot in layout.attributes.indices
        where !saved.values[slot].isIdentical(to: values[slot]) {
            mask.insert(slot)
        }
        for slot in layout.toOnes.indices where saved.links[slot] != links[slot] {
            mask.insert(layout.bit(toOne: slot))
        }
    }

    /// Restores the saved values without reading from the store.
    final func revert() {
        if let committed {
            values = committed.values
            links = committed.links
        }
        committed = nil
        mask = ChangeMask()
        for slot in lists.indices { lists[slot].revert(isOrdered: layout.toManys[slot].isOrdered) }
    }

    /// Discards the record of all changes, so that there is nothing to save.
    final func forgetChanges() {
        pending = .none
        isListed = false
        mask = ChangeMask()
        committed = nil
    }

    /// Releases the values; the next access reads the row again.
    ///
    /// The hooks are called only if the object was not a fault, so that they match `awakeFromFetch`.
    final func turnIntoFault() {
        let wasFault = isFault
        if !wasFault { willTurnIntoFault() }
        values = []
        links = []
        lists = []
        committed = nil
        mask = ChangeMask()
        presence = .fault
        extra = nil
        if !wasFault { didTurnIntoFault() }
    }
}
