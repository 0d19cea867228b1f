import GraphModel

/// Merging changes saved elsewhere, and pinning query generations.
extension ManagedObjectContext {
    /// Whether the context merges changes saved elsewhere automatically.
    ///
    /// It merges them with the next fetch, save, or `processPendingChanges()`, or immediately if it
    /// has a queue.
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
        // A pinned context keeps its generation.
        guard let inbox, reader?.isPinned != true else { return }
        for change in inbox.takeAll() { try merge(change) }
    }

    /// Merges changes that another context or process has saved.
    ///
    /// Unchanged objects become faults and read the new rows on next access. Changed objects get
    /// the new row but keep their changes. Objects whose rows no longer exist keep their values,
    /// and their `isDeleted` is `true`.
    public func merge(_ change: StoreChange) throws(StoreError) {
        guard !change.isEmpty else { return }
        for object in listed
        where !object.isStored && !object.hasNoRow && change.wrote(object.objectID) {
            root.giveWay(to: object.objectID)
        }
        noteForEvent { event in
            for id in change.inserted.ids { event.noteInserted(id) }
        }
        var roots: Set<Int64> = []
        for set in [change.inserted, change.updated, change.deleted] {
            for number in set.entityNumbers {
                if let layout = container.objects.layout(number) {
                    roots.insert(layout.entity.rootNumber)
                }
            }
        }
        for object in registeredObjects {
            if change.deleted.contains(object.objectID) {
                mergeDeletion(of: object)
            } else if change.wrote(object.objectID), object.isStored {
                // Another context may have inserted the row again.
                if object.pending == .updated { object.isDeletedElsewhere = false }
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
        notifyFollowers(.merged(change))
    }

    private func mergeDeletion(of object: ManagedObject) {
        noteForEvent { $0.noteDeleted(object.objectID) }
        if readsOpenTransaction, object.isStored { deletedInTransaction.append(object) }
        switch object.pending {
        case .inserted: return
        // The save will find that the row is missing, and apply the merge policy.
        case .updated: object.isDeletedElsewhere = true
        case .deleted, .none:
            object.pending = .none
            object.isDeletedElsewhere = true
            loseRow(of: object)
        }
    }

    // MARK: Query generations

    /// Whether the context reads a fixed state of the store, regardless of later saves.
    public var isPinned: Bool { parent?.isPinned ?? (reader?.isPinned ?? false) }

    /// Pins the current state of the store: fetches and faults see only this context's later saves.
    ///
    /// While a context is pinned, SQLite cannot checkpoint later parts of the write-ahead log
    /// (WAL), so unpin it soon. `pinnedGenerations` of the container lists all pinned contexts.
    public func pinQueryGeneration() throws(StoreError) {
        if let parent { return try parent.pinQueryGeneration() }
        try objectReader().pin { container.pins.add(name) }
    }

    /// Unpins the state of the store; objects in memory stay unchanged until refreshed.
    public func unpinQueryGeneration() throws(StoreError) {
        if let parent { return try parent.unpinQueryGeneration() }
        try reader?.unpin()
    }

    /// Moves a pinned context to the state that its own save created.
    func advanceGeneration() {
        guard let reader, reader.isPinned else { return }
        // The save has succeeded; the next one throws the error.
        noting { () throws(StoreError) in
            try reader.unpin()
            try reader.pin { container.pins.add(name) }
        }
    }

    /// Makes saves check that an object, even if not changed here, is unchanged since it was read.
    public func detectConflicts(for object: ManagedObject) {
        guard object.link === link, !watched.contains(where: { $0 === object }) else { return }
        watched.append(object)
    }
}

extension StoreChange {
    /// Whether a row with that ID exists after the change.
    fileprivate func wrote(_ id: ManagedObjectID) -> Bool {
        inserted.contains(id) || updated.contains(id)
    }
}
