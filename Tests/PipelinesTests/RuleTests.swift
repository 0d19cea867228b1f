import Testing

@testable import Pipelines

/// A model's rules over the whole object, as imports and updates keep them.
@Suite("Rules over whole objects")
struct RuleTests {
    static let model = """
        model: 1
        entities:
          Task:
            attributes:
              id: { type: Integer 64, optional: false }
              done: { type: Boolean, default: false }
              at: Date
            unique: [[id]]
            validate:
              - { rule: "at == nil OR done == YES", message: "a completion date needs a completed task" }
        """

    @Test("a record that would break a rule is rejected, new or not")
    func imports() throws {
        let folder = try Workspace()
        try folder.write(
            "a.ndjson",
            """
            {"id":1,"done":true,"at":"2026-01-01"}
            {"id":2,"at":"2026-01-01"}
            {"id":3}
            {"id":3,"at":"2026-01-01"}
            {"id":1,"done":false}
            """)
        let run = try folder.run(
            model: Self.model, "- { import: a.ndjson, into: Task }", top: "rejects: { allow: 3 }")
        #expect(run.lines == ["import import-a: 5 read, 2 inserted, 3 rejected"])
        #expect(
            try folder.rows("SELECT ZID, ZDONE, ZAT IS NULL FROM ZTASK ORDER BY ZID") == [
                "1|1|0", "3|0|1",
            ])
    }

    @Test("an update that would break a rule changes nothing")
    func updates() throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", #"{"id":1,"done":true,"at":"2026-01-01"}"#)
        let run = try folder.run(
            model: Self.model,
            """
            - { import: a.ndjson, into: Task }
            - { update: undo, entity: Task, where: ALL, set: { done: false } }
            """)
        #expect(run.status == .dataError)
        #expect(run.text.contains("a completion date needs a completed task"))
        #expect(try folder.rows("SELECT ZDONE, Z_OPT FROM ZTASK") == ["1|1"])
    }
}
