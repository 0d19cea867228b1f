import Foundation
import Diagnostics
import SQLite
import Testing

@testable import Pipelines

/// Runs that resume where another one stopped, and runs that start over.
@Suite("Resuming")
struct ResumeTests {
    static let stages = """
        - { import: a.ndjson, into: Task }
        - { update: bump, entity: Task, where: ALL, set: { size: "size + 1" } }
        - { export: Task, to: out/tasks.csv }
        """
    static let sizes = "SELECT ZID, ZSIZE FROM ZTASK ORDER BY ZID"
    static let tables = "SELECT count(*) FROM sqlite_master WHERE name = 'ETL_PROGRESS'"

    /// Returns a folder in which the export fails, and the import and the update are done.
    static func blocked(top: String = "") throws -> Workspace {
        let folder = try Workspace()
        try folder.write("a.ndjson", #"{"id":"1","size":5}"#)
        try folder.write("out", "a file, no folder")
        let run = try folder.run(model: InputTests.model, stages, top: top)
        #expect(run.status == .cannotCreate)
        #expect(try folder.rows(sizes) == ["1|6"])
        try FileManager.default.removeItem(atPath: folder.path("out"))
        return folder
    }

    @Test("a run after a failure resumes after the finished stages")
    func goesOn() throws {
        let folder = try Self.blocked()
        try FileManager.default.removeItem(atPath: folder.path("a.ndjson"))
        let run = try folder.run(model: InputTests.model, Self.stages)
        #expect(run.status == .ok, "\(run.text)")
        #expect(run.outcome.attempts == 2)
        #expect(run.warnings.map(\.severity) == [.note])
        #expect(run.warnings.first?.message.hasSuffix(": 2 stages done") == true)
        #expect(
            run.lines == [
                "import import-a: 1 read, 1 inserted", "update bump: 1 matched, 1 updated",
                "export export-task: 1 row to out/tasks.csv",
            ])
        #expect(try folder.rows(Self.sizes) == ["1|6"])
        #expect(try folder.text("out/tasks.csv") == "id,size,title\n1,6,\n")
        #expect(try folder.rows(Self.tables) == ["0"])
    }

