import Diagnostics
@testable import RecordStreams
import Testing

@Suite("NDJSON decoder") struct NDJSONDecoderTests {
    private static let paths = ["id", "owner.email", "tags[*]", "items[*].sku", "meta"]

    private static let sample = #"""
        {"id":1,"owner":{"email":"a@b"},"tags":["x","y\n"],"items":[{"sku":"s"},{}],"meta":{"a":[1]}}
        {"tags":[],"id":"tw\u006f","owner":null,"skipped":{"deep":["\u0000",{"x":1.5e3}]},"items":[]}

        { "id" : -0.5E+7 , "owner" : { "name":"é€😀", "email":"\ud83d\ude00" } , "meta" : null }
        not json
        {"id":true,"id":false,"tags":["only"],"tags":null}
        {"id":[1,2],"tags":"plain","owner":5}
        """#

    private static let expected = Reading(
        records: [
            #"1@1:1 #1 'a@b' ['x' 'y"# + "\n" + #"'] ['s' -] json{"a":[1]}"#,
            "2@2:1 'two' null [] [] -",
            "3@4:1 #-0.5E+7 '😀' - - null",
            "5@6:1 false - null - -",
            "6@7:1 json[1,2] - 'plain' - -",
        ],
        rejects: ["4@5:1 json.bad-literal not json"], duplicateKeys: 2, blankLines: 1)

    @Test func readsNestedPaths() throws {
        #expect(try Reading.of(Self.sample, as: "a.ndjson", paths: Self.paths) == Self.expected)
    }

    private static let flat = #"""
        {"owner.email":"a@b","tags.name":["x","y"],"items[*].sku":1}
        {"owner.email":"flat","owner":{"email":"nested"},"tags.name":["x"],"tags":{"name":["z"]}}
        {"owner":{"email":"nested"},"owner.email":"flat","tags":{"name":["z"]},"tags.name":["x"]}
        {"owner.email":"first","owner.email":"last\u0021","owner":{"name":"n"}}
        {"owner":null,"owner.email":"flat","tags.name":[]}
        {"a.b.c":7,"a.b":{"c":8},"x":{"owner.email":"deeper"}}
        {"owner.email":{"deep":[1]},"tags.name":[["x"],null]}
        {"owner.email":"flat","owner":{"email":null},"tags.name":["x"],"tags":{"name":null}}
        {"tags":null,"tags.name":["x"],"a":{"b":null},"a.b.c":1,"a.b":null}
        {"owner":null,"tags":null,"a":null,"owner.email":null}

        """#

    @Test func matchesNamesThatContainTheCompletePath() throws {
        let paths = ["owner.email", "tags.name[*]", "a.b.c", #"a\.b.c"#]
        let expected = Reading(
            records: [
                "1@1:1 'a@b' ['x' 'y'] - -",
                "2@2:1 'nested' ['z'] - -",
                "3@3:1 'nested' ['z'] - -",
                "4@4:1 'last!' - - -",
                "5@5:1 'flat' [] - -",
                "6@6:1 - - #7 #8",
                #"7@7:1 json{"deep":[1]} [json["x"] null] - -"#,
                "8@8:1 null null - -", "9@9:1 - ['x'] #1 #1", "10@10:1 null null null -",
            ], rejects: [], duplicateKeys: 1, blankLines: 0)
        let reading = try Reading.of(Self.flat, as: "a.ndjson", paths: paths)
        #expect(reading.records == expected.records)
        #expect(reading == expected)
        let folder = try TemporaryFolder()
        let input = try folder.write(Array(Self.flat.utf8), to: "a.ndjson")
        for chunk in 1...100 {
            #expect(try Reading.of(input, paths: paths, chunk: chunk) == expected, "\(chunk)")
        }
    }

    @Test func storesTheElementsOfAListOnce() throws {
        let folder = try TemporaryFolder()
        let input = try folder.write(
            Array("{\"a\":{\"b\":[1,2,3]}}\n{\"a.b\":[4,5]}\n".utf8), to: "a.ndjson")
        let selection = FieldSelection(
            try ["a.b[*]", #"a\.b[*]"#, "a.b[*]"].map { try FieldPath(parsing: $0) })
        let reader = try RecordReader(input: input, options: ReadOptions(), selection: selection)
        let batch = RecordBatch()
        let isRead = try reader.next(batch)
        #expect(isRead && batch.count == 2)
        // Each path has its own copy of the second record's two items.
        #expect(batch.itemCount == 3 + 2 + 2)
    }

    @Test func matchesFlatNamesThatAreAlsoSelectedWithEscapes() throws {
        let input = #"""
            {"owner.email":"flat","tags.name":["x"]}
            {"owner.email":"flat","owner":{"email":"nested"},"tags.name":["x"],"tags":{"name":["y"]}}
            {"owner":null,"owner.email":"flat","tags.name":[],"tags":{}}
            {"owner":null}

