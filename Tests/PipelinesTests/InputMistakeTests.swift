import Diagnostics
import Testing

@testable import Pipelines

/// What users are told of inputs, and of files in the place of a spec, that are not as they should be.
@Suite("Mistakes of inputs")
struct InputMistakeTests {
    @Test("tables that lack a named column are told of, all at once, before anything is written")
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
                a-2.csv: error: The header has no column 'kind'. Did you mean 'Kind'? \
                [csv.unknown-column]
                  stage: spec.yaml:5:3 import import-a
                  fix: use one of: id, Kind
                a-3.csv: error: The header has no column 'id' [csv.unknown-column]
                  stage: spec.yaml:5:3 import import-a
                  fix: use one of: id;kind
                """)
        #expect(try folder.rows(InputTests.rows) == [])
        // So is one that a later stage reads.
        try folder.write("b.ndjson", #"{"id":"1"}"#)
        let stages = "- { import: b.ndjson, into: Task }\n"
        let last = "- { import: a-2.csv, into: Task, keep-if: \"kind == 'x'\" }"
        let later = try folder.run(model: InputTests.model, stages + last)
        #expect(later.status == .configuration)
        #expect(later.text.hasPrefix("a-2.csv: error: The header has no column 'kind'"))
        #expect(try folder.rows(InputTests.rows) == [])
    }
}