    @Test("all stages run again if a finished stage has changed")
    func changedSpec() throws {
        let folder = try Self.blocked()
        let run = try folder.run(
            model: InputTests.model, Self.stages.replacing("size + 1", with: "size + 10"))
        #expect(run.status == .ok, "\(run.text)")
        #expect(run.warnings.map(\.code) == ["run.new-input"])
        #expect(
            run.warnings.first?.message == """
                An unfinished run is not completed, since the stage 'bump' has changed; no stage counts as \
                done
                """)
        #expect(try folder.rows(Self.sizes) == ["1|15"])
        // That run is complete, so this is a new one.
        _ = try folder.run(model: InputTests.model, Self.stages)
        #expect(try folder.rows(Self.sizes) == ["1|6"])
    }

    @Test(
        "new or changed input of a finished import starts a new run, which reads it",
        arguments: ["a.ndjson", "b.ndjson"])
    func newInput(_ name: String) throws {
        let folder = try Workspace()
        let stages = Self.stages.replacing("a.ndjson", with: "'*.ndjson'")
        try folder.write("a.ndjson", #"{"id":"1","size":5}"#)
        try folder.write("out", "a file, no folder")
        let first = try folder.run(model: InputTests.model, stages)
        #expect(first.status == .cannotCreate)
        try FileManager.default.removeItem(atPath: folder.path("out"))
        try folder.write(name, #"{"id":"2","size":5}"#)
        let run = try folder.run(model: InputTests.model, stages)
        #expect(run.status == .ok, "\(run.text)")
        #expect(run.outcome.attempts == 1)
        let isOther = name == "b.ndjson"
        #expect(try folder.rows(Self.sizes) == [isOther ? "1|6" : "1|7", "2|6"])
        #expect(run.warnings.map(\.code) == ["run.new-input"])
    }

    @Test("--restart starts over")
    func restart() throws {
        let folder = try Self.blocked()
        let run = try folder.run { $0.isRestart = true }
        #expect(run.status == .ok, "\(run.diagnostics)")
        #expect(run.attempts == 1)
        #expect(try folder.rows(Self.sizes) == ["1|6"])
    }

    @Test("changed parameters start a new run")
    func otherParameters() throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", #"{"id":"1","size":5}"#)
        try folder.write("out", "a file, no folder")
        let top = "params: { by: { type: int, default: 1 } }"
        let stages = Self.stages.replacing("size + 1", with: "size + $by")
        _ = try folder.run(model: InputTests.model, stages, top: top)
        try FileManager.default.removeItem(atPath: folder.path("out"))
        let run = try folder.run(model: InputTests.model, stages, top: top, sets: ["by=2"])
        #expect(run.status == .ok)
        #expect(run.outcome.attempts == 1)
        #expect(try folder.rows(Self.sizes) == ["1|7"])
    }

    /// Runs a spec with a working copy until its export fails, changes the folder, and runs it
    /// again.
    static func nextToStore(
        _ store: String, then change: (Workspace) throws -> Void
    ) throws -> (run: RunOutcome, ids: [String]) {
        let folder = try Workspace()
        try folder.write("a.ndjson", #"{"id":"1","size":5}"#)
        try folder.write("b.ndjson", #"{"id":"2","size":5}"#)
        try folder.write("out", "a file, no folder")
        try folder.write("model.yaml", InputTests.model)
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            params: { file: { type: path, default: a.ndjson } }
            store: { at: store.sqlite, model: model.yaml, \(store) }
            stages:
              - { import: tasks, read: { files: "${file}" }, into: Task }
              - { export: Task, to: out/tasks.csv }
            """)
        #expect(try folder.run { _ in }.status == .cannotCreate)
        try FileManager.default.removeItem(atPath: folder.path("out"))
        try change(folder)
        let run = try folder.run { _ in }
        #expect(run.status == .ok, "\(run.diagnostics)")
        #expect(try folder.rows(Self.tables) == ["0"])
        return (run, try folder.rows("SELECT ZID FROM ZTASK ORDER BY ZID"))
    }

    static let besides = ["open: replace", "open: create, commit: run"]

    @Test("resumes work that is stored next to the store", arguments: besides)
    func resumesNextToStore(_ store: String) throws {
        let (run, ids) = try Self.nextToStore(store) {
            try FileManager.default.removeItem(atPath: $0.path("a.ndjson"))
        }
        #expect(run.attempts == 2)
        #expect(ids == ["1"])
    }

    @Test(
        "discards work next to the store if the spec or the parameters have changed",
        arguments: besides)
    func startsOverNextToStore(_ store: String) throws {
        let changes = [("etl: 1", "etl: 1"), ("default: a.ndjson", "default: b.ndjson")]
        for (old, new) in changes + [("into: Task }", "into: Task, keep-if: \"id == '9'\" }")] {
            let (run, ids) = try Self.nextToStore(store) { folder in
                let spec = try folder.text("spec.yaml")
                try folder.write("spec.yaml", spec.replacing(old, with: new))
            }
            let isSame = old == new
            #expect(run.attempts == (isSame ? 2 : 1))
            #expect(ids == (isSame ? ["1"] : new.contains("b.ndjson") ? ["2"] : []))
        }
    }

    @Test("completes a run that was killed after it replaced the store, and repeats no stage")
    func killedAfterReplacement() throws {
        let (run, ids) = try Self.nextToStore("open: replace") { folder in
            try FileManager.default.removeItem(atPath: folder.path("a.ndjson"))
            try FileManager.default.moveItem(
                atPath: folder.path("store.sqlite.etl-new"), toPath: folder.path("store.sqlite"))
        }
        #expect(run.attempts == 2)
        #expect(ids == ["1"])
    }

    @Test("after a data error, the next run does not repeat finished stages")
    func dataFailure() throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", #"{"id":"1","size":5}"#)
        let stages = Self.stages + "\n- { verify: none, expect: { Task: \"== 0\" } }"
        let run = try folder.run(model: InputTests.model, stages)
        #expect(run.status == .dataError)
        #expect(
            run.text == """
                spec.yaml:8:29: error: There are 1 of 'Task', and == 0 is expected [verify.failed]
                  in: stages[3].expect.Task
                  stage: spec.yaml:8:3 verify none
                """)
        #expect(try folder.rows(Self.sizes) == ["1|6"])
        try folder.write("a.ndjson", "")
        let again = try folder.run(model: InputTests.model, stages)
        #expect(again.status == .dataError)
        #expect(again.warnings.map(\.code) == ["run.new-input"])
        _ = try folder.rows("DELETE FROM ZTASK")
        let last = try folder.run(model: InputTests.model, stages)
        #expect(last.status == .ok, "\(last.text)")
        #expect(last.warnings.map(\.code) == ["run.resumed"])
        #expect(last.lines.last == "verify none: 1 statement holds")
        #expect(try folder.rows(Self.tables) == ["0"])
    }

    @Test(
        "a run at its time limit saves, and the next run resumes after the last save",
        arguments: ["batch", "run"], ["files: a.ndjson", "generate: 60000"])
    func timeLimit(_ commit: String, _ input: String) throws {
        let folder = try Workspace()
        var text = ""
        for number in 0..<60_000 { text += "{\"id\":\"\(number)\",\"size\":\(number % 7)}\n" }
        try folder.write("a.ndjson", text)
        try folder.write("model.yaml", InputTests.model)
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create, commit: \(commit) }
            budget: { save-every: 500, time: 1s }
            stages:
              - import: tasks
                read: { \(input) }
                into: Task
                \(input.hasPrefix("generate") ? "set: { id: row }" : "key: id")
            """)
        var statuses: [Pipelines.ExitStatus] = []
        var last = try folder.run { _ in }
        while last.status == .temporaryFailure, statuses.count < 1000 {
            statuses.append(last.status)
            last = try folder.run { _ in }
        }
        #expect(last.status == .ok, "\(last.diagnostics)")
        #expect(last.attempts == statuses.count + 1)
        var counts = RecordCounts()
        (counts.read, counts.inserted) = (60_000, 60_000)
        #expect(last.stages.first?.records == counts)
        #expect(try folder.rows("SELECT count(*), max(Z_PK) FROM ZTASK") == ["60000|60000"])
    }

    @Test("an interrupted run keeps deferred records, and a changed input starts it over")
    func deferredAndChanged() throws {
        for isChanged in [false, true] {
            let folder = try Workspace()
            try folder.write("model.yaml", LinkChain.model)
            try folder.write(
                "spec.yaml",
                """
                etl: 1
                params: { n: { type: int, default: 0 } }
                store: { at: store.sqlite, model: model.yaml, open: create }
                budget: { save-every: 64 }
                stages: [{ import: a.ndjson, into: Node, link: { next: { by: { id: next } } } }]
                """)
            try folder.write("a.ndjson", LinkChain.text(20_000))
            // As soon as something is saved, the run is interrupted.
            let interruption = Interruption()
            let stopper = Thread {
                while !folder.hasProgress { Thread.sleep(forTimeInterval: 0.002) }
                interruption.request(signal: 15)
            }
            stopper.start()
            let first = try folder.run(interruption) { _ in }
            #expect(first.status == .terminated)
            if isChanged {
                try folder.write("a.ndjson", "\n" + LinkChain.text(20_000))
            }
            let second = try folder.run { _ in }
            #expect(second.status == .ok, "\(second.diagnostics)")
            #expect(second.stages.first?.records?.read == 20_000)
            #expect(second.attempts == 2)
            #expect(
                try folder.rows(
                    """
                    SELECT count(*), count(a.ZNEXT), sum(b.ZID = a.ZID + 1) FROM ZNODE a \
                    LEFT JOIN ZNODE b ON b.Z_PK = a.ZNEXT
                    """) == ["20000|19999|19999"])
        }
    }
}