            """#
        let paths = [
            "owner.email", #"owner\.email"#, "tags.name[*]", #"tags\.name[*]"#, "owner.email",
        ]
        for order in [paths, paths.reversed()] {
            let records = try Reading.of(input, as: "a.ndjson", paths: order).records
            let expected = [
                "1@1:1 'flat' 'flat' ['x'] ['x'] 'flat'",
                "2@2:1 'nested' 'flat' ['y'] ['x'] 'nested'", "3@3:1 'flat' 'flat' [] [] 'flat'",
                "4@4:1 null - - - null",
            ].map { line in
                let words = line.split(separator: " ")
                return
                    (words.prefix(1)
                    + (order == paths ? Array(words[1...]) : words[1...].reversed()))
                    .joined(separator: " ")
            }
            #expect(records == expected)
        }
    }

    @Test func matchesFlatNamesThatOtherPathsTraverse() throws {
        let input = #"""
            {"up.ids":[1,2],"up.list":[{"c":3,"d":4},{"d":5}],"a.b.c":[6]}
            {"up":{"ids":[7]},"up.ids":[8],"up.list":[],"a":{"b":{"c":[9]}},"a.b.c":[10]}
            {"up":null,"up.ids":null,"a.b":{"c":[11]},"a.b.c":[12],"a.b.c":[13]}
            {"up.ids":14,"a.b":null,"a.b.c":[]}

