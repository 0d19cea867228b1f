import Diagnostics
import Foundation
import Testing

@testable import Pipelines

/// The position at which the next run resumes after a failed one.
@Suite("Positions of failed runs") struct PositionTests {
    static let model = """
        model: 1
        entities:
          Note: { attributes: { id: Integer 32, text: String } }
        """
    static let tables = ResumeTests.tables
    static let notes = "SELECT count(*), count(DISTINCT ZID) FROM ZNOTE"

    /// Returns the notes of a range of numbers, one per line.
    static func lines(_ range: ClosedRange<Int>, text: String = "some text") -> String {
        range.map { #"{"id":\#($0),"text":"\#(text) \#($0 * 7919 % 1_000_003)"}"# + "\n" }.joined()
    }

    static func spec(
        _ whenFound: String, file: String = "in.ndjson.gz", name: String = "notes",
        top: String = "",
        more: String = ""
    ) -> String {
        """
        etl: 1
        name: \(name)
        store: { at: store.sqlite, model: model.yaml, open: create }
        \(top)
        stages:
          - import: notes
            read: { files: "\(file)" }
            into: Note
            when-found: \(whenFound)
            \(whenFound == "append" ? "" : "key: id")
        \(more)
        """
    }

    /// Returns a folder with a truncated input, and with the complete input as `whole.gz`.
    static func cut() throws -> Workspace {
        let folder = try Workspace()
        try folder.write("model.yaml", model)
        let whole = try folder.writeGzip("whole.gz", lines(1...5000))
        try folder.write("in.ndjson.gz", bytes: Array(whole.prefix(whole.count * 2 / 3)))
        return folder
    }

    static func repair(_ folder: Workspace) throws {
        try folder.write("in.ndjson.gz", bytes: folder.bytes("whole.gz"))
    }

    @Test(
        "a truncated input is imported once, however many runs fail before it is repaired",
        arguments: ["append", "update", "replace", "skip"])
    func cutInput(_ whenFound: String) throws {
        let folder = try Self.cut()
        var saved: Set<[String]> = []
        for _ in 0..<3 {
            let run = try folder.run(Self.spec(whenFound))
            #expect(run.status == .dataError)
            #expect(run.outcome.diagnostics.map(\.code) == ["gzip.truncated"])
            saved.insert(try folder.rows(Self.notes))
        }
        #expect(saved.count == 1)
        try Self.repair(folder)
        let run = try folder.run(Self.spec(whenFound))
        #expect(run.status == .ok, "\(run.text)")
        #expect(run.outcome.attempts == 4)
        #expect(run.lines == ["import notes: 5,000 read, 5,000 inserted"])
        #expect(try folder.rows(Self.notes) == ["5000|5000"])
        #expect(try folder.rows(Self.tables) == ["0"])
    }

    @Test("a run on another day is a new run, and its import resumes at the old position")
    func otherDay() throws {
        let folder = try Self.cut()
        #expect(try folder.run(Self.spec("append")).status == .dataError)
        try Self.repair(folder)
        let run = try folder.run(
            Self.spec("append"), now: Workspace.now.addingTimeInterval(86_400))
        #expect(run.status == .ok, "\(run.text)")
        #expect(run.outcome.attempts == 1)
        #expect(
            run.warnings.map(\.message) == [
                "An unfinished run is not completed, since it is of 2026-03-04; no stage counts as done"
            ])
        #expect(try folder.rows(Self.notes) == ["5000|5000"])
        #expect(try folder.rows(Self.tables) == ["0"])
    }

    @Test("a run of another pipeline has its own position, and keeps the first one's")
    func otherPipeline() throws {
        let folder = try Self.cut()
        let other = Self.spec("append", file: "other.ndjson", name: "others")
        try folder.write("other.ndjson", Self.lines(10_001...10_010))
        #expect(try folder.run(Self.spec("append")).status == .dataError)
        #expect(try folder.run(other).status == .ok)
        #expect(try folder.run(Self.spec("append")).status == .dataError)
        let whole = try folder.writeGzip("b.gz", Self.lines(20_001...23_000))
        let third = Self.spec("append", file: "c.gz", name: "thirds")
        try folder.write("c.gz", bytes: Array(whole.dropLast(100)))
        #expect(try folder.run(third).status == .dataError)
        try Self.repair(folder)
        #expect(try folder.run(Self.spec("append")).status == .ok)
        try folder.write("c.gz", bytes: whole)
        #expect(try folder.run(third).status == .ok)
        #expect(try folder.rows(Self.notes) == ["8010|8010"])
        #expect(try folder.rows(Self.tables) == ["0"])
    }

