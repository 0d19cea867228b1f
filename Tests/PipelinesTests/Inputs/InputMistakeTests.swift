import Diagnostics
import Testing

@testable import Pipelines

/// Messages about invalid inputs, and about other files that are passed as a spec.
@Suite("Invalid inputs")
struct InputMistakeTests {
    @Test("reports all tables that lack a named column before anything is written")
    func missingColumnOfLaterFiles() throws {
        let folder = try Workspace()
        try folder.write("a-1.csv", "id,kind\n1,x\n")
        try folder.write("a-2.csv", "id,Kind\n2,x\n")
        try folder.write("a-3.csv", "id;kind\n3;x\n")
        let run = try folder.run(
            model: InputTests.model,
            "- { import: \"a-*.csv\", into: Task, keep-if: \"kind == 'x'\" }")
        #expect(run.status == .configuration)
        #expect(
            run.text == """
                a-2.csv:1:1: error: The header has no column 'kind'. Did you mean 'Kind'? \
                [csv.unknown-column]
                  stage: spec.yaml:5:45 import import-a, keep-if
                  fix: use one of: id, Kind
                a-3.csv:1:1: error: The header has no column 'id' [csv.unknown-column]
                  stage: spec.yaml:5:3 import import-a
                  fix: the header is one column, 'id;kind': set `read.delimiter: ";"`
                """)
        #expect(try folder.rows(InputTests.rows) == [])
        // The same holds for an input that a later stage reads.
        try folder.write("b.ndjson", #"{"id":"1"}"#)
        let stages = "- { import: b.ndjson, into: Task }\n"
        let last = "- { import: a-2.csv, into: Task, keep-if: \"kind == 'x'\" }"
        let later = try folder.run(model: InputTests.model, stages + last)
        #expect(later.status == .configuration)
        #expect(later.text.hasPrefix("a-2.csv:1:1: error: The header has no column 'kind'"))
        #expect(try folder.rows(InputTests.rows) == [])
    }

    @Test("reports the missing columns of all stages, and runs stages with `always`")
    func missingColumnsOfStages() throws {
        let folder = try Workspace()
        try folder.write("a.csv", "no\n1\n")
        try folder.write("b.csv", "id\n2\n")
        let run = try folder.run(
            model: InputTests.model,
            """
            - { import: a.csv, into: Task }
            - { export: Task, to: state.csv, always: true }
            - { import: b.csv, into: Task, set: { size: Size } }
            - { import: c, read: { files: a.csv }, into: Task, always: true }
            """)
        #expect(run.status == .configuration)
        #expect(
            run.text.split(separator: "\n").filter { !$0.hasPrefix("  fix:") }.map(String.init) == [
                "a.csv:1:1: error: The header has no column 'id' [csv.unknown-column]",
                "  stage: spec.yaml:5:3 import import-a",
                "b.csv:1:1: error: The header has no column 'Size' [csv.unknown-column]",
                "  stage: spec.yaml:7:3 import import-b",
                "a.csv:1:1: error: The header has no column 'id' [csv.unknown-column]",
                "  stage: spec.yaml:8:3 import c",
            ])
        #expect(try folder.text("state.csv") == "id,size,title\n")
    }

    @Test(
        "the error for bytes that are not UTF-8 suggests `read.encoding`",
        arguments: [
            ("id,title\n1,", "\n", "csv"), ("id,", "\n1,x\n", "csv"),
            ("{\"id\":\"1\",\"title\":\"", "\"}", "ndjson"),
        ])
    func encodings(_ before: String, _ after: String, _ ending: String) throws {
        let folder = try Workspace()
        try folder.write(
            "a.\(ending)", bytes: Array(before.utf8) + [0xE9] + Array(after.utf8))
        let run = try folder.run(model: InputTests.model, "- { import: \"a.*\", into: Task }")
        #expect(
            run.text.contains(
                """
                  fix: name its encoding by `read.encoding`: windows-1252, latin1, or utf-16; else \
                convert the file to UTF-8
                """), "\(run.text)")
    }

    @Test(
        "the error for a data file that is run as a spec suggests etl infer",
        arguments: [
            ("a.csv", "id;title\n1;x\n"), ("a.ndjson", "{\"id\":\"1\"}\n"), ("a.json", "[{}]"),
            ("a.csv.gz", "\u{1F}"),
        ])
    func dataForSpecs(_ name: String, _ text: String) throws {
        let folder = try Workspace()
        try folder.write(name, text)
        let outcome = PipelineRunner(
            options: RunOptions(workingFolder: "/", now: Workspace.now)
        ).run(folder.path(name))
        #expect(outcome.status == .configuration)
        let path = folder.path(name)
        #expect(
            outcome.diagnostics.map(DiagnosticRenderer.text) == [
                """
                \(path): error: This is data; a spec is a YAML file that begins with `etl: 1` and \
                names the data, as in `- { import: \(name), into: ENTITY }` [spec.is-data]
                  fix: `etl infer \(path)` makes a model and a spec to begin with
                """
            ])
    }

    @Test("accepts a spec in JSON, and rejects a store as a spec")
    func otherFilesForSpecs() throws {
        let folder = try Workspace()
        let runner = PipelineRunner(options: RunOptions(workingFolder: "/", now: Workspace.now))
        for spec in [#"{"etl": 1}"#, #"{"stages": []}"#] {
            try folder.write("spec.json", spec)
            #expect(
                runner.check(folder.path("spec.json")).contains { $0.code == "spec.missing-key" })
        }
        try folder.write("a.ndjson", #"{"id":"1"}"#)
        let made = try folder.run(model: InputTests.model, "- { import: a.ndjson, into: Task }")
        #expect(made.text == "")
        #expect(
            runner.check(folder.path("store.sqlite")).map(\.code) == ["spec.is-a-store"])
    }
}
