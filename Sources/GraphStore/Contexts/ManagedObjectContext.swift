import SQLite

/// A scratch pad over a store: changes are made here and saved together.
///
/// Belongs to one thread at a time, which the compiler checks: it is not `Sendable`, so neither it
/// nor what comes from it can leave its region.
public final class ManagedObjectContext {
    /// The container that made it.
    public let container: PersistentContainer
    private var openSession: WriteSession?

    init(container: PersistentContainer) {
        self.container = container
    }

    deinit {
        rollback()
    }

    /// Whether there is something to save.
    public var hasChanges: Bool { openSession != nil }

    /// Makes the changes durable and tells everyone who listens.
    ///
    /// - Returns: what changed. Without changes nothing is written.
    @discardableResult
    public func save() throws(StoreError) -> SaveResult {
        guard let session = openSession else { return SaveResult(change: StoreChange()) }
        try session.commit()
        openSession = nil
        container.noteForBroadcast(session.change)
        container.endWriting()
        container.broadcast()
        return SaveResult(change: session.change)
    }

    /// Forgets the changes.
    public func rollback() {
        guard let session = openSession else { return }
        session.rollback()
        openSession = nil
        container.endWriting()
    }

    /// Runs one request whole or not at all.
    ///
    /// Where it fails, what came before it in this context stays, and a transaction that it began
    /// is given up, so that others may write.
    func whole<R>(_ body: (WriteSession) throws -> R) throws -> R {
        let isFirst = openSession == nil
        let session = try session()
        let change = session.change
        do {
            try storing { () throws(SQLiteError) in
                try PendingIndexes.settle(on: session.connection)
                try session.connection.execute("SAVEPOINT ETL_REQUEST")
            }
            let result = try body(session)
            try storing { () throws(SQLiteError) in
                try session.connection.execute("RELEASE ETL_REQUEST")
            }
            return result
        } catch {
            if isFirst {
                rollback()
            } else {
                // SQLite may have given up the whole transaction, after a full disk for one.
                guard session.connection.isInTransaction else {
                    rollback()
                    throw (error as? SQLiteError).map(StoreError.init) ?? error
                }
                session.change = change
                try storing { () throws(SQLiteError) in
                    try session.connection.execute(
                        "ROLLBACK TO ETL_REQUEST; RELEASE ETL_REQUEST")
                }
            }
            throw (error as? SQLiteError).map(StoreError.init) ?? error
        }
    }

    /// The open transaction, begun with the first change.
    func session() throws(StoreError) -> WriteSession {
        if let openSession { return openSession }
        let session = try container.beginWriting()
        openSession = session
        return session
    }
}

@available(*, unavailable, message: "A context stays in its region; send object IDs instead")
extension ManagedObjectContext: Sendable {}

extension ManagedObjectContext {
    /// Starts a bulk upsert in this context.
    ///
    /// - Parameter keyMemoryBytes: what the map from keys to rows may take before the load goes
    ///   over to the key's index.
    package func bulkWriter(
        for plan: BulkPlan, keyMemoryBytes: Int = 192 << 20
    ) throws(StoreError) -> BulkWriter {
        try BulkWriter(plan, in: self, keyMemoryBytes: keyMemoryBytes)
    }
}
