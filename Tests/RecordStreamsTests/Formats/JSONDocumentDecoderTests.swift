import RecordStreams
import Testing

@Suite("JSON document decoder") struct JSONDocumentDecoderTests {
    private static let document = #"""
        {"meta": {"a": [1, "\u00e9", {"data": {"items": [{"id": 99}]}}], "n": -1.25e-7},
         "data": {"total": 3, "items": [
           {"id": 1, "t": ["x"]},
           7, {"id": 01}, {"id":"\ud800"},
           {"id": 2}], "after": null}, "end": true}
        """#

    private static let expected = Reading(
        records: ["1@3:4 #1 ['x']", "5@5:4 #2 -"],
        rejects: [
            "2@4:4 json.not-an-object 7",
            "3@4:15 json.unexpected-byte {\"id\": 01}",
            "4@4:26 json.lone-surrogate {\"id\":\"\\ud800\"}",
        ])

    @Test func streamsTheRecordsAtAPath() throws {
        let folder = try TemporaryFolder()
        let input = try folder.write(Array(Self.document.utf8), to: "a.json")
        for chunk in Array(1...Self.document.utf8.count) + [1 << 19] {
            let reading = try Reading.of(input, paths: ["id", "t[*]"], chunk: chunk) {
                $0.at = "$.data.items[*]"
            }
            #expect(reading == Self.expected, "chunks of \(chunk)")
        }
    }

    @Test(
        arguments: [
            ("$", "[]", [], nil),
            ("$", "[{\"a\":1}]", ["#1"], nil),
            ("$", " {\"a\":1} ", ["#1"], nil),
            ("$[*]", "[{\"a\":1},\n{\"a\":2}]\n", ["#1", "#2"], nil),
            ("$[*]", "{\"a\":1}", [], "json.structure"),
            ("$", "", [], "json.structure"),
            ("$", "17", [], "json.structure"),
            ("$", "[{\"a\":1},]", ["#1"], "json.structure"),
            ("$", "[{\"a\":1} {\"a\":2}]", ["#1"], "json.structure"),
            ("$", "[{\"a\":1},{\"a\":[1}]", ["#1"], "json.structure"),
            ("$", "[{\"a\":1},{\"a\":\"x},{\"a\":2}]", ["#1"], "json.structure"),
            ("$", "[{\"a\":1}", ["#1"], "json.structure"),
            ("$", "[{\"a\":1}]x", ["#1"], "json.structure"),
            ("$", "[{\"a\":1}][]", ["#1"], "json.structure"),
            ("$.x", "{\"x\":{\"a\":1}}", ["#1"], nil),
            ("$.x", "{\"y\":1}", [], "json.path-missing"),
            ("$.x", "{\"x\":[{\"a\":1}],\"x\":[{\"a\":2}]}", ["#1"], "json.structure"),
            ("$.x", "{\"x\":[{\"a\":1}],\"y\":tru}", ["#1"], "json.structure"),
            (
                "$[*].p[*]", "[{\"p\":[{\"a\":1}]},5,{\"q\":0,\"p\":[{\"a\":2},{\"a\":3}]}]",
                ["#1", "#2", "#3"], nil
            ),
            ("$.a.b", "{\"a\":[],\"c\":1}", [], "json.path-missing"),
            ("$.a", "{\"a\":null,\"c\":1}", [], nil), ("$.a[*]", "{\"a\":null}", [], nil),
            ("$.a.*", "{\"a\":null}", [], nil), ("$", "null", [], "json.structure"),
            ("$.a", "{\"a\":nul}", [], "json.structure"),
            ("$.a.*", "{\"a\":{\"x\":{\"a\":1},\"y\":{\"a\":2}},\"b\":1}", ["#1", "#2"], nil),
            ("$.*", "{ \"x\" : {\"a\":1} , \"y\\\"\" : {\"a\":2} }", ["#1", "#2"], nil),
            ("$.a.*", "{\"a\":{}}", [], nil), ("$.a.*", "{\"a\":[]}", [], "json.structure"),
            ("$.a.*", "{\"a\":{\"x\":{\"a\":1}]}", ["#1"], "json.structure"),
            ("$.a.*", "{\"a\":{\"x\":{\"a\":1},}}", ["#1"], "json.structure"),
            ("$.a.*", "{\"a\":{\"x\"}}", [], "json.structure"),
            ("$.a\\.*", "{\"a.*\":[{\"a\":1}]}", ["#1"], nil),
            ("$[*].*", "[{\"x\":{\"a\":1}},{\"y\":{\"a\":2}}]", ["#1", "#2"], nil),
            ("$", "{\"n\":{\"b\":[{\"a\":1}]}}", [], "json.wrapped"),
            ("$", "{\"m\":[],\"n\":{\"b\":[]}}", [], "json.wrapped"),
            ("$", "{\"a\":1,\"b\":[{\"a\":1}]}", ["#1"], nil),
            ("$", "{\"b\":[1]}", ["-"], nil),
            ("$", "{\"a\":1}\n{\"a\":2}", [], "json.is-ndjson"),
            ("$", "{\"a\":\n1}\n{\"a\":2}", ["#1"], "json.several"),
            ("$", "\n{\"a\":1}\n", ["#1"], nil),
            ("x", "[]", [], "input.bad-path"),
            ("$.x", "17", [], "json.path-missing"), ("$.a.b", "{}", [], "json.path-missing"),
            ("$[*].p[*]", "[]", [], "json.path-missing"),
            ("$.x", "{\"y\":[1", [], "json.structure"),
            ("$.a", "{\"a\":[] x}", [], "json.structure"),
            ("$[*].a", "[{\"a\":[]} x]", [], "json.structure"),
            ("$.x", "{\"a\u{1}\":1}", [], "json.structure"),
            ("$", "[{\"a\":\"\\ud83d\\ude00\"}]", ["'😀'"], nil),
            ("$", "[{\"a\":\"\\ud800\\", [], "json.structure"),
            ("$", "[{\"a\":\"\\f\\b\"}]", ["'\u{C}\u{8}'"], nil),
        ] as [(String, String, [String], String?)])
    func keepsTheRecordsBeforeAnError(
        at: String, text: String, records: [String], error: String?
    ) throws {
        for chunk in [1, 3, 1 << 16] {
            let reading = try Reading.of(text, as: "a.json", paths: ["a"], chunk: chunk) {
                $0.at = at
            }
            #expect(reading.records.map { String($0.split(separator: " ")[1]) } == records)
            #expect(reading.error == error)
            #expect(reading.rejects == [])
        }
    }

    @Test(
        "a malformed number as a record is a JSON error, and the next record is read",
        arguments: ["01", "-", "1.", "1e", "+1", ".5", "0x1", "1.e3", "NaN", "-01"])
    func malformedNumbers(number: String) throws {
        for chunk in [1, 3, 1 << 16] {
            let reading = try Reading.of(
                "[\(number),{\"a\":1}]", as: "a.json", paths: ["a"], chunk: chunk)
            #expect(reading.error == nil)
            #expect(reading.rejects.map { $0.contains(" json.") } == [true])
            #expect(!reading.rejects.contains { $0.contains("json.not-an-object") })
            #expect(reading.records.map { String($0.split(separator: " ")[1]) } == ["#1"])
        }
    }

    @Test("the error for an object around an array of records names the array, whatever its size")
    func wrappedRecords() throws {
        let folder = try TemporaryFolder()
        let records = String(repeating: "{\"a\":1},", count: 400) + "{\"a\":2}"
        let input = try folder.write(
            Array("{\"total\":1,\"page\":{\"it.ems\":[\(records)]}}".utf8), to: "a.json")
        for recordBytesMax in [1_000, 1 << 20] {
            var options = ReadOptions()
            options.maxRecordBytes = recordBytesMax
            let reader = try RecordReader(
                input: input, options: options, selection: FieldSelection([FieldPath(name: "a")]))
            let error = #expect(throws: RecordStreamError.self) {
                _ = try reader.next(RecordBatch())
            }
            #expect(error?.kind == .jsonWrapped(path: "$.page.it\\.ems[*]"))
        }
    }

    @Test("an array of records is found if the part of the record that can be read contains it")
    func wrappedRecordsWithinTheLimit() throws {
        let text = #"{"total":[2],"meta":{"x\ty":"z"},"items":[{"a":1},{"a":2}]}"#
        let known = try #require(text.firstRange(of: "[{")).upperBound
        for recordBytesMax in 1...text.utf8.count {
            let reading = try Reading.of(text, as: "a.json", paths: ["b"]) {
                $0.maxRecordBytes = recordBytesMax
            }
            let isKnown = recordBytesMax >= text[..<known].utf8.count
            #expect(reading.error == (isKnown ? "json.wrapped" : nil), "\(recordBytesMax)")
            #expect(reading.rejects.count == (isKnown ? 0 : 1), "\(recordBytesMax)")
            #expect(reading.records == [])
        }
    }

    @Test(
        "a name on the path that is longer than a record ends the document", arguments: [1, 7, 99])
    func longNames(chunk: Int) throws {
        let text = "{\"" + String(repeating: "x", count: 50) + "\":1}"
        let reading = try Reading.of(text, as: "a.json", paths: ["a"], chunk: chunk) {
            $0.at = "$.a"
            $0.maxRecordBytes = 10
        }
        #expect(reading == Reading(error: "json.structure"))
    }

    @Test func rejectsARecordOverTheSizeLimit() throws {
        let text = #"[{"a":1},{"a":""# + String(repeating: "y", count: 5000) + #""},{"a":2}]"#
        for chunk in [1, 100, 1 << 16] {
            let reading = try Reading.of(text, as: "a.json", paths: ["a"], chunk: chunk) {
                $0.maxRecordBytes = 300
            }
            #expect(
                reading.records
                    == ["1@1:1 #1", "3@1:\(text.utf8.count - 7) #2"].map {
                        $0.replacing("1@1:1 ", with: "1@1:2 ")
                    })
            #expect(reading.rejects.count == 1)
            #expect(reading.error == nil)
        }
    }

    @Test func skipsAValueLargerThanTheRecordLimit() throws {
        let text = #"{"skip":""# + String(repeating: "é\\n", count: 40_000) + #"","x":[{"a":1}]}"#
        let reading = try Reading.of(text, as: "a.json", paths: ["a"], chunk: 64) {
            $0.at = "$.x"
            $0.maxRecordBytes = 1000
        }
        #expect(reading.records.count == 1)
        #expect(reading.error == nil)
    }

    @Test(arguments: [
        ("data", "[{\"a\":1}]", RecordFormat.json), ("data", "{\"a\":1}\n{\"a\":2}", .ndjson),
        ("data", "{\n \"a\":1}", .json), ("data", "{\"a\":1}", .json), ("data.txt", "  [ ]", .json),
    ])
    func detectsFormatFromTheFirstBytes(name: String, text: String, format: RecordFormat) throws {
        let folder = try TemporaryFolder()
        let input = try folder.write(Array(text.utf8), to: name)
        let reader = try RecordReader(
            input: input, options: ReadOptions(), selection: FieldSelection([]))
        #expect(reader.format == format)
    }

    @Test(arguments: ["{\"items\":[{\"a\":1}]}\n", "\n{\"items\":[{\"a\":1}]}"])
    func readsOneLineWithNestedRecordsAsADocument(text: String) throws {
        let line = text.hasPrefix("\n") ? 2 : 1
        let reading = try Reading.of(text, as: "data", paths: ["a"]) { $0.at = "$.items[*]" }
        #expect(reading == Reading(records: ["1@\(line):11 #1"]))
    }

    @Test func rejectsInputOfUnknownFormat() throws {
        #expect(
            try Reading.of("a,b\n1,2", as: "data", paths: ["a"]).error == "input.ambiguous-format")
        #expect(try Reading.of("", as: "data", paths: ["a"]).error == "input.ambiguous-format")
    }
}
