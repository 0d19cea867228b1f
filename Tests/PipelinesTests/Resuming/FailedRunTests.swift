import Diagnostics
import Foundation
import SQLite
import Synchronization
import Testing

@testable import Pipelines

/// The report of a failed run on the stages before its failure, and the stages that still run after
/// it.
@Suite("Failed runs")
struct FailedRunTests {
    private static func spec(_ store: String, _ stages: String) -> String {
        """
        etl: 1
        store: { at: store.sqlite, model: model.yaml, \(store) }
        stages:
        \(stages)
        """
    }

    /// - Parameter hasStore: Whether a store with the task `0` exists before the run.
    private static func filled(hasStore: Bool) throws -> Workspace {
        let folder = try Workspace()
        try folder.write("model.yaml", InputTests.model)
        try folder.write("a.ndjson", "{\"id\":\"0\",\"size\":0}\n")
        if hasStore {
            let stages = "  - { import: a.ndjson, into: Task }"
            #expect(try folder.run(spec("open: create", stages)).text == "")
        }
        try folder.write("a.ndjson", "{\"id\":\"1\",\"size\":1}\n{\"id\":\"2\",\"size\":2}\n")
        return folder
    }

    private static func notes(_ run: Run) -> [String] {
        run.outcome.diagnostics.filter { $0.severity == .note }.map(DiagnosticRenderer.text)
    }

    private static let asBefore =
        "note: The changes of all stages were discarded; the store is unchanged "
        + "[run.taken-back]"
    private static let none =
        "note: No change of the stages is kept: there is no store, as before the run "
        + "[run.taken-back]"

