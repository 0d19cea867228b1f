import GraphModel

/// When batch requests are committed, and who sees them before.
extension ManagedObjectContext {
    /// The context that has the store: this one, or the last of its parents.
    var root: ManagedObjectContext { parent?.root ?? self }

    /// Whether the context reads inside a transaction that is not committed yet.
    var readsOpenTransaction: Bool { root.transactionReader != nil }

    /// Runs a batch request and commits it, unless a unit of work or a load does so at its end.
    ///
    /// What it changed is merged into this context and its parents before this returns. Contexts that
    /// merge changes by themselves get it as they get a save. A pinned context keeps what it reads.
    ///
    /// - Parameter request: gets the context that has the store.
    func committing<R>(_ request: (ManagedObjectContext) throws -> R) throws -> R {
        let root = root
        guard root.openSession != nil || root.savepointDepth > 0 else {
            let result = try request(root)
            merge(requests: try root.commitTransaction())
            return result
        }
        let (result, change) = try root.separately(request)
        if root.savepointDepth > 0, !root.isPinned, let session = root.openSession {
            if root.transactionReader == nil {
                root.transactionReader = ObjectReader(
                    session.connection, container.objects, container.externalFiles,
                    root.rows.unwritten)
            }
            merge(requests: change)
        }
        return result
    }

    /// Runs a request and gives what it changed, apart from what the open transaction changed before.
    private func separately<R>(
        _ request: (ManagedObjectContext) throws -> R
    ) throws -> (R, StoreChange) {
        let before = openSession?.change ?? StoreChange()
        openSession?.change = StoreChange()
        do {
            let result = try request(self)
            let change = openSession?.change ?? StoreChange()
            openSession?.change = before
            openSession?.change.add(change)
            return (result, change)
        } catch {
            openSession?.change = before
            throw error
        }
    }

    /// Commits the open transaction, if there is one, and tells everyone what it changed.
    ///
    /// - Throws: what the store says; the transaction is given up then.
    func commitTransaction() throws(StoreError) -> StoreChange {
        guard let session = openSession else { return StoreChange() }
        do throws(StoreError) {
            try session.commit()
        } catch {
            giveUpSession()
            throw error
        }
        endSession(session)
        // Rows no longer name them; one that cannot be removed now is swept later.
        try? container.externalFiles.remove(session.filesReleased)
        container.broadcast()
        return session.change
    }

    /// Takes in what batch requests of this context have changed, from its outermost parent on.
    func merge(requests change: StoreChange) {
        guard !root.isPinned else { return }
        parent?.merge(requests: change)
        do throws(StoreError) {
            try merge(change)
        } catch {
            // The request is done; what failed is told by the next save.
            note(error)
        }
    }

    /// Brings back objects whose rows are there again, since the transaction that deleted them was
    /// given up; they are read anew.
    func bringBackDeleted() {
        for object in goneInTransaction where object.isGoneElsewhere {
            object.isGone = false
            object.isGoneElsewhere = false
            object.isStored = true
            guard object.pending == .none else { continue }
            if registry.object(for: object.objectID) == nil { register(object) }
            object.turnIntoFault()
        }
        goneInTransaction.removeAll()
    }

    /// Makes faults of objects that may have been read inside a transaction that was given up.
    func forgetTransactionRows() {
        for object in registeredObjects
        where object.pending == .none && object.presence != .fault && object.isStored {
            object.turnIntoFault()
        }
    }
}
