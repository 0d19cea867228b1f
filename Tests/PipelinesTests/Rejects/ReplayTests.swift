import Diagnostics
import Foundation
import GraphStore
import Testing

@testable import Pipelines

/// Replays of the rejects of a run.
@Suite("Replay")
struct ReplayTests {
    static let stages = """
        - import: tasks
          read: { files: "*.tasks.csv" }
          into: Task
          link: { owner: { by: { email: owner } } }
        - import: notes
          read: { files: notes.json, at: "$.all[*]" }
          into: Note
          set: { text: { need: true, clean: trim } }
        - { export: Task, to: tasks.ndjson }
        """
    static let model = """
        model: 1
        entities:
          Task:
            attributes: { id: { type: String, optional: false }, size: Integer 16 }
            relationships: { owner: { to: Person, inverse: tasks } }
            unique: [[id]]
          Person:
            attributes: { email: { type: String, optional: false } }
            relationships: { tasks: { to: Task, many: true, inverse: owner } }
            unique: [[email]]
          Note:
            attributes: { text: { type: String, optional: false } }
            unique: [[text]]
        """

    /// Returns a folder after a run with rejects, and the folder with the rejects.
    static func rejected() throws -> (folder: Workspace, rejects: String) {
        let folder = try Workspace()
        try folder.write(
            "a.tasks.csv", "id,size,owner\n1,5,ann\n2,x,\n3,7,bob\n\"4,8\",9,\"x\"y\n5,6,\n")
        try folder.write("b.tasks.csv", "id,size,owner\n6,1,ann\n")
        try folder.write("notes.json", #"{"all":[{"text":" a "},{"text":null},{"txt":"b"},7]}"#)
        let run = try folder.run(model: model, stages, top: "rejects: { allow: 100% }")
        #expect(run.text == "")
        #expect(
            run.lines == [
                "import tasks: 6 read, 1 inserted, 5 rejected",
                "import notes: 4 read, 1 inserted, 3 rejected",
                "export export-task: 1 row to tasks.ndjson",
            ])
        return (folder, "rejects/\(folder.names("rejects")[0])")
    }

