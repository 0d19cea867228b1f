import Foundation
import GraphStore
import Testing

@testable import Pipelines

/// The history that a store keeps of the changes of a run.
@Suite("Store history")
struct HistoryOptionTests {
    private func run(_ folder: Workspace, _ store: String) throws -> Run {
        try folder.write("model.yaml", InputTests.model)
        return try folder.run(
            """
            etl: 1
            name: nightly
            params: { who: { type: string, default: ann } }
            store: { at: store.sqlite, model: model.yaml, open: create\(store) }
            stages:
              - { import: a.ndjson, into: Task }
              - { update: bump, entity: Task, where: ALL, set: { size: "size + 1" } }
            """)
    }

    private func authors(_ folder: Workspace) throws -> [String] {
        try folder.rows(
            """
            SELECT s.ZNAME, count(*) FROM ATRANSACTION t
            LEFT JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS GROUP BY 1 ORDER BY 1
            """)
    }

    @Test("history is off by default; its author is the spec's name or `author`")
    func authors() throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", "{\"id\":\"1\",\"size\":5}")
        #expect(try run(folder, "").text == "")
        #expect(
            try folder.rows("SELECT count(*) FROM sqlite_master WHERE name = 'ATRANSACTION'")
                == ["0"])
        #expect(try run(folder, ", history: { keep: 7d }").text == "")
        let first = try authors(folder)
        #expect(first == ["nightly|2"])
        #expect(
            try run(folder, ", history: { keep: 7d }, author: \"by ${who}\"").text == "")
        #expect(try authors(folder) == ["by ann|2", "nightly|2"])
    }

    @Test("history: off deletes the history, and readers with an old token get an error")
    func off() throws {
        let folder = try Workspace()
        let tables =
            "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name LIKE 'ATRANSACTION%'"
        try folder.write("a.ndjson", "{\"id\":\"1\",\"size\":5}")
        #expect(try run(folder, ", history: { keep: 7d }").text == "")
        let token = try PersistentContainer(model: nil, at: folder.path("store.sqlite"))
            .currentHistoryToken()
        // Without the setting, the history is unchanged.
        #expect(try run(folder, "").text == "")
        #expect(try folder.rows(tables) == ["2"])
        #expect(try run(folder, ", history: off").text == "")
        #expect(try folder.rows(tables) == ["0"])
        #expect(try folder.rows("SELECT ZSIZE FROM ZTASK") == ["6"])
        #expect(try run(folder, ", history: off, commit: run").text == "")
        let query = HistoryQuery(store: folder.path("store.sqlite"), now: .now)
        #expect(HistoryFeed(to: folder.path("lines")).run(query).status == .configuration)
        // A new history does not continue the numbering of the old one.
        #expect(try run(folder, ", history: { keep: 7d }").text == "")
        let container = try PersistentContainer(model: nil, at: folder.path("store.sqlite"))
        #expect(try container.history().count == 2)
        #expect(throws: HistoryError.self) { try container.history(after: token) }
    }

    /// Imports, for each title, records of a hundred keys and then one more record of the first
    /// key.
    private func saves(_ folder: Workspace, _ titles: [String]) throws -> Run {
        var lines = ""
        for (round, title) in titles.enumerated() {
            lines += "{\"id\":\"first\",\"title\":\"\(title)\"}\n"
            for number in 0..<100 { lines += "{\"id\":\"\(round)-\(number)\"}\n" }
        }
        try folder.write("a.ndjson", lines)
        try folder.write("model.yaml", InputTests.model)
        return try folder.run(
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create, history: { keep: 7d } }
            budget: { save-every: 5 }
            stages: [{ import: a.ndjson, into: Task }]
            """)
    }

    @Test(
        "the history records each save of a key with differing records; the run counts it once",
        arguments: [
            (["a", "b", "a"], 2, ["5|a"], 2), (["a", "b", "c"], 2, ["6|c"], 3),
            (["a", "a", "a"], 0, ["1|a"], 0),
        ])
    func repeatedKeys(
        _ titles: [String], _ first: Int, _ row: [String], _ later: Int
    ) throws {
        let folder = try Workspace()
        let changes = "SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = 1"
        let made = try saves(folder, titles)
        #expect(made.lines == ["import import-a: 303 read, 301 inserted, 2 superseded"])
        #expect(try folder.rows(changes) == ["\(first)"])
        let again = try saves(folder, titles)
        #expect(again.lines == ["import import-a: 303 read, 301 unchanged, 2 superseded"])
        let updated = again.outcome.stages.flatMap(\.objects).map(\.updated)
        #expect(updated == (later > 0 ? [later] : []))
        #expect(try folder.rows(changes) == ["\(first + later)"])
        #expect(
            try folder.rows("SELECT Z_OPT, ZTITLE FROM ZTASK WHERE ZID = 'first'") == row)
    }

    @Test("a plan leaves the store's history unchanged", arguments: ["off", "{ keep: 7d }"])
    func planned(_ history: String) throws {
        let folder = try Workspace()
        let tables =
            "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name LIKE 'ATRANSACTION%'"
        try folder.write("a.ndjson", "{\"id\":\"1\",\"size\":5}")
        let isOff = history == "off"
        #expect(try run(folder, isOff ? ", history: { keep: 7d }" : "").text == "")
        #expect(try folder.rows(tables) == [isOff ? "2" : "0"])
        let spec = try folder.text("spec.yaml").replacing(", history: { keep: 7d } }", with: " }")
        try folder.write(
            "spec.yaml", spec.replacing("open: create", with: "open: create, history: \(history)"))
        var options = RunOptions(workingFolder: "/", now: Workspace.now)
        options.isDry = true
        let outcome = PipelineRunner(options: options).run(folder.path("spec.yaml"))
        #expect(outcome.status == .ok, "\(outcome.diagnostics)")
        #expect(try folder.rows(tables) == [isOff ? "2" : "0"])
    }

    @Test(
        "check reports an invalid value of `history`",
        arguments: [
            (
                "on",
                "4:12: error: 'history' must be off, or a mapping such as { keep: 7d }, not the "
                    + "text 'on'"
            ),
            ("{}", "4:12: error: The key 'keep' is missing"),
            ("{ keep: 36h }", "4:20: error: 'keep' must be a whole number of days such as 7d"),
            ("{ keep: long }", "4:20: error: 'keep' must be a duration such as 30m or 7d"),
        ])
    func lints(_ history: String, _ message: String) throws {
        let folder = try Workspace()
        let found = try folder.check(
            """
            etl: 1
            store:
              at: store.sqlite
              history: \(history)
            stages: [{ delete: Task, where: ALL }]
            """)
        #expect(found.hasPrefix("spec.yaml:\(message)"), "\(found)")
    }
}
