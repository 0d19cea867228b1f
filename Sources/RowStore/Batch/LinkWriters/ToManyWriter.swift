import GraphModel
import SQLite

/// Writes one to-many relationship of a load, regardless of how its links are stored.
struct ToManyWriter {
    private enum Place {
        case join(JoinWriter)
        /// Only for join rows that no other link of the load writes.
        ///
        /// The spool knows only the links in its table, and a deferred record has no links to leave
        /// out.
        case spool(JoinSpool)
        case foreignKey(ForeignKeyWriter)
    }

    private let place: Place
    private let policy: BulkPlan.ManyPolicy

    /// Creates the writer that fits the relationship: of foreign keys, of join rows, or of a spool
    /// that writes join rows at the end of the load.
    ///
    /// - Parameters:
    ///   - claims: The links that several records of the load may set.
    ///   - mayDefer: Whether the owners' table was empty when the load began, and many rows are
    ///     expected.
    ///   - mayWalk: Whether the owners may be read with a sequential cursor.
    ///   - inverseIndex: The index of the inverse among the relationships that the load writes.
    ///   - mayReject: Whether a new owner may be rejected when its row is written.
    init(
        _ many: ColumnPlan.ToMany, of entity: StoreLayout.Entity, policy: BulkPlan.ManyPolicy,
        _ schema: StoreLayout,
        _ claims: LinkClaims, mayDefer: Bool, mayWalk: Bool, _ inverseChanges: InverseChanges,
        linkIndex: Int,
        inverseIndex: Int?, mayReject: Bool, on connection: Connection
    ) throws(StoreError) {
        self.policy = policy
        switch many.place {
        case .joinTable(let join):
            let isAlone = !claims.contain(join)
            if mayDefer, isAlone, policy != .remove,
                let spool = try JoinSpool(join, schema, inverseChanges, on: connection)
            {
                place = .spool(spool)
                return
            }
            place = .join(
                try JoinWriter(
                    join, of: entity, schema, mayWalk: mayWalk && isAlone,
                    inverseIndex: inverseIndex,
                    isShared: claims.isShared(join),
                    remembersOrders: policy == .add && join.orderColumn != nil
                        && !claims.isShared(join),
                    mayReject: mayReject, inverseChanges, on: connection))
        case .foreignKey(let key):
            place = .foreignKey(
                try ForeignKeyWriter(
                    key, of: entity, schema, inverseChanges, linkIndex: linkIndex,
                    remembersOrders: policy == .add && !claims.isShared(key), on: connection))
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
    /// - Parameter left: Objects that must be left unchanged.
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

    /// Returns the destinations of an object's links; not valid for deferred links.
    func destinations(of owner: Int64) throws(StoreError) -> [Int64] {
        switch place {
        case .join(let writer): try writer.destinations(of: owner)
        case .spool: []
        case .foreignKey(let writer): try writer.destinations(of: owner)
        }
    }

    /// Changes an object's links according to the policy.
    ///
    /// - Parameter left: Objects that must be left unchanged.
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

    /// Clears the owner of an object.
    func free(_ destination: Int64, in session: WriteSession) throws(StoreError) {
        if case .foreignKey(let writer) = place { try writer.free(destination, in: session) }
    }

    /// Closes the cursor of a join table.
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

    /// Drops the pending links, and cached data that a rollback has changed.
    func forgetAll() {
        switch place {
        case .join(let writer): writer.forgetAll()
        case .spool(let spool): spool.forgetAll()
        case .foreignKey(let writer): writer.forgetOrders()
        }
    }

    /// Clears the cached positions, which another writer may have changed.
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
