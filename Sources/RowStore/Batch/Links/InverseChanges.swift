import GraphModel

/// The changes of the current record in other rows of the load's table: the inverse ends of
/// one-to-one links, the objects of to-many links, and their previous owners.
///
/// Two records may claim one object. The later one wins in every run, so in the end every row is
/// unchanged. These changes are therefore summed up like changes of a row itself: a repeated load
/// counts nothing as updated. Rows of other tables have no records that could be counted, and the
/// commit raises their versions (`LinkEnds`).
///
/// Nested objects are not included, because they may be rolled back with their record. If two of
/// them claim one object, it gets a new version in every run.
final class InverseChanges {
    struct Change {
        var primaryKey: Int64
        /// The object's entity, if known.
        var entityNumber: Int64?
        /// A hash of the old and new values.
        var difference: UInt64
    }

    private let ownTable: String
    /// The open transaction.
    var session: WriteSession
    // Unchecked: only one thread uses it at a time, and no access is nested in another.
    @exclusivity(unchecked) private(set) var changes: [Change] = []

    init(ownTable: String, _ session: WriteSession) {
        self.ownTable = ownTable
        self.session = session
    }

    /// Returns whether the load writes the table, so that changes of its rows are noted.
    func covers(_ table: String) -> Bool { table == ownTable }

    func note(_ primaryKey: Int64, entity: Int64? = nil, _ difference: UInt64) {
        changes.append(
            Change(primaryKey: primaryKey, entityNumber: entity, difference: difference))
    }

    func removeAll() {
        changes.removeAll(keepingCapacity: true)
    }
}

/// Hashes of one column's values; the hash of a change is the exclusive or of two values.
struct ColumnHash {
    private let start: KeyHash

    init(_ name: String) {
        var hash = KeyHash()
        for byte in name.utf8 { hash.combine(UInt64(byte)) }
        start = hash
    }

    func of(_ cell: BulkCell) -> UInt64 {
        var hash = start
        hash.combine(UInt64(cell.kind == .null ? 0 : 1))
        hash.combine(cell)
        return hash.value
    }

    /// Returns the hash of a change from one value to another.
    func change(from old: BulkCell, to new: BulkCell) -> UInt64 { of(old) ^ of(new) }
}

extension UInt64 {
    /// Returns the hash rotated for the relationship at an index.
    ///
    /// Equal links of two relationships must not cancel out, and rotation is compatible with
    /// exclusive or.
    func turned(_ place: Int) -> UInt64 {
        let turn = UInt64(place % 9 * 7 + 1)
        return self << turn | self >> (64 - turn)
    }
}
