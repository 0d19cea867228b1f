import Diagnostics
import SQLite
import Testing

@testable import Pipelines

/// The notes of an unfinished run, which another program has damaged.
@Suite("Damaged notes of a run") struct DamagedNotesTests {
    private static let model = """
        model: 1
        entities:
          Node:
            attributes: { id: { type: Integer 64, optional: false } }
            relationships:
              parent: { to: Node, inverse: children }
              children: { to: Node, many: true, inverse: parent }
            unique: [[id]]
        """
    private static let spec = """
        etl: 1
        name: nodes
        store: { at: store.sqlite, model: model.yaml, open: create }
        budget: { save-every: 10 }
        rejects: { allow: 100%, abort: 1 }
        stages:
          - { import: first, read: { files: first.ndjson }, into: Node, key: id }
          - import: nodes
            read: { files: [a.ndjson, b.ndjson] }
            into: Node
            set: { id: id }
            set-only: true
            link: { parent: { by: { id: parent } } }
        """

    /// Returns a folder whose run has saved deferred rows and was stopped by rejects.
    ///
    /// - Parameter last: The last record, for which the deferred rows wait.
    private static func stopped(last: String = "{\"id\":500}\n") throws -> Workspace {
        let folder = try Workspace()
        func lines(_ ids: ClosedRange<Int>) -> String {
            ids.map { #"{"id":\#($0),"parent":500}"# + "\n" }.joined()
        }
        try folder.write("model.yaml", model)
        try folder.write("first.ndjson", "{\"id\":1000}\n")
        try folder.write("a.ndjson", lines(1...50))
        try folder.write(
            "b.ndjson", lines(51...100) + "{\"id\":\"x\"}\n{\"id\":\"y\"}\n" + last)
        let run = try folder.run(spec)
        #expect(run.status == .dataError, "\(run.text)")
        #expect(
            try folder.rows("SELECT DISTINCT KIND FROM ETL_PROGRESS ORDER BY 1") == [
                "done", "input", "load", "parked", "record", "run",
            ] + (last.isEmpty ? [] : ["seen"]) + ["stage"])
        return folder
    }

