import Diagnostics
import Foundation
import SQLite
import Testing

@testable import Pipelines

/// With `commit: run` and `open: replace`, files are published together with the store.
@Suite("Exports and rejects of a run that replaces its store")
struct PublicationTests {
    private static let ways = ["open: create, commit: run", "open: replace"]
    private static let load = "- { import: tasks, read: { files: a.ndjson }, into: Task }"
    private static let export = "- { export: Task, to: out/tasks.ndjson, manifest: true }"
    private static let failing = "- { verify: counts, expect: { Task: 99 } }"

    private func spec(
        _ way: String, _ stages: [String], top: String = "rejects: { allow: 1 }"
    ) -> String {
        """
        etl: 1
        name: nightly
        store: { at: store.sqlite, model: model.yaml, \(way) }
        \(top)
        stages:
        \(stages.map { "  " + $0 }.joined(separator: "\n"))
        """
    }

    /// Returns a folder with a store of one task, an export of it, and inputs for two more tasks.
    private func filled(_ way: String) throws -> Workspace {
        let folder = try Workspace()
        try folder.write("model.yaml", InputTests.model)
        try folder.write("a.ndjson", "{\"id\":\"0\"}\n")
        #expect(try folder.run(spec(way, [Self.load, Self.export])).text == "")
        try folder.write("a.ndjson", "{\"id\":\"1\"}\n{\"id\":\n{\"id\":\"2\"}\n")
        return folder
    }

    /// Returns all files except reports, including hidden files.
    private func files(_ folder: Workspace) -> [String] {
        let all = FileManager.default.enumerator(atPath: folder.folder)?.compactMap {
            $0 as? String
        }
        return (all ?? []).filter { name in
            !name.hasPrefix("runs") && !["-wal", "-shm"].contains { name.hasSuffix($0) }
        }.sorted()
    }

    private static let before = [
        "a.ndjson", "model.yaml", "out", "out/tasks.ndjson", "out/tasks.ndjson.manifest.json",
        "spec.yaml", "store.sqlite", "store.sqlite.etl-lock",
    ]

