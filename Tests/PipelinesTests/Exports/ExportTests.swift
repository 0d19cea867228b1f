import Testing

@testable import Pipelines

/// Exports in every format, written atomically, and imported again.
@Suite("Exports")
struct ExportTests {
    static let model = """
        model: 1
        entities:
          Task:
            attributes:
              id: { type: Integer 32, optional: false }
              title: String
              due: Date
              price: Decimal
              tree: { type: Transformable, transformer: json }
            relationships:
              owner: { to: Person, inverse: tasks }
              tags: { to: Tag, many: true, inverse: tasks }
            unique: [[id]]
          Person:
            attributes: { name: { type: String, optional: false } }
            relationships: { tasks: { to: Task, many: true, inverse: owner } }
            unique: [[name]]
          Tag:
            attributes: { name: { type: String, optional: false } }
            relationships: { tasks: { to: Task, many: true, inverse: tags } }
            unique: [[name]]
          Note: { attributes: { text: String } }
        """

    static func filled() throws -> Workspace {
        let folder = try Workspace()
        try folder.write(
            "tasks.ndjson",
            #"""
            {"id":2,"title":"a, \"b\"\nü","due":"2026-01-01T00:00:00.5Z","owner":"ann","tags":["y","x"],"tree":{"a":1}}
            {"id":1,"title":"","price":1.50,"owner":"bob","tags":[]}
            {"id":3}
            """#)
        let run = try folder.run(
            model: model,
            """
            - import: tasks.ndjson
              into: Task
              link:
                owner: { by: { name: owner }, missing: create }
                tags: { by: { name: "tags[*]" }, missing: create }
            """)
        #expect(run.text == "")
        return folder
    }

    static let expected = [
        "csv": """
        id,due,price,title,tree,owner.name,tags
        1,,1.5,"",,bob,
        2,2026-01-01T00:00:00.5Z,,"a, ""b""
        ü","{""a"":1}",ann,x|y
        3,,,,,,

        """,
        "tsv": "id\tdue\tprice\ttitle\ttree\towner.name\ttags\n1\t\t1.5\t\"\"\t\tbob\t\n"
            + "2\t2026-01-01T00:00:00.5Z\t\t\"a, \"\"b\"\"\nü\"\t\"{\"\"a\"\":1}\"\tann\tx|y\n3\t\t\t\t\t\t\n",
        "ndjson": #"""
        {"id":1,"due":null,"price":1.5,"title":"","tree":null,"owner.name":"bob","tags":[]}
        {"id":2,"due":"2026-01-01T00:00:00.5Z","price":null,"title":"a, \"b\"\nü","tree":{"a":1},"owner.name":"ann","tags":["x","y"]}
        {"id":3,"due":null,"price":null,"title":null,"tree":null,"owner.name":null,"tags":[]}

        """#,
        "json": #"""
        [
        {"id":1,"due":null,"price":1.5,"title":"","tree":null,"owner.name":"bob","tags":[]},
        {"id":2,"due":"2026-01-01T00:00:00.5Z","price":null,"title":"a, \"b\"\nü","tree":{"a":1},"owner.name":"ann","tags":["x","y"]},
        {"id":3,"due":null,"price":null,"title":null,"tree":null,"owner.name":null,"tags":[]}
        ]

        """#,
    ]

    @Test(
        "exports every format with the default fields",
        arguments: ["csv", "tsv", "ndjson", "json"])
    func formats(_ format: String) throws {
        let folder = try Self.filled()
        let run = try folder.run(
            model: Self.model, "- { export: Task, to: \"sub/out.\(format)\" }", open: "existing")
        #expect(run.text == "")
        let text = try folder.text("sub/out.\(format)")
        #expect(text == Self.expected[format])
        #expect(run.lines == ["export export-task: 3 rows to sub/out.\(format)"])
        #expect(folder.names("sub") == ["out.\(format)"])
    }

    @Test("exports the fields, order, and where of the stage; tables join lists with a bar")
    func choice() throws {
        let folder = try Self.filled()
        let run = try folder.run(
            model: Self.model,
            """
            - export: some
              entity: Task
              where: "title != nil"
              fields: [tags, id, owner.name, tags.name]
              order: [owner.name desc, id]
              to: out.txt
              as: csv
            - { export: Person, to: "people.${run.date}.csv" }
            - { export: one, entity: Task, fields: [id], order: [title desc nulls first], to: 1.csv }
            - { export: two, entity: Task, fields: [id], order: "due nulls last, -id", to: 2.csv }
            - { export: three, entity: Task, fields: [id], order: [title localized], to: 3.csv }
            """, open: "existing")
        #expect(run.text == "")
        #expect(
            try folder.text("out.txt") == "tags,id,owner.name,tags.name\n,1,bob,\nx|y,2,ann,x|y\n")
        #expect(try folder.text("people.2026-03-04.csv") == "name,tasks\nann,2\nbob,1\n")
        #expect(try folder.text("1.csv") == "id\n3\n2\n1\n")
        #expect(try folder.text("2.csv") == "id\n2\n3\n1\n")
        #expect(try folder.text("3.csv") == "id\n3\n1\n2\n")
    }

    @Test("equal data gives equal bytes, also if compressed")
    func equalBytes() throws {
        let folder = try Self.filled()
        let stages = """
            - { export: Task, to: a.ndjson.gz }
            - { export: again, entity: Task, to: b.ndjson.gz, level: 6 }
            - { export: best, entity: Task, to: c.ndjson.gz, level: 9 }
            """
        #expect(try folder.run(model: Self.model, stages, open: "existing").status == .ok)
        let first = try folder.bytes("a.ndjson.gz")
        #expect(try folder.bytes("b.ndjson.gz") == first)
        // RFC 1952: the magic number, deflate, no flags, no time, and an unknown operating system.
        #expect(Array(first.prefix(8)) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0])
        #expect(first[9] == 255)
        let run = try folder.run(
            model: Self.model,
            "- { export: Task, to: a.ndjson.gz }\n- { export: x, entity: Task, to: d.ndjson }",
            open: "existing")
        #expect(run.status == .ok)
        #expect(try folder.bytes("a.ndjson.gz") == first)
        #expect(try folder.text("d.ndjson") == Self.expected["ndjson"])
        // An import of the output restores the same values.
        let back = try Workspace()
        try back.write("a.ndjson.gz", bytes: first)
        try back.write("c.ndjson.gz", bytes: try folder.bytes("c.ndjson.gz"))
        let twice = try back.run(
            model: Self.model,
            """
            - import: "?.ndjson.gz"
              into: Task
              link:
                owner: { by: { name: "owner\\\\.name" }, missing: create }
                tags: { by: { name: "tags[*]" }, missing: create }
            - { export: Task, to: out.ndjson }
            """)
        #expect(twice.text == "")
        #expect(try back.text("out.ndjson") == Self.expected["ndjson"])
    }

    @Test("shape: nested writes to-one objects and to-many lists, which can be imported again")
    func nested() throws {
        let folder = try Self.filled()
        let run = try folder.run(
            model: Self.model,
            """
            - { export: Task, to: all.ndjson, shape: nested }
            - export: some
              entity: Task
              fields: [owner.name, title, tags.name, owner]
              where: "id < 3"
              shape: nested
              to: some.json
            - { export: people, entity: Person, to: people.ndjson, shape: nested }
            """, open: "existing")
        #expect(run.text == "")
        #expect(
            try folder.text("some.json") == #"""
                [
                {"owner":{"name":"bob"},"title":"","tags":[]},
                {"owner":{"name":"ann"},"title":"a, \"b\"\nü","tags":[{"name":"x"},{"name":"y"}]}
                ]

                """#)
        #expect(
            try folder.text("people.ndjson") == #"""
                {"name":"ann","tasks":[{"id":2}]}
                {"name":"bob","tasks":[{"id":1}]}

                """#)
        let flat = try #require(Self.expected["ndjson"])
        #expect(
            try folder.text("all.ndjson")
                == flat.replacing(#""owner.name":"ann""#, with: #""owner":{"name":"ann"}"#)
                .replacing(#""owner.name":"bob""#, with: #""owner":{"name":"bob"}"#)
                .replacing(#""owner.name":null"#, with: #""owner":null"#)
                .replacing(#""tags":["x","y"]"#, with: #""tags":[{"name":"x"},{"name":"y"}]"#))
        let back = try Workspace()
        try back.write("all.ndjson", try folder.text("all.ndjson"))
        let again = try back.run(
            model: Self.model,
            """
            - import: all.ndjson
              into: Task
              link: { owner: { each: owner }, tags: { each: "tags[*]" } }
            - { export: Task, to: out.ndjson, shape: nested }
            """)
        #expect(again.text == "")
        #expect(try back.text("out.ndjson") == (try folder.text("all.ndjson")))
    }

    @Test("check reports invalid uses of shape: nested")
    func nestedLints() throws {
        let folder = try Self.filled()
        #expect(
            try folder.check(
                """
                etl: 1
                store: { at: store.sqlite, model: model.yaml }
                stages:
                  - { export: Task, to: a.csv, shape: nested }
                  - { export: b, entity: Task, to: a.json, shape: deep }
                  - { export: c, entity: Person, to: c.json, shape: nested, fields: [tasks, tasks.title] }
                """) == """
                    spec.yaml:4:39: error: `shape: nested` is for json and ndjson, and the file is csv \
                    [spec.rule]
                      in: stages[0].shape
                    spec.yaml:5:51: error: 'shape' must be flat or nested, not 'deep' [spec.choice]
                      in: stages[1].shape
                    spec.yaml:6:77: error: Another field gives the objects of 'tasks' already \
                    [spec.rule]
                      in: stages[2].fields[1]
                      fix: with `shape: nested` name one field of them
                    """)
    }

    @Test("a manifest contains the rows, the bytes, and the digest of the stored file")
    func manifest() throws {
        let folder = try Self.filled()
        let run = try folder.run(
            model: Self.model,
            """
            - { export: Note, fields: [text], to: out/empty.csv, manifest: true }
            - { export: a, entity: Task, to: out/a.ndjson, manifest: true, compression: gzip }
            - { export: b, entity: Task, to: out/b.gz, as: ndjson, compression: none }
            """, open: "existing")
        #expect(run.text == "")
        #expect(
            folder.names("out") == [
                "a.ndjson", "a.ndjson.manifest.json", "b.gz", "empty.csv",
                "empty.csv.manifest.json",
            ])
        // The SHA-256 of "text\n".
        #expect(
            try folder.text("out/empty.csv.manifest.json")
                == "{\"bytes\":5,\"file\":\"empty.csv\",\"rows\":0,\"sha256\":\""
                + "b9e68e1bea3e5b19ca6b2f98b73a54b73daafaa250484902e09982e07a12e733\"}\n")
        #expect(try folder.bytes("out/a.ndjson").prefix(2) == [0x1F, 0x8B])
        #expect(try folder.text("out/b.gz") == Self.expected["ndjson"])
    }

    @Test(
        "an empty export is a valid file of its format",
        arguments: [
            ("csv", "text\n"), ("ndjson", ""), ("json", "[]\n"),
        ])
    func empty(_ format: String, _ expected: String) throws {
        let folder = try Self.filled()
        let run = try folder.run(
            model: Self.model, "- { export: Note, fields: [text], to: out.\(format) }",
            open: "existing")
        #expect(run.text == "")
        let text = try folder.text("out.\(format)")
        #expect(text == expected)
    }

    @Test("a failed export leaves the old file and creates no other")
    func failure() throws {
        let folder = try Self.filled()
        try folder.write("out/file", "old")
        let run = try folder.run(
            model: Self.model,
            """
            - { export: Task, to: out/file/x.csv }
            """, open: "existing")
        #expect(run.status == .cannotCreate)
        #expect(
            run.text == """
                error: The folder out/file cannot be created: File exists [output.folder]
                  stage: spec.yaml:5:3 export export-task
                  fix: check its permissions, or name another
                """)
        #expect(folder.names("out") == ["file"])
        let onFolder = try folder.run(
            model: Self.model, "- { export: Task, to: out, as: csv }", open: "existing")
        #expect(onFolder.status == .cannotCreate)
        #expect(folder.names("out") == ["file"])
    }

    @Test(
        "an export to a file that the run uses fails and changes nothing",
        arguments: ["store.sqlite", "in.ndjson", "spec.yaml", "./in.ndjson"])
    func protects(_ target: String) throws {
        let folder = try Workspace()
        try folder.write("in.ndjson", "{\"id\":1}\n")
        _ = try folder.run(model: Self.model, "- { import: in.ndjson, into: Task }")
        let run = try folder.run(
            model: Self.model,
            """
            - { import: in.ndjson, into: Task }
            - { export: Task, to: "\(target)", as: ndjson }
            """)
        #expect(run.text.contains("[output.protected]"), "\(run.text)")
        #expect(run.status == .configuration)
        #expect(try folder.text("in.ndjson") == "{\"id\":1}\n")
        #expect(try folder.rows("SELECT count(*) FROM ZTASK") == ["1"])
    }
}
