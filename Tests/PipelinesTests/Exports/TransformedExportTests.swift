import Testing

@testable import Pipelines

/// Transformable attributes whose transformer only the app has.
@Suite("Exports of transformed values") struct TransformedExportTests {
    private static let model = """
        model: 1
        entities:
          Note:
            attributes:
              id: { type: Integer 32, optional: false }
              point: { type: Transformable, transformer: Point }
              archive: Transformable
            unique: [[id]]
        """

    /// Base64 of bytes that are not JSON, other JSON, and Base64 of the bytes `123`.
    private static let lines = """
        {"id":1,"point":"AQID","archive":"YnBsaXN0MDA="}
        {"id":2,"point":{"a":[1,2]},"archive":true}
        {"id":3,"point":"plain text","archive":"MTIz"}
        {"id":4,"point":null,"archive":""}

        """

    @Test(
        "exported bytes are imported as the same bytes, and JSON as the same JSON",
        arguments: ["ndjson", "csv", "json"])
    func roundTrip(_ format: String) throws {
        let folder = try Workspace()
        try folder.write("notes.ndjson", Self.lines)
        let first = try folder.run(
            model: Self.model,
            """
            - { import: notes.ndjson, into: Note }
            - { export: Note, to: "out.\(format)", fields: [id, point, archive] }
            """)
        #expect(first.text == "")
        let columns = "SELECT ZID, hex(ZPOINT), hex(ZARCHIVE) FROM ZNOTE ORDER BY ZID"
        let stored = try folder.rows(columns)
        func hex(_ text: String) -> String {
            text.utf8.map { String($0, radix: 16, uppercase: true) }.joined()
        }
        #expect(
            stored == [
                "1|010203|" + hex("bplist00"), "2|" + hex(#"{"a":[1,2]}"#) + "|" + hex("true"),
                "3|" + hex(#""plain text""#) + "|" + hex(#""MTIz""#), "4||" + hex(#""""#),
            ])
        if format == "ndjson" { #expect(try folder.text("out.ndjson") == Self.lines) }

        let second = try folder.run(
            model: Self.model, "- { import: \"out.\(format)\", into: Note }", open: "replace")
        #expect(second.text == "")
        #expect(try folder.rows(columns) == stored)
    }

    @Test("a constant is converted as the value of a record is")
    func constant() throws {
        let folder = try Workspace()
        try folder.write("notes.ndjson", #"{"id":1}"#)
        let run = try folder.run(
            model: Self.model,
            """
            - import: notes.ndjson
              into: Note
              set: { point: { const: AQID }, archive: { const: plain } }
            """)
        #expect(run.text == "")
        #expect(
            try folder.rows("SELECT hex(ZPOINT), CAST(ZARCHIVE AS TEXT) FROM ZNOTE")
                == [#"010203|"plain""#])
    }
}
