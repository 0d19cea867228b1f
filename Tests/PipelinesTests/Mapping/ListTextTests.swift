import Foundation
import Testing

@testable import Pipelines

/// Lists in tables: `split` restores the strings that `|` joins.
@Suite("Lists in tables")
struct ListTextTests {
    private static let model = """
        model: 1
        entities:
          Task:
            attributes:
              id: { type: Integer 32, optional: false }
              words: { type: Transformable, transformer: json }
            relationships:
              tags: { to: Tag, many: true, ordered: true, inverse: tasks }
            unique: [[id]]
          Tag:
            attributes: { name: { type: String, optional: false } }
            relationships: { tasks: { to: Task, many: true, inverse: tags } }
            unique: [[name]]
        """
    private static let lists = #"{ by: { name: "tags[*]" }, missing: create }"#
    private static let texts = #"{ by: { name: { from: tags, split: "|" } }, missing: create }"#

    /// Exports the tasks of these lists as a table, and imports that into a new store.
    ///
    /// - Returns: The table, and both stores as NDJSON.
    private static func roundTrip(
        _ lists: [[String]], as format: String
    ) throws -> (table: String, before: String, after: String) {
        let folder = try Workspace()
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let lines = try lists.enumerated().map { index, names in
            #"{"id":\#(index),"tags":\#(String(decoding: try encoder.encode(names), as: UTF8.self))}"#
        }
        try folder.write("in.ndjson", lines.joined(separator: "\n"))
        let out = try folder.run(
            model: model,
            """
            - { import: in.ndjson, into: Task, link: { tags: \(Self.lists) } }
            - { export: table, entity: Task, fields: [id, tags], to: out.\(format) }
            - { export: before, entity: Task, fields: [id, tags], to: before.ndjson }
            """)
        #expect(out.text == "")
        let back = try folder.run(
            model: model,
            """
            - { import: out.\(format), into: Task, link: { tags: \(Self.texts) } }
            - { export: after, entity: Task, fields: [id, tags], to: after.ndjson }
            """, open: "replace")
        #expect(back.text == "")
        return (
            try folder.text("out.\(format)"), try folder.text("before.ndjson"),
            try folder.text("after.ndjson")
        )
    }

    @Test("a bar in a text is escaped, and a bar between texts is not")
    func bars() throws {
        let trip = try Self.roundTrip(
            [["a|b", "c"], [#"a\"#, #"\"#, #"x\y\"#], [#"a\|b\\|"#, "|"], ["a", "b"]], as: "csv")
        #expect(
            trip.table == #"""
                id,tags
                0,a\|b|c
                1,a\\|\\|x\y\
                2,a\\\|b\\\\\||\|
                3,a|b

                """#)
        #expect(
            trip.before == #"""
                {"id":0,"tags":["a|b","c"]}
                {"id":1,"tags":["a\\","\\","x\\y\\"]}
                {"id":2,"tags":["a\\|b\\\\|","|"]}
                {"id":3,"tags":["a","b"]}

                """#)
        #expect(trip.after == trip.before)
    }

    @Test("exports and imports every pair of short texts unchanged", arguments: ["csv", "tsv"])
    func allPairs(_ format: String) throws {
        let letters = ["a", "|", #"\"#]
        let pairs = letters.flatMap { first in letters.map { first + $0 } }
        let texts = letters + pairs + pairs.flatMap { pair in letters.map { pair + $0 } }
        let lists = texts.flatMap { first in
            [[first]] + texts.filter { $0 != first }.map { [first, $0] }
        }
        #expect(lists.count == 39 * 39)
        let trip = try Self.roundTrip(lists, as: format)
        #expect(trip.after == trip.before)
    }

    @Test("a list with one empty text becomes an empty list; longer lists keep their empty texts")
    func emptyTexts() throws {
        let folder = try Workspace()
        try folder.write("tasks.ndjson", #"{"id":1}"# + "\n" + #"{"id":2}"# + "\n" + #"{"id":3}"#)
        try folder.write(
            "tags.ndjson", #"{"name":"","of":[1,2]}"# + "\n" + #"{"name":"a","of":[2]}"#)
        let out = try folder.run(
            model: Self.model,
            """
            - { import: tasks.ndjson, into: Task }
            - { import: tags.ndjson, into: Tag, link: { tasks: { by: { id: "of[*]" } } } }
            - { export: Task, fields: [id, tags], to: out.csv }
            """)
        #expect(out.text == "")
        #expect(try folder.text("out.csv") == "id,tags\n1,\"\"\n2,|a\n3,\n")
        let back = try folder.run(
            model: Self.model,
            """
            - { import: out.csv, into: Task, set: { words: { from: tags, split: "|" } } }
            - { export: Task, fields: [id, words], to: out.ndjson }
            """, open: "replace")
        #expect(back.text == "")
        #expect(
            try folder.text("out.ndjson") == #"""
                {"id":1,"words":[]}
                {"id":2,"words":["","a"]}
                {"id":3,"words":null}

                """#)
    }

    @Test("other separators are escaped alike, and other backslashes are literal")
    func foreignTables() throws {
        let folder = try Workspace()
        try folder.write(
            "in.csv",
            #"""
            id,tags,words
            1,\\host\a; b\; c ;C:\x\,"a\, b, c\"
            2,;\;;,

            """#)
        let run = try folder.run(
            model: Self.model,
            """
            - import: in.csv
              into: Task
              link:
                tags: { by: { name: { from: tags, split: ";", clean: trim } }, missing: create }
              set: { words: { split: ",", clean: trim } }
            - { export: Task, fields: [id, tags, words], to: out.ndjson }
            """)
        #expect(run.text == "")
        #expect(
            try folder.text("out.ndjson") == #"""
                {"id":1,"tags":["\\\\host\\a","b; c","C:\\x\\"],"words":["a, b","c\\"]}
                {"id":2,"tags":[";"],"words":null}

                """#)
    }
}
