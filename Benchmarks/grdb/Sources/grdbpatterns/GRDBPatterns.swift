import GRDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The steps of `microbenchmarks patterns FOLDER COUNT`, written with GRDB.
struct Owner: Codable, FetchableRecord, MutablePersistableRecord {
    static let rows = hasMany(Row.self)
    var id: Int64?
    var name: String?

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// A row with a unique key.
struct Row: Codable, FetchableRecord, MutablePersistableRecord {
    static let owner = belongsTo(Owner.self)
    var id: Int64?
    var key: String
    var a: String?
    var b: Int?
    var c: Double?
    var ownerId: Int64?

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// The columns that an upsert sets.
struct RowChange: Codable, PersistableRecord {
    static let databaseTableName = "row"
    var key: String
    var a: String
    var b: Int
}

@main enum GRDBPatterns {
    static func main() throws {
        let words = CommandLine.arguments
        guard words.count == 3, let count = Int(words[2]) else {
            print("usage: grdbpatterns FOLDER COUNT")
            exit(64)
        }
        let folder = words[1]
        try time("find-or-create") { try findOrCreate(count, in: pool("\(folder)/found.db")) }
        try time("find-or-create, 10 x") {
            try findOrCreate(count * 10, in: pool("\(folder)/found-10.db"))
        }
        let full = try pool("\(folder)/full.db")
        try time("insert") { try fill(count, full) }
        try time("fetch") { try readAll(of: full, count) }
        try time("to-one of each") { try readOwners(of: full, count) }
        try time("update all") { try updateAll(of: full) }
        try time("upsert by constraint") { try upsert(count, in: full) }
        try time("N+1 over a to-many") { try readLists(of: full, count) }
    }

    private static func pool(_ path: String) throws -> DatabasePool {
        let pool = try DatabasePool(path: path)
        try pool.write { db in
            try db.create(table: "owner") { table in
                table.autoIncrementedPrimaryKey("id")
                table.column("name", .text)
            }
            try db.create(table: "row") { table in
                table.autoIncrementedPrimaryKey("id")
                table.column("key", .text).notNull().unique()
                table.column("a", .text)
                table.column("b", .integer)
                table.column("c", .double)
                table.column("ownerId", .integer).indexed().references("owner")
            }
        }
        return pool
    }

    private static func time(_ name: String, _ body: () throws -> Void) rethrows {
        let start = cpuSeconds()
        try body()
        print("\(name)\t\(cpuSeconds() - start)")
    }

    private static func cpuSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func findOrCreate(_ count: Int, in pool: DatabasePool) throws {
        try pool.write { db in
            for number in 0..<count {
                let key = "key \(number % (count / 2))"
                let found = try Row.filter(Column("key") == key).fetchOne(db)
                var row = found ?? Row(key: key)
                row.a = "some text"
                row.b = number
                row.c = 1.5
                try row.save(db)
            }
        }
    }

    private static func fill(_ count: Int, _ pool: DatabasePool) throws {
        try pool.write { db in
            var owner = Owner()
            for number in 0..<count {
                if number % 10 == 0 {
                    owner = Owner(name: "some name")
                    try owner.insert(db)
                }
                var row = Row(key: "key \(number)", a: "old text", b: 1, c: 0.5, ownerId: owner.id)
                try row.insert(db)
            }
        }
    }

    private static func readAll(of pool: DatabasePool, _ count: Int) throws {
        let sum = try pool.read { db in
            var sum = 0
            for row in try Row.fetchAll(db) where row.a == "old text" { sum += row.b ?? 0 }
            return sum
        }
        precondition(sum == count, "the sum is \(sum)")
    }

    private static func readOwners(of pool: DatabasePool, _ count: Int) throws {
        let sum = try pool.read { db in
            var sum = 0
            for row in try Row.fetchAll(db) {
                sum += try row.request(for: Row.owner).fetchOne(db)?.name?.utf8.count ?? 0
            }
            return sum
        }
        precondition(sum == count * 9, "the sum is \(sum)")
    }

    private static func updateAll(of pool: DatabasePool) throws {
        try pool.write { db in
            for var row in try Row.fetchAll(db) {
                row.a = "a text"
                row.b = (row.b ?? 0) + 1
                try row.update(db)
            }
        }
    }

    private static func upsert(_ count: Int, in pool: DatabasePool) throws {
        try pool.write { db in
            for number in 0..<count {
                try RowChange(key: "key \(number)", a: "new text", b: number).upsert(db)
            }
        }
    }

    private static func readLists(of pool: DatabasePool, _ count: Int) throws {
        let sum = try pool.read { db in
            var sum = 0
            for owner in try Owner.fetchAll(db) {
                for row in try owner.request(for: Owner.rows).fetchAll(db) { sum += row.b ?? 0 }
            }
            return sum
        }
        precondition(sum == count * (count - 1) / 2, "the sum is \(sum)")
    }
}