    static func addAnn(to folder: Workspace) throws {
        let spec = try folder.text("spec.yaml")
        try folder.write("people.ndjson", #"{"email":"ann"}"#)
        let run = try folder.run(model: model, "- { import: people.ndjson, into: Person }")
        #expect(run.status == .ok)
        try folder.write("spec.yaml", spec)
    }

    static func replay(
        _ folder: Workspace, _ run: String, allowed: CountLimit? = nil
    ) -> Run {
        var options = RunOptions(workingFolder: folder.folder, now: Workspace.now)
        options.allowedRejects = allowed
        let outcome = PipelineRunner(options: options).replay(run)
        for stage in outcome.stages {
            if let records = stage.records { #expect(records.isConserved) }
        }
        return Run(outcome: outcome, folder: folder.folder, warnings: [])
    }

    @Test("a replay removes passing records from the reject files, and keeps failing records")
    func drains() throws {
        let (folder, rejects) = try Self.rejected()
        try Self.addAnn(to: folder)
        let replay = Self.replay(folder, rejects)
        #expect(replay.status == .ok)
        #expect(
            replay.lines == [
                "import tasks: 5 read, 2 inserted, 3 rejected",
                "import notes: 3 read, 3 rejected",
            ])
        #expect(try folder.rows("SELECT ZID FROM ZTASK ORDER BY ZID") == ["1", "5", "6"])
        #expect(
            try folder.text("\(rejects)/tasks.a.tasks.csv")
                == "id,size,owner\n2,x,\n\"4,8\",9,\"x\"y\n3,7,bob\n")
        #expect(
            folder.names(rejects) == [
                ".run.json", "notes.notes.json", "notes.notes.json.why.ndjson", "tasks.a.tasks.csv",
                "tasks.a.tasks.csv.why.ndjson",
            ])
        #expect(replay.text == "")
    }

    @Test("a replay reads corrected records, and an empty folder is not an error")
    func mended() throws {
        let (folder, rejects) = try Self.rejected()
        try folder.write("\(rejects)/tasks.a.tasks.csv", "id,size,owner\n2,3,\n3,7,\n")
        try folder.write("\(rejects)/tasks.b.tasks.csv", "id,size,owner\n6,1,\n")
        try folder.write("\(rejects)/notes.notes.json", #"[{"text":"c"},{"text":"a"}]"#)
        let id = String(rejects.dropFirst("rejects/spec-".count))
        let replay = Self.replay(folder, id)
        #expect(replay.text == "")
        #expect(
            replay.lines == [
                "import tasks: 3 read, 3 inserted", "import notes: 2 read, 1 inserted, 1 unchanged",
            ])
        #expect(folder.names(rejects) == [".run.json"])
        #expect(try folder.text("tasks.ndjson").split(separator: "\n").count == 1)
        let again = Self.replay(folder, rejects)
        #expect(again.status == .ok)
        #expect(again.outcome.stages.isEmpty)
        #expect(again.text == "")
    }

    @Test("a replay fails if more records remain than allowed")
    func allowed() throws {
        let (folder, rejects) = try Self.rejected()
        let left = Self.replay(folder, rejects, allowed: .count(4))
        #expect(left.status == .dataError)
        #expect(
            left.text.replacing(folder.names("rejects")[0], with: "RUN") == """
                notes.json:1:24: error: 'text' is part of the key, and the record has null \
                for it [key]
                  in: record 2, field 'text', byte 23
                notes.json:1:38: error: The record has no 'text' [key]
                  in: record 3, field 'text', byte 37
                notes.json:1:50: error: The record is not an object [json.not-an-object]
                  in: record 4, byte 49
                a.tasks.csv:3:3: error: 'size' takes a whole number that fits Integer 16, not \
                'x' [cast]
                  in: record 2, field 'size', byte 24
                a.tasks.csv:5:12: error: Text follows a closing quote [csv.text-after-quote]
                  in: record 4, byte 46
                a.tasks.csv:2:5: error: No Person has email 'ann' [link]
                  in: record 1, field 'owner', byte 18
                a.tasks.csv:4:5: error: No Person has email 'bob' [link]
                  in: record 3, field 'owner', byte 31
                b.tasks.csv:2:5: error: No Person has email 'ann' [link]
                  in: record 1, field 'owner', byte 18
                error: 8 of 8 records are rejected again [replay.left]
                  fix: correct the records in rejects/RUN, or fix the spec, and replay again
                """)
        #expect(Self.replay(folder, rejects, allowed: .count(5)).status == .ok)
        #expect(folder.names(rejects).count == 7)
    }

    @Test("rejects of deferred records have the header of their table")
    func parked() throws {
        let folder = try Workspace()
        try folder.write("t.csv", "id,parent\n1,9\n2,1\n3,\n")
        let stages = "- { import: t.csv, into: Task, link: { parent: { by: { id: parent } } } }"
        _ = try folder.run(
            model: LinkTests.model, stages, top: "rejects: { allow: 9 }")
        let rejects = "rejects/\(folder.names("rejects")[0])"
        #expect(try folder.text("\(rejects)/import-t.t.csv") == "id,parent\n1,9\n2,1\n")
        let spec = try folder.text("spec.yaml")
        try folder.write("p.csv", "id,parent\n9,\n")
        _ = try folder.run(
            model: LinkTests.model,
            "- { import: p.csv, into: Task, set-only: true, set: { id: id } }")
        try folder.write("spec.yaml", spec)
        let replay = Self.replay(folder, rejects)
        #expect(replay.text == "")
        #expect(replay.lines == ["import import-t: 2 read, 2 inserted"])
        #expect(try folder.rows("SELECT count(*) FROM ZTASK") == ["4"])
    }

    @Test("reports why rejects cannot be replayed")
    func errors() throws {
        let (folder, rejects) = try Self.rejected()
        let none = Self.replay(folder, "rejects/none")
        #expect(none.status == .noInput)
        #expect(
            none.text == """
                error: There are no rejects of a run at rejects/none [replay.missing]
                  fix: name the folder that the run printed, such as rejects/nightly-…
                """)
        #expect(Self.replay(folder, ".").status == .noInput)
        // The current spec does not have this stage.
        try folder.write(
            "spec.yaml",
            try folder.text("spec.yaml").replacing("import: notes", with: "import: note"))
        let renamed = Self.replay(folder, rejects)
        #expect(renamed.status == .configuration)
        #expect(
            renamed.text == """
                error: spec.yaml has no import 'notes' any longer, whose rejects these are. Did \
                you mean 'note'? [replay.stage]
                """)
        #expect(folder.names(rejects).count == 7)
    }

    @Test("does not replay a truncated row as a complete one")
    func cut() throws {
        let folder = try Workspace()
        try folder.write("a.csv", "id,size\n1,5\n\(String(repeating: "2", count: 99_999)),7\n")
        _ = try folder.run(
            model: Self.model,
            "- { import: a, read: { files: a.csv, max-record: 50 }, into: Task }",
            top: "rejects: { allow: 1 }")
        let rejects = "rejects/\(folder.names("rejects")[0])"
        let replay = Self.replay(folder, rejects)
        #expect(replay.status == .dataError)
        #expect(replay.text.contains("[replay.cut]"), "\(replay.text)")
        #expect(folder.names(rejects).count == 3)
    }

    @Test("the rejects of a failed run can be replayed before the run is completed")
    func unfinished() throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", "{\"id\":\"1\"}\n{\"id\":null}\n")
        try folder.write("out", "a file, no folder")
        let stages = "- { import: a.ndjson, into: Task }\n- { export: Task, to: out/t.csv }"
        let top = "rejects: { allow: 1 }"
        #expect(try folder.run(model: Self.model, stages, top: top).status == .cannotCreate)
        let rejects = "rejects/\(folder.names("rejects")[0])"
        let replay = Self.replay(folder, rejects, allowed: .count(1))
        #expect(replay.lines == ["import import-a: 1 read, 1 rejected"])
        try FileManager.default.removeItem(atPath: folder.path("out"))
        let run = try folder.run(model: Self.model, stages, top: top)
        #expect(run.status == .ok)
        #expect(run.outcome.attempts == 2)
    }

    @Test("replays a folder that was moved with its spec, and reports a damaged note")
    func moved() throws {
        let folder = try Workspace()
        try folder.write("project/in/a.ndjson", "{\"id\":\"1\"}\n{\"id\":null}\n")
        try folder.write("project/model.yaml", Self.model)
        try folder.write(
            "project/spec.yaml",
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            rejects: { allow: 1 }
            stages: [{ import: in/a.ndjson, into: Task }]
            """)
        let options = RunOptions(workingFolder: folder.folder, now: Workspace.now)
        #expect(
            PipelineRunner(options: options).run(folder.path("project/spec.yaml")).status == .ok)
        try folder.move("project", to: "moved")
        let rejects = "moved/rejects/\(folder.names("moved/rejects")[0])"
        let note = try folder.text(rejects + "/.run.json")
        #expect(note.contains(#""spec":"../../spec.yaml""#), "\(note)")
        #expect(note.contains(#""source":"../../in/a.ndjson""#), "\(note)")
        #expect(!note.contains(folder.folder), "\(note)")
        let replay = Self.replay(folder, rejects, allowed: .count(1))
        #expect(replay.lines == ["import import-a: 1 read, 1 rejected"], "\(replay.text)")
        let numbers = ["replayed", "recordsLength", "reasonsLength"].flatMap { key in
            ["9223372036854775807", "-1"].map { #""files":[{"\#(key)":\#($0),"# }
        }
        for text in ["{"] + numbers.map({ note.replacing(#""files":[{"#, with: $0) }) {
            try folder.write(rejects + "/.run.json", text)
            let damaged = Self.replay(folder, rejects)
            #expect(damaged.status == .dataError, "\(text)")
            #expect(damaged.text.contains("[rejects.note]"), "\(damaged.text)")
        }
    }

    @Test("a replay of the rejects of an earlier input does not count for the one that replaced it")
    func replacedInput() throws {
        let folder = try Workspace()
        let stages = "- { import: a.ndjson, into: Task }"
        try folder.write("a.ndjson", "{\"id\":null}\n")
        #expect(try folder.run(model: Self.model, stages).status == .dataError)
        let rejects = "rejects/\(folder.names("rejects")[0])"
        try folder.write("a.ndjson", "{\"id\":\"8\"}\n{\"id\":null}\n")
        #expect(try folder.run(model: Self.model, stages).status == .dataError)
        try folder.write("\(rejects)/import-a.a.ndjson", "{\"id\":\"6\"}\n")
        #expect(Self.replay(folder, rejects).status == .dataError)
        #expect(try folder.run(model: Self.model, stages).status == .dataError)
        try folder.write("\(rejects)/import-a.again-2.a.ndjson", "{\"id\":\"7\"}\n")
        #expect(Self.replay(folder, rejects).status == .ok)
        let last = try folder.run(model: Self.model, stages)
        #expect(last.lines == ["import import-a: 2 read, 1 inserted, 1 replayed"])
        #expect(try folder.rows("SELECT ZID FROM ZTASK ORDER BY ZID") == ["6", "7", "8"])
    }

    @Test("a replay is not credited again to an import that starts over because its stage changed")
    func changedStage() throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", "{\"id\":\"1\"}\n{\"id\":null}\n")
        let stages = "- { import: a.ndjson, into: Task }"
        #expect(try folder.run(model: Self.model, stages).status == .dataError)
        let rejects = "rejects/\(folder.names("rejects")[0])"
        let file = "\(rejects)/import-a.a.ndjson"
        try folder.write(file, "{\"id\":\"2\"}\n")
        #expect(Self.replay(folder, rejects).status == .ok)
        let changed = "- { import: a.ndjson, into: Task, duplicates: first }"
        for _ in 1...3 {
            #expect(try folder.run(model: Self.model, changed).status == .dataError)
            #expect(try folder.text(file) == "{\"id\":null}\n")
        }
    }

    @Test("after a replay, an import with too many rejects passes if the rest is allowed")
    func checkedAfterReplay() throws {
        let folder = try Workspace()
        try folder.write(
            "a.ndjson",
            (1...5).map { "{\"id\":\"\($0)\"}\n" }.joined() + "{\"id\":null}\n{\"id\":7}\n[]\n")
        let stages = "- { import: a.ndjson, into: Task }\n- { export: Task, to: t.csv }"
        let first = try folder.run(model: Self.model, stages)
        #expect(first.status == .dataError)
        #expect(first.lines == [])
        let rejects = "rejects/\(folder.names("rejects")[0])"
        let file = "\(rejects)/import-a.a.ndjson"
        // Nothing is read twice: the file does not even exist.
        try folder.move("a.ndjson", to: "gone")
        let second = try folder.run(model: Self.model, stages)
        #expect(second.status == .noInput)
        try folder.move("gone", to: "a.ndjson")
        let third = try folder.run(model: Self.model, stages)
        #expect(third.status == .dataError)
        #expect(third.text.contains("of 8 records were rejected; none is allowed"))
        let count = try folder.text(file).split(separator: "\n").count
        try folder.write(file, (0..<count).map { "{\"id\":\"new \($0)\"}\n" }.joined())
        #expect(
            Self.replay(folder, rejects).lines == [
                "import import-a: \(count) read, \(count) inserted"
            ])
        let last = try folder.run(model: Self.model, stages)
        #expect(last.status == .ok, "\(last.text)")
        #expect(
            last.lines == [
                "import import-a: 8 read, \(8 - count) inserted, \(count) replayed",
                "export export-task: 8 rows to t.csv",
            ])
    }
}

/// A replay that was killed, and the runs before it is completed.
@Suite("Unfinished replays")
struct UnfinishedReplayTests {
    static let model = """
        model: 1
        entities:
          Note: { attributes: { text: { type: String, optional: false }, size: Integer 16 } }
        """
    static let spec = """
        etl: 1
        name: spec
        store: { at: store.sqlite, model: model.yaml, open: create }
        rejects: { allow: 100% }
        stages: [{ import: a.ndjson, into: Note, when-found: append }]
        """

    /// Returns a store with a replay's notes, as a replay leaves it if it is killed after its save.
    static func killed() throws -> (folder: Workspace, rejects: String) {
        let folder = try Workspace()
        try folder.write("model.yaml", model)
        try folder.write("a.ndjson", "{\"text\":\"a\"}\n{\"text\":\"b\",\"size\":\"x\"}\n")
        #expect(try folder.run(spec).status == .ok)
        let rejects = "rejects/\(folder.names("rejects")[0])"
        let replay = try Replay(rejects, workingFolder: folder.folder)
        try replay.begin(by: "20260304T050607Z-1")
        let container = try PersistentContainer(model: nil, at: folder.path("store.sqlite"))
        let checked = SpecificationFile.check(
            file: folder.path("spec.yaml"),
            ParameterValues.Context(now: Workspace.now, workingFolder: folder.folder))
        _ = try RunJournal(
            RunNote(
                pipeline: "spec", runID: "20260304T050607Z-1", started: 0, fingerprint: "x",
                replay: replay.folder), NotedPaths(try #require(checked.spec)),
            .new, isSameAttempt: false, in: container)
        return (folder, rejects)
    }

    @Test("a run keeps the notes of an unfinished replay, which can be completed later")
    func keepsNotes() throws {
        let (folder, rejects) = try Self.killed()
        #expect(try folder.run(Self.spec).status == .ok)
        #expect(try folder.rows("SELECT count(*) FROM ZNOTE") == ["2"])
        #expect(try folder.rows("SELECT KIND FROM ETL_PROGRESS") == ["replay:spec/run"])
        #expect(ReplayTests.replay(folder, rejects, allowed: .count(1)).status == .ok)
        #expect(try folder.rows(ResumeTests.tables) == ["0"])
    }

    @Test("a plan of a replay that names files elsewhere is damaged")
    func foreignPlan() throws {
        let (folder, rejects) = try Self.killed()
        let victim = folder.path("victim")
        let own = folder.path("\(rejects)/.replay/x")
        for move in [
            #"{"to":"\#(victim)"}"#, #"{"from":"\#(own)","to":"\#(victim)"}"#,
            #"{"from":"\#(victim)","to":"\#(folder.path(rejects))/x"}"#,
            #"{"from":"\#(folder.path(rejects))/.replay/../../../victim","to":"\#(own)"}"#,
        ] {
            try folder.write("victim", "keep this\n")
            try folder.write("\(rejects)/.replay/x", "x\n")
            try folder.write("\(rejects)/.replay/plan.json", "[\(move)]")
            let run = ReplayTests.replay(folder, rejects)
            #expect(run.status == .dataError, "\(move)")
            #expect(run.text.contains("\(rejects)/.replay/plan.json is damaged"), "\(run.text)")
            #expect(try folder.text("victim") == "keep this\n")
        }
    }

    @Test("a run starts despite an unfinished replay whose folder was moved")
    func allowed() throws {
        let (folder, rejects) = try Self.killed()
        try folder.move(rejects, to: "elsewhere")
        #expect(try folder.run(Self.spec).status == .ok)
    }
}
