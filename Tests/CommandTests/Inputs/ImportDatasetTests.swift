import Foundation
import TestSeeds
import Testing

/// Public data sets, which are not in this repository.
enum Datasets {
    static let root = Repository.path("../shared/specimens/datasets")
    static let areThere = FileManager.default.fileExists(atPath: root)
}

/// Unmodified public data sets, each imported twice.
@Suite(
    "etl import of data sets",
    .enabled(if: Datasets.areThere, "../shared/specimens/datasets is absent"))
struct ImportDatasetTests {
    private static let sets = [
        "chinook/csv", "northwind/csv", "jsonplaceholder",
    ]

    @Test(arguments: sets) func aSecondImportChangesNothing(of set: String) throws {
        let folder = try TemporaryFolder()
        let source = "\(Datasets.root)/\(set)"
        let names = try FileManager.default.contentsOfDirectory(atPath: source).sorted().filter {
            // `data.json` of jsonplaceholder contains the same data as the other files.
            ($0.hasSuffix(".csv") || $0.hasSuffix(".json")) && $0 != "data.json"
        }
        #expect(names.count >= 6)
        let files = names.map { "\(source)/\($0)" }
        func importAll() throws -> ToolResult {
            try Tool.etl(["import", "-v"] + files + ["--into", "all.sqlite"], in: folder.path)
        }
        let first = try importAll()
        #expect(first.status == 0 && first.standardError == "", "\(first)")
        let store = "\(folder.path)/all.sqlite"
        let dump = try StoreDump.text(of: store)
        let second = try importAll()
        #expect(second.status == 0 && second.standardError == "", "\(second)")
        #expect(try StoreDump.text(of: store) == dump)
        let summary = second.standardOutput.split(separator: "\n").last ?? ""
        #expect(!summary.contains("inserted") && !summary.contains("updated"), "\(summary)")
    }
}

/// Imports that are killed at a random moment and repeated.
///
/// `ETL_KILLS=300` sets how many are killed.
@Suite("Killed etl import", .serialized, .tags(.slow)) struct ImportKillTests {
    @Test func aRepeatedImportCompletesAKilledOne() throws {
        let folder = try TemporaryFolder()
        try Self.writeTables(in: folder.path)
        func importAll(_ store: String, killedAfter seconds: Double?) throws -> ToolResult {
            let command = [
                Tool.etlPath, "import", "People.csv", "Task.csv", "--into", store, "--add-columns",
            ]
            guard let seconds else {
                return try Tool.run(command[0], Array(command.dropFirst()), in: folder.path)
            }
            return try Tool.run(
                "timeout", ["-s", "KILL", "\(seconds)"] + command, in: folder.path)
        }
        // A store whose model lacks a column and an entity, so the import starts with a migration.
        try Data("id,title\n1,first\n".utf8).write(
            to: URL(fileURLWithPath: "\(folder.path)/Task0.csv"))
        func makeOld(_ store: String) throws {
            let made = try Tool.etl(
                ["import", "Task0.csv", "--entity", "Task", "--into", store], in: folder.path)
            #expect(made.status == 0, "\(made)")
        }
        try makeOld("whole.sqlite")
        let clock = ContinuousClock()
        let start = clock.now
        let whole = try importAll("whole.sqlite", killedAfter: nil)
        let took = start.duration(to: clock.now) / .seconds(1)
        #expect(whole.status == 0, "\(whole)")
        let expected = try StoreDump.text(of: "\(folder.path)/whole.sqlite")
        let seed = TestSeed.ofThisRun
        var random = SeededGenerator(seed: seed)
        let wanted = ProcessInfo.processInfo.environment["ETL_KILLS"].flatMap { Int($0) } ?? 6
        var killed = 0
        var number = 0
        while killed < wanted, number < wanted * 4 {
            number += 1
            let store = "killed\(number).sqlite"
            try makeOld(store)
            while true {
                let seconds = took * Double.random(in: 0.05...1.1, using: &random)
                let result = try importAll(store, killedAfter: seconds)
                guard result.status != 0 else { break }
                #expect(result.status == 137 || result.status == 9, "\(result)")
                killed += 1
            }
            #expect(
                try StoreDump.text(of: "\(folder.path)/\(store)") == expected,
                "ETL_TEST_SEED=\(seed), store \(number)")
        }
        #expect(killed >= wanted)
    }

    private static func writeTables(in folder: String) throws {
        var people = "id,name\n"
        var tasks = "id,title,size,people_id\n"
        for number in 0..<2_000 { people += "\(number),p\(number)\n" }
        for number in 0..<30_000 {
            tasks += "\(number * 7919 % 30_000),t\(number),\(number % 100),\(number % 2_000)\n"
        }
        for (name, text) in [("People", people), ("Task", tasks)] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name).csv"))
        }
    }
}

/// The content of a store, without the parts that differ between equal stores.
enum StoreDump {
    private static let script = """
        import sqlite3, sys
        store = sqlite3.connect(sys.argv[1])
        assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        tables = store.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        for (table,) in tables.fetchall():
            if table in ("Z_METADATA", "Z_MODELCACHE") or table.startswith("ETL_"): continue
            # A resumed run saves in other batches.
            columns = [row[1] for row in store.execute(f"PRAGMA table_info({table})") if row[1] != "Z_OPT"]
            rows = store.execute(f"SELECT {', '.join(columns)} FROM {table}")
            print(table, *sorted(map(repr, rows)), sep="\\n")
        """

    static func text(of store: String) throws -> String {
        let result = try Tool.run("python3", ["-c", script, store])
        guard result.status == 0 else { throw ToolFailure(result) }
        return result.standardOutput
    }
}
