import Diagnostics
import Files
import RecordStreams
import Testing

@Suite("CSV decoder") struct CSVDecoderTests {
    private static let sample =
        "\u{FEFF}\"id\",park.key,note\r\n1,a,\"x \"\"y\"\"\nz\"\r\n\n2,,\"\"\n3,\u{E9}\u{20AC},a\rb\n"
        + "4,short\n5,a,b,long\n6,a\"b,c\n7,\"q\"x,c\n8,\"\",\0\n9,\"open,\n10,a,b"

    private static let expected = Reading(
        records: [
            "1@2:1 'x \"y\"\nz' 'a' '1'", "2@5:1 '' null '2'", "3@6:1 'a\rb' '\u{E9}\u{20AC}' '3'",
            "8@11:1 '\0' '' '8'", "10@13:1 'b' 'a' '10'",
        ],
        rejects: [
            "4@7:1 csv.too-few-fields 4,short", "5@8:1 csv.too-many-fields 5,a,b,long",
            "6@9:4 csv.quote-in-field 6,a\"b,c", "7@10:6 csv.text-after-quote 7,\"q\"x,c",
            "9@12:3 csv.unterminated-quote 9,\"open,",
        ], blankLines: 1)

    @Test func readsTheSameRecordsWithEveryChunkSize() throws {
        let folder = try TemporaryFolder()
        let input = try folder.write(Array(Self.sample.utf8), to: "a.csv")
        for chunk in Array(1...Self.sample.utf8.count) + [1 << 19] {
            let reading = try Reading.of(input, paths: ["note", "park.key", "id"], chunk: chunk)
            #expect(reading == Self.expected, "chunks of \(chunk)")
        }
    }

