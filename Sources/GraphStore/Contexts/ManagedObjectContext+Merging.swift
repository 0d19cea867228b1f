import GraphModel

/// Taking in what others saved, and holding what is read.
extension ManagedObjectContext {
    /// Whether what others save is merged by itself, with the next fetch, save or
    /// `processPendingChanges()`; where the context has a queue, at once.
    public var automaticallyMergesChangesFromParent: Bool {
        get { inbox != nil }
        set { setMergesAutomatically(newValue, arrived: nil) }
    }

    func setMergesAutomatically(_ isOn: Bool, arrived: (@Sendable () -> Void)?) {
        guard isOn != (inbox != nil) else { return }
        if let inbox {
            container.stopObserving(inbox.token)
            self.inbox = nil
        } else {
            inbox = ChangeInbox(container, arrived: arrived)
        }
    }

    func mergeInbox() throws(StoreError) {
        // A pinned context stays with what it holds.
        guard let inbox, reader?.isPinned != true else { return }
        for change in inbox.takeAll() { try merge(change) }
    }

    /// Takes in what another context, or another process, has saved.
    ///
    /// Objects without changes become faults and read the new rows when they are next looked at;
    /// changed ones get the new row under their changes. Objects whose rows are gone keep their
    /// values and are `isDeleted`.
    public func merge(_ change: StoreChange) throws(StoreError) {
        guard !change.isEmpty else { return }
        for object in listed
        where !object.isStored && !object.isGone && change.wrote(object.objectID) {
            root.giveWay(to: object.objectID)
        }
        noteForEvent { event in
            for id in change.inserted.ids { event.noteInserted(id) }
        }
        var roots: Set<Int64> = []
        for set in [change.inserted, change.updated, change.deleted] {
            for number in set.ranges.keys {
                if let layout = container.objects.layout(number) {
                    roots.insert(layout.entity.rootNumber)
                }
            }
        }
        for object in registeredObjects {
            if change.deleted.contains(object.objectID) {
                mergeDeletion(of: object)
            } else if change.wrote(object.objectID), object.isStored {
                // Another context may have made the row again.
                if object.pending == .updated { object.isGoneElsewhere = false }
                if change.updated.contains(object.objectID) || object.pending != .none {
                    try refresh(object, mergeChanges: true)
                }
            }
            for slot in object.lists.indices where !object.lists[slot].isFault && object.isStored {
                let destination = object.layout.toManys[slot].destination
                if let layout = container.objects.layout(destination),
                    roots.contains(layout.entity.rootNumber)
                {
                    object.lists[slot].turnIntoFault(
                        isOrdered: object.layout.toManys[slot].isOrdered)
                }
            }
        }
        tellFollowers(.merged(change))
    }

    private func mergeDeletion(of object: ManagedObject) {
        noteForEvent { $0.noteDeleted(object.objectID) }
        if readsOpenTransaction, object.isStored { goneInTransaction.append(object) }
        switch object.pending {
        case .inserted: return
        // The save will find that the row is gone, and ask the merge policy.
        case .updated: object.isGoneElsewhere = true
        case .deleted:
            object.pending = .none
            object.isStored = false
            object.isGone = true
            object.isGoneElsewhere = true
            unregister(object)
        case .none:
            object.isGone = true
            object.isGoneElsewhere = true
            object.isStored = false
            unregister(object)
        }
    }

    // MARK: Query generations

    /// Whether the context reads one state of the store, whatever others save.
    public var isPinned: Bool { parent?.isPinned ?? (reader?.isPinned ?? false) }

    /// Holds the state of the store as it is now: fetches and faults see no later saves but this
    /// context's own.
    ///
    /// While it is held the store's log cannot be folded in beyond it; let go of it soon.
    public func pinQueryGeneration() throws(StoreError) {
        if let parent { return try parent.pinQueryGeneration() }
        try objectReader().pin()
    }

    /// Lets go of the state that was held; what is in memory stays until it is refreshed.
    public func unpinQueryGeneration() throws(StoreError) {
        if let parent { return try parent.unpinQueryGeneration() }
        try reader?.unpin()
    }

    /// After a save of its own, a pinned context goes on to the state that it made.
    func advanceGeneration() {
        guard let reader, reader.isPinned else { return }
        do throws(StoreError) {
            try reader.unpin()
            try reader.pin()
        } catch {
            // The save is done; what failed is told by the next.
            note(error)
        }
    }

    /// Makes saves check that an object, although it was not changed here, is as it was read.
    public func detectConflicts(for object: ManagedObject) {
        guard object.link === link, !watched.contains(where: { $0 === object }) else { return }
        watched.append(object)
    }
}

extension StoreChange {
    /// Whether there is a row with that ID after the change.
    fileprivate func wrote(_ id: ManagedObjectID) -> Bool {
        inserted.contains(id) || updated.contains(id)
    }
}