    private static func number(_ value: UInt64) -> [UInt8] {
        var (bytes, rest): ([UInt8], UInt64) = ([], value)
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    private static func text(_ note: String) -> [UInt8] { Array(note.utf8) }

    private static let hashes = [UInt8](repeating: 0, count: 16)

    /// The kinds of notes with values that no run writes.
    private static let damages: [(kind: String, value: [UInt8])] = [
        ("run", text("{")), ("done", text("{}")), ("stage", text("{}")), ("stage", []),
        ("input", text("{}")), ("stopped", text("{}")), ("load", text("{}")),
        ("seen", number(1) + number(1 << 60)), ("seen", number(1) + number(.max)),
        ("seen", number(1)), ("seen", [UInt8](repeating: 0xFF, count: 11)),
        ("net", number(1)),
        ("parked", []), ("parked", hashes + number(6) + number(1 << 60)),
        ("parked", hashes + (0..<400_000).flatMap { _ in [6, 1] as [UInt8] }),
        ("parked", hashes + [7]), ("parked", hashes + [0, 0, 0]),
        ("parked", hashes + number(4) + number(1 << 60)),
    ]

    @Test("a damaged note fails the run with the same error, and --restart starts over")
    func damagedNotes() throws {
        let folder = try Self.stopped()
        let whole = try folder.bytes("store.sqlite")
        for (kind, value) in Self.damages {
            try folder.write("store.sqlite", bytes: whole)
            try Self.replace(kind, by: value, in: folder)
            let run = try folder.run(Self.spec)
            let name = "\(kind): \(value.prefix(30))"
            #expect(run.status == .dataError, "\(name)")
            #expect(
                run.outcome.diagnostics.map(\.message) == [
                    "The notes of an unfinished run in the store are damaged"
                ], "\(name)")
            #expect(run.outcome.diagnostics.map(\.code) == ["run.cannot-resume"], "\(name)")
            #expect(
                run.outcome.diagnostics.map(\.fix) == ["start over with --restart"], "\(name)")
        }
        var options = RunOptions(workingFolder: "/", now: Workspace.now)
        options.isRestart = true
        try folder.write("b.ndjson", "{\"id\":500}\n")
        let again = PipelineRunner(options: options).run(folder.path("spec.yaml"))
        #expect(again.status == .ok)
        #expect(try folder.rows("SELECT count(*), count(ZPARENT) FROM ZNODE") == ["52|50"])
    }

    @Test(
        "a number that no run writes fails the run as any damage does",
        arguments: [
            ("stage", "$.nextToken"), ("stage", "$.counts.read"), ("stage", "$.position.record"),
            ("stage", "$.rejects[0].recordsLength"), ("done", "$.report.records.read"),
            ("input", "$.records"), ("run", "$.attempts"), ("load", "$.notes"),
            ("load", "$.tally.inserted"),
        ])
    func damagedNumbers(_ kind: String, _ path: String) throws {
        let folder = try Self.stopped()
        for number in ["9223372036854775807", "-1"] {
            _ = try folder.rows(
                """
                UPDATE ETL_PROGRESS SET VALUE = CAST(json_set(
                CAST(VALUE AS TEXT), '\(path)', \(number)) AS BLOB) WHERE KIND = '\(kind)'
                """)
            let run = try folder.run(Self.spec)
            #expect(run.status == .dataError)
            #expect(run.outcome.diagnostics.map(\.code) == ["run.cannot-resume"])
        }
    }

    @Test(
        "notes of rejects and links name no file outside the folders of rejects",
        arguments: [
            ("$.rejects[0].path", "'outside/victim.ndjson'"),
            ("$.rejects[0].path", "'nodes-20260101T000000Z-1/victim.ndjson'"),
            ("$.rejects[0].path", "'rejects/../outside/victim.ndjson'"),
            (
                "$.links",
                "json('[{\"source\":\"a.ndjson\",\"path\":\"outside/victim.ndjson\",\"length\":0}]')"
            ),
        ])
    func foreignFiles(_ path: String, _ value: String) throws {
        let folder = try Self.stopped()
        let files = ["outside", "nodes-20260101T000000Z-1"].flatMap {
            ["\($0)/victim.ndjson", "\($0)/victim.ndjson.why.ndjson"]
        }
        for file in files { try folder.write(file, "keep this\n") }
        _ = try folder.rows(
            """
            UPDATE ETL_PROGRESS SET VALUE = CAST(json_set(
            CAST(VALUE AS TEXT), '\(path)', \(value), '$.rejects[0].recordsLength', 0,
            '$.rejects[0].reasonsLength', 0) AS BLOB) WHERE KIND = 'stage'
            """)
        let run = try folder.run(Self.spec)
        #expect(run.status == .dataError)
        #expect(run.outcome.diagnostics.map(\.code) == ["run.cannot-resume"], "\(run.text)")
        for file in files { #expect(try folder.text(file) == "keep this\n") }
    }

    @Test("notes of rejects whose files are gone do not fail the run")
    func missingFiles() throws {
        let folder = try Self.stopped()
        _ = try folder.rows(
            """
            UPDATE ETL_PROGRESS SET VALUE = CAST(json_set(
            CAST(VALUE AS TEXT), '$.rejects[0].path', 'outside/gone.ndjson') AS BLOB)
            WHERE KIND = 'stage'
            """)
        _ = try folder.run(Self.spec)
        #expect(!folder.exists("outside"))
    }

    @Test("a damaged record of a deferred row fails the run when the row is rejected")
    func damagedRecords() throws {
        // Without the last record, all deferred rows are rejected.
        let folder = try Self.stopped(last: "")
        let whole = try folder.bytes("store.sqlite")
        for value in ["", "1 2 3\n", "1 2 3 4 -2\n", "1 2 3 4 9223372036854775807\nab"] {
            try folder.write("store.sqlite", bytes: whole)
            try Self.replace("record", by: Self.text(value), in: folder)
            let run = try folder.run(Self.spec)
            #expect(run.status == .dataError, "\(value)")
            #expect(
                run.outcome.diagnostics.map(\.code) == ["run.cannot-resume"],
                "\(value): \(run.text)")
        }
    }

    private static func replace(
        _ kind: String, by value: [UInt8], in folder: Workspace
    ) throws {
        let connection = try Connection(path: folder.path("store.sqlite"), mode: .readWrite)
        let damage = try connection.prepare(
            """
            INSERT OR REPLACE INTO ETL_PROGRESS VALUES
            (?1, ifnull((SELECT min(NUMBER) FROM ETL_PROGRESS WHERE KIND = ?1), 0), ?2)
            """)
        damage.bind(kind, at: 1)
        damage.bind(value, at: 2)
        try damage.run()
    }
}
