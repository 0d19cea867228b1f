import Files
import SQLitePages
import TestSeeds

/// A random schema with random rows, which SQLite and the page writers write to different files.
struct RandomDatabase {
    struct Column {
        var name: String
        var declaration: String
        var affinity: NumberAffinity
    }

    struct Index {
        var name: String
        var columns: [Int]
        var descending: [Bool]
        /// Whether SQLite names the index for a constraint of the table.
        var isConstraint: Bool
        var isUnique: Bool
    }

    struct Table {
        var name: String
        var columns: [Column]
        var indexes: [Index]
        var rows: [(rowID: Int64, values: [Value])]
    }

    private static let declarations: [(String, NumberAffinity)] = [
        ("INTEGER", .numeric), ("FLOAT", .real), ("TIMESTAMP", .numeric), ("DECIMAL", .numeric),
        ("VARCHAR", .none), ("BLOB", .none),
    ]

    var tables: [Table] = []

    init(_ random: inout SeededGenerator, rowsMax: Int) {
        for number in 0...random.pick(3) {
            tables.append(Self.table("T\(number)", &random, rowsMax))
        }
    }

    // MARK: Random schemas

    private static func table(
        _ name: String, _ random: inout SeededGenerator, _ rowsMax: Int
    ) -> Table {
        let count = random.chance(5) ? 130 + random.pick(20) : random.pick(10)
        let columns = (0..<count).map { place in
            let (declaration, affinity) = random.pick(declarations)
            return Column(name: "C\(place)", declaration: declaration, affinity: affinity)
        }
        var table = Table(name: name, columns: columns, indexes: [], rows: [])
        guard !columns.isEmpty else {
            table.rows = rows(of: table, &random, rowsMax)
            return table
        }
        for number in 0..<random.pick(5) {
            let places = (0...random.pick(3)).map { _ in random.pick(columns.count) }
            let unique = places.reduce(into: [Int]()) { if !$0.contains($1) { $0.append($1) } }
            let isConstraint = number == 0 && random.chance(30)
            table.indexes.append(
                Index(
                    name: isConstraint ? "sqlite_autoindex_\(name)_1" : "\(name)_I\(number)",
                    columns: unique,
                    descending: unique.map { _ in !isConstraint && random.chance(20) },
                    isConstraint: isConstraint, isUnique: isConstraint || random.chance(20)))
        }
        table.rows = rows(of: table, &random, rowsMax)
        return table
    }

    var schema: String {
        var sql = ""
        for table in tables {
            var parts = ["Z_PK INTEGER PRIMARY KEY"]
            parts += table.columns.map { "\($0.name) \($0.declaration)" }
            for index in table.indexes where index.isConstraint {
                let names = index.columns.map { table.columns[$0].name }
                parts.append("UNIQUE (\(names.joined(separator: ", ")))")
            }
            sql += "CREATE TABLE \(table.name) (\(parts.joined(separator: ", ")));\n"
            for index in table.indexes where !index.isConstraint {
                let names = zip(index.columns, index.descending).map {
                    table.columns[$0].name + " COLLATE BINARY" + ($1 ? " DESC" : " ASC")
                }
                sql +=
                    "CREATE\(index.isUnique ? " UNIQUE" : "") INDEX \(index.name)"
                    + " ON \(table.name) (\(names.joined(separator: ", ")));\n"
            }
        }
        return sql
    }

    // MARK: Random rows

    private static func rows(
        of table: Table, _ random: inout SeededGenerator, _ rowsMax: Int
    ) -> [(rowID: Int64, values: [Value])] {
        let count = random.pick([0, 1, 2, 3, 40, rowsMax / 8, rowsMax])
        let length = random.pick([5, 40, 300, 3_000, 20_000])
        // The table has at most about 4 MB.
        let wanted = min(count, (4 << 20) / (max(1, table.columns.count) * (length + 40) / 3))
        var rowID: Int64 = random.pick([.min, -100, 0, 1, 1 << 33, 1 << 55])
        let step: Int64 = random.pick([1, 1, 3, 1 << 40])
        var seen: [Set<[Value]>] = table.indexes.map { _ in [] }
        var rows: [(rowID: Int64, values: [Value])] = []
        for _ in 0..<wanted {
            let values = table.columns.map { value(for: $0, &random, length, wanted) }
            let keys = table.indexes.map { index in
                index.columns.map { Self.comparable(values[$0], in: table.columns[$0]) }
            }
            let isTaken = zip(table.indexes, zip(keys, seen)).contains { index, key in
                index.isUnique && !key.0.contains(.null) && key.1.contains(key.0)
            }
            guard !isTaken else { continue }
            for place in keys.indices { seen[place].insert(keys[place]) }
            rows.append((rowID, values))
            let (next, isOver) = rowID.addingReportingOverflow(
                .random(in: 1...step, using: &random))
            guard !isOver else { break }
            rowID = next
        }
        return rows
    }

    /// Returns a value that is equal for values that an index regards as equal.
    private static func comparable(_ value: Value, in column: Column) -> Value {
        switch value {
        case .integer(let integer) where column.affinity == .real: .double(Double(integer))
        case .integer(let integer): Double(exactly: integer).map(Value.double) ?? value
        case .real(let bits) where Double(bitPattern: bits) == 0: .real(0)
        default: value
        }
    }

