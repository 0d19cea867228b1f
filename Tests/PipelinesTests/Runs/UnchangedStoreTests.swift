import Foundation
import SQLite
import Testing

@testable import Pipelines

/// A run that changes nothing writes nothing.
@Suite("Runs that change nothing")
struct UnchangedStoreTests {
    static let model = """
        model: 1
        entities:
          Folder:
            attributes: { name: { type: String, optional: false } }
            relationships: { tasks: { to: Task, many: true, inverse: folder } }
            unique: [[name]]
          Task:
            attributes: { id: { type: Integer 64 }, title: { type: String }, done: { type: Boolean } }
            relationships: { folder: { to: Folder, inverse: tasks } }
            unique: [[id]]
        """
    static let load = """
          - import: tasks
            read: { files: tasks.ndjson }
            into: Task
            key: id
            link: { folder: { by: { name: folder }, missing: create } }
        """

    /// Returns records in no order of their rows.
    private static func records(_ count: Int) -> String {
        (0..<count).map { place in
            let id = (place * 7_919) % count
            return #"{"id":\#(id),"title":"task \#(id)","folder":"f\#(id % 5)"}"#
        }.joined(separator: "\n") + "\n"
    }

    private func state(_ folder: Workspace) throws -> (bytes: [UInt8], files: [String]) {
        (
            try folder.bytes("store.sqlite"),
            folder.names().filter { $0.hasPrefix("store") || $0.hasPrefix(".store") }
        )
    }

