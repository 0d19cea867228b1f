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
            let result = try body(context)
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
    /// Units nest. Nothing is saved; objects that were read in a unit stay in memory, and those
    /// that it made are gone after an error. A unit that saves cannot be undone: an error after
    /// that drops what is not saved.
    public func unitOfWork<R>(_ body: (ManagedObjectContext) throws -> R) throws -> R {
        try processPendingChanges()
        let backup = ContextBackup(self)
        let saves = statistics.saves
        let point = openSession.map { Savepoint($0, number: savepointDepth) }
        try point?.begin()
        savepointDepth += 1
        defer { savepointDepth -= 1 }
        do {
            let result = try body(self)
            try processPendingChanges()
            if let point, openSession === point.session { try point.release() }
            return result
        } catch {
            if statistics.saves == saves { try undoUnit(backup, point) } else { rollback() }
            throw error
        }
    }

    private func undoUnit(_ backup: ContextBackup, _ point: Savepoint?) throws(StoreError) {
        if let point, openSession === point.session, point.session.connection.isInTransaction {
            try point.rollBack()
        } else if openSession != nil {
            // The unit itself began to write, or SQLite gave all up.
            giveUpSession()
        }
        backup.restoreUnit(self)
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
        try storing { () throws(SQLiteError) in try session.connection.execute(sql) }
    }
}
