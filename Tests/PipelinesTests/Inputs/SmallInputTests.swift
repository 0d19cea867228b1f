import SQLite
import Testing

@testable import Pipelines

/// Inputs that are read before the first record is written, without a thread and without deferred
/// indexes.
@Suite("Small inputs") struct SmallInputTests {
    private static let model = """
        model: 1
        entities:
          Task:
            attributes: { id: { type: Integer 32, optional: false }, title: String }
            relationships: { tags: { to: Tag, many: true, inverse: tasks } }
            unique: [[id]]
            indexes: { byTitle: [title] }
          Tag:
            attributes: { name: String }
            relationships: { tasks: { to: Task, many: true, inverse: tags } }
            unique: [[name]]
        """
    private static let stage = """
        - import: tasks
          read: { files: "in.*" }
          into: Task
          link: { tags: { by: { name: "tags[*]" }, missing: create } }
        """

    /// The stored results of a run, whichever way it read the records.
    private struct Outcome: Equatable {
        var text: String
        var warnings: String
        var lines: [String]
        var rows: [String]
        var rejects: [String]
        var indexes: [String]
    }

    private func outcome(
        of folder: Workspace, top: String, _ decoding: DecodingOptions
    ) throws -> Outcome {
        let run = try folder.run(model: Self.model, Self.stage, top: top, decoding: decoding)
        let rejects = folder.names("rejects").map { "rejects/\($0)/tasks.in.ndjson" }
        return try Outcome(
            text: run.text, warnings: run.warningText, lines: run.lines,
            rows: folder.rows(
                "SELECT t.ZID, t.ZTITLE, g.ZNAME FROM ZTASK t LEFT JOIN Z_1TASKS p"
                    + " ON p.Z_2TASKS = t.Z_PK LEFT JOIN ZTAG g ON g.Z_PK = p.Z_1TAGS"
                    + " ORDER BY 1, 3"),
            rejects: rejects.map { try folder.text($0) },
            indexes: folder.rows("SELECT name FROM sqlite_master WHERE type = 'index' ORDER BY 1"))
    }

    /// Runs the spec in each way, and again over the resulting store.
    private func expectTheSame(
        _ files: [String: String], top: String = "", lines: [String]
    ) throws {
        var outcomes: [[Outcome]] = []
        for smallInputBytes in [0, 16 << 10] {
            let folder = try Workspace()
            for (name, text) in files {
                if name.hasSuffix(".gz") {
                    #expect(try folder.writeGzip(name, text).count < 16 << 10)
                } else {
                    try folder.write(name, text)
                }
            }
            let decoding = DecodingOptions(smallInputBytes: smallInputBytes)
            outcomes.append([
                try outcome(of: folder, top: top, decoding),
                try outcome(of: folder, top: top, decoding),
            ])
        }
        #expect(outcomes[0][0].lines == lines)
        #expect(outcomes[1] == outcomes[0])
    }

    @Test func givesTheSameResultAsALargeInput() throws {
        try expectTheSame(
            [
                "in.a.ndjson": "{\"id\":1,\"title\":\"one\"}\n{\"id\":3,\"title\":\"three\"}\n",
                "in.ndjson": """
                {"id": 1, "title": "uno", "tags": ["a", "b", "a"]}
                {"id": 2, "tags": []}
                {"id": "x"}
                {"id": 1, "title": "ein", "tags": ["b"]}
                {"id": 4, "tags": ["c", "a"]}
                """,
            ], top: "rejects: { allow: 5 }",
            lines: [
                "import tasks: 7 read, 4 inserted, 2 superseded, 1 rejected, 3 link targets created"
            ])
    }

    @Test func importsASmallGzipFileWithManyRecords() throws {
        let lines = (0..<30_000).map { "{\"id\":\($0 % 100),\"title\":\"t\",\"tags\":[]}\n" }
        try expectTheSame(
            ["in.ndjson.gz": lines.joined()],
            lines: ["import tasks: 30,000 read, 100 inserted, 29,900 superseded"])
    }

    /// An index that a first load defers is noted until it is created, which a trigger shows.
    @Test(
        arguments: [
            (false, 16 << 10, []), (true, 16 << 10, []), (false, 10, putOff), (true, 10, putOff),
        ])
    func smallInputDefersNoIndex(isGzip: Bool, smallInputBytes: Int, expected: [String]) throws {
        let folder = try Workspace()
        #expect(
            try folder.run(model: Self.model, "- { export: Task, to: out.csv }").status == .ok)
        try Connection(path: folder.path("store.sqlite"), mode: .readWrite).execute(
            """
            CREATE TABLE SEEN (NAME TEXT);
            CREATE TRIGGER NOTES AFTER INSERT ON ETL_PENDING BEGIN
                INSERT INTO SEEN VALUES (NEW.NAME);
            END
            """)
        let text = "{\"id\": 1, \"title\": \"one\", \"tags\": [\"a\", \"b\"]}\n"
        if isGzip {
            try folder.writeGzip("in.ndjson.gz", text)
        } else {
            try folder.write("in.ndjson", text)
        }
        let run = try folder.run(
            model: Self.model, Self.stage,
            decoding: DecodingOptions(smallInputBytes: smallInputBytes))
        #expect(run.lines == ["import tasks: 1 read, 1 inserted, 2 link targets created"])
        #expect(try folder.rows("SELECT DISTINCT NAME FROM SEEN ORDER BY 1") == expected)
    }

    private static let putOff = [
        "ETL_LINKS_Z_1TASKS", "ETL_LOADER", "Z_1TASKS_Z_2TASKS_INDEX", "Z_Task_UNIQUE_id",
        "Z_Task_byTitle", "Z_Task_title",
    ]

    @Test func handlesTruncatedJSONLikeALargeInput() throws {
        try expectTheSame(
            ["in.json": "[{\"id\": 1}, {\"id\": 2}, {\"id\": 3, "], lines: [])
    }
}
