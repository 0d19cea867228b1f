import Diagnostics
import Foundation
import Testing

@testable import Pipelines

/// Runs that resume after a user has renamed or extended an input, or has run some stages alone.
@Suite("Positions in inputs that other programs change")
struct TouchedInputTests {
    private static let model = """
        model: 1
        entities:
          Note: { attributes: { text: { type: String, optional: false } } }
        """

    private func spec(_ stages: String) -> String {
        """
        etl: 1
        name: notes
        store: { at: store.sqlite, model: model.yaml, open: create }
        budget: { save-every: 10 }
        stages:
        \(stages)
        """
    }

    private func lines(_ range: Range<Int>) -> String {
        range.map { "{\"text\":\"t\($0)\"}\n" }.joined()
    }

    private func run(
        _ folder: Workspace, only: String? = nil, allowed: Int = 0
    ) throws -> RunOutcome {
        var options = RunOptions(workingFolder: "/", now: Workspace.now)
        options.only = only
        options.allowedRejects = .count(allowed)
        options.decoding = Workspace.separateThread
        return PipelineRunner(options: options).run(folder.path("spec.yaml"))
    }

    private static let counts = "SELECT count(*), count(DISTINCT ZTEXT) FROM ZNOTE"

    /// Returns a folder after a run whose first append is done and whose second has one reject too
    /// many.
    private func failed() throws -> Workspace {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        try folder.write("a.ndjson", lines(0..<50))
        try folder.write("b.ndjson", lines(50..<60) + "{\n")
        try folder.write(
            "spec.yaml",
            spec(
                """
                  - { import: one, read: { files: a.ndjson }, into: Note, when-found: append }
                  - { import: two, read: { files: b.ndjson }, into: Note, when-found: append }
                  - { export: Note, to: out.csv, order: [text] }
                """))
        #expect(try run(folder).status == .dataError)
        return folder
    }

    @Test("resumes a renamed input instead of appending it again")
    func renamed() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        let whole = try folder.writeGzip("whole.gz", lines(0..<5000))
        try folder.write("in-1.ndjson.gz", bytes: Array(whole.prefix(whole.count / 2)))
        try folder.write(
            "spec.yaml",
            spec(
                "  - { import: notes, read: { files: \"in-*.ndjson.gz\" }, into: Note, when-found: append }"
            ))
        #expect(try run(folder).status == .dataError)
        let first = try folder.rows("SELECT count(*) FROM ZNOTE")
        #expect(first != ["0"])
        try FileManager.default.removeItem(atPath: folder.path("in-1.ndjson.gz"))
        try folder.move("whole.gz", to: "in-3.ndjson.gz")
        #expect(try run(folder).status == .ok)
        #expect(try folder.rows(Self.counts) == ["5000|5000"])
    }

    @Test("does not repeat a completed append whose input has grown")
    func grown() throws {
        let folder = try failed()
        try folder.write("a.ndjson", lines(0..<50) + lines(100..<101))
        let again = try run(folder)
        #expect(again.status == .dataError)
        #expect(again.diagnostics.map(\.code) == ["run.cannot-resume"])
        #expect(try folder.rows(Self.counts) == ["60|60"])
    }

    @Test("a run of one stage leaves the rest of an unfinished run to the next run")
    func part() throws {
        let folder = try failed()
        #expect(try run(folder, only: "two", allowed: 1).status == .ok)
        let completed = try run(folder, allowed: 1)
        #expect(completed.status == .ok, "\(completed.diagnostics)")
        #expect(completed.attempts == 2)
        #expect(try folder.rows(Self.counts) == ["60|60"])
        #expect(try folder.text("out.csv").split(separator: "\n").count == 61)
        #expect(try folder.rows(ResumeTests.tables) == ["0"])
    }

    /// Secrets are masked for the lifetime of the process; no other test uses this one.
    @Test("a secret that equals a name in the run's notes does not damage them")
    func secret() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        try folder.write("a.ndjson", lines(0..<50) + "{\"text\":null}\n")
        let spec = """
            etl: 1
            name: notes
            params: { token: { type: secret, from: "env:TOKEN" } }
            store: { at: store.sqlite, model: model.yaml, open: create }
            stages:
              - import: notes
                read: { files: a.ndjson }
                into: Note
                when-found: append
                keep-if: "text != $token"
            """
        let environment = ["TOKEN": "nulledValues"]
        #expect(try folder.run(spec, environment: environment).status == .dataError)
        let allowing = spec.replacing("stages:", with: "rejects: { allow: 1 }\nstages:")
        let completed = try folder.run(allowing, environment: environment)
        #expect(completed.status == .ok, "\(completed.text)")
        #expect(completed.outcome.attempts == 2)
        #expect(try folder.rows(Self.counts) == ["50|50"])
    }
}
