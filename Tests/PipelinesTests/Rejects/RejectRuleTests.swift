import Testing

@testable import Pipelines

/// The effect of `on` on records that are rejected for various reasons.
@Suite("Reject rules")
struct RejectRuleTests {
    static let model = """
        model: 1
        entities:
          Task:
            attributes:
              id: { type: String, optional: false }
              code: Integer 16
              size: { type: Integer 16, optional: false, default: 1 }
              note: { type: String, length: 1..3 }
            relationships: { owner: { to: Person, inverse: tasks } }
            unique: [[id], [code]]
          Person:
            attributes: { email: { type: String, optional: false } }
            relationships: { tasks: { to: Task, many: true, inverse: owner } }
            unique: [[email]]
        """

    private func run(_ keys: String, _ lines: String) throws -> (folder: Workspace, run: Run) {
        let folder = try Workspace()
        try folder.write("tasks.ndjson", lines)
        let run = try folder.run(
            model: Self.model,
            """
            - import: tasks.ndjson
              into: Task
              key: id
              link: { owner: { by: { email: owner } } }
              keep-if: "n == nil OR n + 1 > 0"
              \(keys)
            """, top: "rejects: { allow: 100% }")
        return (folder, run)
    }

    @Test(
        "a code with `stop` ends the stage, and earlier records are kept",
        arguments: [
            ("parse", "", "{\"id\":\"2\""),
            ("shape", "", "[]"),
            ("key", "", "{\"id\":null}"),
            ("cast", "", "{\"id\":\"2\",\"code\":\"x\"}"),
            ("required", "", "{\"id\":\"2\",\"size\":null}"),
            ("link", "", "{\"id\":\"2\",\"owner\":\"ann\"}"),
            ("unique", "", "{\"id\":\"2\",\"code\":7}"),
            ("validate", "", "{\"id\":\"2\",\"note\":\"long\"}"),
            ("expr", "", "{\"id\":\"2\",\"n\":9223372036854775807}"),
            ("encoding", "", "{\"id\":\"\\ud800\"}"),
            ("duplicate", "duplicates: reject", "{\"id\":\"1\"}"),
            ("extra", "extra: reject", "{\"id\":\"2\",\"more\":1}"),
        ])
    func stops(_ code: String, _ keys: String, _ bad: String) throws {
        let lines = "{\"id\":\"1\",\"code\":7}\n\(bad)\n"
        let (folder, passed) = try run(keys, lines)
        #expect(passed.status == .ok, "\(passed.text)")
        #expect(try folder.reasons().map { $0.prefix { $0 != " " } } == [code[...]])
        let (stopped, run) = try run("on: { \(code): stop }\n  \(keys)", lines)
        #expect(run.status == .dataError)
        #expect(run.text.contains("[\(code)]") || run.text.contains("[json."), "\(run.text)")
        let fix = code == "extra" ? "or set `on: { extra: reject }`" : "on: { \(code): reject }"
        #expect(run.text.contains(fix), "\(run.text)")
        #expect(try stopped.rows("SELECT ZID FROM ZTASK") == ["1"])
        #expect(try stopped.reasons().count == 1)
    }

    @Test("on.too-big: stop ends the stage")
    func tooBig() throws {
        let folder = try Workspace()
        try folder.write(
            "tasks.ndjson", "{\"id\":\"1\"}\n{\"id\":\"\(String(repeating: "x", count: 99))\"}")
        let run = try folder.run(
            model: Self.model,
            """
            - import: x
              read: { files: tasks.ndjson, max-record: 50 }
              into: Task
              key: id
              on: { too-big: stop }
            """)
        #expect(run.status == .dataError)
        #expect(run.text.contains("on: { too-big: reject }"), "\(run.text)")
    }