/// A chain in which every record refers to the next, so all but the last are deferred to the end.
enum LinkChain {
    static let model = """
        model: 1
        entities:
          Node:
            attributes: { id: { type: Integer 32, optional: false } }
            relationships:
              next: { to: Node, inverse: previous }
              previous: { to: Node, many: true, inverse: next }
            unique: [[id]]
        """

    static func text(_ count: Int) -> String {
        (0..<count).map { number in
            "{\"id\":\(number),\"next\":\(number + 1 < count ? "\(number + 1)" : "null")}\n"
        }.joined()
    }
}

extension Workspace {
    /// Whether an import has saved something and has recorded its position.
    var hasProgress: Bool {
        guard let connection = try? Connection(path: path("store.sqlite"), mode: .readOnly),
            let count = try? connection.integer(
                "SELECT count(*) FROM ETL_PROGRESS WHERE KIND = 'stage'")
        else { return false }
        return count > 0
    }

    /// Runs `spec.yaml` unchanged.
    func run(
        _ interruption: Interruption = Interruption(), _ change: (inout RunOptions) -> Void
    ) throws -> RunOutcome {
        var options = RunOptions(workingFolder: "/", now: Workspace.now)
        change(&options)
        return PipelineRunner(options: options, interruption: interruption)
            .run(path("spec.yaml"))
    }
}