    private static let integers: [Int64] = [
        0, 1, -1, 2, 127, 128, -128, -129, 32_767, 32_768, -32_769, 8_388_607, 8_388_608,
        -8_388_609, 2_147_483_647, 2_147_483_648, -2_147_483_649, 140_737_488_355_327,
        140_737_488_355_328, -140_737_488_355_329, 1 << 53, (1 << 53) + 1, .max, .max - 1, .min,
        .min + 1,
    ]
    private static let reals: [Double] = [
        0, -0.0, 1, -1, 0.5, 1e15, 140_737_488_355_328, 140_737_488_355_327, -1e18, 9e18, 1e19,
        0x1p53, 0x1p63, -0x1p63, .infinity, -.infinity, .leastNonzeroMagnitude,
        1.7976931348623157e308, 1e300,
    ]

    private static func value(
        for column: Column, _ random: inout SeededGenerator, _ length: Int, _ spread: Int
    ) -> Value {
        if random.chance(10) { return .null }
        switch column.declaration {
        case "VARCHAR": return text(&random, length)
        case "BLOB":
            return random.chance(70)
                ? .blob(bytes(&random, length)) : number(&random, spread)
        default:
            if random.chance(3) { return text(&random, 20) }
            if random.chance(3) { return .blob(bytes(&random, 20)) }
            return number(&random, spread)
        }
    }

    private static func number(_ random: inout SeededGenerator, _ spread: Int) -> Value {
        switch random.pick(6) {
        case 0: .integer(random.pick(integers))
        case 1: .double(random.pick(reals))
        case 2: .double(Double(random.pick(1_000_000)) / 8)
        case 3: .double(Double.random(in: -1e9...1e9, using: &random))
        case 4: .integer(Int64(bitPattern: random.next()) >> Int64(random.pick(64)))
        default: .integer(Int64(random.pick(max(1, spread))))
        }
    }

    private static func text(_ random: inout SeededGenerator, _ length: Int) -> Value {
        // No text that looks like a number.
        let start = random.pick(["t", "Call the ", "Category 1", "é", "tag-\u{0}"])
        let count = random.chance(5) ? 0 : random.pick(length)
        return .text(
            Array(start.utf8) + (0..<count).map { _ in UInt8(97 + random.pick(4)) })
    }

    private static func bytes(_ random: inout SeededGenerator, _ length: Int) -> [UInt8] {
        (0..<random.pick(length)).map { _ in UInt8(random.pick(random.chance(50) ? 2 : 256)) }
    }
}

extension RandomDatabase {
    /// Creates a file with the schema.
    func create(at path: String) throws -> Database {
        let database = try Database(path)
        try database.execute("PRAGMA page_size = 4096; PRAGMA auto_vacuum = 2; \(schema)")
        return database
    }

    /// Fills a file by INSERT statements.
    func insert(into database: Database) throws {
        try database.execute("BEGIN")
        for table in tables {
            let marks = Array(repeating: "?", count: table.columns.count + 1)
            try database.rows(
                "INSERT INTO \(table.name) VALUES (\(marks.joined(separator: ", ")))",
                table.rows.map { [.integer($0.rowID)] + $0.values })
        }
        try database.execute("COMMIT")
    }

    /// Returns the keys of all indexes of a table, with the row ID as an additional column, in the
    /// order of the rows.
    func keys(of table: Table) -> [[UInt8]] {
        var encoder = RecordEncoder()
        var keys: [[UInt8]] = []
        for row in table.rows {
            for index in table.indexes {
                encoder.begin(columns: index.columns.count + 2)
                for place in index.columns {
                    encoder.add(row.values[place], as: table.columns[place].affinity)
                }
                encoder.add(row.rowID)
                encoder.add(row.rowID)
                keys.append(Array(encoder.finish()))
            }
        }
        return keys
    }

    /// Returns the root page of each table and index by name.
    func roots(of database: Database) throws -> [String: UInt32] {
        let rows = try database.rows("SELECT name, rootpage FROM sqlite_master")
        return rows.reduce(into: [:]) { roots, row in
            guard case .text(let name) = row[0], case .integer(let root) = row[1] else { return }
            roots[String(decoding: name, as: UTF8.self)] = UInt32(root)
        }
    }

    /// Fills a file by writing its pages.
    func write(
        _ tables: [Table], to file: PageAppender, roots: [String: UInt32], spill: KeySpill,
        memoryBytes: Int
    ) throws {
        var encoder = RecordEncoder()
        for table in tables {
            let tree = TableTree(root: roots[table.name] ?? 0, in: file)
            for row in table.rows {
                encoder.begin(columns: table.columns.count + 1)
                encoder.addNull()
                for (column, value) in zip(table.columns, row.values) {
                    encoder.add(value, as: column.affinity)
                }
                try tree.add(rowID: row.rowID, encoder.finish())
            }
            try tree.finish()
            for index in table.indexes {
                let sorter = KeySorter(
                    KeyOrder(descending: index.descending), isUnique: index.isUnique,
                    spill: spill, memoryBytes: memoryBytes)
                for row in table.rows {
                    encoder.begin(columns: index.columns.count + 1)
                    for place in index.columns {
                        encoder.add(row.values[place], as: table.columns[place].affinity)
                    }
                    encoder.add(row.rowID)
                    try sorter.add(encoder.finish())
                }
                let tree = IndexTree(root: roots[index.name] ?? 0, in: file)
                try sorter.forEach { key throws(PageFault) in try tree.add(key) }
                try tree.finish()
            }
        }
    }
}

extension RecordEncoder {
    mutating func add(_ value: Value, as affinity: NumberAffinity) {
        switch value {
        case .null: addNull()
        case .integer(let value): add(value, as: affinity)
        case .real(let bits): add(Double(bitPattern: bits), as: affinity)
        case .text(let bytes): bytes.withUnsafeBytes { add(text: $0) }
        case .blob(let bytes): bytes.withUnsafeBytes { add(blob: $0) }
        }
    }
}
