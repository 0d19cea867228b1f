import Testing

@testable import Pipelines

/// The history that a store keeps of what a run changes.
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

    @Test("it is off, and then on, with the spec or whom it names as author")
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

    @Test(
        "the history says for how many days",
        arguments: [
            (
                "on",
                "4:12: error: 'history' must be a mapping such as { keep: 7d }, not the text 'on'"
            ),
            ("{}", "4:12: error: The key 'keep' is missing"),
            ("{ keep: 36h }", "4:20: error: 'keep' must be a number of whole days such as 7d"),
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
