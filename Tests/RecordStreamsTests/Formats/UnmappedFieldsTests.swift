import RecordStreams
import Testing

@Suite("Fields of a record that a stage does not select") struct UnmappedFieldsTests {
    private static func names(
        _ record: String, _ paths: [String], shownMax: Int = 100, byteCount: Int? = nil
    ) throws -> (first: [String], count: Int) {
        let selection = FieldSelection(try paths.map { try FieldPath(parsing: $0) })
        // Readers may read beyond the end of a record, in its chunk.
        let bytes = Array(record.utf8) + [UInt8](repeating: 0, count: 64)
        return bytes.withUnsafeBufferPointer {
            UnmappedFields.names(
                in: UnsafeBufferPointer(rebasing: $0[0..<(byteCount ?? record.utf8.count)]),
                selection, shownMax: shownMax)
        }
    }

    @Test(
        "names the fields beside the selected ones, also in objects and lists",
        arguments: [
            (#"{"a":1}"#, ["a"], []), (#"{"a":1,"b":2,"c":{"d":1}}"#, ["a"], ["b", "c"]),
            (#"{"a":{"b":1,"c":2},"d":3}"#, ["a.b"], ["a.c", "d"]),
            (#"{"a":[1,{"b":2}],"c":3}"#, ["a.b"], ["c"]),
            (
                #"{"list":[{"a":1,"b":2},{"c":[3]},5],"x":{"y":1}}"#, ["list[*].a"],
                ["list[*].b", "list[*].c", "x"]
            ),
            (#"{"list":[ ] , "b":true}"#, ["list[*].a"], ["b"]),
            (#"{"list":[[{"a":1,"b":2}]],"c":"d"}"#, ["list[*][*].a"], ["list[*][*].b", "c"]),
            (#"{"a.b":1,"a":{"c":2},"d\u0065":3}"#, ["a.b"], ["a.c", "de"]),
            ("", ["a"], []),
        ])
    func names(record: String, paths: [String], expected: [String]) throws {
        let found = try Self.names(record, paths)
        #expect(found.first == expected)
        #expect(found.count == expected.count)
    }

    @Test("counts more fields than it returns")
    func limit() throws {
        let found = try Self.names(#"{"a":1,"b":2,"c":3,"d":4}"#, ["a"], shownMax: 2)
        #expect(found.first == ["b", "c"])
        #expect(found.count == 3)
    }

    @Test("a record that ends early has the fields before its end")
    func cutRecords() throws {
        let record = #"{"a":{"b":1,"c":[2,{"d":3}]},"list":[{"x":"\"1"},[4],5],"end":null}"#
        let paths = ["a.b", "list[*].y"]
        let complete = try Self.names(record, paths).first
        #expect(complete == ["a.c", "list[*].x", "end"])
        for byteCount in 0..<record.utf8.count {
            let found = try Self.names(record, paths, byteCount: byteCount)
            #expect(found.first == Array(complete.prefix(found.first.count)), "\(byteCount)")
            #expect(found.count == found.first.count, "\(byteCount)")
        }
    }
}
