import Testing

@testable import Pipelines

/// Import policies for existing objects, unmapped fields, and missing keys.
@Suite("Import policies")
struct ImportPolicyTests {
    static let model = """
        model: 1
        entities:
          Task:
            attributes:
              id: { type: String, optional: false }
              title: { type: String, default: none }
              note: String
              state: { type: Integer 16, optional: false }
            relationships:
              owner: { to: Person, inverse: tasks }
            unique: [[id]]
          Person:
            attributes: { email: { type: String, optional: false } }
            relationships: { tasks: { to: Task, many: true, inverse: owner } }
            unique: [[email]]
          Entry:
            attributes: { text: String }
        """

    /// Returns a store with task 1 after an import of the lines with more keys.
    private func second(
        _ keys: String, _ lines: String, top: String = "rejects: { allow: 100% }"
    ) throws -> (folder: Workspace, run: Run) {
        let folder = try Workspace()
        try folder.write("tasks.ndjson", #"{"id":"1","title":"a","note":"n","state":1}"#)
        _ = try folder.run(model: Self.model, "- { import: tasks.ndjson, into: Task }")
        try folder.write("tasks.ndjson", lines)
        let run = try folder.run(
            model: Self.model, "- { import: tasks.ndjson, into: Task, \(keys) }", top: top)
        return (folder, run)
    }

    private static let lines = """
        {"id":"1","state":2}
        {"id":"2","state":3}
        {"id":"1","title":"b"}
        {"id":"2","title":"c"}
        """

    @Test(
        "when-found decides what happens to an existing object",
        arguments: [
            ("update", "1 inserted, 1 updated, 2 superseded", ["1|b|n|2|2", "2|c|NULL|3|1"]),
            ("skip", "1 inserted, 1 skipped, 2 superseded", ["1|a|n|1|1", "2|c|NULL|3|1"]),
            ("replace", "1 inserted, 1 updated, 2 superseded", ["1|b|NULL|2|2", "2|c|NULL|3|1"]),
            ("reject", "1 inserted, 1 superseded, 2 rejected", ["1|a|n|1|1", "2|c|NULL|3|1"]),
        ])
    func found(_ policy: String, _ counts: String, _ rows: [String]) throws {
        let (folder, run) = try second("when-found: \(policy)", Self.lines)
        #expect(run.text == "")
        #expect(run.lines == ["import import-tasks: 4 read, \(counts)"])
        #expect(
            try folder.rows("SELECT ZID, ZTITLE, ZNOTE, ZSTATE, Z_OPT FROM ZTASK ORDER BY ZID")
                == rows)
        let reasons =
            policy == "reject" ? ["found id: An object with this key already exists"] : []
        #expect(try folder.reasons() == reasons + reasons)
    }

    @Test("replace resets attributes, but keeps links that no record or only an earlier one sets")
    func replacedLinks() throws {
        let (folder, run) = try second(
            "when-found: replace, link: { owner: { by: { email: owner }, missing: create } }",
            """
            {"id":"1","state":2,"note":"m","owner":"a@b.c"}
            {"id":"1","state":3}
            """)
        #expect(run.text == "")
        #expect(
            run.lines == [
                "import import-tasks: 2 read, 1 updated, 1 superseded, 1 link target created"
            ])
        let tasks = """
            SELECT t.ZTITLE, t.ZNOTE, t.ZSTATE, p.ZEMAIL FROM ZTASK t
            LEFT JOIN ZPERSON p ON p.Z_PK = t.ZOWNER
            """
        #expect(try folder.rows(tasks) == ["none|NULL|3|a@b.c"])
        try folder.write("tasks.ndjson", #"{"id":"1","state":4}"#)
        _ = try folder.run(
            model: Self.model, "- { import: tasks.ndjson, into: Task, when-found: replace }")
        #expect(try folder.rows(tasks) == ["none|NULL|4|a@b.c"])
    }

