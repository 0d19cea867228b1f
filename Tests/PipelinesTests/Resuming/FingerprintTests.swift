import Testing

@testable import Pipelines

/// Fingerprints, which show whether a stage has changed since an earlier run.
@Suite("Fingerprints of stages") struct FingerprintTests {
    private static let stages = [
        """
        - import: tasks.csv
            into: Task
            key: id
            set:
              title: { from: name, clean: [trim] }
              size: { from: size, default: 3 }
            link:
              owner: { to: Owner, by: { name: owner }, missing: create }
            keep-if: "size > 2"
        """,
        "- update: raise\n    entity: Task\n    where: \"size > 3\"\n    set: { size: \"size + 1\" }",
        "- delete: Task\n    where: \"size == 3\"\n    at-most: 5%",
        "- export: Task\n    order: [title desc]\n    to: \"out/${name}.csv\"",
    ]

    private func fingerprint(_ stage: String, above: String = "", file: String = "a.yaml")
        -> String?
    {
        let text = """
            etl: 1
            name: p
            params: { name: { type: string } }
            \(above)store: { at: a.sqlite }
            stages:
              \(stage)
            """
        let (spec, problems) = SpecificationFile.read(text: text, file: file)
        #expect(problems.isEmpty, "\(problems)")
        return spec?.stages.first?.fingerprint
    }

    @Test(arguments: stages)
    func staysTheSameIfTheStageMovesOrTheFileIsRenamed(stage: String) throws {
        let first = try #require(fingerprint(stage))
        #expect(first.utf8.count == 32)
        #expect(fingerprint(stage, above: "# moved\n\n", file: "\"b\" (2).yaml") == first)
    }

    @Test(arguments: stages)
    func changesWhenTheStageChanges(stage: String) throws {
        let first = try #require(fingerprint(stage))
        for (from, to) in [("Task", "Other"), ("3", "4"), ("title", "name"), ("size", "height")]
        where stage.contains(from) {
            #expect(fingerprint(stage.replacing(from, with: to)) != first, "\(from)")
        }
    }
}