            """#
        let paths = [
            "up.ids[*]", #"up\.ids"#, #"up\.list[*].c"#, "up.list[*].d", "a.b.c[*]", #"a\.b.c[*]"#,
        ]
        let expected = [
            ["[#1 #2]", "json[1,2]", "[#3 -]", "[#4 #5]", "[#6]", "[#6]"],
            ["[#7]", "json[8]", "[]", "[]", "[#9]", "[#10]"],
            ["null", "null", "-", "null", "[#13]", "[#11]"],
            ["#14", "#14", "-", "-", "[]", "[]"],
        ]
        for order in [Array(paths.indices), paths.indices.reversed()] {
            let reading = try Reading.of(input, as: "a.ndjson", paths: order.map { paths[$0] })
            let records = expected.enumerated().map { index, values in
                (["\(index + 1)@\(index + 1):1"] + order.map { values[$0] }).joined(separator: " ")
            }
            #expect(reading.records == records)
            #expect(reading.duplicateKeys == 1)
        }
    }

    @Test func readsTheSameRecordsWithEveryChunkSize() throws {
        let folder = try TemporaryFolder()
        let input = try folder.write(Array(Self.sample.utf8), to: "a.ndjson")
        for chunk in 1...Self.sample.utf8.count {
            #expect(
                try Reading.of(input, paths: Self.paths, chunk: chunk) == Self.expected,
                "chunks of \(chunk)")
        }
    }

    @Test(arguments: [
        (#"{"a":1} {"a":2}"#, "1@1:9 json.two-values"),
        (#"{"a":1}x"#, "1@1:8 json.bad-literal"),
        (#"[1]"#, "1@1:1 json.not-an-object"),
        (#""text""#, "1@1:1 json.not-an-object"),
        (#"17"#, "1@1:1 json.not-an-object"),
        (#"{"a":1"#, "1@1:7 json.incomplete"),
        (#"{"a":01}"#, "1@1:7 json.unexpected-byte"),
        (#"{"a":-}"#, "1@1:7 json.bad-number"),
        (#"{"a":1.}"#, "1@1:8 json.bad-number"),
        (#"{"a":+1}"#, "1@1:6 json.bad-number"),
        (#"{"a":True}"#, "1@1:6 json.bad-literal"),
        (#"{"a":NaN}"#, "1@1:6 json.bad-literal"),
        (#"{"a":1,}"#, "1@1:8 json.unexpected-byte"),
        (#"{"a" 1}"#, "1@1:6 json.unexpected-byte"),
        (#"{a:1}"#, "1@1:2 json.unexpected-byte"),
        (#"{"a":"\x"}"#, "1@1:7 json.bad-escape"),
        (#"{"a":"\u12G4"}"#, "1@1:7 json.bad-escape"),
        (#"{"a":"\ud800"}"#, "1@1:7 json.lone-surrogate"),
        (#"{"a":"\ud800\u0041"}"#, "1@1:7 json.lone-surrogate"),
        (#"{"a":"\udc00"}"#, "1@1:7 json.lone-surrogate"),
        ("{\"a\":\"\t\"}", "1@1:7 json.control-character"),
    ])
    func rejectsOnlyTheInvalidLine(line: String, expected: String) throws {
        let reading = try Reading.of(line + "\n{\"a\":2}\n", as: "a.jsonl", paths: ["a"])
        #expect(reading.rejects == [expected + " " + line])
        #expect(reading.records == ["2@2:1 #2"])
        #expect(reading.error == nil)
    }

    @Test(
        arguments: [
            [0xC0, 0xAF], [0x80], [0xFF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xE0, 0x80, 0x80],
        ] as [[UInt8]])
    func rejectsInvalidUTF8(bytes: [UInt8]) throws {
        let line = Array(#"{"b":"é"#.utf8) + bytes + Array("\"}\n{\"b\":\"ok\"}".utf8)
        let reading = try Reading.of(line, as: "a.ndjson", paths: ["b"])
        #expect(
            reading.rejects.map { $0.prefix(22) }
                == ["1@1:9 json.invalid-utf8"].map { $0.prefix(22) })
        #expect(reading.records == ["2@2:1 'ok'"])
    }

    @Test func keepsNulAndSkipsTheByteOrderMark() throws {
        let reading = try Reading.of(
            "\u{FEFF}{\"a\":\"x\\u0000y\"}\r\n \t\r\n{\"a\":\"\"}", as: "a.ndjson", paths: ["a"])
        #expect(reading.records == ["1@1:4 'x\0y'", "2@3:1 ''"])
        #expect(reading.blankLines == 1)
    }

    @Test func limitsDepth() throws {
        let nested = { (depth: Int) in
            #"{"a":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
                + "}"
        }
        let reading = try Reading.of(
            nested(511) + "\n" + nested(512) + "\n" + nested(100_000), as: "a.ndjson", paths: ["b"])
        #expect(reading.records == ["1@1:1 -"])
        #expect(reading.rejects.map { $0.prefix(24) }.allSatisfy { $0.contains("json.too-deep") })
        #expect(reading.rejects.count == 2)
    }

    @Test func rejectsARecordOverTheSizeLimitAndContinues() throws {
        let big = #"{"a":""# + String(repeating: "x", count: 200) + #""}"#
        for chunk in [1, 7, 64, 4096] {
            let reading = try Reading.of(
                "{\"a\":1}\n\(big)\n{\"a\":2}\n", as: "a.ndjson", paths: ["a"], chunk: chunk
            ) { $0.maxRecordBytes = 100 }
            #expect(reading.records == ["1@1:1 #1", "3@3:1 #2"])
            #expect(
                reading.rejects.map { $0.prefix(32) } == ["2@2:1 json.record-too-big {\"a\":\""])
        }
    }

    @Test func comparesNamesWithoutNormalizingThem() throws {
        let line = #"{"A":1,"e\u0301":2,"\u0061":3,"a.b":4,"":5}"#
        let reading = try Reading.of(
            line, as: "a.ndjson", paths: ["a", "\u{E9}", "e\u{301}", #"a\.b"#, "a"])
        #expect(reading.records == ["1@1:1 #3 - #2 #4 #3"])
    }

    @Test(arguments: [1, 7, 1 << 16])
    func countsRecordsNotObjectsWithAFieldThatIsNotSelected(chunk: Int) throws {
        let folder = try TemporaryFolder()
        let input = try folder.write(
            Array(
                """
                {"l":[{"a":1,"x":1},{"a":2,"x":2},{"x":3,"a":3}]}
                {"l":[{"a":4},{"a":5,"y":1}]}
                {"l":[{"x":1},{"x":1}],"y":01}
                {"l":[{"y":1},{"y":2}]}

