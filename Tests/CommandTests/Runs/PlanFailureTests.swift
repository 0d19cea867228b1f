import Foundation
import Testing

/// The output of `etl plan` for a run that would fail.
@Suite("etl plan of runs that fail")
struct PlanFailureTests {
    /// Returns the line that states the outcome of the run.
    private static func end(_ result: FailureFolder.Result) -> String? {
        result.errors.split(separator: "\n").last.map(String.init)
    }

    private static func spec(_ stages: String, store: String = "open: create") -> String {
        """
        etl: 1
        store: { at: store.sqlite, model: model.yaml, \(store) }
        budget: { save-every: 1 }
        stages:
        \(stages)
        """
    }

    @Test("plan of a failing run shows deferred links")
    func deferredLinks() throws {
        let folder = try FailureFolder()
        try folder.write("tags.csv", "name\nx\ny\n")
        try folder.write("spec.yaml", Self.spec("- { import: tags.csv, into: Tag }"))
        #expect(try folder.run().status == 0)
        try folder.write(
            "spec.yaml",
            Self.spec(
                """
                - import: tasks.ndjson
                  into: Task
                  link: { tags: { by: { name: "tags[*]" } } }
                """))
        try folder.write(
            "tasks.ndjson", "{\"id\":1,\"tags\":[\"x\",\"y\"]}\n{\"id\":2,\"tags\":[\"x\",\"y\"]}\n"
        )
        let shown = "Tag: 2 updated (tasks 2)\nTask: 2 inserted\n"
        #expect(try folder.shell("\"$E\" plan spec.yaml").output == shown)
        try folder.shell("echo '{\"id\":\"x\"}' >> tasks.ndjson")
        let failing = try folder.shell("\"$E\" plan spec.yaml")
        #expect(failing.status == 65)
        #expect(failing.output == shown)
    }

    @Test(
        "plan of a run that fails at a header reports no changes",
        arguments: ["open: create", "open: create, commit: stage", "open: replace"])
    func headers(_ store: String) throws {
        let folder = try FailureFolder()
        try folder.write("a.csv", "id\n1\n")
        try folder.write("b.csv", "id\n2\n")
        try folder.write(
            "spec.yaml",
            Self.spec(
                """
                - { import: a.csv, into: Task }
                - { import: b.csv, into: Task, set: { size: Size } }
                """, store: store))
        let result = try folder.shell("\"$E\" plan spec.yaml")
        #expect(result.status == 78)
        #expect(result.output == "No changes\n")
        #expect(
            Self.end(result)
                == "note: The run would end with 78; nothing would change [run.would-fail]")
    }

    @Test(
        "plan of a failing run names `always` stages, but does not show their changes",
        arguments: [
            ("open: create, commit: run", "id\nx\n", 65),
            ("open: create, commit: run", "no\n1\n", 78),
        ])
    func always(_ store: String, _ later: String, _ status: Int) throws {
        let folder = try FailureFolder()
        try folder.write("a.csv", "id\n1\n")
        try folder.write("b.csv", later)
        try folder.write("c.csv", "name\nx\n")
        try folder.write("spec.yaml", Self.spec("- { import: a.csv, into: Task }"))
        #expect(try folder.run().status == 0)
        try folder.write(
            "spec.yaml",
            Self.spec(
                """
                - { import: a.csv, into: Task }
                - { import: b.csv, into: Task }
                - { import: c.csv, into: Tag, always: true }
                - { export: Tag, to: out.csv, always: true }
                """, store: store))
        let result = try folder.shell("\"$E\" plan spec.yaml")
        #expect(Int(result.status) == status)
        #expect(result.output == "No changes\n")
        #expect(
            Self.end(result)
                == "note: The run would end with \(status); nothing would change; the changes of"
                + " stages with `always: true` are not shown: import-c [run.would-fail]")
        #expect(Int(try folder.run().status) == status)
        #expect(try folder.query("SELECT ZNAME FROM ZTAG") == "x\n")
    }
}
