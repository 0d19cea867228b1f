import GraphModel
package import SQLite

/// Reads the items of a to-many relationship, one owner at a time.
///
/// The keys of small destinations are kept in memory, sorted. If the owners then come in table
/// order, one scan of the join table serves all of them. Otherwise, each owner runs a query.
package final class ToManyReader {
    /// Whether one scan of the links in step with the owners replaces a query per owner.
    private let isWalk: Bool
    private let rows: Statement
    /// The keys of the destinations; `nil` if they are too many.
    private let keys: KnownKeys?
    // Only one thread accesses it, and never reentrantly.
    @exclusivity(unchecked) private var found: [Int32] = []
    /// The owner of the scan's current join row; `nil` before the first one.
    @exclusivity(unchecked) private var nextOwner: Int64?
    @exclusivity(unchecked) private var isDone = false

    /// Prepares the reading of a relationship.
    ///
    /// - Parameters:
    ///   - item: The path from a destination to its item; empty for the primary key.
    ///   - itemOrder: The paths by which unordered items are sorted.
    ///   - inTableOrder: Whether the owners come in the order of their table.
    package init(
        _ place: StoreLayout.ToManyPlace, item: [String], order itemOrder: [[String]],
        _ schema: StoreLayout, inTableOrder: Bool, on connection: Connection
    ) throws(StoreError) {
        let isOrdered: Bool
        let links: String
        let owner: String
        let destination: String
        let order: String?
        let entity = try schema.requiredEntity(named: place.relationship.destinationEntityName)
        switch place {
        case .joinTable(let join):
            isOrdered = join.orderColumn != nil && !join.isReflexive
            owner = "l.\(join.ownerColumn)"
            destination = "l.\(join.destinationColumn)"
            links = "\(join.pairs) l"
            order = isOrdered ? join.orderColumn.map { "l.\($0)" } : nil
        case .foreignKey(let key):
            isOrdered = key.orderColumn != nil
            owner = "l.\(key.column)"
            destination = "l.Z_PK"
            links = "\(key.table) l"
            order = key.orderColumn.map { "l.\($0)" }
        }
        var paths = KeyPathSQL(schema, entity, alias: "d", style: .joins)
        var items = SelectSQL("", from: "\(entity.table) d")
        items.columns = [SQLFragment(try paths.column(item))]
        for path in itemOrder { items.order.append(try paths.column(path)) }
        items.order.append("d.Z_PK")
        items.joins = paths.joins
        keys =
            try isOrdered
            ? nil
            : KnownKeys(items, of: entity.table, on: connection)
        var select = SelectSQL(destination, from: links, where: ["\(owner) = ?"])
        var isWalk = false
        if keys == nil {
            select.columns = items.columns
            select.joins = " JOIN \(entity.table) d ON d.Z_PK = \(destination)" + items.joins
            select.order = order.map { [$0, "d.Z_PK"] } ?? items.order
        } else if inTableOrder, case .joinTable = place {
            isWalk = true
            select = SelectSQL(
                "\(owner), \(destination)", from: links, order: [owner, destination])
        }
        self.isWalk = isWalk
        if case .joinTable(let join) = place { select.table.joinTables = schema.deferrable(join) }
        rows = try select.prepare(on: connection)
    }

    /// Adds an owner's items to a batch, which must not outlive this reader.
    ///
    /// - Returns: the cell of the list.
    package func list(of owner: Int64, in batch: RowBatch) throws(StoreError) -> BulkCell {
        let start = batch.beginList()
        guard let keys else {
            rows.bind(owner, at: 1)
            while try rows.step() {
                batch.addItem(batch.arena.copy(BulkCell(column: 0, of: rows)))
            }
            return batch.list(from: start)
        }
        found.removeAll(keepingCapacity: true)
        if isWalk {
            if nextOwner == nil { try walk() }
            while !isDone, let next = nextOwner, next <= owner {
                if next == owner, let rank = keys.rank(of: rows.integer(1)) { found.append(rank) }
                try walk()
            }
        } else {
            rows.bind(owner, at: 1)
            while try rows.step() {
                if let rank = keys.rank(of: rows.integer(0)) { found.append(rank) }
            }
        }
        if found.count > 1 { found.sort() }
        for rank in found { batch.addItem(keys.cell(at: rank)) }
        return batch.list(from: start)
    }

    /// Moves the scan to the next join row.
    private func walk() throws(StoreError) {
        isDone = try !rows.step()
        nextOwner = isDone ? .max : rows.integer(0)
    }
}

/// The sorted keys of a destination that has few objects.
private final class KnownKeys {
    private static let countMax = 100_000
    private static let bytesMax = 16 << 20

    private let keys: [BulkCell]
    private let rankByPrimaryKey: [Int32]
    /// The arena that holds the bytes of the keys.
    private let arena: ByteArena

    /// Reads the keys of all rows of a table; `nil` if they are too many for memory.
    ///
    /// - Parameter items: The sorted keys of the table with the alias `d`.
    init?(
        _ items: SelectSQL, of table: String, on connection: Connection
    ) throws(StoreError) {
        let largest = try connection.largestKey(in: table)
        guard largest >= 0, largest <= Self.countMax * 4,
            try connection.count("SELECT min(Z_PK) FROM \(table)") >= 0,
            try connection.count("SELECT count(*) FROM \(table)") <= Self.countMax
        else { return nil }
        var keys: [BulkCell] = []
        var rankByPrimaryKey = [Int32](repeating: -1, count: Int(largest) + 1)
        var arena = ByteArena()
        var items = items
        items.columns.insert(SQLFragment("d.Z_PK"), at: 0)
        let rows = try items.prepare(on: connection)
        while try rows.step() {
            let key = rows.integer(0)
            guard key >= 0, key <= largest, rankByPrimaryKey[Int(key)] < 0 else {
                throw StoreError(
                    .corrupt,
                    "An index of \(table) does not fit the rows of the table, at row \(key)")
            }
            rankByPrimaryKey[Int(key)] = Int32(keys.count)
            keys.append(arena.copy(BulkCell(column: 1, of: rows)))
            guard arena.byteCount <= Self.bytesMax else { return nil }
        }
        self.keys = keys
        self.rankByPrimaryKey = rankByPrimaryKey
        self.arena = arena
    }

    func rank(of primaryKey: Int64) -> Int32? {
        guard primaryKey >= 0, primaryKey < rankByPrimaryKey.count else { return nil }
        let rank = rankByPrimaryKey[Int(primaryKey)]
        return rank < 0 ? nil : rank
    }

    /// Returns a key, whose bytes are valid as long as this object exists.
    func cell(at rank: Int32) -> BulkCell { keys[Int(rank)] }
}