    @Test(
        "a note after the failure states which changes were discarded",
        arguments: [
            ("open: create", true, []), ("open: create", false, []),
            ("open: create, commit: run", true, [asBefore]),
            ("open: create, commit: run", false, [none]),
            ("open: replace", true, [asBefore]), ("open: replace", false, [none]),
            (
                "open: create, commit: stage", true,
                [
                    "note: Nothing that bump did is kept; earlier changes are kept: import-a"
                        + " [run.taken-back]"
                ]
            ),
        ] as [(String, Bool, [String])])
    func takenBack(_ store: String, _ hasStore: Bool, _ expected: [String]) throws {
        let folder = try Self.filled(hasStore: hasStore)
        let run = try folder.run(
            Self.spec(
                store,
                """
                  - { import: a.ndjson, into: Task }
                  - { export: Task, to: out.csv }
                  - { update: bump, entity: Task, where: ALL, at-most: 1, set: { size: 9 } }
                """))
        #expect(run.status == .dataError)
        #expect(Self.notes(run) == expected)
        let isKept = !store.contains("run") && !store.contains("replace")
        let before = hasStore ? ["0|0"] : []
        #expect(folder.exists("store.sqlite") == (isKept || hasStore))
        if isKept || hasStore {
            #expect(
                try folder.rows(RunOptionTests.sizes) == before + (isKept ? ["1|1", "2|2"] : []))
        }
        #expect(folder.exists("out.csv") == isKept)
    }

    private static let waits = "and the work so far is kept"

    @Test(
        "a stopped run reports what is saved in the store and what is kept next to it",
        arguments: [
            ("open: create", true, 1, "saved changes are kept"),
            ("open: create", true, 0, "nothing in the store was changed"),
            ("open: create, commit: run", true, 1, "the store is unchanged, \(waits) next to it"),
            (
                "open: create, commit: run", false, 1,
                "the store does not exist yet, \(waits) for the next run"
            ),
            ("open: replace", true, 1, "the store is unchanged, \(waits) next to it"),
            (
                "open: create, commit: stage", true, 2,
                "the changes of import-a, bump are kept, and later work is stored next to the store"
            ),
        ])
    func stopped(_ store: String, _ hasStore: Bool, _ stages: Int, _ words: String) throws {
        let folder = try Self.filled(hasStore: hasStore)
        let spec = Self.spec(
            store,
            """
              - { import: a.ndjson, into: Task }
              - { update: bump, entity: Task, where: "size < 2", set: { size: 9 } }
              - { delete: Task, where: "size == 9" }
            """)
        try folder.write("spec.yaml", spec)
        // Interrupts the run after a number of stages.
        let interruption = Interruption()
        let ended = Mutex(0)
        if stages == 0 { interruption.request(signal: 15) }
        let options = RunOptions(workingFolder: "/", now: Workspace.now)
        let runner = PipelineRunner(
            options: options, interruption: interruption,
            stageEnded: { _ in
                let count = ended.withLock { count in
                    count += 1
                    return count
                }
                if count == stages { interruption.request(signal: 15) }
            })
        let outcome = runner.run(folder.path("spec.yaml"))
        #expect(outcome.status == .terminated)
        #expect(
            outcome.diagnostics.map(DiagnosticRenderer.text) == [
                "note: Stopped by a signal; \(words)"
                    + (words.hasSuffix("changes are kept") || words.hasSuffix("next run")
                        || stages == 0
                        ? "" : " for the next run")
                    + " [run.interrupted]\n  fix: run it again to complete it"
            ])
        #expect(try folder.run { _ in }.status == .ok)
        #expect(try folder.rows(RunOptionTests.sizes) == ["2|2"])
    }

    @Test("a temporary failure keeps the work so far next to the store, and a note states it")
    func leavesUnfinishedWork() throws {
        for store in ["open: create, commit: run", "open: create"] {
            let folder = try Self.filled(hasStore: true)
            try folder.write("out", "a file, no folder")
            let spec = Self.spec(
                store, "  - { import: a.ndjson, into: Task }\n  - { export: Task, to: out/a.csv }")
            let run = try folder.run(spec)
            #expect(run.status == .cannotCreate)
            #expect(
                Self.notes(run)
                    == (store == "open: create"
                        ? []
                        : [
                            "note: The store is unchanged, and the work so far is kept next to it "
                                + "for the next run [run.left-beside]\n"
                                + "  fix: correct what failed, and run it again to complete it"
                        ]))
        }
    }

    @Test("reports discarded changes of a failed import, and no note if nothing was done")
    func nothingDone() throws {
        let folder = try Self.filled(hasStore: true)
        let update = "  - { update: a, entity: Task, where: ALL, at-most: 0, set: { size: 9 } }"
        let refused = try folder.run(Self.spec("open: create, commit: run", update))
        #expect(refused.outcome.diagnostics.map(\.code) == ["store.too-many"])
        try folder.write("a.ndjson", "{\"id\":\"1\"}\n{\"id\":null}\n")
        let half = try folder.run(
            Self.spec("open: create, commit: run", "  - { import: a.ndjson, into: Task }"))
        #expect(
            Self.notes(half) == [
                "note: The changes of all stages were discarded; the store is unchanged"
                    + " [run.taken-back]"
            ])
        #expect(try folder.rows(RunOptionTests.sizes) == ["0|0"])
    }

    @Test("with commit: stage, a failing verify discards nothing of earlier stages")
    func verifying() throws {
        let folder = try Self.filled(hasStore: false)
        let run = try folder.run(
            Self.spec(
                "open: create, commit: stage",
                """
                  - { import: a.ndjson, into: Task }
                  - { verify: none, expect: { Task: "== 0" } }
                """))
        #expect(run.status == .dataError)
        #expect(Self.notes(run) == [])
        #expect(try folder.rows(RunOptionTests.sizes) == ["1|1", "2|2"])
    }

    private static let failing = """
          - { import: a.ndjson, into: Task }
          - { verify: none, expect: { Task: "== 0" } }
        """

    @Test("always: without a store, stages run on a new one, which is kept if they fill it")
    func alwaysWithoutStore() throws {
        let export = "  - { export: state, entity: Task, to: always.csv, always: true }"
        let folder = try Self.filled(hasStore: false)
        let spec = Self.spec("open: create, commit: run", Self.failing + "\n" + export)
        let read = try folder.run(spec)
        #expect(read.status == .dataError)
        #expect(read.outcome.diagnostics.map(\.code) == ["verify.failed", "run.taken-back"])
        #expect(read.lines.last == "export state: 0 rows to always.csv")
        #expect(try folder.text("always.csv") == "id,size,title\n")
        #expect(!folder.exists("store.sqlite"))
        try folder.write("b.ndjson", "{\"id\":\"7\",\"size\":7}\n")
        let fill = "  - { import: b.ndjson, into: Task, always: true }\n"
        let filled = try folder.run(
            Self.spec("open: create, commit: run", Self.failing + "\n" + fill + export))
        #expect(filled.status == .dataError)
        #expect(filled.outcome.diagnostics.map(\.code) == ["verify.failed", "run.taken-back"])
        #expect(try folder.text("always.csv") == "id,size,title\n7,7,\n")
        #expect(try folder.rows(RunOptionTests.sizes) == ["7|7"])
        #expect(try folder.rows(ResumeTests.tables) == ["0"])
    }

    @Test(
        "always: a new store is kept only if a stage has changed it",
        arguments: [
            ("{ update: bump, entity: Task, where: ALL, set: { size: 9 } }", "", nil),
            ("{ import: b.ndjson, into: Task }", "", nil),
            ("{ import: b.ndjson, into: Task }", "{\"id\":null}\n", nil),
            ("{ import: b.ndjson, into: Task }", "{\"id\":\"7\",\"size\":7}\n", ["7|7"]),
            (
                "{ import: b.ndjson, into: Task }",
                "{\"id\":\"7\",\"size\":7}\n{\"id\":null}\n", ["7|7"]
            ),
        ] as [(String, String, [String]?)])
    func alwaysWithoutChange(_ stage: String, _ input: String, _ rows: [String]?) throws {
        let folder = try Self.filled(hasStore: false)
        try folder.write("b.ndjson", input)
        let always = "  - " + stage.dropLast(2) + ", always: true }"
        let run = try folder.run(
            Self.spec("open: create, commit: run", Self.failing + "\n" + always))
        #expect(run.status == .dataError)
        #expect(folder.exists("store.sqlite") == (rows != nil))
        if let rows { #expect(try folder.rows(RunOptionTests.sizes) == rows) }
    }

    /// Returns a folder with a template that has a task and whose copies cannot be compacted.
    ///
    /// The page of one table is zeroed, and only compacting reads that table.
    private static func withoutCompacting() throws -> Workspace {
        let folder = try Self.filled(hasStore: true)
        try folder.move("store.sqlite", to: "full.sqlite")
        let damaged = try { () throws in
            let connection = try Connection(path: folder.path("full.sqlite"), mode: .readWrite)
            try connection.execute(
                """
                PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = 0; VACUUM;
                CREATE TABLE OTHER (A); INSERT INTO OTHER VALUES (1)
                """)
            let page = try connection.integer(
                "SELECT rootpage FROM sqlite_master WHERE name = 'OTHER'")
            let size = try connection.integer("PRAGMA page_size")
            return (page: Int(try #require(page)), size: Int(try #require(size)))
        }()
        var bytes = try folder.bytes("full.sqlite")
        let start = (damaged.page - 1) * damaged.size
        bytes.replaceSubrange(
            start..<(start + damaged.size), with: repeatElement(0, count: damaged.size))
        try folder.write("full.sqlite", bytes: bytes)
        return folder
    }

    private static let compacting = [
        "{ update: bump, entity: Task, where: ALL, set: { size: 9 }, compact: true }",
        "{ delete: Task, where: ALL, compact: true }",
    ]

    @Test("if the only stage fails while compacting, its work is kept for the next run")
    func onlyCompacting() throws {
        for stage in Self.compacting {
            let folder = try Self.withoutCompacting()
            let run = try folder.run(
                Self.spec("open: { template: full.sqlite }, commit: run", "  - " + stage))
            #expect(run.outcome.diagnostics.map(\.code) == ["store.corrupt", "run.left-beside"])
            #expect(
                Self.notes(run) == [
                    "note: The store does not exist yet, and the work so far is kept "
                        + "for the next run [run.left-beside]\n"
                        + "  fix: correct what failed, and run it again to complete it"
                ])
            #expect(!folder.exists("store.sqlite"))
        }
    }

    @Test("always: a copy of a template is kept if a stage changed it before it failed")
    func alwaysWithTemplate() throws {
        let folder = try Self.withoutCompacting()
        for stage in Self.compacting {
            let always = "  - " + stage.dropLast(2) + ", always: true }"
            let run = try folder.run(
                Self.spec(
                    "open: { template: full.sqlite }, commit: run", Self.failing + "\n" + always))
            #expect(run.status == .dataError)
            #expect(
                run.outcome.diagnostics.map(\.code) == [
                    "verify.failed", "run.taken-back", "store.corrupt",
                ])
            #expect(run.lines == ["import import-a: 2 read, 2 discarded"])
            try #require(folder.exists("store.sqlite"))
            let store = try Connection(path: folder.path("store.sqlite"), mode: .readWrite)
            let sizes = try store.text("SELECT group_concat(ZSIZE) FROM ZTASK")
            #expect(sizes == (stage.hasPrefix("{ update") ? "9" : nil))
            try folder.move("store.sqlite", to: "done.sqlite")
            try FileManager.default.removeItem(atPath: folder.path("done.sqlite"))
        }
    }

    @Test("always: a failed run with open: replace creates no store, and skips these stages")
    func alwaysWithoutReplaced() throws {
        let folder = try Self.filled(hasStore: false)
        let run = try folder.run(
            Self.spec(
                "open: replace",
                Self.failing + "\n"
                    + "  - { export: state, entity: Task, to: always.csv, always: true }"))
        #expect(run.status == .dataError)
        #expect(
            Self.notes(run) == [
                "note: No change of the stages is kept: there is no store, as before the run "
                    + "[run.taken-back]",
                "note: Stages that also run after a failure were skipped, because there is no "
                    + "store: state [run.no-store]",
            ])
        #expect(folder.names().filter { $0.hasPrefix("store") } == ["store.sqlite.etl-lock"])
        #expect(!folder.exists("always.csv"))
    }
}
