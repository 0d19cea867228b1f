import Diagnostics
import Testing

@testable import Pipelines

/// read = inserted + updated + unchanged + skipped + filtered + superseded + linked + rejected.
@Suite("Conservation")
struct ConservationTests {
    static let spec = """
        etl: 1
        store: { at: store.sqlite, model: model.yaml, open: create }
        budget: { save-every: 2 }
        stages:
          - { import: a.ndjson, into: Task }
          - { export: Task, to: out.csv }
        """

    @Test(
        "a record that is counted twice or not at all ends the run with 70, and no stage is done")
    func broken() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", InputTests.model)
        try folder.write("a.ndjson", "{\"id\":\"1\"}\n{\"id\":\"2\"}\n{\"id\":\"3\"}\n")
        for difference in [-1, 1] {
            try folder.write("spec.yaml", Self.spec)
            var options = RunOptions(workingFolder: "/", now: Workspace.now)
            options.miscount = { counts in
                var counts = counts
                counts.inserted += difference
                counts.unchanged += difference
                return counts
            }
            let outcome = PipelineRunner(options: options).run(folder.path("spec.yaml"))
            #expect(outcome.status == .software)
            #expect(outcome.status.rawValue == 70)
            #expect(outcome.diagnostics.map(\.code) == ["internal.conservation"])
            #expect(
                outcome.diagnostics.first?.message.hasPrefix(
                    "Of 3 records, some were not counted or counted twice: ") == true)
            #expect(outcome.stages.isEmpty)
            #expect(!folder.exists("out.csv"))
        }
        let mended = try folder.run(Self.spec)
        #expect(mended.text == "")
        #expect(try folder.rows("SELECT count(*) FROM ZTASK") == ["3"])
    }
}