    @Test(
        arguments: [
            ("a\n\n1\n\"\"\n", ["null", "'1'", "''"]),
            ("a\r1\r2\r", ["'1'", "'2'"]),
            ("a\r1\r\r2", ["'1'", "null", "'2'"]),
            ("a\n1\r\n2\r3\n", ["'1'", "'2\r3'"]),
            ("a\n 1 \n", ["' 1 '"]),
            ("a", []),
            ("a\n\"x\ny\r\nz\"", ["'x\ny\r\nz'"]),
            ("a\n\"\"\"\"", ["'\"'"]),
            ("a\n1\r", ["'1\r'"]),
        ] as [(String, [String])])
    func readsOneColumn(text: String, expected: [String]) throws {
        for chunk in [1, 2, 3, 1 << 16] {
            let reading = try Reading.of(text, as: "a.csv", paths: ["a"], chunk: chunk)
            #expect(
                reading.records.map { $0.drop { $0 != " " }.dropFirst() }
                    == expected.map { $0[...] })
            #expect(reading.rejects == [])
        }
    }

    @Test("skips blank lines before a header", arguments: [1, 3, 1 << 16])
    func blankLinesBeforeAHeader(chunk: Int) throws {
        for text in [
            "\n\na,b\n1,2\n", "\u{FEFF}\r\n\r\na,b\r\n1,2\r\n", "\r\ra,b\r1,2\r",
        ] {
            let reading = try Reading.of(text, as: "a.csv", paths: ["a"], chunk: chunk)
            #expect(reading.error == nil)
            #expect(
                reading.records.map { $0.split(separator: " ").last.map(String.init) } == ["'1'"])
        }
    }

    @Test(
        "a header that does not match is reported with its line and column",
        arguments: [
            ("\nno,nope\n1,2\n", 2, 1), ("id,b,id\n", 1, 6), ("\n\nid,\"x\ny\",\"x\ny\"\n", 4, 5),
        ])
    func placeOfAHeader(text: String, line: Int, column: Int) throws {
        let folder = try TemporaryFolder()
        let input = try folder.write(Array(text.utf8), to: "a.csv")
        let error = #expect(throws: RecordStreamError.self) {
            _ = try RecordReader(
                input: input, options: ReadOptions(),
                selection: FieldSelection([FieldPath(name: "id")]))
        }
        #expect(
            error?.location
                == RecordLocation(source: input.path.displayText, line: line, column: column))
    }

    @Test(arguments: [
        ("", "csv.no-header"), ("\n\r\n", "csv.no-header"), ("a,a\n", "csv.duplicate-header"),
        ("b\n", "csv.unknown-column"),
        ("\"a\n", "csv.header"), ("\"a\"x\n", "csv.header"), ("A\n", "csv.unknown-column"),
    ])
    func rejectsInvalidHeaders(text: String, code: String) throws {
        #expect(try Reading.of(text, as: "a.csv", paths: ["a"]).error == code)
    }

    /// Errors include the byte-order mark, and refer to the line of the fault.
    @Test(arguments: [
        ("\u{FEFF}a\"b\n", 4, 1, 5), ("\u{FEFF}\"a\nb\"x,c\n", 8, 2, 3),
        ("a,\"b\r\nc\n\"d\r\n", 9, 3, 2), ("\"a\rb\"x\r1\r", 5, 2, 3), ("a,\"b", 2, 1, 3),
        ("\"\"\n1\n", 0, 1, 1),
        ("\u{FEFF}\r\na\"b\r\n", 6, 2, 2),
    ])
    func reportsPositionOfAHeaderError(text: String, offset: Int, line: Int, column: Int) throws {
        let folder = try TemporaryFolder()
        let input = try folder.write(Array(text.utf8), to: "a.csv")
        let error = #expect(throws: RecordStreamError.self) {
            _ = try RecordReader(
                input: input, options: ReadOptions(), selection: FieldSelection([]))
        }
        #expect(
            error?.location
                == RecordLocation(
                    source: input.path.displayText, byteOffset: offset, line: line, column: column))
    }

    @Test(
        arguments: [
            ("5\" disk,x\r1,2\r", ["2@2:1 '1' '2'"], ["1@1:2 csv.quote-in-field 5\" disk,x"]),
            (
                "5\" disk,\"x\n1,2\r3\n", ["2@2:1 '1' '2\r3'"],
                ["1@1:2 csv.quote-in-field 5\" disk,\"x"]
            ),
            (
                "\"a\"b,\"x\r1,2\r", ["2@2:1 '1' '2'"],
                ["1@1:4 csv.text-after-quote \"a\"b,\"x"]
            ),
            ("\"a\r\"\"b\",x\r1,2\r", ["1@1:1 'a\r\"b' 'x'", "2@3:1 '1' '2'"], []),
            ("1,\"x\ny\"\r\n2,3\r4\n", ["1@1:1 '1' 'x\ny'", "2@3:1 '2' '3\r4'"], []),
        ] as [(String, [String], [String])])
    func usesTheFirstUnquotedLineEndAsRecordEnd(
        text: String, records: [String], rejects: [String]
    ) throws {
        for chunk in [1, 2, 5, 1 << 16] {
            let reading = try Reading.of(text, as: "a.csv", paths: ["a", "b"], chunk: chunk) {
                $0.header = false
                $0.columns = ["a", "b"]
            }
            #expect(reading == Reading(records: records, rejects: rejects))
        }
    }

    @Test func continuesAfterAnUnclosedQuoteInTheFirstRecord() throws {
        let rows = (2...100).map { "\($0),b\n" }.joined()
        for chunk in [1, 50, 1 << 16] {
            let reading = try Reading.of(
                "1,\"open\n" + rows, as: "a.csv", paths: ["a"], chunk: chunk
            ) {
                $0.header = false
                $0.columns = ["a", "b"]
                $0.maxRecordBytes = 30
            }
            #expect(reading.rejects == ["1@1:3 csv.unterminated-quote 1,\"open"])
            #expect(reading.records.count == 99)
            #expect(reading.error == nil)
        }
    }

    @Test func takesColumnNamesFromTheOptions() throws {
        let columns = { (options: inout ReadOptions) in
            options.columns = ["x", "y"]
            options.header = false
        }
        #expect(
            try Reading.of("1,2\n", as: "a.csv", paths: ["y"], columns).records == ["1@1:1 '2'"])
        #expect(
            try Reading.of("a,a\n1,2\n", as: "a.csv", paths: ["y"]) { $0.columns = ["x", "y"] }
                .records == ["1@2:1 '2'"])
        #expect(
            try Reading.of("1\n", as: "a.csv", paths: ["y"]) { $0.header = false }.error
                == "csv.no-column-names")
        #expect(
            try Reading.of("a\n", as: "a.csv", paths: ["y"]) { $0.columns = ["x", "y"] }.error
                == "csv.column-count")
    }

    @Test func readsOtherDialects() throws {
        #expect(
            try Reading.of("a\tb\n1,\t\"2\t3\"\n", as: "a.tsv", paths: ["a", "b"]).records
                == ["1@2:1 '1,' '2\t3'"])
        #expect(
            try Reading.of("a;b\n\"1;2\"\n", as: "a.csv", paths: ["a", "b"]) {
                $0.delimiter = [UInt8(ascii: ";")]
                $0.quote = .none
            }.records == ["1@2:1 '\"1' '2\"'"])
        #expect(
            try Reading.of("a,b,c\nNULL,\"NULL\",\n", as: "a.csv", paths: ["a", "b", "c"]) {
                $0.nulls = ["NULL"]
            }.records == ["1@2:1 null 'NULL' ''"])
        #expect(
            try Reading.of("a,b\n1\n", as: "a.csv", paths: ["b", "a"]) { $0.padsShortRows = true }
                .records == ["1@2:1 - '1'"])
    }

    @Test func rejectsSpacesOutsideQuotes() throws {
        let reading = try Reading.of(
            "a,b\n\"1\" ,x\n2, \"y\"\n3,z\n", as: "a.csv", paths: ["a", "b"])
        #expect(reading.records == ["3@4:1 '3' 'z'"])
        #expect(
            reading.rejects == [
                "1@2:4 csv.text-after-quote \"1\" ,x", "2@3:4 csv.quote-in-field 2, \"y\"",
            ])
    }

    @Test func resumesAfterTheLastLineOfABadRecord() throws {
        for chunk in [1, 7, 1 << 16] {
            let reading = try Reading.of(
                "a,b\n1,\"x\ny\"z,\"\n2,w\n", as: "a.csv", paths: ["a", "b"], chunk: chunk)
            #expect(reading.records == ["2@4:1 '2' 'w'"])
            #expect(reading.rejects == ["1@3:3 csv.text-after-quote 1,\"x\ny\"z,\""])
        }
    }

    @Test func skipsBlankLinesWithAnyLineEnd() throws {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["a,b", "", "1,2", "", "", "3,4"].joined(separator: end)
            for chunk in [1, 2, 1 << 16] {
                let reading = try Reading.of(text, as: "a.csv", paths: ["a", "b"], chunk: chunk)
                #expect(reading.records == ["1@3:1 '1' '2'", "2@6:1 '3' '4'"])
                #expect(reading.blankLines == 3)
            }
        }
        let spaces = try Reading.of("a,b\n \n1,2\n", as: "a.csv", paths: ["a", "b"])
        #expect(spaces.rejects == ["1@2:1 csv.too-few-fields  "])
    }

    @Test func reads5000Columns() throws {
        let names = (0..<5000).map { "c\($0)" }
        let text =
            names.joined(separator: ",") + "\n"
            + (0..<5000).map(String.init)
            .joined(separator: ",")
        let reading = try Reading.of(text, as: "a.csv", paths: ["c4999", "c0", "c63", "c64"])
        #expect(reading == Reading(records: ["1@2:1 '4999' '0' '63' '64'"]))
    }

    @Test func keepsAByteOrderMarkInsideTheFileAsText() throws {
        let reading = try Reading.of("a\n\u{FEFF}1\n", as: "a.csv", paths: ["a"])
        #expect(reading.records == ["1@2:1 '\u{FEFF}1'"])
    }

    @Test func rejectsInvalidUTF8AndContinues() throws {
        let bytes = Array("a,b\n1,".utf8) + [0xE9] + Array("\n2,x\n".utf8)
        let reading = try Reading.of(bytes, as: "a.csv", paths: ["a", "b"])
        #expect(reading.records == ["2@3:1 '2' 'x'"])
        #expect(reading.rejects == ["1@2:3 csv.invalid-utf8 1,\u{FFFD}"])
    }

    @Test func searchesForTheClosingQuoteUpToTheRecordLimit() throws {
        let rows = (2...400).map { "\($0),b\n" }.joined()
        for chunk in [1, 50, 1 << 16] {
            let reading = try Reading.of(
                "a,b\n1,\"open\n" + rows, as: "a.csv", paths: ["a"], chunk: chunk
            ) { $0.maxRecordBytes = 100 }
            #expect(reading.rejects == ["1@2:3 csv.unterminated-quote 1,\"open"])
            #expect(reading.records.count == 399)
        }
    }

    @Test func rejectsARecordOverTheSizeLimit() throws {
        for chunk in [1, 50, 1 << 16] {
            let reading = try Reading.of(
                "a,b\n1," + String(repeating: "x", count: 500) + "\n2,y\n", as: "a.csv",
                paths: ["a"], chunk: chunk
            ) { $0.maxRecordBytes = 100 }
            #expect(reading.records == ["2@3:1 '2'"])
            #expect(reading.rejects.map { $0.prefix(28) } == ["1@2:1 csv.record-too-big 1,x"])
        }
    }
}
