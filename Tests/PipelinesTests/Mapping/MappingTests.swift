import Testing

@testable import Pipelines

/// Mappings that fill attributes: names, forms of `set`, keys, model rules, filters, repeated keys.
@Suite("Mapping")
struct MappingTests {
    static let model = """
        model: 1
        entities:
          Task:
            attributes:
              id: { type: String, optional: false }
              title: { type: String, optional: false, default: untitled }
              owner: { type: String, optional: false }
              state: { type: Integer 16, default: 7 }
              flag: Boolean
              due: Date
              words: { type: Transformable, transformer: json }
            unique: [[id]]
          Place:
            attributes:
              x: { type: Integer 32, optional: false }
              y: { type: String, optional: false }
              name: { type: String, length: 2..4 }
              code: { type: String, pattern: "[A-Z]{2}[0-9]+" }
              level: { type: Integer 16, range: 0..2 }
              ratio: { type: Double, range: ..0.5 }
            unique: [[x, y]]
        """

    @Test("sets attributes from fields of the same name; absent fields get the default")
    func sameNames() throws {
        let folder = try Workspace()
        try folder.write(
            "tasks.ndjson",
            """
            {"id":"1","owner":"ann","title":"a","state":3}
            {"id":"2","owner":"bob"}
            {"id":"3","owner":null}
            {"id":"4"}
            {"id":"5","owner":"eve","title":null}
            {"id":"6","owner":"eve","state":null}
            """)
        let run = try folder.run(
            model: Self.model, "- { import: tasks.ndjson, into: Task }",
            top: "rejects: { allow: 3 }")
        #expect(run.text == "")
        #expect(run.lines == ["import import-tasks: 6 read, 3 inserted, 3 rejected"])
        #expect(
            try folder.rows("SELECT ZID, ZTITLE, ZOWNER, ZSTATE FROM ZTASK ORDER BY ZID") == [
                "1|a|ann|3", "2|untitled|bob|7", "6|untitled|eve|NULL",
            ])
        let reasons = try folder.reasons()
        #expect(
            reasons == [
                "required owner: 'owner' is required, and the record has null for it",
                "required title: 'title' is required, and the record has null for it",
                "required owner: 'owner' is required and the record lacks it",
            ])
    }

    @Test("an absent field of an existing object leaves the attribute unchanged")
    func absentInUpdate() throws {
        let folder = try Workspace()
        try folder.write("tasks.ndjson", #"{"id":"1","owner":"ann","title":"a","state":3}"#)
        let stage = "- { import: tasks.ndjson, into: Task }"
        _ = try folder.run(model: Self.model, stage)
        try folder.write("tasks.ndjson", #"{"id":"1","state":4}"#)
        let second = try folder.run(model: Self.model, stage)
        #expect(second.lines == ["import import-tasks: 1 read, 1 updated"])
        #expect(
            try folder.rows("SELECT ZTITLE, ZOWNER, ZSTATE, Z_OPT FROM ZTASK") == ["a|ann|4|2"])
        let third = try folder.run(model: Self.model, stage)
        #expect(third.lines == ["import import-tasks: 1 read, 1 unchanged"])
        #expect(try folder.rows("SELECT Z_OPT FROM ZTASK") == ["2"])
    }

    @Test(
        "a constant that the model forbids ends the run before any stage",
        arguments: [
            ("level: { const: 3 }", "'level' must be from 0 to 2, and is 3"),
            ("name: { const: abcde }", "'name' must have from 2 to 4 characters, and has 5"),
            ("code: { const: a1 }", "'code' does not match [A-Z]{2}[0-9]+"),
        ])
    func badConstant(_ mapping: String, _ message: String) throws {
        let folder = try Workspace()
        try folder.write("places.ndjson", #"{"x":1,"y":"a"}"#)
        let run = try folder.run(
            model: Self.model, "- { import: places.ndjson, into: Place, set: { \(mapping) } }")
        #expect(run.status == .configuration)
        #expect(run.text.contains("error: \(message) [spec.constant]"), "\(run.text)")
    }

    @Test("a constant with a parameter that the model forbids stops the stage")
    func badParameterConstant() throws {
        let folder = try Workspace()
        try folder.write("places.ndjson", #"{"x":1,"y":"a"}"#)
        let run = try folder.run(
            model: Self.model,
            "- { import: places.ndjson, into: Place, set: { name: { const: \"${run.id}\" } } }")
        #expect(run.status == .configuration)
        #expect(
            run.text.contains("error: 'name' must have from 2 to 4 characters, and has "),
            "\(run.text)")
        #expect(try folder.rows("SELECT count(*) FROM ZPLACE") == ["0"])
    }

    @Test("maps const, date, map, need, nested paths, and set-only")
    func longForms() throws {
        let folder = try Workspace()
        try folder.write(
            "tasks.ndjson",
            """
            {"nr":1,"who":{"name":"ann"},"st":"open","on":"31.12.2000 00:30","flag":true,"title":"x"}
            {"nr":2,"who":{"name":"bob"},"st":"shut","on":"31.12.2000 00:30"}
            {"nr":3,"who":{},"st":"open","on":"31.12.2000 00:30"}
            {"nr":4,"who":{"name":"eve"},"st":true,"on":"2000-12-31"}
            {"nr":5,"who":{"name":"eve"},"st":true,"on":null}
            {"nr":6,"who":{"name":null},"st":null}
            """)
        let run = try folder.run(
            model: Self.model,
            """
            - import: tasks
              read: { files: tasks.ndjson }
              into: Task
              set-only: true
              set:
                id: nr
                owner: { from: who.name, need: true }
                title: { const: fixed }
                state: { from: st, map: { open: 1, true: 2 } }
                due: { from: on, date: "dd.MM.yyyy HH:mm" }
            """, top: "rejects: { allow: 4 }")
        #expect(run.text == "")
        #expect(
            try folder.rows(
                "SELECT ZID, ZOWNER, ZTITLE, ZSTATE, ZDUE, ZFLAG FROM ZTASK ORDER BY ZID") == [
                    "1|ann|fixed|1|-84600|NULL", "5|eve|fixed|2|NULL|NULL",
                ])
        #expect(
            try folder.reasons() == [
                "cast st: 'state' takes a text in its `map` ('open', 'true'), not 'shut'",
                "required who.name: The record has no 'who.name'",
                "cast on: 'due' takes a date in the pattern dd.MM.yyyy HH:mm, such as 20.11.2026 "
                    + "14:30, not '2000-12-31'",
                "required who.name: 'owner' is required, and 'who.name' is null in the record",
            ])
    }

    @Test("split makes a list from text")
    func splitAttribute() throws {
        let folder = try Workspace()
        try folder.write(
            "tasks.csv", "id,owner,words\n1,ann,a|\"b\"|c\n2,bob,\n3,eve,one\n4,eve,\"x|y\"\n")
        let run = try folder.run(
            model: Self.model,
            """
            - import: tasks
              read: { files: tasks.csv, quote: none }
              into: Task
              set: { words: { split: "|" } }
            """)
        #expect(run.text == "")
        #expect(
            try folder.rows("SELECT ZID, CAST(ZWORDS AS TEXT) FROM ZTASK ORDER BY ZID") == [
                #"1|["a","\"b\"","c"]"#, "2|NULL", #"3|["one"]"#, #"4|["\"x","y\""]"#,
            ])
    }

    @Test("rejects a key that is null or absent with `key`, and accepts an empty one")
    func keys() throws {
        let folder = try Workspace()
        try folder.write(
            "tasks.ndjson",
            """
            {"id":null,"owner":"ann"}
            {"owner":"ann"}
            {"id":[],"owner":"ann"}
            {"id":"","owner":"ann"}
            """)
        let run = try folder.run(
            model: Self.model, "- { import: tasks.ndjson, into: Task }",
            top: "rejects: { allow: 3 }")
        #expect(run.text == "")
        #expect(
            try folder.reasons() == [
                "key id: 'id' is part of the key, and the record has null for it",
                "key id: The record has no 'id'",
                "cast id: 'id' takes text, not []",
            ])
        #expect(try folder.rows("SELECT quote(ZID) FROM ZTASK") == ["''"])
    }

    @Test("a key of several attributes identifies objects by all of them")
    func compositeKey() throws {
        let folder = try Workspace()
        try folder.write(
            "places.ndjson",
            """
            {"x":1,"y":"a","name":"one"}
            {"x":1,"y":"b","name":"two"}
            {"x":2,"y":"a","name":"tri"}
            {"x":1,"y":"a","name":"four"}
            {"x":1}
            """)
        let run = try folder.run(
            model: Self.model, "- { import: places.ndjson, into: Place }",
            top: "rejects: { allow: 1 }")
        #expect(
            run.lines == [
                "import import-places: 5 read, 3 inserted, 1 superseded, 1 rejected"
            ])
        #expect(
            try folder.rows("SELECT ZX, ZY, ZNAME FROM ZPLACE ORDER BY ZX, ZY")
                == ["1|a|four", "1|b|two", "2|a|tri"])
        #expect(try folder.reasons() == ["key y: The record has no 'y'"])
    }

    @Test("rejects values outside the model's range, length, or pattern")
    func validation() throws {
        let folder = try Workspace()
        try folder.write(
            "places.ndjson",
            """
            {"x":1,"y":"a","name":"ab","code":"AB1","level":2,"ratio":0.5}
            {"x":2,"y":"a","name":"a"}
            {"x":3,"y":"a","name":"abcde"}
            {"x":4,"y":"a","name":"😀😀"}
            {"x":5,"y":"a","name":"😀😀a"}
            {"x":6,"y":"a","code":"AB"}
            {"x":7,"y":"a","level":3}
            {"x":8,"y":"a","level":-1}
            {"x":9,"y":"a","ratio":0.75}
            """)
        let run = try folder.run(
            model: Self.model, "- { import: places.ndjson, into: Place }",
            top: "rejects: { allow: 100% }")
        #expect(run.text == "")
        #expect(try folder.rows("SELECT ZX FROM ZPLACE ORDER BY ZX") == ["1", "4"])
        #expect(
            try folder.reasons() == [
                "validate name: 'name' must have from 2 to 4 characters, and has 1",
                "validate name: 'name' must have from 2 to 4 characters, and has 5",
                "validate name: 'name' must have from 2 to 4 characters, and has 5",
                "validate code: 'code' does not match [A-Z]{2}[0-9]+",
                "validate level: 'level' must be from 0 to 2, and is 3",
                "validate level: 'level' must be from 0 to 2, and is -1",
                "validate ratio: 'ratio' must be at most 0.5, and is 0.75",
            ])
    }

    @Test("keep-if compares fields of JSON by their own types")
    func keepIfJSON() throws {
        let folder = try Workspace()
        try folder.write(
            "tasks.ndjson",
            """
            {"id":"1","owner":"a","n":5}
            {"id":"2","owner":"a","n":15}
            {"id":"3","owner":"a"}
            {"id":"4","owner":"a","n":null}
            {"id":"5","owner":"a","n":"15"}
            {"id":"6","owner":"a","n":12,"kind":{"name":"draft"}}
            """)
        let run = try folder.run(
            model: Self.model,
            """
            - import: tasks.ndjson
              into: Task
              keep-if: "n > 10 AND kind.name != 'draft' AND id != $skip"
            """,
            top: """
                params: { skip: { type: string, default: none } }
                rejects: { allow: 1 }
                """)
        #expect(run.text == "")
        #expect(
            run.lines == [
                "import import-tasks: 6 read, 1 inserted, 4 filtered, 1 rejected"
            ])
        #expect(try folder.rows("SELECT ZID FROM ZTASK") == ["2"])
        #expect(
            try folder.reasons().map { $0.prefix(14) } == ["expr keep-if: "])
    }

    @Test("keep-if converts the text of a table if it is compared with a number")
    func keepIfTable() throws {
        let folder = try Workspace()
        try folder.write("tasks.csv", "id,owner,n\n1,a,5\n2,a,15\n3,a,\n4,a,x\n5,a,1.5e1\n")
        let stage = """
            - import: tasks.csv
              into: Task
              keep-if: "n > 10"
            """
        let run = try folder.run(model: Self.model, stage, top: "rejects: { allow: 1 }")
        #expect(
            run.lines == [
                "import import-tasks: 5 read, 2 inserted, 2 filtered, 1 rejected"
            ])
        #expect(try folder.rows("SELECT ZID FROM ZTASK ORDER BY ZID") == ["2", "5"])
        #expect(try folder.rejects()["import-tasks.tasks.csv"] == "id,owner,n\n4,a,x\n")
    }

    @Test("applies the rule of the stage to repeated keys", arguments: ["last", "first", "reject"])
    func duplicates(_ rule: String) throws {
        let folder = try Workspace()
        try folder.write(
            "a.ndjson",
            """
            {"id":"1","owner":"a","title":"one","state":1}
            {"id":"2","owner":"b","title":"two"}
            {"id":"1","owner":"c","title":"uno"}
            """)
        try folder.write("b.ndjson", #"{"id":"1","owner":"d","title":"eins"}"#)
        let run = try folder.run(
            model: Self.model,
            """
            - import: tasks
              read: { files: "{a,b}.ndjson" }
              into: Task
              duplicates: \(rule)
            """,
            top: "rejects: { allow: 2 }")
        #expect(run.text == "")
        let kept = rule == "last" ? "1|d|eins|1" : "1|a|one|1"
        #expect(
            try folder.rows("SELECT ZID, ZOWNER, ZTITLE, ZSTATE FROM ZTASK ORDER BY ZID")
                == [kept, "2|b|two|7"])
        let end = rule == "reject" ? "2 rejected" : "2 superseded"
        #expect(run.lines == ["import tasks: 4 read, 2 inserted, \(end)"])
        if rule == "reject" {
            #expect(try folder.reasons().allSatisfy { $0.hasPrefix("duplicate ") })
        }
    }

    @Test("counts repeated keys independently of the batch size", arguments: [1, 2, 3, 1000])
    func duplicatesAndBatches(_ saveEvery: Int) throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", "{\"id\":\"1\",\"owner\":\"z\"}\n")
        let stage = "- { import: a.ndjson, into: Task }"
        _ = try folder.run(model: Self.model, stage)
        // The first record changes the stored value, and the last one restores it.
        try folder.write(
            "a.ndjson",
            ["x", "y", "z"].map { "{\"id\":\"1\",\"owner\":\"\($0)\"}\n" }.joined()
                + ["x", "y"].map { "{\"id\":\"2\",\"owner\":\"\($0)\"}\n" }.joined())
        let run = try folder.run(
            model: Self.model, stage, top: "budget: { save-every: \(saveEvery) }")
        #expect(
            run.lines == [
                "import import-a: 5 read, 1 inserted, 1 unchanged, 3 superseded"
            ])
    }
}
