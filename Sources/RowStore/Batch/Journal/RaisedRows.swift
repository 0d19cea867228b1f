/// The existing rows whose versions a load has raised since the last save, so that each gets one
/// new version in a save, however many records change it.
///
/// A load shares it with the writers of its nested objects.
final class RaisedRows {
    // Unchecked: only one thread uses it at a time, and no access is nested in another.
    @exclusivity(unchecked) private var rows = State()
    /// The rows added for the current record, if it may be rolled back.
    @exclusivity(unchecked) private var ofRecord: [(root: Int64, key: Int64, isHeld: Bool)]?
    /// The changes of the transaction before the load joined it.
    private var earlier: [StoreChange] = []
    private var session: WriteSession.Identity?

    /// The raised rows, by the number of the root entity of their hierarchy.
    struct State {
        fileprivate var raised: [Int64: PrimaryKeySet] = [:]
        /// The rows that were written as objects inside a record.
        ///
        /// They keep their new version, because their changes are not summed up.
        fileprivate var held: [Int64: PrimaryKeySet] = [:]
    }

    /// Forgets all rows if the session is another transaction than before.
    func begin(_ session: WriteSession) {
        guard session.identity !== self.session else { return }
        self.session = session.identity
        rows = State()
        ofRecord = nil
        earlier = session.allChanges
    }

    /// Returns whether the row needs a new version, and notes that it gets one.
    ///
    /// A row that the transaction has inserted keeps its first version.
    ///
    /// - Parameter isNested: Whether the row is a nested object, so that it keeps the version even
    ///   if its own records take their changes back.
    func raise(
        _ id: ManagedObjectID, root: Int64, isNested: Bool, in session: WriteSession
    ) -> Bool {
        let key = id.primaryKey
        guard !session.isNew(key, root: root), !earlier.contains(where: { $0.contains(id) })
        else { return false }
        if isNested, rows.held[root, default: PrimaryKeySet()].insert(key) {
            ofRecord?.append((root, key, true))
        }
        guard rows.raised[root, default: PrimaryKeySet()].insert(key) else { return false }
        ofRecord?.append((root, key, false))
        return true
    }

    /// Returns whether the row may get its former version back because its changes were undone, and
    /// then forgets that it was raised.
    func lower(_ primaryKey: Int64, root: Int64) -> Bool {
        guard rows.held[root]?.contains(primaryKey) != true else { return false }
        rows.raised[root]?.remove(primaryKey)
        return true
    }

    // MARK: Rollbacks

    func beginRecord() { ofRecord = [] }

    func keepRecord() { ofRecord = nil }

    func undoRecord() {
        if let ofRecord {
            for row in ofRecord {
                if row.isHeld {
                    rows.held[row.root]?.remove(row.key)
                } else {
                    rows.raised[row.root]?.remove(row.key)
                }
            }
        }
        ofRecord = nil
    }

    /// The rows that are raised now, to pass to `restore(_:)` after a savepoint is rolled back.
    var state: State { rows }

    /// Restores the rows that were raised before a savepoint.
    func restore(_ state: State) { rows = state }
}
