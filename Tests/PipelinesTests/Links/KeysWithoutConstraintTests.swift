import Foundation
import Testing

@testable import Pipelines

/// Keys that no uniqueness constraint of the model covers, as CloudKit requires it of models.
@Suite("Keys without constraints")
struct KeysWithoutConstraintTests {
    private static let model = """
        model: 1
        entities:
          Note:
            attributes: { title: String, page: Integer 64, text: String }
            relationships:
              book: { to: Book, inverse: notes }
              parent: { to: Note, inverse: children }
              children: { to: Note, many: true, inverse: parent }
          Book:
            attributes: { name: String }
            relationships: { notes: { to: Note, many: true, inverse: book } }
        """

    private static let notes = "SELECT Z_PK, Z_OPT, ZTITLE, ZPAGE, ZTEXT, ZBOOK, ZPARENT FROM ZNOTE"
    private func counts(_ run: Run, _ stage: Int = 0) -> String {
        guard let records = run.outcome.stages[stage].records else { return "" }
        return "\(records.inserted) \(records.updated) \(records.unchanged) \(records.rejected)"
    }

    @Test("a second run finds every object by its key although the model has no constraint")
    func updates() throws {
        let folder = try Workspace()
        let stages = "- { import: notes.ndjson, into: Note, key: [title, page] }"
        try folder.write(
            "notes.ndjson",
            """
            {"title":"a","page":1,"text":"x"}
            {"title":"a","page":2,"text":"y"}
            {"title":"a","page":1,"text":"z"}
            {"title":"b","page":null,"text":"no key"}
            """)
        let first = try folder.run(model: Self.model, stages, top: "rejects: { allow: 1 }")
        #expect(counts(first) == "2 0 0 1")
        #expect(try folder.reasons().map { $0.prefix(4) } == ["key "])
        let rows = try folder.rows(Self.notes)
        #expect(
            try folder.rows("SELECT Z_PK, ZTITLE, ZPAGE, ZTEXT FROM ZNOTE")
                == ["1|a|1|z", "2|a|2|y"])
        let second = try folder.run(model: Self.model, stages, top: "rejects: { allow: 1 }")
        #expect(counts(second) == "0 0 2 1")
        #expect(try folder.rows(Self.notes) == rows)
        #expect(
            try folder.rows("SELECT count(*) FROM sqlite_master WHERE name LIKE 'ETL_KEYS%'")
                == ["0"])
    }

    @Test("rejects a record whose key two objects share, and names both")
    func duplicates() throws {
        let folder = try Workspace()
        try folder.write("twice.ndjson", #"{"title":"a"}"# + "\n" + #"{"title":"a"}"#)
        try folder.write("notes.ndjson", #"{"title":"a","text":"x"}"# + "\n" + #"{"title":"b"}"#)
        let append = "- { import: twice.ndjson, into: Note, when-found: append }"
        #expect(counts(try folder.run(model: Self.model, append)) == "2 0 0 0")
        let run = try folder.run(
            model: Self.model, "- { import: notes.ndjson, into: Note, key: title }",
            top: "rejects: { allow: 1 }")
        #expect(counts(run) == "1 0 0 1")
        #expect(
            try folder.reasons() == [
                "key title: Several 'Note' objects have title 'a': primary keys 1 and 2"
            ])
        #expect(try folder.rows("SELECT ZTEXT FROM ZNOTE WHERE ZTITLE = 'a'") == ["NULL", "NULL"])
    }

    @Test("links find and create objects by a key without a constraint")
    func links() throws {
        let folder = try Workspace()
        try folder.write(
            "notes.ndjson",
            """
            {"title":"a","book":"B","parent":"b"}
            {"title":"b","book":"B"}
            {"title":"c","book":"C","parent":"a"}
            """)
        let stages = """
            - import: notes.ndjson
              into: Note
              key: title
              link:
                book: { by: { name: book }, missing: create }
                parent: { by: { title: parent } }
            """
        #expect(counts(try folder.run(model: Self.model, stages)) == "3 0 0 0")
        let graph = """
            SELECT n.ZTITLE, b.ZNAME, p.ZTITLE FROM ZNOTE n JOIN ZBOOK b ON b.Z_PK = n.ZBOOK
            LEFT JOIN ZNOTE p ON p.Z_PK = n.ZPARENT ORDER BY 1
            """
        #expect(try folder.rows(graph) == ["a|B|b", "b|B|NULL", "c|C|a"])
        #expect(counts(try folder.run(model: Self.model, stages)) == "0 0 3 0")
        #expect(try folder.rows("SELECT count(*) FROM ZBOOK") == ["2"])
    }

    @Test("rejects a link whose key several objects share")
    func sharedTarget() throws {
        let folder = try Workspace()
        try folder.write("books.ndjson", #"{"name":"B"}"# + "\n" + #"{"name":"B"}"#)
        try folder.write("notes.ndjson", #"{"title":"a","book":"B"}"#)
        let run = try folder.run(
            model: Self.model,
            """
            - { import: books.ndjson, into: Book, when-found: append }
            - import: notes.ndjson
              into: Note
              key: title
              link: { book: { by: { name: book } } }
            """, top: "rejects: { allow: 1 }")
        #expect(counts(run, 1) == "0 0 0 1")
        #expect(
            try folder.reasons() == [
                "key book: Several 'Book' objects have name 'B': primary keys 1 and 2"
            ])
    }

    @Test("a to-one relationship can be part of the key")
    func relationshipInKey() throws {
        let folder = try Workspace()
        try folder.write(
            "notes.ndjson",
            """
            {"page":1,"book":"A","text":"x"}
            {"page":1,"book":"B","text":"y"}
            {"page":1,"book":"A","text":"z"}
            {"page":2,"text":"no book"}
            """)
        let stages = """
            - import: notes.ndjson
              into: Note
              key: [book, page]
              link: { book: { by: { name: book }, missing: create } }
            """
        let top = "rejects: { allow: 1 }"
        #expect(counts(try folder.run(model: Self.model, stages, top: top)) == "2 0 0 1")
        let graph = """
            SELECT b.ZNAME, n.ZPAGE, n.ZTEXT FROM ZNOTE n JOIN ZBOOK b ON b.Z_PK = n.ZBOOK
            ORDER BY 1
            """
        #expect(try folder.rows(graph) == ["A|1|z", "B|1|y"])
        #expect(counts(try folder.run(model: Self.model, stages, top: top)) == "0 0 2 1")
    }

    private static let required = model.replacingOccurrences(
        of: "book: { to: Book, inverse: notes }",
        with: "book: { to: Book, inverse: notes, optional: false }")

    @Test(
        "rejects a record whose relationship in the key names no object",
        arguments: [model, required])
    func nullRelationshipInKey(_ model: String) throws {
        let folder = try Workspace()
        try folder.write(
            "notes.ndjson",
            """
            {"page":7,"book":null}
            {"page":8}
            {"book":"A"}
            {"page":9,"book":"A"}
            """)
        let stages = """
            - import: notes.ndjson
              into: Note
              key: [page, book]
              link: { book: { by: { name: book }, missing: create } }
            """
        let run = try folder.run(model: model, stages, top: "rejects: { allow: 3 }")
        #expect(counts(run) == "1 0 0 3")
        #expect(
            try folder.reasons() == [
                "key book: 'book' is part of the key, and 'book' names no object",
                "key book: The record has no 'book'",
                "key page: The record has no 'page'",
            ])
    }

    @Test("rejects a record whose key names a missing object")
    func missingRelationshipInKey() throws {
        let folder = try Workspace()
        try folder.write("notes.ndjson", #"{"page":7,"title":"A"}"#)
        let stages = """
            - import: notes.ndjson
              into: Note
              key: [page, book]
              link: { book: { by: { name: title }, missing: null } }
            """
        let run = try folder.run(model: Self.model, stages, top: "rejects: { allow: 1 }")
        #expect(counts(run) == "0 0 0 1")
        #expect(
            try folder.reasons() == [
                "key title: 'book' is part of the key and null here (for 'book')"
            ])
    }

    @Test("finds or appends nested objects by a key without a constraint")
    func nested() throws {
        let folder = try Workspace()
        try folder.write(
            "books.ndjson", #"{"name":"A","notes":[{"title":"a","text":"x"},{"title":"b"}]}"#)
        func stages(_ each: String) -> String {
            """
            - import: books.ndjson
              into: Book
              key: name
              link: { notes: { each: "notes[*]", \(each) } }
            """
        }
        #expect(counts(try folder.run(model: Self.model, stages("key: title"))) == "1 0 0 0")
        #expect(counts(try folder.run(model: Self.model, stages("key: title"))) == "0 0 1 0")
        #expect(try folder.rows("SELECT ZTITLE, ZBOOK FROM ZNOTE ORDER BY 1") == ["a|1", "b|1"])
        _ = try folder.run(model: Self.model, stages("when-found: append, many: add"))
        #expect(
            try folder.rows("SELECT ZTITLE, ZBOOK FROM ZNOTE ORDER BY 1")
                == ["a|1", "a|1", "b|1", "b|1"])
    }

    @Test("mirror deletes objects that no record names")
    func mirror() throws {
        let folder = try Workspace()
        let stages = """
            - { import: notes.ndjson, into: Note, key: title, \
            mirror: { where: ALL, at-most: 50% } }
            """
        try folder.write("notes.ndjson", #"{"title":"a"}"# + "\n" + #"{"title":"b"}"#)
        _ = try folder.run(model: Self.model, stages)
        try folder.write("notes.ndjson", #"{"title":"b"}"#)
        _ = try folder.run(model: Self.model, stages)
        #expect(try folder.rows("SELECT ZTITLE FROM ZNOTE") == ["b"])
    }

    @Test("append links to objects of the same import")
    func appendWithLinks() throws {
        let folder = try Workspace()
        try folder.write(
            "notes.ndjson", #"{"title":"a","parent":"b"}"# + "\n" + #"{"title":"b"}"#)
        let stages = """
            - import: notes.ndjson
              into: Note
              when-found: append
              link: { parent: { by: { title: parent } } }
            """
        #expect(counts(try folder.run(model: Self.model, stages)) == "2 0 0 0")
        #expect(
            try folder.rows(
                "SELECT n.ZTITLE, p.ZTITLE FROM ZNOTE n LEFT JOIN ZNOTE p ON p.Z_PK = n.ZPARENT"
                    + " ORDER BY 1") == ["a|b", "b|NULL"])
    }

    @Test("check reports properties that cannot be part of a key")
    func lints() throws {
        #expect(
            SpecificationTesting.stageProblems(
                """
                  - { import: a.ndjson, into: Task, key: [tags] }
                  - { import: b.ndjson, into: Task, key: [owner] }
                """) == """
                    a.yaml:2:31: warning: Nothing fills 'owner', which is not optional \
                    [spec.unmapped]
                      in: stages[0].into
                      fix: add it to `link`
                    a.yaml:2:43: error: 'tags' leads to many objects, so it cannot be part of a \
                    key [spec.rule]
                      in: stages[0].key[0]
                      fix: use attributes and to-one relationships
                    a.yaml:3:31: warning: Nothing fills 'owner', which is not optional \
                    [spec.unmapped]
                      in: stages[1].into
                      fix: add it to `link`
                    a.yaml:3:43: error: Nothing fills 'owner', which is part of the key \
                    [spec.unmapped-key]
                      in: stages[1].key[0]
                      fix: add it to `link`
                    """)
    }
}
