import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Store options") struct StoreOptionTests {
    private let plain = "A: { attributes: { x: String }, unique: [[x]] }"
    private let plan = BulkPlan(entity: "A", key: ["x"], attributes: ["x"])

    private func open(
        _ path: String, _ options: StoreOptions, _ opening: StoreOpening = .create
    ) throws -> PersistentStore {
        try PersistentStore.open(
            [.sqlite(at: path, opening: opening, options: options)], model: model(plain))
    }

    /// Returns the content of every file in a folder.
    private func contents(_ folder: String) throws -> [String: Data] {
        var found: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            found[name] = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
        }
        return found
    }

    @Test(
        "row 21: each preset sets the journal, sync, cache, and checkpoint pragmas",
        arguments: [
            (StoreOptions.durable, "wal 2 0 -64000 1000"),
            (.balanced, "wal 1 0 -64000 1000"), (.bulk, "wal 1 2 -64000 4000"),
        ])
    func setsPresets(options: StoreOptions, expected: String) throws {
        let folder = try TemporaryFolder()
        let connection = try open(folder.file("a.sqlite"), options).connection
        let found = try [
            "journal_mode", "synchronous", "secure_delete", "cache_size", "wal_autocheckpoint",
        ].map { try connection.text("PRAGMA \($0)") ?? "-" }
        #expect(found.joined(separator: " ") == expected)
    }

    @Test("row 21: options set a journal mode, a busy timeout, and valid pragmas")
    func setsEverythingElse() throws {
        let folder = try TemporaryFolder()
        var options = StoreOptions()
        options.journalMode = .delete
        options.busyTimeoutMilliseconds = 7
        options.pragmas = ["mmap_size": "65536", "cell_size_check": "1"]
        let path = folder.file("a.sqlite")
        let connection = try open(path, options).connection
        #expect(try connection.text("PRAGMA journal_mode") == "delete")
        #expect(try connection.integer("PRAGMA busy_timeout") == 7)
        #expect(try connection.integer("PRAGMA mmap_size") == 65536)
        #expect(try connection.integer("PRAGMA cell_size_check") == 1)
        options.pragmas = ["mmap_size": "1; DROP TABLE ZA"]
        #expect(storeError { _ = try open(path, options) }?.code == .invalidRequest)
    }

    @Test(
        "a negative history retention is an error, and creates no store",
        arguments: [HistoryOptions.Retention.days(-1), .transactions(-1)])
    func negativeRetention(_ retention: HistoryOptions.Retention) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.sqlite")
        var options = StoreOptions()
        options.history = HistoryOptions(keeping: retention)
        let error = storeError { _ = try open(path, options) }
        #expect(error?.code == .invalidRequest)
        #expect(
            error?.message == "The history retention \(retention) is negative; use 0 or more, or"
                + " `HistoryOptions.off` to keep no history")
        #expect(try contents(folder.path).isEmpty)
        // Zero is the smallest valid number.
        options.history = HistoryOptions(keeping: .days(0))
        _ = try open(path, options)
    }

    @Test("options are equal if their migrations and the rules of their waits are")
    func equality() throws {
        var plain = StoreOptions()
        plain.migration = .automatic
        var same = StoreOptions()
        same.migration = .automatic
        var waiting = plain
        waiting.lockPatience = LockPatience { _ in true }
        var other = plain
        other.lockPatience = LockPatience { _ in true }
        var through = plain
        through.migration = .automatic(through: ModelHistory([try model(self.plain)]))
        #expect(plain == same && plain.hashValue == same.hashValue)
        #expect(Set([plain, same, waiting, waiting, other, through, through]).count == 4)
    }

    @Test("row 21: a store keeps its journal mode unless the options set another")
    func changesTheJournal() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.sqlite")
        var options = StoreOptions()
        options.journalMode = .delete
        _ = try open(path, options)
        #expect(try open(path, StoreOptions()).connection.text("PRAGMA journal_mode") == "delete")
        options.journalMode = .writeAheadLog
        #expect(try open(path, options).connection.text("PRAGMA journal_mode") == "wal")
    }

    @Test("row 24: a store's files get the permissions in the options", arguments: [0o600, 0o640])
    func setsPermissions(mode: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.sqlite")
        var options = StoreOptions()
        options.filePermissions = UInt16(mode)
        let container = try PersistentContainer(
            model: model(plain), .sqlite(at: path, opening: .create, options: options))
        try container.load(plan, [["a"]])
        for name in ["a.sqlite", "a.sqlite-wal", "a.sqlite-shm"] {
            let found = try FileManager.default.attributesOfItem(atPath: folder.file(name))
            #expect(found[.posixPermissions] as? Int == mode, "\(name)")
        }
    }

    @Test("row 21: a read-only container rejects changes and leaves the file unchanged")
    func readsOnly() throws {
        let store = try TestStore(plain)
        try store.container.load(plan, [["a"], ["b"]])
        try store.container.checkpoint()
        let file = try Data(contentsOf: URL(fileURLWithPath: store.path))
        var options = StoreOptions()
        options.isReadOnly = true
        let reading = try PersistentContainer(
            model: nil, .sqlite(at: store.path, options: options))
        #expect(try reading.newReader().integer("SELECT count(*) FROM ZA") == 2)
        let context = reading.newContext()
        let error = storeError { _ = try context.execute(BatchDeleteRequest(entityName: "A")) }
        #expect(error?.code == .permission)
        #expect(error?.message == "\(store.path) is open for reading only")
        #expect(storeError { _ = try reading.truncateAll() }?.code == .permission)
        try reading.checkpoint()
        try reading.buildPendingIndexes()
        #expect(try Data(contentsOf: URL(fileURLWithPath: store.path)) == file)
        // Other containers' saves are visible.
        try store.container.load(plan, [["c"]])
        #expect(try reading.newReader().integer("SELECT count(*) FROM ZA") == 3)
        let missing = store.folder.file("missing.sqlite")
        #expect(
            storeError {
                _ = try PersistentContainer(
                    model: model(plain), .sqlite(at: missing, opening: .create, options: options))
            }?.code == .missing)
    }

    @Test("a container that is open for reading only compares its store with another one")
    func comparesReadOnly() throws {
        let entities = """
            A: { attributes: { x: String, y: Integer 16 }, unique: [[x]] }
            Mark: { attributes: { note: { type: String, transient: true } } }
            """
        let folder = try TemporaryFolder()
        let stores = [
            (name: "new", values: [("a", 1), ("b", 2)], marks: 2),
            (name: "old", values: [("a", 5), ("c", 2)], marks: 1),
        ]
        for store in stores {
            let context = try PersistentContainer(
                model: model(entities), at: folder.file(store.name), opening: .create
            ).newContext()
            for (x, y) in store.values {
                let object = try context.insert("A")
                object[.string("x")] = x
                object[.integer("y")] = y
            }
            for _ in 0..<store.marks { _ = try context.insert("Mark") }
            try context.save()
        }
        var options = StoreOptions()
        options.isReadOnly = true
        let reading = try PersistentContainer(
            model: nil, .sqlite(at: folder.file("new"), options: options))
        let found = try reading.difference(from: folder.file("old"), by: .uniqueness)
        #expect(
            found.entities == [
                StoreDifference.Entity(
                    name: "A", inserted: 1, updated: 1, deleted: 1, properties: ["y": 1]),
                StoreDifference.Entity(name: "Mark", inserted: 1),
            ])
    }

    @Test("row 21: an immutable store is read without creating another file")
    func readsWithoutATrace() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("odd ?&#%\t name.sqlite")
        do {
            let container = try PersistentContainer(
                model: model(plain), at: path, opening: .create)
            try container.load(plan, [["a"]])
        }
        let before = try contents(folder.path)
        #expect(before.count == 1)
        var options = StoreOptions()
        options.isImmutable = true
        let reading = try PersistentContainer(model: nil, .sqlite(at: path, options: options))
        #expect(try reading.newReader().integer("SELECT count(*) FROM ZA") == 1)
        #expect(
            storeError { _ = try reading.newContext().bulkWriter(for: plan) }?.code == .permission)
        #expect(try contents(folder.path) == before)
    }

    @Test("opening an immutable store whose content is in its log reports the log")
    func immutableWithALog() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.sqlite")
        var options = StoreOptions()
        options.checkpointPages = 0
        let container = try PersistentContainer(
            model: model(plain), .sqlite(at: path, opening: .create, options: options))
        var reading = StoreOptions()
        reading.isImmutable = true
        let error = storeError {
            _ = try PersistentContainer(model: nil, .sqlite(at: path, options: reading))
        }
        #expect(error?.code == .notAStore)
        #expect(
            error?.message == "\(path) is not complete without its log \(path)-wal, which"
                + " `isImmutable` does not read; open it for writing and call `checkpoint()`, or open"
                + " it with `isReadOnly`")
        try container.checkpoint()
        _ = try PersistentContainer(model: nil, .sqlite(at: path, options: reading))
    }

    @Test(
        "row 21: reading a store in a read-only folder creates no other file",
        .enabled(if: geteuid() != 0, "permissions do not bind root"))
    func readsInAReadOnlyFolder() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.sqlite")
        do {
            let container = try PersistentContainer(
                model: model(plain), at: path, opening: .create)
            try container.load(plan, [["a"]])
        }
        let before = try contents(folder.path)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o555], ofItemAtPath: folder.path)
        defer {
            try? FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: folder.path)
        }
        var options = StoreOptions()
        options.isReadOnly = true
        let reading = try PersistentContainer(model: nil, .sqlite(at: path, options: options))
        #expect(try reading.newReader().integer("SELECT count(*) FROM ZA") == 1)
        _ = try PersistentContainer.metadata(at: path)
        #expect(try contents(folder.path) == before)
    }

    @Test("row 124: the log level decides how much of each SQL statement is logged")
    func logsStatements() throws {
        #expect(StatementLog(nil)?.level == nil)
        #expect(StatementLog("0")?.level == nil)
        #expect(StatementLog("x")?.level == nil)
        var found: [[String]] = []
        for level in 1...4 {
            let told = LockedBox<[String]>([])
            let log = StatementLog("\(level)") { line in told.change { $0.append(line) } }
            #expect(log?.level == level)
            let connection = try Connection()
            log?.attach(to: connection)
            try connection.execute("CREATE TABLE t (a)")
            let insert = try connection.prepare("INSERT INTO t VALUES (?)")
            insert.bind("x", at: 1)
            try insert.run()
            found.append(
                told.value.map { $0.replacing(/[0-9.e-]+ ms/, with: "_ ms") })
        }
        #expect(
            found[0] == ["sql: _ ms: CREATE TABLE t (a)", "sql: _ ms: INSERT INTO t VALUES (?)"])
        #expect(found[1].last == "sql: _ ms: INSERT INTO t VALUES ('x')")
        #expect(
            found[2].last
                == "sql: _ ms: INSERT INTO t VALUES ('x') [1 rows changed, file::memory:]")
        #expect(found[3].last == found[2].last)
        let connection = try Connection()
        try connection.execute("CREATE TABLE t (a); CREATE INDEX i ON t (a)")
        let told = LockedBox<[String]>([])
        StatementLog("4") { line in told.change { $0.append(line) } }?.attach(to: connection)
        _ = try connection.integer("SELECT 1 FROM t WHERE a = 5")
        #expect(
            told.value.first == "sql:   SEARCH t USING COVERING INDEX i (a=?)")
    }
}
