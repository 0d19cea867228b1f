import GraphModel
import SQLite

/// Writes one to-many relationship of a load, wherever its links are.
struct ToManyWriter {
    private enum Place {
        case join(JoinWriter)
        /// Only for pairs that nothing else in the load speaks of: what stands in the table is all
        /// that it knows, and a record that waits has nothing to leave out.
        case spool(JoinSpool)
        case foreignKey(ForeignKeyWriter)
    }

    private let place: Place
    private let policy: BulkPlan.ManyPolicy

    /// - Parameters:
    ///   - claims: what several records may speak of, in the whole load.
    ///   - mayPutOff: the owners' table was empty when the load began, and many rows may come.
    ///   - mayWalk: the owners may be read in one walk.
    ///   - otherTurn: the place of the relationship's other end among those that the load writes.
    ///   - mayRefuse: a new owner may be refused when its row is written.
    init(
        _ many: ColumnPlan.ToMany, of entity: StoreLayout.Entity, policy: BulkPlan.ManyPolicy,
        _ schema: StoreLayout,
        _ claims: LinkClaims, mayPutOff: Bool, mayWalk: Bool, _ far: FarChanges, turn: Int,
        otherTurn: Int?, mayRefuse: Bool, on connection: Connection
    ) throws(StoreError) {
        self.policy = policy
        switch many.place {
        case .joinTable(let join):
            let isAlone = !claims.contain(join)
            if mayPutOff, isAlone, policy != .remove,
                let spool = try JoinSpool(join, schema, far, on: connection)
            {
                place = .spool(spool)
                return
            }
            place = .join(
                try JoinWriter(
                    join, of: entity, schema, mayWalk: mayWalk && isAlone, otherTurn: otherTurn,
                    isShared: claims.share(join),
                    remembersOrders: policy == .add && join.orderColumn != nil
                        && !claims.share(join),
                    mayRefuse: mayRefuse, far, on: connection))
        case .foreignKey(let key):
            place = .foreignKey(
                try ForeignKeyWriter(
                    key, of: entity, schema, far, turn: turn,
                    remembersOrders: policy == .add && !claims.share(key), on: connection))
        }
    }

    /// Whether the new owner's row must be written before its links.
    var needsOwnersRow: Bool {
        switch place {
        case .join(let writer): writer.needsOwnersRow
        case .spool: false
        case .foreignKey: true
        }
    }

    /// Links a new object.
    ///
    /// - Parameter left: objects that stay as they are.
    func link(
        new owner: ManagedObjectID, to destinations: [Int64], but left: Set<Int64>,
        in session: WriteSession
    ) throws(StoreError) {
        guard policy != .remove else { return }
        switch place {
        case .join(let writer):
            try writer.link(new: owner.primaryKey, to: destinations, but: left)
        case .spool(let spool): try spool.link(new: owner.primaryKey, to: destinations)
        case .foreignKey(let writer):
            _ = try writer.change(owner, to: destinations, .add, but: left, in: session)
        }
    }

    /// An object's links; not asked for where they are put off.
    func destinations(of owner: Int64) throws(StoreError) -> [Int64] {
        switch place {
        case .join(let writer): try writer.destinations(of: owner)
        case .spool: []
        case .foreignKey(let writer): try writer.destinations(of: owner)
        }
    }

    /// Brings an object's links to what the policy makes of the destinations.
    ///
    /// - Parameter left: objects that stay as they are.
    func change(
        _ owner: ManagedObjectID, to destinations: [Int64], but left: Set<Int64>,
        in session: WriteSession
    ) throws(StoreError) -> UInt64? {
        switch place {
        case .join(let writer):
            try writer.change(owner.primaryKey, to: destinations, policy, but: left)
        case .spool(let spool):
            try spool.change(owner.primaryKey, to: destinations, policy)
        case .foreignKey(let writer):
            try writer.change(owner, to: destinations, policy, but: left, in: session)
        }
    }

    /// Makes an object belong to nobody.
    func free(_ destination: Int64, in session: WriteSession) throws(StoreError) {
        if case .foreignKey(let writer) = place { try writer.free(destination, in: session) }
    }

    /// Lets go of a table of pairs that was read.
    func closeWalk() {
        if case .join(let writer) = place { writer.closeWalk() }
    }

    func forget(new owner: Int64) throws(StoreError) {
        switch place {
        case .join(let writer): writer.forget(new: owner)
        case .spool(let spool): try spool.takeBack(owner)
        case .foreignKey: break
        }
    }

    /// Forgets what is collected, and what is known of rows that a rollback took back.
    func forgetAll() {
        switch place {
        case .join(let writer): writer.forgetAll()
        case .spool(let spool): spool.forgetAll()
        case .foreignKey(let writer): writer.forgetOrders()
        }
    }

    /// Forgets the places in orders that others may have changed.
    func forgetOrders() {
        switch place {
        case .join(let writer): writer.forgetOrders()
        case .spool: break
        case .foreignKey(let writer): writer.forgetOrders()
        }
    }

    func flush() throws(StoreError) {
        switch place {
        case .join(let writer): try writer.flush()
        case .spool(let spool): try spool.flush()
        case .foreignKey: break
        }
    }
}
