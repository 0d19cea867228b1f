import GraphModel
import SQLite
import Synchronization
import Testing

@Suite("SQLite statements") struct StatementTests {
    private func connection() throws -> Connection {
        try Connection()
    }

    /// Returns SQLite's view of the only parameter: its type, and its bytes as hex.
    private func echo(_ bind: (Statement) -> Void) throws -> String {
        let statement = try connection().prepare(
            "SELECT typeof(?1) || ' ' || CASE typeof(?1) WHEN 'real' THEN ?1 ELSE"
                + " quote(CAST(?1 AS BLOB)) END")
        bind(statement)
        try #require(try statement.step())
        return statement.string(0)
    }

    @Test("a sort stops comparing when its flag is raised and returns no row")
    func stoppedSort() throws {
        let connection = try connection()
        let flag = InterruptFlag()
        let comparisons = Mutex(0)
        try connection.register(
            Collation("COUNTED") { left, right, watched in
                let count = comparisons.withLock { count in
                    count += 1
                    return count
                }
                if count == 3 { flag.raise() }
                #expect(watched === flag)
                return left.count - right.count
            })
        connection.watch(flag)
        let rows = try connection.prepare(
            "SELECT column1 FROM (VALUES ('a'), ('bb'), ('ccc'), ('dd'), ('e'), ('ff'), ('ggg'))"
                + " ORDER BY column1 COLLATE COUNTED")
        do {
            try rows.step()
            Issue.record("There is a row: \(rows.string(0))")
        } catch {
            #expect(error.code == .cancelled)
        }
        #expect(comparisons.withLock { $0 } == 3)
    }

    @Test func bindsEveryKind() throws {
        #expect(
            try echo { $0.bind(Int64.min, at: 1) }
                == "integer X'2D39323233333732303336383534373735383038'")
        #expect(try echo { $0.bind(0.5, at: 1) } == "real 0.5")
        #expect(try echo { $0.bind("é", at: 1) } == "text X'C3A9'")
        #expect(try echo { $0.bind([0, 255] as [UInt8], at: 1) } == "blob X'00FF'")
    }

    @Test func bindsNull() throws {
        let statement = try connection().prepare("SELECT ?1 IS NULL")
        statement.bindNull(at: 1)
        try statement.step()
        #expect(statement.integer(0) == 1)
    }

    @Test func bindsEmptyTextAndEmptyBlobsAsNonNull() throws {
        let empty = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        #expect(try echo { $0.bind("", at: 1) } == "text X''")
        #expect(try echo { $0.bind([] as [UInt8], at: 1) } == "blob X''")
        #expect(try echo { $0.bind(text: empty, at: 1) } == "text X''")
        #expect(try echo { $0.bind(blob: empty, at: 1) } == "blob X''")
    }

    @Test func keepsNULBytes() throws {
        #expect(try echo { $0.bind("a\0b", at: 1) } == "text X'610062'")
        let bytes: [UInt8] = [0x61, 0, 0x62, 0]
        try bytes.withUnsafeBufferPointer { buffer in
            let text = try echo { $0.bind(text: buffer, at: 1) }
            let blob = try echo { $0.bind(blob: buffer, at: 1) }
            #expect(text == "text X'61006200'")
            #expect(blob == "blob X'61006200'")
        }
    }

    @Test func readsBackEveryKindOfValue() throws {
        let connection = try connection()
        try connection.execute("CREATE TABLE t (a, b, c, d, e)")
        let insert = try connection.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?)")
        insert.bind(Int64.max, at: 1)
        insert.bind(-0.25, at: 2)
        insert.bind("x\0y", at: 3)
        insert.bind([1, 0, 2] as [UInt8], at: 4)
        insert.bindNull(at: 5)
        #expect(try insert.run() == 1)
        let select = try connection.prepare("SELECT * FROM t")
        try #require(try select.step())
        #expect(select.columnCount == 5)
        #expect((0..<5).map { select.storage($0) } == [.integer, .real, .text, .blob, .null])
        #expect(select.integer(0) == .max)
        #expect(select.double(1) == -0.25)
        #expect(select.string(2) == "x\0y")
        #expect(Array(select.bytes(3)) == [1, 0, 2])
        #expect(select.isNull(4))
        #expect(select.bytes(4).isEmpty)
        #expect(try !select.step())
    }

    @Test func copiesAColumnOfAnotherStatement() throws {
        let connection = try connection()
        let source = try connection.prepare("SELECT NULL, 7, 'a', x'00'")
        try #require(try source.step())
        let target = try connection.prepare(
            "SELECT quote(?1) || quote(?2) || quote(?3) || quote(?4)")
        for column in Int32(0)..<4 { target.bind(column: column, of: source, at: column + 1) }
        try #require(try target.step())
        #expect(target.string(0) == "NULL7'a'X'00'")
    }

    @Test func runsAgainWithTheBoundValues() throws {
        let connection = try connection()
        try connection.execute("CREATE TABLE t (a)")
        let insert = try connection.prepare("INSERT INTO t VALUES (?)")
        insert.bind("same", at: 1)
        try insert.run()
        try insert.run()
        #expect(try connection.integer("SELECT count(*) FROM t WHERE a = 'same'") == 2)
    }

    @Test func worksAgainAfterAConstraintFailed() throws {
        let connection = try connection()
        try connection.execute("CREATE TABLE t (a UNIQUE)")
        let insert = try connection.prepare("INSERT INTO t VALUES (?)")
        insert.bind(Int64(1), at: 1)
        try insert.run()
        #expect {
            try insert.run()
        } throws: {
            ($0 as? StoreError)?.isConstraint == true
        }
        insert.bind(Int64(2), at: 1)
        #expect(try insert.run() == 1)
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
    }
}