    @Test("when-missing: reject rejects records of new objects, and creates no link targets")
    func missing() throws {
        let (folder, run) = try second("when-missing: reject", Self.lines)
        #expect(run.text == "")
        #expect(
            run.lines == ["import import-tasks: 4 read, 1 updated, 1 superseded, 2 rejected"])
        #expect(
            try folder.rows("SELECT ZID, ZTITLE, ZNOTE, ZSTATE FROM ZTASK") == ["1|b|n|2"])
        #expect(
            try folder.reasons() == [
                "key id: No Task has id '2'", "key id: No Task has id '2'",
            ])
        let (other, linked) = try second(
            "when-missing: reject, link: { owner: { by: { email: mail }, missing: create } }",
            #"{"id":"9","mail":"x"}"# + "\n" + #"{"id":"1","mail":"y"}"#)
        #expect(linked.text == "")
        #expect(
            linked.lines == [
                "import import-tasks: 2 read, 1 updated, 1 rejected, 1 link target created"
            ])
        #expect(try other.rows("SELECT ZEMAIL FROM ZPERSON") == ["y"])
        #expect(try other.reasons() == ["key id: No Task has id '9'"])
        // The record that no object can take has this fault besides its own, and none of a new object.
        let (third, faulty) = try second(
            "when-missing: reject", #"{"id":"8","note":"n","state":"q"}"#)
        #expect(faulty.lines == ["import import-tasks: 1 read, 1 rejected"])
        let why = try third.rejects().first { $0.key.hasSuffix(".why.ndjson") }?.value ?? ""
        let others =
            #""others":[{"code":"key","field":"id","message":"No Task has id '8'","value":"8"}]"#
        #expect(why.contains(others), "\(why)")
    }

    @Test("when-found: skip with duplicates: reject rejects only the second record of a key")
    func skipAndDuplicates() throws {
        let (folder, run) = try second(
            "when-found: skip, duplicates: reject", Self.lines)
        #expect(run.lines == ["import import-tasks: 4 read, 1 inserted, 1 skipped, 2 rejected"])
        #expect(
            try folder.reasons() == [
                "duplicate id: The key came before in this stage",
                "duplicate id: The key came before in this stage",
            ])
    }

    @Test("replace with set-only resets attributes that the spec does not set")
    func replaceSetOnly() throws {
        let (folder, run) = try second(
            "when-found: replace, set-only: true, set: { id: id, state: state }",
            #"{"id":"1","state":5,"title":"x"}"#)
        #expect(run.text == "")
        #expect(try folder.rows("SELECT ZTITLE, ZNOTE, ZSTATE FROM ZTASK") == ["none|NULL|5"])
    }

    @Test(
        "when-same: touch writes an object that is already equal",
        arguments: [("skip", "unchanged", "1"), ("touch", "updated", "2")])
    func same(_ policy: String, _ count: String, _ version: String) throws {
        let (folder, run) = try second("when-same: \(policy)", #"{"id":"1","title":"a"}"#)
        #expect(run.lines == ["import import-tasks: 1 read, 1 \(count)"])
        #expect(try folder.rows("SELECT Z_OPT FROM ZTASK") == [version])
    }

    @Test("append inserts every record and needs no key")
    func append() throws {
        let folder = try Workspace()
        try folder.write("entries.csv", "text\na\na\n")
        let stage = "- { import: entries.csv, into: Entry, when-found: append }"
        let first = try folder.run(model: Self.model, stage)
        #expect(first.text == "")
        #expect(first.lines == ["import import-entries: 2 read, 2 inserted"])
        let again = try folder.run(model: Self.model, stage)
        #expect(again.lines == ["import import-entries: 2 read, 2 inserted"])
        #expect(
            try folder.rows("SELECT Z_PK, ZTEXT FROM ZENTRY ORDER BY 1")
                == ["1|a", "2|a", "3|a", "4|a"])
        let (tasks, run) = try second("when-found: append", #"{"id":"1","state":2}"#)
        #expect(run.lines == ["import import-tasks: 1 read, 1 rejected"])
        #expect(try tasks.reasons() == ["unique id: Another Task has id '1'"])
    }

    @Test("the reason for a taken unique value names the entity of the other object")
    func uniqueInHierarchy() throws {
        let folder = try Workspace()
        let model = """
            model: 1
            entities:
              Thing:
                attributes: { id: { type: String, optional: false }, code: String, size: Integer 16 }
                unique: [[id], [code], [size, code]]
              Item: { parent: Thing }
              Special: { parent: Thing }
            """
        try folder.write("items.ndjson", #"{"id":"1","code":"a"}"#)
        try folder.write(
            "specials.ndjson",
            """
            {"id":"2","code":"b"}
            {"id":"3","code":"a"}
            {"id":"2","code":"a"}
            {"id":"4","code":"b"}
            """)
        let run = try folder.run(
            model: model,
            """
            - { import: items.ndjson, into: Item, key: id }
            - { import: specials.ndjson, into: Special, key: id }
            """, top: "rejects: { allow: 3 }")
        #expect(run.text == "")
        #expect(
            try folder.reasons() == [
                "unique code: Another Item has code 'a'", "unique code: Another Item has code 'a'",
                "unique code: Another Special has code 'b'",
            ])
    }

    @Test("missing: skip skips a record whose link has no object")
    func missingSkips() throws {
        let folder = try Workspace()
        try folder.write("people.ndjson", #"{"email":"ann"}"#)
        try folder.write(
            "tasks.ndjson",
            """
            {"id":"1","state":1,"who":"ann"}
            {"id":"2","state":1,"who":"bob"}
            {"id":"3","state":1}
            """)
        let run = try folder.run(
            model: Self.model,
            """
            - { import: people.ndjson, into: Person }
            - { import: tasks.ndjson, into: Task, link: { owner: { by: { email: who }, missing: skip } } }
            """)
        #expect(run.text == "")
        #expect(run.lines.last == "import import-tasks: 3 read, 2 inserted, 1 skipped")
        #expect(try folder.rows("SELECT ZID FROM ZTASK ORDER BY ZID") == ["1", "3"])
    }

    // MARK: Fields that nothing maps

    private static let extra = """
        {"id":"1","state":1,"kind":"x"}
        {"id":"2","state":1}
        {"id":"3","state":1,"kind":"x","who":{"mail":"m","name":"n"}}
        """

    @Test("counts the fields that nothing maps by name")
    func extraCounted() throws {
        let folder = try Workspace()
        try folder.writeGzip("tasks.ndjson.gz", Self.extra)
        let run = try folder.run(model: Self.model, "- { import: tasks.ndjson.gz, into: Task }")
        #expect(run.text == "")
        #expect(
            run.outcome.stages[0].extraFields == [
                FieldCount(name: "kind", records: 2), FieldCount(name: "who", records: 1),
            ])
    }

    @Test("extra: reject rejects records with fields that nothing maps")
    func extraRejected() throws {
        let (folder, run) = try second("extra: reject, set: { note: who.mail }", Self.extra)
        #expect(run.lines == ["import import-tasks: 3 read, 1 inserted, 2 rejected"])
        #expect(
            try folder.reasons() == [
                "extra kind: Nothing maps 'kind'", "extra kind: Nothing maps 'kind', 'who.name'",
            ])
        let table = try Workspace()
        try table.write("tasks.csv", "id,state,kind\n1,1,x\n")
        _ = try table.run(
            model: Self.model, "- { import: tasks.csv, into: Task, extra: reject }",
            top: "rejects: { allow: 1 }")
        #expect(try table.reasons() == ["extra kind: Nothing maps 'kind'"])
    }

    @Test("extra: stop ends the stage at a field that nothing maps")
    func extraStops() throws {
        let (folder, run) = try second("extra: stop", Self.extra)
        #expect(run.status == .dataError)
        #expect(
            run.text == """
                tasks.ndjson:1:1: error: Nothing maps 'kind' [extra]
                  in: record 1, field 'kind', byte 0
                  stage: spec.yaml:5:3 import import-tasks
                  fix: map it, or say `extra: ignore`
                """)
        #expect(try folder.rows("SELECT ZID FROM ZTASK ORDER BY ZID") == ["1", "2"])
    }

    @Test(
        "on.duplicate-key decides what happens to an object with a repeated JSON key",
        arguments: ["ignore", "reject", "stop"])
    func duplicateKeys(_ policy: String) throws {
        let (folder, run) = try second(
            "on: { duplicate-key: \(policy) }, set: { note: who.mail }",
            """
            {"id":"1","state":2,"state":3}
            {"id":"2","state":2,"who":{"mail":"a","mail":"b"}}
            {"id":"3","state":2}
            """)
        let states = ["1|3", "2|2", "3|2"]
        #expect(
            try folder.rows("SELECT ZID, ZSTATE FROM ZTASK ORDER BY ZID")
                == (policy == "ignore" ? states : ["1|1", "3|2"]))
        let reason = "duplicate-key -: An object of the record has a key twice"
        #expect(try folder.reasons() == (policy == "ignore" ? [] : [reason, reason]))
        #expect(
            run.text
                == (policy == "stop"
                    ? """
                    tasks.ndjson:1:1: error: An object of the record has a key twice [duplicate-key]
                      in: record 1, byte 0
                      stage: spec.yaml:5:3 import import-tasks
                      fix: correct the record, or set `on: { duplicate-key: ignore }`
                    """ : ""))
    }

    @Test("warns about a path that no record has, and suggests a similar name")
    func unmetPaths() throws {
        let (_, run) = try second(
            "set: { title: tilte, note: kid }, link: { owner: { by: { email: who.mial } } }",
            """
            {"id":"1","state":1,"title":"x","kind":"y"}
            {"id":"2","state":1,"title":"x","kind":"y","who":{"mail":"m"}}
            """)
        #expect(run.text == "")
        #expect(
            run.warningText == """
                spec.yaml:5:53: warning: No record has 'tilte'. Did you mean 'title'? \
                [import.unmet-path]
                  in: stages[0].set.title
                spec.yaml:5:66: warning: No record has 'kid'. Did you mean 'kind'? \
                [import.unmet-path]
                  in: stages[0].set.note
                spec.yaml:5:103: warning: No record has 'who.mial'. Did you mean 'who.mail'? \
                [import.unmet-path]
                  in: stages[0].link.owner.by.email
                """)
        let (_, none) = try second("set: { title: tilte }", "")
        #expect(none.warningText == "")
        let (_, tolerant) = try second(
            "set: { title: { from: tilte, default: x } }", #"{"id":"1","state":1}"#)
        #expect(tolerant.warningText == "")
    }
}
