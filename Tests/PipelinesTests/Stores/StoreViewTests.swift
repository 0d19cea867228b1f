import Testing

@testable import Pipelines

/// `store.views`, and `store.open: { template }`.
@Suite("Views and templates")
struct StoreViewTests {
    static let model = """
        model: 1
        entities:
          Animal:
            attributes:
              name: { type: String, optional: false }
              born: Date
              chip: UUID
            relationships: { owner: { to: Person, inverse: animals } }
            unique: [[name]]
          Dog: { parent: Animal, attributes: { loud: Boolean } }
          Person:
            attributes: { name: { type: String, optional: false }, select: Integer 16 }
            relationships: { animals: { to: Animal, many: true, inverse: owner } }
            unique: [[name]]
          ZPerson: { attributes: { x: String } }
        """
    static let stages = """
        - { import: people.csv, into: Person }
        - import: dogs.ndjson
          into: Dog
          link: { owner: { by: { name: owner } } }
        """

    static func spec(_ store: String) -> String {
        "etl: 1\nstore: { at: store.sqlite, model: model.yaml, \(store) }\nstages:\n\(stages)\n"
    }

    static func filled(_ store: String) throws -> Workspace {
        let folder = try Workspace()
        try folder.write("model.yaml", model)
        try folder.write("people.csv", "name,select\nann,7\n")
        try folder.write(
            "dogs.ndjson",
            """
            {"name":"rex","born":"2020-01-02","chip":"0f8fad5b-d9cb-469f-a165-70867728950e",\
            "loud":true,"owner":"ann"}
            {"name":"max","born":"2020-01-02T03:04:05.25Z"}
            """)
        let run = try folder.run(spec(store))
        #expect(run.text == "")
        return folder
    }

