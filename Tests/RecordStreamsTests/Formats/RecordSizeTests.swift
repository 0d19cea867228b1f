import RecordStreams
import TestSeeds
import Testing

/// An oversized record is reported with its size alone, wherever chunks end.
@Suite("Record sizes") struct RecordSizeTests {
    private static let chunks = [1, 2, 7, 41, 42, 43, 100, 1 << 16]
    private static let recordBytesMax = 40

    private static func x(_ count: Int) -> String { String(repeating: "x", count: count) }

    private static func readings(
        _ text: String, as name: String, paths: [String]
    ) throws -> [Reading] {
        let folder = try TemporaryFolder()
        let input = try folder.write(Array(text.utf8), to: name)
        return try chunks.map { chunk in
            try Reading.of(input, paths: paths, chunk: chunk) {
                $0.maxRecordBytes = recordBytesMax
            }
        }
    }

    /// A quote that closes after the maximum record size counts as unclosed.
    @Test func readsLinesAsRecordsIfTheQuoteClosesTooLate() throws {
        let text = "a,b\n1,x\n7,\"\(Self.x(30))\n8,evil\n\(Self.x(30))\"\n2,y\n"
        let expected = Reading(
            records: ["1@2:1 '1' 'x'", "3@4:1 '8' 'evil'", "5@6:1 '2' 'y'"],
            rejects: [
                "2@3:3 csv.unterminated-quote 7,\"\(Self.x(30))",
                "4@5:31 csv.quote-in-field \(Self.x(30))\"",
            ])
        for reading in try Self.readings(text, as: "a.csv", paths: ["a", "b"]) {
            #expect(reading == expected)
        }
    }

    @Test func resumesAtTheNextLineAfterATooBigRecord() throws {
        let expected = Reading(
            records: ["3@4:1 '3' 'z'"],
            rejects: [
                "1@2:1 csv.record-too-big \(Self.x(40))", "2@3:2 csv.quote-in-field y\"",
            ])
        let text = "a,b\n\(Self.x(50)),\"x\ny\"\n3,z\n"
        for reading in try Self.readings(text, as: "a.csv", paths: ["a", "b"]) {
            #expect(reading == expected)
        }
    }

    /// The size is reported whatever other faults the record has.
    @Test(arguments: [
        "1,\"\(x(20))\ny\"\(x(30))", "1,\(x(20))\"\(x(30))", "\"\(x(60))", "\"\(x(60))\"",
    ])
    func reportsTheSizeOfATooBigRowDespiteOtherErrors(row: String) throws {
        let line = row.contains("\n") ? 4 : 3
        let expected = Reading(
            records: ["2@\(line):1 '2' 'y'"],
            rejects: ["1@2:1 csv.record-too-big \(row.prefix(40))"])
        for reading in try Self.readings("a,b\n\(row)\n2,y\n", as: "a.csv", paths: ["a", "b"]) {
            #expect(reading == expected)
        }
    }

    @Test(arguments: [38, 39, 40, 41, 42, 43, 44], ["\n", "\r\n", ""])
    func excludesTheLineEndFromTheRecordSize(size: Int, end: String) throws {
        let isSmall = size <= Self.recordBytesMax
        for (quote, count) in [("", size - 2), ("\"", size - 4)] {
            let row = "1," + quote + Self.x(count) + quote
            let text = "a,b\n" + row + end + (end.isEmpty ? "" : "2,y\n")
            let expected = Reading(
                records: (isSmall ? ["1@2:1 '1' '\(Self.x(count))'"] : [])
                    + (end.isEmpty ? [] : ["2@3:1 '2' 'y'"]),
                rejects: isSmall ? [] : ["1@2:1 csv.record-too-big \(row.prefix(40))"])
            for reading in try Self.readings(text, as: "a.csv", paths: ["a", "b"]) {
                #expect(reading == expected)
            }
        }
        let line = "{\"a\":\"\(Self.x(size - 8))\"}"
        let expected = Reading(
            records: (isSmall ? ["1@1:1 '\(Self.x(size - 8))'"] : [])
                + (end.isEmpty ? [] : ["2@2:1 #2"]),
            rejects: isSmall ? [] : ["1@1:1 json.record-too-big \(line.prefix(40))"])
        let text = line + end + (end.isEmpty ? "" : "{\"a\":2}\n")
        for reading in try Self.readings(text, as: "a.ndjson", paths: ["a"]) {
            #expect(reading == expected)
        }
    }

    @Test(arguments: [39, 40, 41, 42, 43, 90], ["\n", "\r\n"])
    func rejectsABlankLineOverTheRecordSize(size: Int, end: String) throws {
        let blanks = String(repeating: " ", count: size)
        let expected =
            size <= Self.recordBytesMax
            ? Reading(records: ["1@2:1 #2"], blankLines: 1)
            : Reading(
                records: ["2@2:1 #2"], rejects: ["1@1:1 json.record-too-big \(blanks.prefix(40))"])
        for reading in try Self.readings(
            blanks + end + "{\"a\":2}\n", as: "a.ndjson", paths: ["a"])
        {
            #expect(reading == expected)
        }
    }