    @Test("on.found: stop ends the stage at an existing object")
    func found() throws {
        let (folder, _) = try run("", "{\"id\":\"1\"}\n")
        let run = try folder.run(
            model: Self.model,
            """
            - import: tasks.ndjson
              into: Task
              key: id
              when-found: reject
              on: { found: stop }
            """, open: "existing")
        #expect(
            run.text == """
                tasks.ndjson:1:8: error: An object with this key already exists [found]
                  in: record 1, field 'id', byte 7
                  stage: spec.yaml:5:3 import import-tasks
                  fix: correct the record, or set `on: { found: reject }`
                """)
    }

    @Test("on.cast: null sets optional attributes to null, and counts these values")
    func nulls() throws {
        let (folder, run) = try run(
            "on: { cast: null }",
            """
            {"id":"1","code":"seven","note":"a"}
            {"id":"2","code":70000,"note":[1]}
            {"id":"3","code":5}
            {"id":"4","size":"x","code":"y"}
            {"id":[],"code":"y"}
            {"id":"6","owner":{}}
            {"id":"7","note":"long"}
            """)
        #expect(
            run.lines == [
                "import import-tasks: 7 read, 3 inserted, 4 rejected, 3 values made null"
            ])
        #expect(
            try folder.rows("SELECT ZID, ZCODE, ZNOTE FROM ZTASK ORDER BY ZID")
                == ["1|NULL|a", "2|NULL|NULL", "3|5|NULL"])
        #expect(
            try folder.reasons() == [
                "cast size: 'size' takes a whole number that fits Integer 16, not 'x'",
                "cast id: 'id' takes text, not []",
                "cast owner: 'email' takes text, not {}",
                "validate note: 'note' must have from 1 to 3 characters, and has 4",
            ])
    }

    @Test("a value that became null gets the default of its mapping")
    func nullsWithDefault() throws {
        let (folder, run) = try run(
            "on: { cast: null }\n  set: { code: { default: 9 } }", "{\"id\":\"1\",\"code\":\"x\"}")
        #expect(run.lines == ["import import-tasks: 1 read, 1 inserted, 1 value made null"])
        #expect(try folder.rows("SELECT ZID, ZCODE FROM ZTASK") == ["1|9"])
    }

    @Test("check reports invalid uses of `on`")
    func lints() {
        #expect(
            SpecificationTesting.stageProblems(
                """
                  - import: a.ndjson
                    into: Task
                    set-only: true
                    set: { id: id }
                    link: { owner: { by: { email: o } } }
                    on: { cast: null, key: null, links: stop, shape: stopp }
                  - import: b.ndjson
                    into: Tag
                    merge: overwrite
                    extra: stop
                    on: { extra: reject, duplicate: stop, found: reject }
                  - { delete: Tag, where: ALL, on: { cast: stop } }
                """) == """
                    a.yaml:3:11: warning: Nothing fills 'title', which is not optional and has no \
                    default [spec.unmapped]
                      in: stages[0].into
                      fix: add it to `set`
                    a.yaml:7:17: error: Nothing that this import fills may be null [spec.rule]
                      in: stages[0].on.cast
                      fix: use reject or stop
                    a.yaml:7:28: error: 'null' is only for 'cast', where one value is invalid; \
                    'key' \
                    concerns the complete record [spec.rule]
                      in: stages[0].on.key
                      fix: use reject or stop
                    a.yaml:7:34: error: The key 'links' is unknown here. Did you mean 'link'? \
                    [spec.unknown-key]
                      in: stages[0].on.links
                    a.yaml:7:54: error: 'shape' must be reject, stop, or null, not 'stopp'. Did you \
                    mean 'stop'? [spec.choice]
                      in: stages[0].on.shape
                    a.yaml:10:12: error: An import reads and writes each batch in one \
                    transaction, so no other process can change a row in between, so 'merge' has \
                    no effect \
                    [spec.rule]
                      in: stages[1].merge
                      fix: remove it; `when-found` sets what happens to existing objects
                    a.yaml:12:18: error: `extra: stop` says otherwise [spec.rule]
                      in: stages[1].on.extra
                      fix: remove one of them
                    a.yaml:12:37: error: No record is rejected for 'duplicate' unless the stage sets \
                    this [spec.rule]
                      in: stages[1].on.duplicate
                      fix: add `duplicates: reject`, or remove it
                    a.yaml:12:50: error: No record is rejected for 'found' unless the stage sets this \
                    [spec.rule]
                      in: stages[1].on.found
                      fix: add `when-found: reject`, or remove it
                    a.yaml:13:32: error: The key 'on' is unknown here [spec.unknown-key]
                      in: stages[2].on
                    """)
    }

    @Test("rejects a new object whose required attribute nothing sets")
    func unmappedRequirement() throws {
        let folder = try Workspace()
        try folder.write("tasks.ndjson", #"{"title":"a","size":3}"# + "\n")
        let run = try folder.run(
            model: """
                model: 1
                entities:
                  Task:
                    attributes: { title: String, size: { type: Integer 16, optional: false } }
                    unique: [[title]]
                """,
            "- { import: tasks.ndjson, into: Task, set-only: true, set: { title: title } }")
        #expect(run.status == .dataError)
        #expect(
            try folder.reasons() == ["required size: 'size' is required and the record lacks it"])
    }
}
