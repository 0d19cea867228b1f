import Testing

@testable import Pipelines

/// `objectID` in exports, queries, and links.
@Suite("Links by primary keys")
struct ObjectNumberTests {
    /// No entity has a uniqueness constraint.
    private static let model = """
        model: 1
        entities:
          Folder:
            attributes: { name: String }
            relationships: { notes: { to: Note, many: true, inverse: folder } }
          Special: { parent: Folder }
          Note:
            attributes: { text: String }
            relationships:
              folder: { to: Folder, inverse: notes }
              parent: { to: Note, inverse: replies }
              replies: { to: Note, many: true, inverse: parent }
              related: { to: Note, many: true, inverse: related }
        """

    /// Returns a folder with the objects Folder 1 and Special 2, and the notes of a file.
    private static func imported(_ notes: String, link: String) throws -> (Workspace, Run) {
        let folder = try Workspace()
        try folder.write("folders.ndjson", #"{"name":"home"}"# + "\n")
        try folder.write("specials.ndjson", #"{"name":"work"}"# + "\n")
        try folder.write("notes.ndjson", notes)
        let run = try folder.run(
            model: model,
            """
            - { import: folders.ndjson, into: Folder, when-found: append }
            - { import: specials.ndjson, into: Special, when-found: append }
            - { import: notes.ndjson, into: Note, when-found: append, link: \(link) }
            """, top: "rejects: { allow: 9 }")
        return (folder, run)
    }

    private static let graph =
        "SELECT ZTEXT, ifnull(ZFOLDER, '-'), ifnull(ZPARENT, '-') FROM ZNOTE ORDER BY Z_PK"

    @Test("links find objects by primary key, also objects of the same import")
    func links() throws {
        let (folder, run) = try Self.imported(
            """
            {"text":"a","in":1}
            {"text":"b","in":"2"}
            {"text":"c","in":null,"re":2}
            {"text":"d","re":3,"see":[1,2]}
            """,
            link: """
                { folder: { by: { objectID: in } }, parent: { by: { objectID: re } }, \
                related: { by: { objectID: "see[*]" } } }
                """)
        #expect(run.text == "")
        #expect(try folder.rows(Self.graph) == ["a|1|-", "b|2|-", "c|-|2", "d|-|3"])
        let second = try folder.run(
            model: Self.model,
            #"- { export: Note, fields: [objectID, related.objectID], to: notes.csv }"#,
            open: "existing")
        #expect(second.text == "")
        #expect(try folder.text("notes.csv") == "objectID,related.objectID\n1,4\n2,4\n3,\n4,1|2\n")
    }

    @Test("applies `missing` to a primary key that no object of the entity has")
    func missing() throws {
        let notes = """
            {"text":"a","in":2}
            {"text":"b","in":1}
            {"text":"c","in":3}
            """
        func link(_ missing: String) -> String {
            "{ folder: { to: Special, by: { objectID: in }, missing: \(missing) } }"
        }
        let (rejecting, first) = try Self.imported(notes, link: link("reject"))
        #expect(first.text == "")
        #expect(first.lines.last == "import import-notes: 3 read, 1 inserted, 2 rejected")
        #expect(
            try rejecting.reasons() == [
                "link in: No Special has objectID 1 (for 'folder')",
                "link in: No Special has objectID 3 (for 'folder')",
            ])
        let (nulling, _) = try Self.imported(notes, link: link("null"))
        #expect(try nulling.rows(Self.graph) == ["a|2|-", "b|-|-", "c|-|-"])
        let (skipping, last) = try Self.imported(notes, link: link("skip"))
        #expect(last.lines.last == "import import-notes: 3 read, 1 inserted, 2 skipped")
        #expect(try skipping.rows(Self.graph) == ["a|2|-"])
    }

    @Test("rejects a primary key that is not an integer")
    func noNumber() throws {
        let (folder, _) = try Self.imported(
            #"{"text":"a","in":"x"}"#, link: "{ folder: { by: { objectID: in } } }")
        #expect(try folder.reasons().first?.hasPrefix("cast in: ") == true)
    }

    @Test(
        "check reports invalid links by primary key",
        arguments: [
            (
                "{ objectID: in }, missing: create",
                """
                spec.yaml:7:87: error: `missing: create` cannot make a 'Folder' of a given number, \
                since the store assigns the numbers [spec.link-create]
                  fix: use reject, null, or skip, or find the objects by an attribute
                """
            ),
            (
                "{ name: n, objectID: in }",
                """
                spec.yaml:7:88: error: 'objectID' alone names one object, so it takes no other \
                attribute [spec.link-key]
                  fix: remove the other attributes, or 'objectID'
                """
            ),
        ])
    func refusals(link: String, expected: String) throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        let text = try folder.check(
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml }
            stages:
              - import: notes.ndjson
                into: Note
                when-found: append
                link: { folder: { by: \(link) } }
            """)
        func message(_ text: String) -> [Substring] {
            text.split(separator: "\n").filter { $0.contains("error: ") || $0.contains("fix: ") }
                .map { $0.hasPrefix("spec.yaml") ? $0.drop { $0 != " " } : $0 }
        }
        #expect(message(text) == message(expected))
    }

    @Test("exports primary keys of objects, of to-one targets, and of each item of a list")
    func exports() throws {
        let (folder, _) = try Self.imported(
            """
            {"text":"a","in":2}
            {"text":"b"}
            """, link: "{ folder: { by: { objectID: in } } }")
        let run = try folder.run(
            model: Self.model,
            """
            - export: flat
              entity: Note
              where: "objectID < 3"
              fields: [objectID, folder.objectID, text]
              order: [folder.objectID desc, -objectID]
              to: flat.ndjson
            - export: nested
              entity: Folder
              fields: [name, "#objectID", notes.objectID]
              shape: nested
              to: nested.ndjson
            - { export: notes, entity: Note, shape: nested, fields: [folder.name, folder.objectID], to: notes.ndjson }
            """, open: "existing")
        #expect(run.text == "")
        #expect(
            try folder.text("flat.ndjson") == """
                {"objectID":1,"folder.objectID":2,"text":"a"}
                {"objectID":2,"folder.objectID":null,"text":"b"}

                """)
        #expect(
            try folder.text("nested.ndjson") == """
                {"name":"home","#objectID":1,"notes":[]}
                {"name":"work","#objectID":2,"notes":[{"objectID":1}]}

                """)
        #expect(
            try folder.text("notes.ndjson") == """
                {"folder":{"name":"work","objectID":2}}
                {"folder":null}

                """)
    }

    @Test("updates and deletes select objects by primary key")
    func changes() throws {
        let (folder, _) = try Self.imported(
            #"{"text":"a"}"# + "\n" + #"{"text":"b"}"# + "\n" + #"{"text":"c"}"#,
            link: "{ folder: { by: { objectID: in } } }")
        let run = try folder.run(
            model: Self.model,
            """
            - { update: numbers, entity: Note, where: "objectID IN {1, 2}", set: { text: "cast(objectID, 'String')" } }
            - { delete: first, entity: Note, where: "objectID == $first" }
            """, top: "params: { first: { type: int, default: 1 } }", open: "existing")
        #expect(run.text == "")
        #expect(try folder.rows(Self.graph) == ["2|-|-", "c|-|-"])
    }

    @Test("objectID of a record is nil in keep-if")
    func records() throws {
        let folder = try Workspace()
        try folder.write("notes.ndjson", #"{"text":"a"}"#)
        let run = try folder.run(
            model: Self.model,
            """
            - import: notes.ndjson
              into: Note
              when-found: append
              keep-if: "objectID == nil"
            """)
        #expect(run.lines.last == "import import-notes: 1 read, 1 inserted")
    }
}
