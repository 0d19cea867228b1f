import GraphModel
import SQLite

/// The way of a save.
///
/// 1. pending deletions are carried to related objects;
/// 2. `willSave` is called, again on what it changed, until nothing changes any more;
/// 3. everything is validated: deletes, inserts, updates, and all that is wrong is reported;
/// 4. `BEGIN IMMEDIATE`, versions are compared with the store's, and the merge policy decides;
/// 5. rows are written (see `ObjectWriter`); where a uniqueness constraint stops that, it is undone,
///    the policy decides, and it is tried again;
/// 6. `COMMIT`; what is in memory is what is saved; `didSave` is called; whoever listens is told.
///
/// What throws before the commit leaves the context with its changes, as it was.
extension ManagedObjectContext {
    /// `willSave` may change objects in so many rounds.
    static let willSaveRoundsMax = 100

    /// Makes the changes durable, or, in a child, hands them to the parent, and tells everyone who
    /// listens.
    ///
    /// - Returns: what changed. Without changes nothing is written.
    /// - Throws: `validation` with a `validationError`, `conflict` with a `mergeError`, the first
    ///   error that an accessor could not throw, or what the store says.
    @discardableResult
    public func save() throws(StoreError) -> SaveResult {
        if let error = notedErrors.first {
            notedErrors.removeAll()
            throw error
        }
        guard hasChanges else { return SaveResult(change: StoreChange()) }
        registry.holdAll()
        defer { registry.release() }
        return try saveChanges()
    }

    private func saveChanges() throws(StoreError) -> SaveResult {
        try checkInterrupt()
        try processPendingChanges()
        tell(.willSave(ContextChange(PendingObjects(listed))))
        try callWillSave()
        var pending = PendingObjects(listed)
        for object in pending.updated {
            // An order can be written only beside what is there.
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
            // A transaction that SQLite itself gave up is over, whoever began it.
            if !hadSession || !session.connection.isInTransaction { giveUpSession() }
            try container.externalFiles.remove(files.written)
            throw error
        }
        endSession(session)
        statistics.saves += 1
        advanceGeneration()
        finish(pending, versions: versions, in: session.change)
        // Rows no longer name them; one that cannot be removed now is swept later.
        try? container.externalFiles.remove(files.released + session.filesReleased)
        container.broadcast()
        tellFollowers(.saved)
        return SaveResult(
            change: session.change, historyToken: container.historyToken(of: session))
    }

    /// The open transaction is committed; what it changed is to be told, which the caller does.
    func endSession(_ session: WriteSession) {
        openSession = nil
        transactionReader = nil
        inbox?.expect(session.change)
        container.noteForBroadcast(session.change)
        container.endWriting()
    }

    // MARK: Before the transaction

    /// Some stores of a container may be open for reading only.
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
            // Hooks may add objects at the end.
            while position < listed.count {
                let object = listed[position]
                position += 1
                guard object.pending != .none, object.toldCount != object.changeCount else {
                    continue
                }
                object.toldCount = object.changeCount
                if !object.skipsHooks { object.willSave() }
                if object.toldCount != object.changeCount { hasChanged = true }
            }
            if !unprocessedDeletes.isEmpty {
                try processPendingChanges()
                hasChanged = true
            }
            if let error = notedErrors.first {
                notedErrors.removeAll()
                throw error
            }
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
        let (change, ends) = (session.change, session.ends)
        var resolver = ConflictResolver(self, session)
        var hasSavepoint = false
        do throws(StoreError) {
            try session.completeLoad()
            try connection.execute("SAVEPOINT ETL_SAVE")
            hasSavepoint = true
            try renewTakenKeys(pending.inserted, in: session)
            try resolver.resolveVersions(pending)
            pending = PendingObjects(listed)
            while true {
                var writer = ObjectWriter(container.objects, session, container.externalFiles)
                writer.versions = resolver.versions
                do throws(StoreError) {
                    try writer.write(pending)
                    try writer.release("ETL_SAVE")
                    tellChildren(united: resolver.united)
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
                    (session.change, session.ends) = (change, ends)
                    try connection.execute("ROLLBACK TO ETL_SAVE")
                    guard try resolver.resolveConstraints(pending) else {
                        throw error
                    }
                    pending = PendingObjects(listed)
                }
            }
        } catch {
            resolver.restore()
            (session.change, session.ends) = (change, ends)
            if hasSavepoint, connection.isInTransaction {
                try connection.execute("ROLLBACK TO ETL_SAVE; RELEASE ETL_SAVE")
            }
            throw error
        }
    }

    /// New objects whose keys another process took meanwhile get others.
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
            // Another context of the container may have noticed before this one that keys are taken.
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

    /// Hooks first, then whoever watches.
    func tellDidSave(_ pending: PendingObjects) {
        for objects in [pending.inserted, pending.updated, pending.deleted] {
            for object in objects where !object.skipsHooks { object.didSave() }
        }
        tell(.didSave(ContextChange(pending)))
    }

    /// What is in memory is what is saved.
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
                // A merge policy may have made a row again that others deleted.
                object.isGoneElsewhere = false
            case .updated:
                object.version = versions[object.objectID] ?? object.version
                object.isGoneElsewhere = false
            case .deleted:
                object.isGone = true
                object.isStored = false
                unregister(object)
            }
            object.pending = .none
            object.commit()
        }
        undoLog?.closeEvent()
        readDerived(change)
        tellDidSave(pending)
    }
}

/// The files that a save made, and those that no row names any more.
struct ExternalChanges {
    var written: [String] = []
    var released: [String] = []
}

extension ManagedObject {
    /// It changed since `willSave` was called on it.
    fileprivate final var awaitsWillSave: Bool { pending != .none && toldCount != changeCount }

    /// What is here is what is saved.
    final func commit() {
        mask = ChangeMask()
        committed = nil
        for slot in lists.indices { lists[slot].commit() }
    }
}