                """.utf8), to: "a.ndjson")
        var options = ReadOptions()
        options.chunkBytes = chunk
        let reader = try RecordReader(
            input: input, options: options,
            selection: FieldSelection([try FieldPath(parsing: "l[*].a")]))
        let batch = RecordBatch()
        while try reader.next(batch) {}
        #expect(reader.extraFields.map { "\($0.name) \($0.count)" } == ["l[*].x 1", "l[*].y 2"])
    }

    @Test(arguments: [
        ("a.ndjson", "{\"a\":1,\"x\":[2],\"y\":3}\n{\"y\":1,\"a\":2,\"a\":3}\n{\"y\":01}\n"),
        ("a.json", "[{\"a\":1,\"x\":[2],\"y\":3},{\"y\":1,\"a\":2,\"a\":3},{\"y\":01}]"),
    ])
    func countsFieldsThatAreNotSelected(name: String, text: String) throws {
        let folder = try TemporaryFolder()
        let input = try folder.write(Array(text.utf8), to: name)
        for chunk in [1, 1 << 16] {
            var options = ReadOptions()
            options.chunkBytes = chunk
            let reader = try RecordReader(
                input: input, options: options, selection: FieldSelection([FieldPath(name: "a")]))
            var seen: [UInt8] = []
            reader.observer = { seen += $0 }
            let batch = RecordBatch()
            var counts: [[Int]] = []
            while try reader.next(batch) {
                for record in 0..<batch.count {
                    counts.append(
                        [batch.extraFieldCount(of: record), batch.duplicateKeyCount(of: record)])
                }
            }
            #expect(counts == [[2, 0], [1, 1]])
            #expect(seen == Array(text.utf8))
            #expect(reader.extraFields.map(\.count) == [1, 2])
            #expect(reader.extraFields.map(\.name) == ["x", "y"])
        }
    }

    @Test func doesNotCountFieldsThatAnotherPathSelects() throws {
        let folder = try TemporaryFolder()
        let text = """
            {"up.at":[{"x":1,"y":2}]}
            {"up.at":[{"x":1,"y":2}],"z":3}
            {"up.to":[{"x":1,"y":2,"z":3}]}
            {"up":{"at":[{"y":1,"z":2}]},"z":3}

            """
        let input = try folder.write(Array(text.utf8), to: "a.ndjson")
        let paths = [#"up\.at[*].x"#, "up.at[*].y", "up.to[*].x", "up.to"]
        let reader = try RecordReader(
            input: input, options: ReadOptions(),
            selection: FieldSelection(try paths.map { try FieldPath(parsing: $0) }))
        let batch = RecordBatch()
        var counts: [Int] = []
        while try reader.next(batch) {
            counts += (0..<batch.count).map { batch.extraFieldCount(of: $0) }
        }
        #expect(counts == [0, 1, 2, 2])
    }

    @Test func locatesAField() throws {
        let folder = try TemporaryFolder()
        let input = try folder.write(Array("{\"a\":1}\n{\"a\":2,\"b\":\"x\"}".utf8), to: "a.ndjson")
        let reader = try RecordReader(
            input: input, options: ReadOptions(),
            selection: FieldSelection([FieldPath(name: "b")]))
        let batch = RecordBatch()
        #expect(try reader.next(batch))
        let place = batch.location(of: 1, slot: 0, field: "b")
        #expect(place.line == 2 && place.column == 13 && place.byteOffset == 20)
        #expect(String(decoding: batch.rawRecord(1), as: UTF8.self) == #"{"a":2,"b":"x"}"#)
        #expect(try !reader.next(batch))
        #expect(reader.recordsRead == 2)
    }

    @Test(
        "a character that is cut, or a number that is cut, is rejected", arguments: [1, 2, 1 << 16])
    func cutValues(chunk: Int) throws {
        let cut: [[UInt8]] = [
            [0x22, 0xF0, 0x9F, 0x98, 0x22], [0x22, 0xF0, 0x9F, 0x22], Array("1e".utf8),
            Array("1e+".utf8), Array("1.".utf8), Array("-".utf8),
        ]
        for value in cut {
            let text = Array(#"{"a":"#.utf8) + value + Array("}\n{\"a\":\"😀\"}\n".utf8)
            let reading = try Reading.of(text, as: "a.ndjson", paths: ["a"], chunk: chunk)
            #expect(reading.rejects.count == 1, "\(value)")
            #expect(reading.records == ["2@2:1 '😀'"], "\(value)")
            #expect(reading.error == nil, "\(value)")
        }
    }
}