    @Test("A successful run leaves its exports and rejects in place", arguments: ways)
    func well(_ way: String) throws {
        let folder = try filled(way)
        #expect(files(folder) == Self.before)
        let run = try folder.run(spec(way, [Self.load, Self.export]))
        #expect(run.status == .ok, "\(run.text)")
        #expect(try folder.text("out/tasks.ndjson").contains("\"id\":\"2\""))
        let rejects = try #require(folder.names("rejects").first)
        #expect(
            files(folder)
                == (Self.before + [
                    "rejects", "rejects/\(rejects)", "rejects/\(rejects)/.run.json",
                    "rejects/\(rejects)/tasks.a.ndjson",
                    "rejects/\(rejects)/tasks.a.ndjson.why.ndjson",
                ]).sorted())
        #expect(run.outcome.stages[0].rejectsFolder == folder.path("rejects/\(rejects)"))
    }

    @Test("A run whose work is discarded leaves no exports or rejects", arguments: ways)
    func takenBack(_ way: String) throws {
        let folder = try filled(way)
        let (store, export) = (
            try folder.bytes("store.sqlite"), try folder.text("out/tasks.ndjson")
        )
        let run = try folder.run(spec(way, [Self.load, Self.export, Self.failing]))
        #expect(run.status == .dataError)
        #expect(try folder.bytes("store.sqlite") == store)
        #expect(try folder.text("out/tasks.ndjson") == export)
        #expect(files(folder) == (Self.before + ["rejects"]).sorted())
    }

    @Test(
        "After too many rejects, the reject files stay where the message says; exports do not",
        arguments: ways)
    func tooMany(_ way: String) throws {
        let folder = try filled(way)
        let run = try folder.run(
            spec(way, [Self.export.replacing("out/tasks", with: "early"), Self.load], top: ""))
        #expect(run.status == .dataError)
        let rejects = try #require(folder.names("rejects").first)
        #expect(run.text.contains("correct the records in rejects/\(rejects)"), "\(run.text)")
        #expect(
            folder.names("rejects/\(rejects)") == [
                ".run.json", "tasks.a.ndjson", "tasks.a.ndjson.why.ndjson",
            ])
        #expect(!folder.exists("early.ndjson"))
        #expect(!files(folder).contains { $0.hasSuffix(".ready") })
    }

    @Test("The next run renames a file that could not be renamed", arguments: ways)
    func blocked(_ way: String) throws {
        let folder = try filled(way)
        try FileManager.default.removeItem(atPath: folder.path("out/tasks.ndjson"))
        let stages = [
            Self.load, Self.export,
            "- { update: block, entity: Task, where: id == '1', set: { id: \"'one'\" } }",
        ]
        // The file is created after the run has checked the target and before it replaces the
        // store.
        let whole = spec(way, stages)
        let interruption = Interruption()
        interruption.limit(to: .seconds(60))
        let runner = PipelineRunner(
            options: RunOptions(workingFolder: "/", now: Workspace.now), interruption: interruption,
            stageEnded: { stage in
                guard stage.report.kind == "export" else { return }
                try? FileManager.default.createDirectory(
                    atPath: folder.path("out/tasks.ndjson/full"), withIntermediateDirectories: true)
            })
        try folder.write("spec.yaml", whole)
        let failed = runner.run(folder.path("spec.yaml"))
        #expect(failed.status == .cannotCreate)
        #expect(failed.diagnostics.first?.code == "output.name")
        #expect(folder.exists("store.sqlite.etl-files"))
        #expect(try folder.rows("SELECT ZID FROM ZTASK WHERE ZID = 'one'") == ["one"])
        try FileManager.default.removeItem(atPath: folder.path("out/tasks.ndjson"))
        // Another pipeline on the store runs first, and finds the plan.
        let other = try folder.run(
            """
            etl: 1
            name: other
            store: { at: store.sqlite }
            stages: [{ export: Task, to: other.csv }]
            """)
        #expect(other.status == .ok, "\(other.text)")
        #expect(try folder.text("out/tasks.ndjson").contains("\"id\":\"2\""))
        #expect(!folder.exists("store.sqlite.etl-files"))
        #expect(try folder.run(whole).status == .ok)
        #expect(!files(folder).contains { $0.hasSuffix(".ready") })
    }

    @Test("Work next to a store resumes if the store's content is unchanged, whatever its time")
    func base() throws {
        let folder = try filled(Self.ways[0])
        let text = (0..<400).map { "{\"id\":\"n\($0)\"}\n" }.joined()
        try folder.write("a.ndjson", text)
        let whole = spec(Self.ways[0], [Self.load], top: "budget: { save-every: 50 }")
        func stop() throws {
            try folder.write("spec.yaml", whole)
            let interruption = Interruption()
            interruption.limit(to: .zero)
            let runner = PipelineRunner(
                options: RunOptions(workingFolder: "/", now: Workspace.now),
                interruption: interruption)
            #expect(runner.run(folder.path("spec.yaml")).status == .temporaryFailure)
            #expect(folder.exists("store.sqlite.etl-work"))
        }
        try stop()
        try FileManager.default.setAttributes(
            [.modificationDate: Workspace.now], ofItemAtPath: folder.path("store.sqlite"))
        let continued = try folder.run(whole)
        #expect(continued.status == .ok)
        #expect(continued.outcome.attempts == 2)

        try folder.write("a.ndjson", text.replacing("n", with: "m"))
        try stop()
        let old = try FileManager.default.attributesOfItem(atPath: folder.path("store.sqlite"))
        try Connection(path: folder.path("store.sqlite"), mode: .readWrite)
            .execute("UPDATE ZTASK SET ZID = 'other' WHERE ZID = 'n7'")
        let modified = try #require(old[.modificationDate] as? Date)
        try FileManager.default.setAttributes(
            [.modificationDate: modified], ofItemAtPath: folder.path("store.sqlite"))
        let anew = try folder.run(whole)
        #expect(anew.status == .ok)
        #expect(anew.outcome.attempts == 1)
        #expect(try folder.rows("SELECT count(*) FROM ZTASK WHERE ZID = 'other'") == ["1"])
    }
}