    @Test("each entity has a view of its name, with the model's column names")
    func views() throws {
        let folder = try Self.filled("open: create, views: true")
        #expect(
            try folder.rows("SELECT * FROM Dog ORDER BY _id") == [
                "1|2020-01-02T00:00:00Z|0F8FAD5B-D9CB-469F-A165-70867728950E|1|rex|1",
                "2|2020-01-02T03:04:05.250Z|NULL|NULL|max|NULL",
            ])
        #expect(
            try folder.rows(
                "SELECT a.name, a._entity, p.name, p.\"select\" FROM Animal a"
                    + " JOIN Person p ON p._id = a.owner") == ["rex|Dog|ann|7"])
        // The view of ZPerson would have the same name as the table of Person.
        #expect(
            try folder.rows("SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY 1")
                == ["Animal", "Dog", "Person", "ZPerson_view"])
    }

    @Test("a run rebuilds views that differ from the model, and keeps other programs' views")
    func renewed() throws {
        let folder = try Self.filled("open: create, views: true")
        _ = try folder.rows("DROP VIEW Dog")
        _ = try folder.rows("CREATE VIEW Gone AS /* etl */ SELECT 1")
        _ = try folder.rows("CREATE VIEW Mine AS SELECT 1")
        #expect(try folder.run(Self.spec("views: true")).text == "")
        #expect(
            try folder.rows("SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY 1")
                == ["Animal", "Dog", "Mine", "Person", "ZPerson_view"])
        #expect(try folder.run(Self.spec("views: true, commit: run")).text == "")
        #expect(try folder.rows("SELECT count(*) FROM Dog") == ["2"])
    }

    @Test("views: false drops etl's views, and keeps others; without the key, all views stay")
    func removed() throws {
        let folder = try Self.filled("open: create, views: true")
        _ = try folder.rows("CREATE VIEW Mine AS SELECT 1")
        let views = "SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY 1"
        #expect(try folder.run(Self.spec("open: create")).text == "")
        #expect(try folder.rows(views) == ["Animal", "Dog", "Mine", "Person", "ZPerson_view"])
        #expect(try folder.run(Self.spec("views: false")).text == "")
        #expect(try folder.rows(views) == ["Mine"])
    }

    @Test("check reports a template that is not a store before anything is created")
    func wrongTemplate() throws {
        let folder = try Self.filled("open: create")
        try folder.write("diary.txt", String(repeating: "my diary\n", count: 200))
        let store = "open: { template: diary.txt }"
        let spec = Self.spec(store).replacing("at: store", with: "at: x")
        let expected = """
            spec.yaml:2:61: error: The template cannot be copied: diary.txt is not an SQLite file, \
            or is damaged [store.template]
              in: store.open.template
              fix: name a store under `store.open`, such as an app's empty one
            """
        #expect(try folder.check(spec).contains(expected))
        let run = try folder.run(spec)
        #expect(run.status == .configuration)
        #expect(run.text == expected)
        #expect(!folder.exists("x.sqlite"))
        // The store exists, so nothing is copied.
        let warning = try folder.check(Self.spec(store))
        #expect(warning.contains(expected.replacing("2:61: error", with: "2:65: warning")))
        #expect(try folder.run(Self.spec(store)).status == .ok)
        // A template whose path is known only at run time.
        try folder.write("2026-03-04.txt", String(repeating: "my diary\n", count: 200))
        let wrong = try folder.run(spec.replacing("diary.txt", with: "\"${run.date}.txt\""))
        #expect(wrong.status == .configuration)
        #expect(
            wrong.text == """
                spec.yaml:2:61: error: The template cannot be copied: 2026-03-04.txt is not an \
                SQLite file, or is damaged [store.template]
                  in: store.open.template
                  fix: name a store under `store.open`, such as an app's empty one
                """)
    }

    @Test(
        "a missing store is created as a copy of its template, and an existing one is filled",
        arguments: ["", ", commit: run"])
    func template(_ commit: String) throws {
        let folder = try Self.filled("open: create")
        for suffix in ["", "-wal", "-shm"] where folder.exists("store.sqlite" + suffix) {
            try folder.move("store.sqlite" + suffix, to: "empty.sqlite" + suffix)
        }
        _ = try folder.rows("DELETE FROM ZANIMAL", store: "empty.sqlite")
        let before = try folder.bytes("empty.sqlite")
        try folder.write("people.csv", "name\nbob\n")
        try folder.write("dogs.ndjson", #"{"name":"rex","owner":"ann"}"#)
        let spec = Self.spec("open: { template: empty.sqlite }" + commit)
        #expect(try folder.run(spec).text == "")
        #expect(try folder.rows("SELECT ZNAME FROM ZPERSON ORDER BY 1") == ["ann", "bob"])
        #expect(try folder.rows("SELECT ZNAME FROM ZANIMAL") == ["rex"])
        try folder.write("dogs.ndjson", #"{"name":"max"}"#)
        #expect(try folder.run(spec).text == "")
        #expect(try folder.rows("SELECT ZNAME FROM ZANIMAL ORDER BY 1") == ["max", "rex"])
        #expect(try folder.bytes("empty.sqlite") == before)
        // The model comes from the template.
        let bare = spec.replacing("model: model.yaml, ", with: "").replacing(
            "store.sqlite", with: "other.sqlite")
        #expect(try folder.run(bare).text == "")
        #expect(try folder.rows("SELECT ZNAME FROM ZANIMAL", store: "other.sqlite") == ["max"])
    }

    @Test("a missing template ends the run with 66, and an omitted one is an error of the spec")
    func noTemplate() throws {
        let folder = try Self.filled("open: create")
        let spec = Self.spec("open: { template: no.sqlite }").replacing("at: store", with: "at: x")
        let run = try folder.run(spec)
        #expect(run.status == .noInput)
        #expect(
            run.text == """
                error: The template no.sqlite does not exist, so the store cannot be created from it \
                [store.template]
                  fix: check `store.open`; a relative path starts at the spec's folder
                """)
        #expect(!folder.exists("x.sqlite"))
        #expect(
            try folder.check(Self.spec("open: { copy: a }")).contains(
                "The key 'template' is missing"))
        let over =
            spec.replacing("no.sqlite", with: "store.sqlite")
            + "- { export: Dog, to: store.sqlite, as: csv }\n"
        #expect(try folder.run(over).text.contains("store.sqlite is the store's template"))
    }
}
