import GraphModel
import SQLite

/// The steps of a save.
///
/// 1. Pending deletions are propagated to related objects.
/// 2. `willSave` is called, repeatedly for objects that it changed, until no object changes.
/// 3. Deletes, inserts, and updates are validated, and all failures are reported together.
/// 4. `BEGIN IMMEDIATE` starts the transaction. Versions are compared with the store, and the merge
///    policy decides conflicts.
/// 5. `ObjectWriter` writes the rows. If a uniqueness constraint fails, the rows are rolled back,
///    the policy decides, and the rows are written again.
/// 6. `COMMIT`. The objects are marked as saved, `didSave` is called, and observers are notified.
///
/// If a step before the commit throws, the context keeps its changes.
extension ManagedObjectContext {
    /// Maximum number of rounds in which `willSave` may change objects.
    static let willSaveRoundsMax = 100

    /// Saves the changes to the store, or to the parent of a child context, and notifies observers.
    ///
    /// - Returns: The changes of the store. Without changes, nothing is written.
    /// - Throws: `validation` with a `validationError`, `conflict` with a `mergeError`, the first
    ///   error that an accessor could not throw, or an error of the store.
    @discardableResult
    public func save() throws(StoreError) -> SaveResult {
        try throwNotedError()
        guard hasChanges else { return SaveResult(change: StoreChange()) }
        registry.holdAll()
        defer { registry.release() }
        return try saveChanges()
    }

    private func saveChanges() throws(StoreError) -> SaveResult {
        let start = ContinuousClock.now
        try checkInterrupt()
        try processPendingChanges()
        emit(.willSave(ContextChange(PendingObjects(listed))))
        try callWillSave()
        var pending = PendingObjects(listed)
        for object in pending.updated {
            // A changed order can be written only if the stored objects of the list are known.
            for slot in object.lists.indices where object.lists[slot].wished != nil {
                try loadList(of: object, slot)
            }
        }
        try requireWriting(pending)
        try validate(pending)
        if parent != nil { return try saveIntoParent(pending) }
        let isObjectSave =
            !pending.inserted.isEmpty || !pending.deleted.isEmpty
            || pending.updated.contains { !$0.effectiveMask().isEmpty }
        guard isObjectSave || openSession != nil else {
            finish(pending, versions: [:])
            return SaveResult(change: StoreChange())
        }
        let hadSession = openSession != nil
        let session = try session()
        var files = ExternalChanges()
        var versions: [ManagedObjectID: Int64] = [:]
        do throws(StoreError) {
            if isObjectSave { (files, versions) = try write(&pending, in: session) }
            try session.commit()
        } catch {
            // If SQLite itself rolled the transaction back, the session is over, even if it began
            // earlier.
            if !hadSession || !session.connection.isInTransaction { giveUpSession() }
            try container.externalFiles.remove(files.written)
            throw error
        }
        endSession(session)
        statistics.noteSave(ContinuousClock.now - start)
        advanceGeneration()
        finish(pending, versions: versions, in: session.change)
        // No row names these files any longer; a file that cannot be removed now is removed later.
        try? container.externalFiles.remove(files.released + session.filesReleased)
        container.broadcast()
        notifyFollowers(.saved)
        return SaveResult(
            change: session.change, historyToken: container.historyToken(of: session))
    }

    /// Ends the session of a committed transaction; the caller must broadcast its changes.
    func endSession(_ session: WriteSession) {
        openSession = nil
        transactionReader = nil
        inbox?.expect(session.change)
        container.noteForBroadcast(session.change)
        container.endWriting()
    }

    // MARK: Before the transaction

    /// Throws the first error that an accessor could not throw.
    private func throwNotedError() throws(StoreError) {
        if let error = takeNotedErrors().first { throw error }
    }

    /// Throws if an object belongs to a store that is open for reading only.
    private func requireWriting(_ pending: PendingObjects) throws(StoreError) {
        let schema = container.schema
        guard !schema.parts.isEmpty || schema.heldNumbers != nil else { return }
        for object in pending.inserted + pending.updated + pending.deleted {
            try schema.requireWriting(object.layout.entity)
        }
    }

    private func callWillSave() throws(StoreError) {
        for _ in 0..<Self.willSaveRoundsMax {
            var hasChanged = false
            var position = 0
            // A hook may append objects to the list.
            while position < listed.count {
                let object = listed[position]
                position += 1
                guard object.pending != .none, object.reportedCount != object.changeCount else {
                    continue
                }
                object.reportedCount = object.changeCount
                if !object.skipsHooks { object.willSave() }
                if object.reportedCount != object.changeCount { hasChanged = true }
            }
            if !unprocessedDeletes.isEmpty {
                try processPendingChanges()
                hasChanged = true
            }
            try throwNotedError()
            guard hasChanged || listed.contains(where: \.awaitsWillSave) else { return }
        }
        let culprit = listed.first(where: \.awaitsWillSave)
        throw StoreError(
            .hook,
            "willSave of '\(culprit?.layout.name ?? "?")' p\(culprit?.objectID.primaryKey ?? 0)"
                + " kept changing objects; set a property only where that changes it")
    }

