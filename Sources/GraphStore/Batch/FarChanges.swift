import GraphModel

/// What the record at hand changed in rows that are not its own: the far end of a one-to-one, the
/// objects of a to-many, and whoever had them before.
///
/// Two records may claim one object. The later one wins, this time as the last time, and in the
/// end every row is what it was. So these changes are summed up as a row's own are, and a load
/// that is repeated counts nothing as updated and leaves every version.
///
/// Objects that stand inside records are left out: whether they are kept is known only with the
/// record, so that two of them which claim one object get a new version each time.
final class FarChanges {
    struct Change {
        /// The table's number among `tables`; nil for the table that the load writes.
        var table: Int?
        var primaryKey: Int64
        /// The object's entity, where it is known.
        var entityNumber: Int64?
        /// A hash of what went and what came.
        var difference: UInt64
    }

    private let ownTable: String
    /// The open transaction.
    var session: WriteSession
    /// The other tables that the load's links write.
    private(set) var tables: [String] = []
    // As in `BulkWriter`.
    @exclusivity(unchecked) private(set) var changes: [Change] = []

    init(ownTable: String, _ session: WriteSession) {
        self.ownTable = ownTable
        self.session = session
    }

    /// The table's number; nil for the table that the load writes.
    func number(of table: String) -> Int? {
        guard table != ownTable else { return nil }
        if let number = tables.firstIndex(of: table) { return number }
        tables.append(table)
        return tables.count - 1
    }

    func note(
        _ primaryKey: Int64, entity: Int64? = nil, in table: Int?, _ difference: UInt64
    ) {
        changes.append(
            Change(
                table: table, primaryKey: primaryKey, entityNumber: entity, difference: difference)
        )
    }

    func removeAll() {
        changes.removeAll(keepingCapacity: true)
    }
}

/// Hashes of one column's values, of which changes are made by exclusive or.
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

    /// The change from one value to another.
    func change(from old: BulkCell, to new: BulkCell) -> UInt64 { of(old) ^ of(new) }
}

extension UInt64 {
    /// The hash as one of the relationship at that place: equal links of two relationships must
    /// not cancel out, and turning the bits keeps exclusive ors.
    func turned(_ place: Int) -> UInt64 {
        let turn = UInt64(place % 9 * 7 + 1)
        return self << turn | self >> (64 - turn)
    }
}
