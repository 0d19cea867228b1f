import GraphModel
import SQLite

/// Reads the items of a to-many relationship, owner by owner.
///
/// Items of small destinations are kept in memory in the order of their keys; then, where owners
/// come in the order of their table, one walk over the links serves all of them. Otherwise each
/// owner asks for its own.
final class ToManyReader {
    private enum Mode {
        /// Asks for the sorted keys.
        case query(Statement)
        /// Asks for destinations, whose keys are known.
        case lookup(Statement, KnownKeys)
        /// Walks along with the owners.
        case merge(Statement, KnownKeys)
    }

    private let mode: Mode
    // Reached by one thread, and never from inside its own use.
    @exclusivity(unchecked) private var found: [Int32] = []
    @exclusivity(unchecked) private var hasRow = false
    private var hasStarted = false

    init(
        _ place: StoreSchema.ToManyPlace, keyColumn: String, _ schema: StoreSchema,
        inTableOrder: Bool, on connection: Connection
    ) throws(SQLiteError) {
        let isOrdered: Bool
        let links: String
        let owner: String
        let destination: String
        let order: String?
        let table: String
        switch place {
        case .joinTable(let join):
            isOrdered = join.orderColumn != nil && !join.isReflexive
            owner = "l.\(join.ownerColumn)"
            destination = "l.\(join.destinationColumn)"
            links = "\(join.pairs) l"
            order = isOrdered ? join.orderColumn.map { "l.\($0)" } : nil
            table =
                schema.entity(named: join.relationship.destinationEntityName)?.table ?? join.table
        case .foreignKey(let key):
            isOrdered = key.orderColumn != nil
            owner = "l.\(key.column)"
            destination = "l.Z_PK"
            links = "\(key.table) l"
            order = key.orderColumn.map { "l.\($0)" }
            table = key.table
        }
        if !isOrdered,
            let keys = try KnownKeys(table: table, keyColumn: keyColumn, on: connection)
        {
            if inTableOrder, case .joinTable = place {
                mode = .merge(
                    try connection.prepare(
                        "SELECT \(owner), \(destination) FROM \(links)"
                            + " ORDER BY \(owner), \(destination)"), keys)
            } else {
                mode = .lookup(
                    try connection.prepare(
                        "SELECT \(destination) FROM \(links) WHERE \(owner) = ?"), keys)
            }
        } else {
            mode = .query(
                try connection.prepare(
                    "SELECT d.\(keyColumn) FROM \(links) JOIN \(table) d"
                        + " ON d.Z_PK = \(destination) WHERE \(owner) = ?"
                        + " ORDER BY \(order ?? "d.\(keyColumn)"), d.Z_PK"))
        }
    }

    func forEachItem(of owner: Int64, _ body: (BulkCell) throws -> Void) throws {
        switch mode {
        case .query(let rows):
            rows.bind(owner, at: 1)
            while try rows.step() { try body(BulkCell(column: 0, of: rows)) }
        case .lookup(let rows, let keys):
            found.removeAll(keepingCapacity: true)
            rows.bind(owner, at: 1)
            while try rows.step() {
                if let rank = keys.rank(of: rows.integer(0)) { found.append(rank) }
            }
            try report(keys, body)
        case .merge(let rows, let keys):
            found.removeAll(keepingCapacity: true)
            if !hasStarted {
                hasStarted = true
                hasRow = try rows.step()
            }
            while hasRow, rows.integer(0) < owner { hasRow = try rows.step() }
            while hasRow, rows.integer(0) == owner {
                if let rank = keys.rank(of: rows.integer(1)) { found.append(rank) }
                hasRow = try rows.step()
            }
            try report(keys, body)
        }
    }

    private func report(_ keys: KnownKeys, _ body: (BulkCell) throws -> Void) throws {
        if found.count > 1 { found.sort() }
        for rank in found { try keys.withCell(at: rank, body) }
    }
}

/// The keys of a destination that has few objects, in their order.
private struct KnownKeys {
    private static let countMax = 100_000
    private static let bytesMax = 16 << 20

    private struct Key {
        var kind: BulkCell.Kind
        var number: Int64
        var real: Double
        var start: Int
        var count: Int
    }

    private var keys: [Key] = []
    private var bytes: [UInt8] = []
    private var rankByPrimaryKey: [Int32] = []

    /// Nil where they are too many for memory.
    init?(table: String, keyColumn: String, on connection: Connection) throws(SQLiteError) {
        let largest = try connection.integer("SELECT max(Z_PK) FROM \(table)") ?? 0
        guard largest >= 0, largest <= Self.countMax * 4,
            try connection.integer("SELECT min(Z_PK) FROM \(table)") ?? 0 >= 0,
            try connection.integer("SELECT count(*) FROM \(table)") ?? 0 <= Self.countMax
        else { return nil }
        rankByPrimaryKey = Array(repeating: -1, count: Int(largest) + 1)
        let rows = try connection.prepare(
            "SELECT Z_PK, \(keyColumn) FROM \(table) ORDER BY \(keyColumn), Z_PK")
        while try rows.step() {
            rankByPrimaryKey[Int(rows.integer(0))] = Int32(keys.count)
            let cell = BulkCell(column: 1, of: rows)
            var key = Key(kind: cell.kind, number: 0, real: 0, start: bytes.count, count: 0)
            switch cell.kind {
            case .text, .blob:
                bytes.append(contentsOf: cell.bytes)
                key.count = cell.bytes.count
            case .integer: key.number = cell.integerValue
            case .real: key.real = cell.realValue
            case .null, .absent, .list: break
            }
            keys.append(key)
            guard bytes.count <= Self.bytesMax else { return nil }
        }
    }

    func rank(of primaryKey: Int64) -> Int32? {
        guard primaryKey >= 0, primaryKey < rankByPrimaryKey.count else { return nil }
        let rank = rankByPrimaryKey[Int(primaryKey)]
        return rank < 0 ? nil : rank
    }

    func withCell(at rank: Int32, _ body: (BulkCell) throws -> Void) rethrows {
        let key = keys[Int(rank)]
        switch key.kind {
        case .integer: try body(.integer(key.number))
        case .real: try body(.real(key.real))
        case .text, .blob:
            try bytes.withUnsafeBufferPointer { all in
                let slice = UnsafeBufferPointer(rebasing: all[key.start..<(key.start + key.count)])
                try body(key.kind == .text ? .text(slice) : .blob(slice))
            }
        case .null, .absent, .list: try body(.null)
        }
    }
}
