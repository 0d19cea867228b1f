import Testing

@testable import Pipelines

/// Faults that only the store finds in nested objects.
@Suite("Faults of nested objects")
struct NestedFaultTests {
    private static let model = """
        model: 1
        entities:
          Order:
            attributes: { no: { type: String, optional: false } }
            relationships:
              lines: { to: Line, many: true, inverse: order, count: 1..2, optional: false }
              address: { to: Address, inverse: orders }
            unique: [[no]]
          Line:
            attributes: { sku: { type: String, optional: false }, code: Integer 16 }
            relationships:
              order: { to: Order, inverse: lines }
              parts: { to: Part, many: true, inverse: line, count: 0..1 }
            unique: [[sku], [code]]
            validate: [{ rule: "code == nil OR code < 100", message: "a code has two digits" }]
          Part:
            attributes: { name: { type: String, optional: false } }
            relationships: { line: { to: Line, inverse: parts } }
            unique: [[name]]
          Address:
            attributes: { street: { type: String, optional: false }, zip: Integer 32 }
            relationships: { orders: { to: Order, many: true, inverse: address } }
            unique: [[street], [zip]]
        """

    private static let stage = """
        - import: orders.ndjson
          into: Order
          key: no
          link:
            address: { each: address, key: street }
            lines: { each: "items[*]", key: sku, link: { parts: { each: "parts[*]", key: name } } }
        """

    private static let graph = """
        SELECT o.ZNO, a.ZZIP, l.ZSKU, l.ZCODE FROM ZORDER o LEFT JOIN ZADDRESS a
        ON a.Z_PK = o.ZADDRESS LEFT JOIN ZLINE l ON l.ZORDER = o.Z_PK ORDER BY 1, 3
        """

    @Test(
        "rejects the record, and writes no part of it",
        arguments: [
            (
                #"{"no":"2","items":[{"sku":"a"},{"sku":"b"},{"sku":"c"}]}"#,
                "validate items[*]: 'lines' holds at most 2 objects and gets 3 (for 'lines')"
            ),
            (
                #"{"no":"2","items":[]}"#,
                "validate items[*]: 'lines' needs at least 1 objects and gets 0 (for 'lines')"
            ),
            (
                #"{"no":"2","items":[{"sku":"a","parts":[{"name":"p"},{"name":"q"}]}]}"#,
                "validate items[0].parts: 'parts' holds at most 1 objects and gets 2"
            ),
            (
                #"{"no":"2","items":[{"sku":"a"},{"sku":"b","code":200}]}"#,
                "validate items[1]: a code has two digits"
            ),
            (
                #"{"no":"2","items":[{"sku":"a"}],"address":{"street":"B","zip":7}}"#,
                "unique address.zip: Another Address has zip 7"
            ),
            (
                #"{"no":"1","items":[{"sku":"x","code":200}]}"#,
                "validate items[0]: a code has two digits"
            ),
            (
                #"{"no":"1","items":[{"sku":"x","code":6}]}"#,
                "unique items[0].code: Another Line has code 6"
            ),
        ])
    func rejects(record: String, reason: String) throws {
        let folder = try Workspace()
        try folder.write(
            "orders.ndjson",
            #"""
            {"no":"1","address":{"street":"A","zip":7},"items":[{"sku":"x","code":5},{"sku":"y","code":6}]}
            """#)
        #expect(try folder.run(model: Self.model, Self.stage).text == "")
        let before = try folder.rows(Self.graph)
        #expect(before == ["1|7|x|5", "1|7|y|6"])
        try folder.write("orders.ndjson", record)
        let run = try folder.run(model: Self.model, Self.stage, top: "rejects: { allow: 1 }")
        #expect(run.lines == ["import import-orders: 1 read, 1 rejected"])
        #expect(try folder.reasons() == [reason])
        #expect(try folder.rows(Self.graph) == before)
        #expect(
            try folder.rows(
                "SELECT (SELECT count(*) FROM ZLINE), (SELECT count(*) FROM ZPART),"
                    + " (SELECT count(*) FROM ZADDRESS)") == ["2|0|1"])
    }

    @Test("rejects a record whose nested object has a key that several objects share")
    func sharedKey() throws {
        let model = """
            model: 1
            entities:
              Book:
                attributes: { name: String }
                relationships: { notes: { to: Note, many: true, inverse: book } }
                unique: [[name]]
              Note:
                attributes: { title: String }
                relationships: { book: { to: Book, inverse: notes } }
            """
        let folder = try Workspace()
        try folder.write("notes.ndjson", #"{"title":"a"}"# + "\n" + #"{"title":"a"}"#)
        try folder.write(
            "books.ndjson",
            #"{"name":"A","notes":[{"title":"b"},{"title":"a"}]}"# + "\n"
                + #"{"name":"B","notes":[{"title":"b"}]}"#)
        let run = try folder.run(
            model: model,
            """
            - { import: notes.ndjson, into: Note, when-found: append }
            - import: books.ndjson
              into: Book
              key: name
              link: { notes: { each: "notes[*]", key: title } }
            """, top: "rejects: { allow: 1 }")
        #expect(
            run.lines.last
                == "import import-books: 2 read, 1 inserted, 1 rejected; Note: 1 inserted")
        #expect(
            try folder.reasons() == [
                "key notes[1].title: Several 'Note' objects have title 'a': primary keys 1 and 2"
            ])
        #expect(
            try folder.rows(
                "SELECT n.ZTITLE, b.ZNAME FROM ZNOTE n LEFT JOIN ZBOOK b ON b.Z_PK = n.ZBOOK"
                    + " ORDER BY 1") == ["a|NULL", "a|NULL", "b|B"])
    }
}
