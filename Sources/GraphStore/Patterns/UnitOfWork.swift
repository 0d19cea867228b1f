import SQLite

/// Atomic units of work.
extension PersistentContainer {
    /// Runs the body in a new context and saves the context; an error undoes everything.
    ///
    /// ```swift
    /// try container.unitOfWork { context in
    ///     let order = context.insert(Order.self)
    ///     try context.unitOfWork { try addLines(to: order, in: $0) }
    /// }
    /// ```
    public func unitOfWork<R: Sendable>(
        author: String? = nil, _ body: (ManagedObjectContext) throws -> R
    ) throws -> R {
        let context = ManagedObjectContext(container: self)
        context.transactionAuthor = author
        do {
            let result = try context.withinUnit { try body(context) }
            try context.checkUnit()
            try context.save()
            return result
        } catch {
            context.rollback()
            throw error
        }
    }
}

extension ManagedObjectContext {
    /// Runs part of the context's work; an error undoes that part only.
    ///
    /// Units can be nested, and they do not save objects. After an error, objects that were fetched
    /// in the unit stay in memory, and objects that it inserted are removed.
    ///
    /// Batch requests of a unit are committed together at the end of the outermost unit. Until
    /// then, only this context sees their changes, and no other context of the container can write.
    /// A unit that saves cannot be undone: a later error discards only the unsaved changes.
    public func unitOfWork<R>(_ body: (ManagedObjectContext) throws -> R) throws -> R {
        try processPendingChanges()
        let root = root
        let backups = lineage.map(ContextBackup.init)
        let saves = root.statistics.saves
        if root.savepointDepth == 0 { (root.dropped, root.lostUnit) = (nil, nil) }
        let isOutermost = root.savepointDepth == 0
        defer { if isOutermost { lineage.forEach { $0.deletedInTransaction.removeAll() } } }
        let point = root.openSession.map { Savepoint($0, number: root.savepointDepth) }
        try point?.begin()
        do {
            let result = try root.withinUnit {
                let result = try body(self)
                try processPendingChanges()
                return result
            }
            try root.checkUnit()
            if let point {
                if root.openSession === point.session { try point.release() }
                if root.savepointDepth == 0 { root.transactionReader = nil }
            } else if root.savepointDepth == 0, root.openSession != nil {
                merge(requests: try root.commitTransaction())
            }
            return result
        } catch {
            if root.statistics.saves == saves {
                try undoUnit(backups, point)
            } else {
                let dropped = root.transactionReader == nil ? nil : root.openSession?.change
                rollback()
                if parent != nil { dropRequests(dropped) }
            }
            throw error
        }
    }

    /// Throws if SQLite rolled back the complete transaction, but the body continued.
    ///
    /// A full disk is one possible cause.
    fileprivate func checkUnit() throws {
        guard let lost = lostUnit else { return }
        if savepointDepth == 0 { lostUnit = nil }
        throw lost
    }

    /// Runs the body and leaves the commit of its batch requests to the caller.
    fileprivate func withinUnit<R>(_ body: () throws -> R) rethrows -> R {
        savepointDepth += 1
        defer { savepointDepth -= 1 }
        return try body()
    }

    /// Rolls back the batch requests of a child's unit, including their effects on its ancestors.
    private func dropRequests(_ change: StoreChange?) {
        root.giveUpSession()
        guard let change else { return }
        for context in lineage {
            context.bringBackDeleted()
            context.forgetTransactionRows()
            context.notifyFollowers(.merged(change))
        }
    }

    private func undoUnit(_ backups: [ContextBackup], _ point: Savepoint?) throws(StoreError) {
        let root = root
        // The transaction may have been rolled back before, as by a failed commit.
        let hadRequests = root.transactionReader != nil || root.dropped?.hadRequests == true
        let undone = root.openSession?.change ?? root.dropped?.change ?? StoreChange()
        if let point, root.openSession === point.session,
            point.session.connection.isInTransaction
        {
            try point.rollBack()
        } else if root.openSession != nil {
            // The unit started the transaction, or SQLite rolled it back.
            root.giveUpSession()
        }
        if root.savepointDepth == 0 { root.transactionReader = nil }
        for (context, backup) in zip(lineage, backups) {
            backup.restoreUnit(context, readsAgain: hadRequests)
            context.bringBackDeleted()
            // Observers may show changes that were undone.
            if hadRequests { context.notifyFollowers(.merged(undone)) }
        }
    }
}

/// A savepoint of a transaction, with the session's state.
private struct Savepoint {
    let session: WriteSession
    private let name: String
    private let state: WriteSession.State

    init(_ session: WriteSession, number: Int) {
        self.session = session
        name = "ETL_UNIT_\(number)"
        state = session.state
    }

    func begin() throws(StoreError) { try session.connection.begin(savepoint: name) }

    func release() throws(StoreError) { try session.connection.release(savepoint: name) }

    func rollBack() throws(StoreError) {
        try session.connection.rollBack(toSavepoint: name)
        session.restore(state)
    }
}