    @Test(
        "A run that changes no object leaves the store's bytes unchanged",
        arguments: [
            load, "  - { export: Task, to: out.ndjson }",
            "  - { update: close, entity: Task, where: id >= 0, set: { done: true } }",
            "  - { delete: clean, entity: Task, where: id < 0 }",
            "  - { verify: counts, expect: { Task: 400 } }",
            load + "\n    when-found: skip", load + "\n  - { export: Task, to: out.csv }",
        ],
        ["", "commit: run", "commit: stage", "views: true", "history: { keep: 7d }"])
    func unchanged(_ stages: String, _ setting: String) throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        try folder.write("tasks.ndjson", Self.records(400))
        let store = ["at: store.sqlite", "model: model.yaml", "open: create", setting].filter {
            !$0.isEmpty
        }
        let top = """
            etl: 1
            store: { \(store.joined(separator: ", ")) }
            budget: { save-every: 50 }
            stages:

            """
        let first = try folder.run(
            top + Self.load
                + "\n  - { update: close, entity: Task, where: id >= 0, set: { done: true } }")
        #expect(first.text == "")
        let before = try state(folder)
        #expect(try folder.run(top + stages).text == "")
        #expect(try state(folder) == before)
    }

    @Test("Records whose changes later records undo leave the store unchanged")
    func undone() throws {
        let folder = try Workspace()
        let others = (0..<40).map { #"{"id":\#($0),"title":"other","folder":"f9"}"# + "\n" }
        try folder.write("tasks.ndjson", others.joined() + Self.records(400))
        let first = try folder.run(model: Self.model, Self.load)
        #expect(first.status == .ok)
        let before = try state(folder)
        let again = try folder.run(model: Self.model, Self.load)
        #expect(again.outcome.stages[0].records?.unchanged == 400)
        #expect(try state(folder).bytes == before.bytes)
        // A change that no later record reverts is saved.
        try folder.write(
            "tasks.ndjson", others.joined() + Self.records(400) + #"{"id":7,"folder":"f8"}"# + "\n")
        #expect(try folder.run(model: Self.model, Self.load).status == .ok)
        #expect(
            try folder.rows(
                "SELECT f.ZNAME FROM ZTASK t JOIN ZFOLDER f ON f.Z_PK = t.ZFOLDER WHERE t.ZID = 7")
                == ["f8"])
    }

    @Test("A run does not rewrite its notes on inputs with `once`")
    func once() throws {
        let folder = try Workspace()
        try folder.write("tasks-1.ndjson", Self.records(20))
        let stages = """
              - import: tasks
                read: { files: "tasks-*.ndjson", once: true }
                into: Task
            """
        #expect(try folder.run(model: Self.model, stages).text == "")
        let before = try state(folder)
        #expect(try folder.run(model: Self.model, stages).text == "")
        #expect(try state(folder).bytes == before.bytes)
        try folder.write("tasks-2.ndjson", Self.records(20))
        #expect(try folder.run(model: Self.model, stages).text == "")
        #expect(try state(folder).bytes != before.bytes)
    }

    @Test("A run that fails before its first change keeps its position next to the store")
    func place() throws {
        let folder = try Workspace()
        let records = Self.records(300)
        try folder.write("tasks.ndjson", records)
        #expect(try folder.run(model: Self.model, Self.load).text == "")
        let before = try state(folder)
        try folder.write("tasks.ndjson", records + "{\n")
        let strict = "rejects: { allow: 0 }\nbudget: { save-every: 100 }"
        let failed = try folder.run(model: Self.model, Self.load, top: strict)
        #expect(failed.status == .dataError)
        let stopped = try state(folder)
        #expect(stopped.bytes == before.bytes)
        #expect(stopped.files == (before.files + ["store.sqlite.etl-progress"]).sorted())
        // The limit is checked again, and nothing is read twice.
        let judged = try folder.run(
            model: Self.model, Self.load, top: "rejects: { allow: 1 }\nbudget: { save-every: 100 }")
        #expect(judged.status == .ok, "\(judged.text)")
        #expect(judged.outcome.attempts == 2)
        #expect(try state(folder) == before)
    }

    @Test("The first change moves the notes into the store and deletes the file")
    func moved() throws {
        let folder = try Workspace()
        let records = Self.records(300)
        try folder.write("tasks.ndjson", records)
        #expect(try folder.run(model: Self.model, Self.load).text == "")
        try folder.write("tasks.ndjson", records + #"{"id":1000,"title":"new"}"# + "\n{\n")
        let failed = try folder.run(
            model: Self.model, Self.load, top: "budget: { save-every: 100 }")
        #expect(failed.status == .dataError)
        #expect(!folder.exists("store.sqlite.etl-progress"))
        #expect(try folder.rows("SELECT count(*) FROM ETL_PROGRESS WHERE KIND = 'stage'") == ["1"])
        #expect(try folder.rows("SELECT count(*) FROM ZTASK") == ["301"])
    }

    @Test("Notes next to a store are ignored if another program has written to the store")
    func written() throws {
        let folder = try Workspace()
        let records = Self.records(300)
        try folder.write("tasks.ndjson", records)
        #expect(try folder.run(model: Self.model, Self.load).text == "")
        try folder.write("tasks.ndjson", records + "{\n")
        #expect(try folder.run(model: Self.model, Self.load).status == .dataError)
        try Connection(path: folder.path("store.sqlite"), mode: .readWrite)
            .execute("UPDATE ZTASK SET ZTITLE = 'other'")
        let again = try folder.run(model: Self.model, Self.load, top: "rejects: { allow: 1 }")
        #expect(again.status == .ok)
        #expect(again.outcome.attempts == 1)
        #expect(try folder.rows("SELECT count(*) FROM ZTASK WHERE ZTITLE = 'other'") == ["0"])
        #expect(!folder.exists("store.sqlite.etl-progress"))
    }

    @Test("Status reads the position that is stored next to the store")
    func others() throws {
        let folder = try Workspace()
        let records = Self.records(300)
        try folder.write("tasks.ndjson", records)
        #expect(try folder.run(model: Self.model, Self.load).text == "")
        try folder.write("tasks.ndjson", records + "{\n")
        #expect(try folder.run(model: Self.model, Self.load).status == .dataError)
        let status = try PipelineStatus.of(
            spec: folder.path("spec.yaml"),
            ParameterValues.Context(now: Workspace.now, workingFolder: "/"))
        #expect(status.pending?.place == "import tasks")
    }
}
