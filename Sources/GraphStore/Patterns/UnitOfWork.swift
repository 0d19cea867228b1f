import SQLite

/// Work that is done whole or not at all.
extension PersistentContainer {
    /// Runs the body in a context of its own, and saves that; an error undoes all of it.
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
    /// Runs a part of the context's work; an error undoes that part, and what came before stays.
    ///
    /// Units nest. Objects are not saved; those that were read in a unit stay in memory, and those
    /// that it made are gone after an error. Batch requests of a unit are committed together at the
    /// end of the outermost unit; until then this context sees them, and no other does, and no other
    /// context of the container can write. A unit that saves cannot be undone: an error after that
    /// drops what is not saved.
    public func unitOfWork<R>(_ body: (ManagedObjectContext) throws -> R) throws -> R {
        try processPendingChanges()
        let root = root
        let backups = ancestors.map(ContextBackup.init)
        let saves = root.statistics.saves
        if root.savepointDepth == 0 { (root.dropped, root.lostUnit) = (nil, nil) }
        let isOutermost = root.savepointDepth == 0
        defer { if isOutermost { ancestors.forEach { $0.goneInTransaction.removeAll() } } }
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

    /// Fails where SQLite has given up the whole transaction inside a unit, after a full disk for
    /// one, and the body went on.
    fileprivate func checkUnit() throws {
        guard let lost = lostUnit else { return }
        if savepointDepth == 0 { lostUnit = nil }
        throw lost
    }

    /// This context and its parents.
    private var ancestors: [ManagedObjectContext] { [self] + (parent?.ancestors ?? []) }

    /// Leaves batch requests of the body to be committed by whoever runs it.
    fileprivate func withinUnit<R>(_ body: () throws -> R) rethrows -> R {
        savepointDepth += 1
        defer { savepointDepth -= 1 }
        return try body()
    }

    /// Gives up what batch requests of a child's unit have written, in the memory of its parents, too.
    private func dropRequests(_ change: StoreChange?) {
        root.giveUpSession()
        guard let change else { return }
        for context in ancestors {
            context.bringBackDeleted()
            context.forgetTransactionRows()
            context.tellFollowers(.merged(change))
        }
    }

    private func undoUnit(_ backups: [ContextBackup], _ point: Savepoint?) throws(StoreError) {
        let root = root
        // The transaction may have been given up on the way, as by a commit that failed.
        let hadRequests = root.transactionReader != nil || root.dropped?.hadRequests == true
        let undone = root.openSession?.change ?? root.dropped?.change ?? StoreChange()
        if let point, root.openSession === point.session,
            point.session.connection.isInTransaction
        {
            try point.rollBack()
        } else if root.openSession != nil {
            // The unit itself began to write, or SQLite gave all up.
            root.giveUpSession()
        }
        if root.savepointDepth == 0 { root.transactionReader = nil }
        for (context, backup) in zip(ancestors, backups) {
            backup.restoreUnit(context, readsAgain: hadRequests)
            context.bringBackDeleted()
            // What they show may be what was undone.
            if hadRequests { context.tellFollowers(.merged(undone)) }
        }
    }
}

/// A place in a transaction to go back to.
private struct Savepoint {
    let session: WriteSession
    private let name: String
    private let change: StoreChange
    private let ends: LinkEnds
    private let files: [String]

    init(_ session: WriteSession, number: Int) {
        self.session = session
        name = "ETL_UNIT_\(number)"
        change = session.change
        ends = session.ends
        files = session.filesReleased
    }

    func begin() throws(StoreError) { try run("SAVEPOINT \(name)") }

    func release() throws(StoreError) { try run("RELEASE \(name)") }

    func rollBack() throws(StoreError) {
        try run("ROLLBACK TO \(name); RELEASE \(name)")
        session.change = change
        session.ends = ends
        session.filesReleased = files
    }

    private func run(_ sql: String) throws(StoreError) {
        try session.connection.execute(sql)
    }
}