    @Test(arguments: [40, 41, 42, 43, 90])
    func rejectsAHeaderOverTheRecordSize(size: Int) throws {
        let isSmall = size <= Self.recordBytesMax
        let expected = Reading(
            records: isSmall ? ["1@2:1 '1'"] : [], error: isSmall ? nil : "csv.header")
        for reading in try Self.readings("a,\(Self.x(size - 2))\n1,2\n", as: "a.csv", paths: ["a"])
        {
            #expect(reading == expected)
        }
    }

    @Test(arguments: [
        "{\"a\":\"\(x(50))\",\"b\":01,\"c\":tru}", "{\"b\":01,\"a\":\"\(x(50))\"}",
        "{\"a\":\"\(x(50))\\u12\"}", "\"\(x(50))\"", "[\(x(50))]",
        "{\"a\":[\(x(20)), \"\(x(50))\"]}",
    ])
    func rejectsOnlyTheInvalidElementThatIsTooBig(record: String) throws {
        let text = "[{\"a\":1},\(record),{\"a\":2}]"
        let expected = Reading(
            records: ["1@1:2 #1", "3@1:\(text.utf8.count - 7) #2"],
            rejects: ["2@1:10 json.record-too-big \(record.prefix(40))"])
        for reading in try Self.readings(text, as: "a.json", paths: ["a"]) {
            #expect(reading == expected)
        }
    }

    @Test(arguments: [
        ("{\"b\":],\"a\":\"\(x(50))\"}", false), ("{\"a\":\"\(x(50))\",\"b\":1]", true),
        ("{\"b\":01,\"a\":\"\(x(50))\",,}", true), ("{\"b\":01,]\"a\":\"\(x(50))\"}", false),
    ])
    func stopsIfTheEndOfAnElementIsUnknown(record: String, isTooBig: Bool) throws {
        let expected = Reading(
            records: ["1@1:2 #1"],
            rejects: isTooBig ? ["2@1:10 json.record-too-big \(record.prefix(40))"] : [],
            error: "json.structure")
        for reading in try Self.readings(
            "[{\"a\":1},\(record),{\"a\":2}]", as: "a.json", paths: ["a"])
        {
            #expect(reading == expected)
        }
    }

    /// The parts of the inputs of each format, good and bad.
    private static let parts: [(name: String, between: String, parts: [String])] = [
        (
            "a.csv", "",
            [
                "1,2", "a", ",", "\"", "\"\"", "\"x\"", "\"x\ny\"", "\n", "\n", "1,2\n", "\r\n",
                "\r", " ", "é", "xxxxxxxx", "\"x\n\n1,2\nz\"",
            ]
        ),
        (
            "a.ndjson", "",
            [
                "{\"a\":1}\n", "{\"a\":\"xxxxxxxx\"}\n", "{\"a\":01}\n", " ", "        ", "\n",
                "\r\n", "7", "\"xxxxxxxxxxxxxxxx\"",
            ]
        ),
        (
            "a.json", ",",
            [
                "{\"a\":1}", "{\"a\":01}", "7", "[1,2,3,4,5,6]", "{\"a\":\"xx\",\"b\":[01]}",
                "\"xxxxxxxxxxxxxxxxx\"", "{\"a\":\"xxxxxxxx\"}",
            ]
        ),
    ]

    @Test(arguments: parts.indices)
    func readsTheSameRecordsAndRejectsWithAnyChunkSize(_ format: Int) throws {
        let folder = try TemporaryFolder()
        let (name, between, parts) = Self.parts[format]
        let selection = FieldSelection([FieldPath(name: "a"), FieldPath(name: "b")])
        let first = TestSeed.ofThisRun
        for seed in (0..<60).map({ first &+ $0 }) {
            var random = SeededGenerator(seed: seed)
            var options = ReadOptions()
            options.header = false
            if name == "a.csv" { options.columns = ["a", "b"] }
            options.maxRecordBytes = [5, 12, 20][random.pick(3)]
            options.batchRecordsMax = 64
            var picked: [String] = []
            for _ in 0..<[3, 30, 60][random.pick(3)] { picked.append(random.pick(parts)) }
            let text = picked.joined(separator: between)
            let input = try folder.write(
                Array((name == "a.json" ? "[\(text)]" : text).utf8), to: name)
            let expected = Self.compared(Reading.whole(input, options, selection))
            for chunk in [1, 2, 3, 5, 9, 17, 50, 300] {
                options.chunkBytes = chunk
                let whole = Reading.whole(input, options, selection)
                #expect(Self.compared(whole) == expected, "seed \(seed), chunks of \(chunk)")
                let pieces = Reading.inPieces(input, options, selection, decoders: 2)
                #expect(
                    Self.compared(pieces) == expected, "seed \(seed), pieces, chunks of \(chunk)")
            }
        }
    }

    /// Returns the reading without blank lines, because the lines after the last record are counted
    /// only next to a record.
    private static func compared(_ whole: Reading.Whole) -> Reading {
        var reading = whole.reading
        reading.blankLines = 0
        return reading
    }
}