    @Test(
        "if the input has changed, a repeatable import starts over and an append fails",
        arguments: ["update", "replace", "append", "skip", "reject"])
    func changed(_ whenFound: String) throws {
        let folder = try Self.cut()
        #expect(try folder.run(Self.spec(whenFound)).status == .dataError)
        let saved = try folder.rows(Self.notes)
        try folder.writeGzip("in.ndjson.gz", Self.lines(1...5000, text: "other"))
        let run = try folder.run(Self.spec(whenFound))
        guard ["update", "replace"].contains(whenFound) else {
            #expect(run.status == .dataError)
            #expect(
                run.text.replacing(folder.folder + "/", with: "") == """
                    error: The import 'notes' cannot resume where it stopped: in.ndjson.gz has \
                    changed [run.cannot-resume]
                      stage: spec.yaml:6:5 import notes
                      fix: restore the input or the stage, or read everything again with --restart, also \
                    what is saved; `etl replay` reads the rejects alone; with `commit: run`, a run that \
                    fails saves nothing
                    """)
            #expect(try folder.rows(Self.notes) == saved)
            return
        }
        #expect(run.status == .ok, "\(run.text)")
        #expect(run.warnings.map(\.code) == ["run.resumed", "run.starts-again"])
        #expect(try folder.rows(Self.notes) == ["5000|5000"])
        #expect(
            try folder.rows("SELECT count(*) FROM ZNOTE WHERE ZTEXT LIKE 'other%'") == ["5000"])
    }

    @Test("an append cannot resume if its stage has changed")
    func changedStage() throws {
        let folder = try Self.cut()
        #expect(try folder.run(Self.spec("append")).status == .dataError)
        try Self.repair(folder)
        let spec = Self.spec("append", more: "    set: { text: { from: text, clean: upper } }")
        let run = try folder.run(spec)
        #expect(run.status == .dataError)
        #expect(
            run.text.contains(
                "cannot resume where it stopped: the stage has changed"), "\(run.text)")
    }

    @Test("an import that aborts at too many rejects resumes, and counts the rejects from zero")
    func abort() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        let bad = (0..<20).map { _ in "{\"id\":\"x\"}\n" }.joined()
        try folder.write(
            "a.ndjson",
            Self.lines(1...3000) + bad + Self.lines(3001...9000) + bad + Self.lines(9001...9100))
        let spec = Self.spec("append", file: "a.ndjson", top: "rejects: { allow: 100%, abort: 10 }")
        var statuses: [Pipelines.ExitStatus] = []
        var run = try folder.run(spec)
        while run.status == .dataError, statuses.count < 5 {
            #expect(run.text.contains("[rejects.too-many]"))
            statuses.append(run.status)
            run = try folder.run(spec)
        }
        #expect(statuses.count == 2)
        #expect(run.status == .ok, "\(run.text)")
        #expect(run.lines == ["import notes: 9,140 read, 9,100 inserted, 40 rejected"])
        #expect(try folder.rows(Self.notes) == ["9100|9100"])
        #expect(try folder.rejects().values.map { $0.split(separator: "\n").count } == [40, 40])
    }

    @Test("a run that omits the interrupted import keeps its position")
    func leftOut() throws {
        let folder = try Self.cut()
        let spec = Self.spec("append", more: "  - { export: Note, to: out.csv }")
        #expect(try folder.run(spec).status == .dataError)
        var options = RunOptions(workingFolder: "/", now: Workspace.now)
        options.only = "export-note"
        for _ in 0..<2 {
            let run = PipelineRunner(options: options).run(folder.path("spec.yaml"))
            #expect(run.status == .ok, "\(run.diagnostics)")
            #expect(run.attempts == 1)
        }
        try Self.repair(folder)
        #expect(try folder.run(spec).status == .ok)
        #expect(try folder.rows(Self.notes) == ["5000|5000"])
        #expect(try folder.rows(Self.tables) == ["0"])
    }

    @Test("a run with a record limit keeps the position of an interrupted append")
    func limited() throws {
        let folder = try Self.cut()
        let spec = Self.spec("append")
        #expect(try folder.run(spec).status == .dataError)
        try Self.repair(folder)
        var options = RunOptions(workingFolder: "/", now: Workspace.now)
        options.recordsMax = 10
        for _ in 0..<2 {
            let run = PipelineRunner(options: options).run(folder.path("spec.yaml"))
            #expect(run.status == .ok, "\(run.diagnostics)")
        }
        #expect(try folder.run(spec).status == .ok)
        #expect(try folder.rows(Self.notes) == ["5000|5000"])
        #expect(try folder.rows(Self.tables) == ["0"])
    }

    @Test("an append with `always` after a failed stage is not repeated")
    func appendAfterFailure() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        try folder.write("a.ndjson", Self.lines(1...5))
        let verify = "  - { verify: none, expect: { Note: \"== 9\" } }\n"
        let spec = Self.spec("append", file: "a.ndjson", more: "    always: true").replacing(
            "stages:\n", with: "stages:\n" + verify)
        for _ in 0..<2 {
            #expect(try folder.run(spec).status == .dataError)
            #expect(try folder.rows(Self.notes) == ["5|5"])
        }
    }

    @Test("after --only, a run completes the other stages and repeats no finished append")
    func onlyBetween() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        try folder.write("a.ndjson", Self.lines(1...5))
        let more =
            "  - { verify: none, expect: { Note: \"== 0\" } }\n  - { export: Note, to: out.csv }"
        let spec = Self.spec("append", file: "a.ndjson", more: more)
        #expect(try folder.run(spec).status == .dataError)
        var options = RunOptions(workingFolder: "/", now: Workspace.now)
        options.only = "export-note"
        #expect(PipelineRunner(options: options).run(folder.path("spec.yaml")).status == .ok)
        let again = try folder.run(spec)
        #expect(again.status == .dataError)
        #expect(again.text.contains("[verify.failed]"), "\(again.text)")
        #expect(try folder.rows(Self.notes) == ["5|5"])
        // The remaining stages complete the run.
        options.only = nil
        options.from = "export-note"
        try folder.write("spec.yaml", spec.replacing("== 0", with: "== 5"))
        #expect(PipelineRunner(options: options).run(folder.path("spec.yaml")).status == .ok)
        options.from = "none"
        #expect(PipelineRunner(options: options).run(folder.path("spec.yaml")).status == .ok)
        #expect(try folder.rows(Self.tables) == ["0"])
    }

    @Test("deferred rows are resolved once, whatever the limits are")
    func resolvedOnce() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", LinkChain.model)
        let spec = """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            budget: { save-every: 64 }
            stages: [{ import: a.ndjson, into: Node, link: { next: { by: { id: next } } } }]
            """
        try folder.write("a.ndjson", LinkChain.text(2000) + "{\"id\":\"x\"}\n")
        for _ in 0..<2 {
            let run = try folder.run(spec)
            #expect(run.status == .dataError)
            #expect(run.text.contains("1 of 2,001 records was rejected"), "\(run.text)")
        }
        let last = try folder.run(spec + "\nrejects: { allow: 1 }")
        #expect(last.status == .ok, "\(last.text)")
        #expect(try folder.rows("SELECT count(*), count(ZNEXT) FROM ZNODE") == ["2000|1999"])
    }

    @Test("a reject that stops an import stops it again until the record is corrected")
    func stopped() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        let spec = Self.spec("update", file: "a.json", more: "    on: { cast: stop }")
        func write(_ value: String) throws {
            try folder.write("a.json", "[{\"id\":1},\n{\"id\":\(value)},\n{\"id\":3}]")
        }
        try write("\"x\"")
        for _ in 0..<2 {
            let run = try folder.run(spec)
            #expect(run.status == .dataError)
            #expect(run.text.contains("[cast]"), "\(run.text)")
        }
        // The reject file is complete.
        let name = try #require(folder.names("rejects").first)
        #expect(try folder.text("rejects/\(name)/notes.a.json") == "[\n{\"id\":\"x\"}\n]\n")
        try write("2")
        let mended = try folder.run(spec)
        #expect(mended.status == .ok, "\(mended.text)")
        #expect(mended.warnings.map(\.code) == ["run.resumed", "run.starts-again"])
        #expect(try folder.rows("SELECT ZID FROM ZNOTE ORDER BY 1") == ["1", "2", "3"])
    }

    @Test("a run started by another version of etl cannot resume; --restart starts over")
    func oldNotes() throws {
        let folder = try Self.cut()
        #expect(try folder.run(Self.spec("append")).status == .dataError)
        _ = try folder.rows(
            """
            UPDATE ETL_PROGRESS SET VALUE = CAST(json_set(CAST(VALUE AS TEXT), '$.format', 7) AS BLOB)
            WHERE KIND = 'run'
            """)
        let run = try folder.run(Self.spec("append"))
        #expect(run.status == .dataError)
        #expect(
            run.text.contains(
                """
                is unfinished, and another version of etl started it [run.cannot-resume]
                  fix: complete it with that version, or start over with --restart
                """), "\(run.text)")
        var options = RunOptions(workingFolder: "/", now: Workspace.now)
        options.isRestart = true
        try Self.repair(folder)
        #expect(PipelineRunner(options: options).run(folder.path("spec.yaml")).status == .ok)
        #expect(try folder.rows(Self.tables) == ["0"])
    }

    @Test("a run resumes another only if date, parameters, and finished stages are equal")
    func decision() {
        let request = RunContinuation.Request(fingerprint: "f", date: "2026-03-04")
        let stages = [(name: "a", fingerprint: "1"), (name: "b", fingerprint: "2")]
        func obstacle(
            _ other: RunContinuation.Request, isEnded: Bool = false,
            today: [String: String] = ["a": "1", "b": "2", "c": "3"]
        ) -> RunContinuation.Obstacle? {
            RunContinuation.obstacle(
                other, isEnded: isEnded, done: stages, request, today: today)
        }
        #expect(obstacle(request) == nil)
        #expect(obstacle(request, isEnded: true) == .ended)
        #expect(obstacle(.init(fingerprint: "g", date: "2026-03-04")) == .parameters)
        #expect(obstacle(.init(fingerprint: "f", date: "2026-03-03")) == .date("2026-03-03"))
        #expect(obstacle(request, today: ["a": "1", "b": "3"]) == .stage("b"))
        #expect(obstacle(request, today: ["b": "2"]) == .stage("a"))
    }
}