    // MARK: In the transaction

    private func write(
        _ pending: inout PendingObjects, in session: WriteSession
    ) throws(StoreError) -> (ExternalChanges, [ManagedObjectID: Int64]) {
        let connection = session.connection
        let state = session.state
        var resolver = ConflictResolver(self, session)
        var hasSavepoint = false
        do throws(StoreError) {
            try session.completeLoad()
            try connection.begin(savepoint: "ETL_SAVE")
            hasSavepoint = true
            try renewTakenKeys(pending.inserted, in: session)
            try resolver.takeFromPreviousOwners(pending)
            pending = PendingObjects(listed)
            try resolver.resolveVersions(pending)
            pending = PendingObjects(listed)
            try resolver.dropSavedLinks(of: pending)
            while true {
                var writer = ObjectWriter(container.objects, session, container.externalFiles)
                writer.versions = resolver.versions
                do throws(StoreError) {
                    try writer.write(pending)
                    try connection.release(savepoint: "ETL_SAVE")
                    notifyChildren(united: resolver.united)
                    return (
                        ExternalChanges(
                            written: writer.filesWritten, released: writer.filesReleased),
                        writer.versions
                    )
                } catch {
                    try container.externalFiles.remove(writer.filesWritten)
                    guard error.isConstraint, connection.isInTransaction else {
                        throw error
                    }
                    if let damage = error.ofUsedKey(in: container.schema) { throw damage }
                    session.restore(state)
                    try connection.rollBack(toSavepoint: "ETL_SAVE", ending: false)
                    guard try resolver.resolveConstraints(pending) else {
                        throw error
                    }
                    pending = PendingObjects(listed)
                }
            }
        } catch {
            resolver.restore()
            session.restore(state)
            if hasSavepoint, connection.isInTransaction {
                try connection.rollBack(toSavepoint: "ETL_SAVE")
            }
            throw error
        }
    }

    /// Assigns other keys to new objects whose keys another process has taken since.
    func renewTakenKeys(
        _ inserted: [ManagedObject], in session: WriteSession
    ) throws(StoreError) {
        var roots: Set<Int64> = []
        var last: Int64?
        for object in inserted where object.layout.rootNumber != last {
            last = object.layout.rootNumber
            roots.insert(object.layout.rootNumber)
        }
        for root in roots {
            let taken = try session.readLargest(root: root)
            let largest = container.objects.keys.known(root: root)
            // Another context of the container may already have noticed that these keys are taken.
            let old = inserted.filter {
                $0.layout.rootNumber == root && $0.objectID.primaryKey <= largest
            }
            guard !old.isEmpty else { continue }
            let keys = try takenKeys(of: old, root: root, on: session.connection)
            try renew(
                old.filter {
                    let key = $0.objectID.primaryKey
                    return taken.contains(key) || keys.contains(key)
                }, root: root)
        }
    }

    // MARK: After the commit

    /// Calls the `didSave` hooks, and then notifies observers.
    func notifyDidSave(_ pending: PendingObjects) {
        for objects in [pending.inserted, pending.updated, pending.deleted] {
            for object in objects where !object.skipsHooks { object.didSave() }
        }
        emit(.didSave(ContextChange(pending)))
    }

    /// Marks the objects in memory as saved.
    private func finish(
        _ pending: PendingObjects, versions: [ManagedObjectID: Int64],
        in change: StoreChange = StoreChange()
    ) {
        let objects = listed
        replaceListed()
        forgetUnwrittenKeys()
        unprocessedDeletes.removeAll()
        deletedNew.removeAll()
        hasPendingDeletes = false
        for object in objects {
            switch object.pending {
            case .none: continue
            case .inserted:
                object.version = 1
                object.isStored = true
                // A merge policy may have inserted a row again that another writer deleted.
                object.isDeletedElsewhere = false
            case .updated:
                object.version = versions[object.objectID] ?? object.version
                object.isDeletedElsewhere = false
            case .deleted:
                loseRow(of: object)
            }
            object.pending = .none
            object.commit()
        }
        undoLog?.closeEvent()
        readDerived(change)
        notifyDidSave(pending)
    }

    /// Returns the changes of the open transaction as a commit saves them, including those of
    /// objects of which only a link or a derived attribute changed.
    package func finalChange() throws(StoreError) -> StoreChange {
        let session = try session()
        try session.finishChanges()
        return session.change
    }
}

/// The files that a save created, and the files that no row names any longer.
struct ExternalChanges {
    var written: [String] = []
    var released: [String] = []
}

extension ManagedObject {
    /// Whether the object changed after `willSave` was called on it.
    fileprivate final var awaitsWillSave: Bool { pending != .none && reportedCount != changeCount }

    /// Marks the object's current values and lists as saved.
    final func commit() {
        mask = ChangeMask()
        committed = nil
        for slot in lists.indices { lists[slot].commit() }
    }
}
