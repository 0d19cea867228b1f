import GraphModel
import SQLite

/// Writes one to-many relationship of a load, wherever its links are.
struct ToManyWriter {
    private enum Place {
        case join(JoinWriter)
        case spool(JoinSpool)
        case foreignKey(ForeignKeyWriter)
    }

    private let place: Place
    private let policy: BulkPlan.ManyPolicy

    /// - Parameters:
    ///   - isFirstLoad: the owners' table was empty when the load began.
    ///   - mayWalk: nobody else writes to the links' table.
    init(
        _ many: ColumnPlan.ToMany, policy: BulkPlan.ManyPolicy, _ schema: StoreSchema,
        isFirstLoad: Bool, mayWalk: Bool, _ far: FarChanges, turn: Int,
        on connection: Connection
    ) throws(SQLiteError) {
        self.policy = policy
        switch many.place {
        case .joinTable(let join):
            if isFirstLoad, policy != .remove,
                let spool = try JoinSpool(join, schema, on: connection)
            {
                place = .spool(spool)
                return
            }
            place = .join(try JoinWriter(join, schema, mayWalk: mayWalk, on: connection))
        case .foreignKey(let key):
            place = .foreignKey(try ForeignKeyWriter(key, far, turn: turn, on: connection))
        }
    }

    /// Whether the new owner's row must be written before its links.
    var needsOwnersRow: Bool {
        if case .foreignKey = place { true } else { false }
    }

    /// Links a new object.
    func link(
        new owner: ManagedObjectID, to destinations: [Int64], in session: WriteSession
    ) throws(SQLiteError) {
        guard policy != .remove else { return }
        switch place {
        case .join(let writer): writer.link(new: owner.primaryKey, to: destinations)
        case .spool(let spool): try spool.link(new: owner.primaryKey, to: destinations)
        case .foreignKey(let writer):
            _ = try writer.change(owner, to: destinations, .add, in: session)
        }
    }

    /// Brings an object's links to what the policy makes of the destinations.
    func change(
        _ owner: ManagedObjectID, to destinations: [Int64], in session: WriteSession
    ) throws(SQLiteError) -> UInt64? {
        switch place {
        case .join(let writer):
            try writer.change(owner.primaryKey, to: destinations, policy)
        case .spool(let spool):
            try spool.change(owner.primaryKey, to: destinations, policy)
        case .foreignKey(let writer):
            try writer.change(owner, to: destinations, policy, in: session)
        }
    }

    /// Lets go of a table of pairs that was read.
    func closeWalk() {
        if case .join(let writer) = place { writer.closeWalk() }
    }

    func forget(new owner: Int64) throws(SQLiteError) {
        switch place {
        case .join(let writer): writer.forget(new: owner)
        case .spool(let spool): try spool.forget(owner)
        case .foreignKey: break
        }
    }

    /// Forgets what is collected.
    func forgetAll() {
        switch place {
        case .join(let writer): writer.forgetAll()
        case .spool(let spool): spool.forgetAll()
        case .foreignKey: break
        }
    }

    func flush() throws(SQLiteError) {
        switch place {
        case .join(let writer): try writer.flush()
        case .spool(let spool): try spool.flush()
        case .foreignKey: break
        }
    }
}
