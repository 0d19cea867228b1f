import GraphModel

/// Commits batch requests, and merges their changes into contexts.
extension ManagedObjectContext {
    /// The context that is connected to the store: this one, or the last of its parents.
    var root: ManagedObjectContext { parent?.root ?? self }

    /// Whether the context reads inside an uncommitted transaction.
    var readsOpenTransaction: Bool { root.transactionReader != nil }

    /// Runs a batch request and commits it, unless a unit of work or a load commits it later.
    ///
    /// The changes are merged into this context and its parents before this method returns.
    /// Contexts that merge changes automatically receive them like a save. A pinned context keeps
    /// its snapshot.
    ///
    /// - Parameter request: Receives the context that is connected to the store.
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

    /// Runs a request, and returns its changes separately from earlier changes of the open
    /// transaction.
    private func separately<R>(
        _ request: (ManagedObjectContext) throws -> R
    ) throws -> (R, StoreChange) {
        let session = openSession
        session?.beginPart()
        do {
            let result = try request(self)
            // A transaction that the request began contains only its changes.
            let change = session === openSession ? session?.endPart() : openSession?.change
            return (result, change ?? StoreChange())
        } catch {
            session?.dropPart()
            throw error
        }
    }

    /// Commits the open transaction, if any, and notifies all observers of its changes.
    ///
    /// - Throws: An error of the store; the transaction is then rolled back.
    func commitTransaction() throws(StoreError) -> StoreChange {
        guard let session = openSession else { return StoreChange() }
        do throws(StoreError) {
            try session.commit()
        } catch {
            giveUpSession()
            throw error
        }
        endSession(session)
        // No row names these files any longer. A file that cannot be removed now is removed by a
        // later sweep.
        try? container.externalFiles.remove(session.filesReleased)
        container.broadcast()
        return session.change
    }

    /// Merges the changes of batch requests into this context, starting with its outermost parent.
    func merge(requests change: StoreChange) {
        guard !root.isPinned else { return }
        parent?.merge(requests: change)
        // The request has succeeded; the next save reports the error.
        noting { () throws(StoreError) in try merge(change) }
    }

    /// Restores objects whose deletion was rolled back with its transaction, as faults.
    func bringBackDeleted() {
        for object in deletedInTransaction where object.isDeletedElsewhere {
            object.hasNoRow = false
            object.isDeletedElsewhere = false
            object.isStored = true
            guard object.pending == .none else { continue }
            if registry.object(for: object.objectID) == nil { register(object) }
            object.turnIntoFault()
        }
        deletedInTransaction.removeAll()
    }

    /// Turns objects into faults if they may have been read inside a transaction that was rolled
    /// back.
    func forgetTransactionRows() {
        for object in registeredObjects
        where object.pending == .none && object.presence != .fault && object.isStored {
            object.turnIntoFault()
        }
    }
}
