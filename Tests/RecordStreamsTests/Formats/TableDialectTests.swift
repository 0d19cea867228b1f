import Diagnostics
import Files
import RecordStreams
import TestSeeds
import Testing

/// Tables from practice: preambles, comments, escapes, and delimiters of all kinds.
@Suite("Table dialects") struct TableDialectTests {
    private static let chunks = [1, 2, 3, 7, 1 << 16]

    /// Reads the columns `a` and `b` with several chunk sizes.
    private func expect(
        _ text: String, _ records: [String], rejects: [String] = [], error: String? = nil,
        blankLines: Int = 0, _ change: (inout ReadOptions) -> Void
    ) throws {
        for chunk in Self.chunks {
            let reading = try Reading.of(
                text, as: "a.csv", paths: ["a", "b"], chunk: chunk, change)
            #expect(
                reading
                    == Reading(
                        records: records, rejects: rejects, error: error, blankLines: blankLines),
                "chunks of \(chunk)")
        }
    }

    @Test(
        "skips lines before the header, but counts them",
        arguments: [
            "Report, \"of June\n\na,b\n1,x\n", "\u{FEFF}Report\r\n\r\na,b\r\n1,x\r\n",
            "Report\r\ra,b\r1,x\r",
        ])
    func skip(_ text: String) throws {
        try expect(text, ["1@4:1 '1' 'x'"]) { $0.linesSkipped = 2 }
    }

    @Test func skipsLinesWithoutAHeader() throws {
        try expect("Report\n1,x\n2,y\n", ["1@2:1 '1' 'x'", "2@3:1 '2' 'y'"]) {
            $0.linesSkipped = 1
            $0.header = false
            $0.columns = ["a", "b"]
        }
    }

    @Test func reportsAFileWithFewerLinesThanSkipped() throws {
        try expect("a,b\n1,x\n", [], error: "csv.too-short") { $0.linesSkipped = 3 }
        try expect("a,b\n1,x\n", [], error: "csv.no-header") { $0.linesSkipped = 2 }
    }

    @Test("the maximum record size applies to each line before the table, not to their total")
    func longLinesBeforeTheTable() throws {
        let line = String(repeating: "-", count: 20)
        try expect("\(line)\n\(line)\na,b\n1,x\n", ["1@4:1 '1' 'x'"]) {
            $0.linesSkipped = 2
            $0.maxRecordBytes = 20
        }
        let comments = String(repeating: "#\(line.dropFirst())\n", count: 9)
        try expect("\(comments)a,b\n1,x\n", ["1@11:1 '1' 'x'"]) {
            $0.comment = UInt8(ascii: "#")
            $0.maxRecordBytes = 20
        }
        for text in ["\(line)-\n\na,b\n1,x\n", "\(line)-", "\n\(line)-\r\na,b\n1,x\n"] {
            try expect(text, [], error: "csv.header") {
                $0.linesSkipped = 2
                $0.maxRecordBytes = 20
            }
        }
    }

    @Test func comments() throws {
        try expect(
            "# of \"June\n\n#,\"\na,b\n1,x\n#2,\"y\n\n3,\"#\n#\"\n# end",
            ["1@5:1 '1' 'x'", "2@8:1 '3' '#\n#'"], blankLines: 2
        ) { $0.comment = UInt8(ascii: "#") }
    }

    @Test func skipsCommentsIfQuotesAreDisabled() throws {
        try expect("a,b\n#\n1,#\"\n#\n#", ["1@3:1 '1' '#\"'"]) {
            $0.comment = UInt8(ascii: "#")
            $0.quote = .none
        }
    }

    @Test func skipsCommentsOverTheRecordSize() throws {
        let long = String(repeating: "x", count: 200)
        try expect("a,b\n1,x\n#\(long)\n2,y\n", ["1@2:1 '1' 'x'", "2@4:1 '2' 'y'"]) {
            $0.comment = UInt8(ascii: "#")
            $0.maxRecordBytes = 20
        }
    }

    @Test("a preamble may have any number of comment lines")
    func manyComments() throws {
        let comments = String(repeating: "# of June\n", count: 100)
        try expect("\(comments)a,b\n1,x\n", ["1@102:1 '1' 'x'"]) {
            $0.comment = UInt8(ascii: "#")
            $0.maxRecordBytes = 20
        }
        try expect("Report\n\(comments)a,b\n1,x\n", ["1@103:1 '1' 'x'"]) {
            $0.linesSkipped = 1
            $0.comment = UInt8(ascii: "#")
            $0.maxRecordBytes = 20
        }
    }

    @Test("a preamble longer than its limit is an error")
    func endlessComments() throws {
        let comments = String(repeating: "# of June\n", count: 20)
        for text in [comments, "\(comments)a,b\n1,x\n"] {
            try expect(text, [], error: "csv.header") {
                $0.comment = UInt8(ascii: "#")
                $0.maxRecordBytes = 20
                $0.maxPreambleBytes = 150
            }
        }
        try expect("\(comments)a,b\n1,x\n", ["1@22:1 '1' 'x'"]) {
            $0.comment = UInt8(ascii: "#")
            $0.maxRecordBytes = 20
            $0.maxPreambleBytes = 200
        }
    }

    @Test("an invalid byte is reported with the encoding")
    func encodingFaults() throws {
        for (encoding, message) in [
            (TextEncoding.utf8, "The text is not valid UTF-8"),
            (.windows1252, "The text has a byte that is not a character of windows-1252"),
        ] {
            for (name, text) in [("a.csv", "a\n"), ("a.ndjson", "{\"a\":\"")] {
                let end = name == "a.csv" ? "\n" : "\"}\n"
                let bytes = Array(text.utf8) + [0x81] + Array(end.utf8)
                let rejects = try Self.rejects(bytes, as: name, encoding)
                #expect(rejects.map(\.message) == [message])
                #expect(rejects.map(\.code) == ["encoding"])
            }
        }
    }

    private static func rejects(
        _ bytes: [UInt8], as name: String, _ encoding: TextEncoding
    ) throws -> [RejectedRecord] {
        let folder = try TemporaryFolder()
        let input = try folder.write(bytes, to: name)
        var options = ReadOptions()
        options.encoding = encoding
        let reader = try RecordReader(
            input: input, options: options,
            selection: FieldSelection([FieldPath(name: "a")]))
        let batch = RecordBatch()
        var rejects: [RejectedRecord] = []
        while try reader.next(batch) { rejects += batch.rejects }
        return rejects
    }

    @Test func escapes() throws {
        let lines = [
            #"a,b"#, #"1,x\,y"#, #"2,"x\"y""z\\""#, #"\N,\\N"#, #"4,\"q"#, #"5,x\"#, #"y\"#,
        ]
        try expect(
            lines.joined(separator: "\n"),
            [
                #"1@2:1 '1' 'x,y'"#, #"2@3:1 '2' 'x"y"z\'"#, #"3@4:1 null '\N'"#,
                #"4@5:1 '4' '"q'"#,
                "5@6:1 '5' 'x\ny\\'",
            ]
        ) {
            $0.escape = UInt8(ascii: "\\")
            $0.nulls = ["", "\\N"]
        }
    }

    @Test func longDelimiters() throws {
        try expect(
            "a||b\n1|x||\"y||\"\"z\"\n2|||y\n3||\n4||||5\n||\"\"\n6",
            [
                "1@2:1 '1|x' 'y||\"z'", "2@3:1 '2' '|y'", "3@4:1 '3' null", "5@6:1 null ''",
            ],
            rejects: [
                "4@5:1 csv.too-many-fields 4||||5", "6@7:1 csv.too-few-fields 6",
            ]
        ) { $0.delimiter = Array("||".utf8) }
    }

    @Test func splitsAtDelimitersOutsideASCII() throws {
        try expect("a¦b\r\n1¦ä\r\n\"¦\"¦x\r\n", ["1@2:1 '1' 'ä'", "2@3:1 '¦' 'x'"]) {
            $0.delimiter = Array("¦".utf8)
        }
    }

    @Test(
        "a delimiter at the end of a line does not begin a field",
        arguments: [
            "a|b|\n1|x|\n2||\n3|y\n||\n4|", "a|b|\r\n1|x|\r\n2||\r\n3|y\r\n||\r\n4|",
        ])
    func trailingDelimiters(_ text: String) throws {
        let records = ["1@2:1 '1' 'x'", "2@3:1 '2' null", "3@4:1 '3' 'y'", "4@5:1 null null"]
        let rejects = ["5@6:1 csv.too-few-fields 4|"]
        try expect(text, records, rejects: rejects) {
            $0.delimiter = [UInt8(ascii: "|")]
            $0.dropsTrailingDelimiter = true
        }
        try expect(
            text.replacing("|", with: "||"), records, rejects: ["5@6:1 csv.too-few-fields 4||"]
        ) {
            $0.delimiter = Array("||".utf8)
            $0.dropsTrailingDelimiter = true
        }
    }

    @Test func keepsAQuotedEmptyFieldAtTheEndOfARow() throws {
        try expect("a,b,\n1,\"\",\n2,\"\"\n", ["1@2:1 '1' ''", "2@3:1 '2' ''"]) {
            $0.dropsTrailingDelimiter = true
        }
    }

    @Test func reportsErrorsInTablesWithLongDelimiters() throws {
        let long = String(repeating: "y", count: 40)
        try expect(
            "a||b\n1||x\"y\n2||\"x\"y\n3||\(long)\n4||\"open\n5||z",
            ["5@6:1 '5' 'z'"],
            rejects: [
                "1@2:5 csv.quote-in-field 1||x\"y", "2@3:7 csv.text-after-quote 2||\"x\"y",
                "3@4:1 csv.record-too-big 3||\(long.prefix(27))",
                "4@5:4 csv.unterminated-quote 4||\"open",
            ]
        ) {
            $0.delimiter = Array("||".utf8)
            $0.maxRecordBytes = 30
        }
    }

    @Test("a table in any dialect is read back, whatever the chunk size", arguments: 0..<60)
    func roundTrip(_ round: Int) throws {
        var random = SeededGenerator(seed: TestSeed.ofThisRun &+ UInt64(round))
        let delimiter = ["||", "~|~", ";", "¦", "\t"][random.pick(5)]
        let escape = ["\\", "^", ""][random.pick(3)]
        let lineEnd = ["\n", "\r\n"][random.pick(2)]
        let pieces = [
            "a", "\"", "\\", "^", "|", "~", "|", "é", "¦", "#", ";", "\n", " ", "x",
        ]
        var text = "a\(delimiter)b\(lineEnd)"
        var expected: [[String]] = []
        func field(_ value: String) -> String {
            if escape.isEmpty || random.pick(3) == 0 {
                let inner = value.flatMap { sign -> String in
                    if sign == "\"" {
                        return escape.isEmpty || random.pick(2) == 0 ? "\"\"" : escape + "\""
                    }
                    return String(sign) == escape ? escape + escape : String(sign)
                }
                return "\"\(String(inner))\""
            }
            return value.map { escape + String($0) }.joined()
        }
        for _ in 0..<20 {
            let row = (0..<2).map { _ in
                "v" + (0..<random.pick(6)).map { _ in pieces[random.pick(pieces.count)] }.joined()
            }
            expected.append(row)
            text += row.map(field).joined(separator: delimiter) + lineEnd
            if random.pick(4) == 0 { text += "#, \"comment\(lineEnd)" }
        }
        for chunk in Self.chunks {
            let reading = try Reading.of(text, as: "a.csv", paths: ["a", "b"], chunk: chunk) {
                $0.delimiter = Array(delimiter.utf8)
                $0.comment = UInt8(ascii: "#")
                $0.escape = escape.utf8.first
            }
            let fields = reading.records.map { $0.drop { $0 != " " }.dropFirst() }
            #expect(fields == expected.map { "'\($0[0])' '\($0[1])'"[...] }, "\(text)")
            #expect(reading.rejects == [])
        }
    }

    @Test("an escape can be the first character of the header")
    func escapedHeader() throws {
        try expect("\\a,b\n1,x\n", ["1@2:1 '1' 'x'"]) { $0.escape = UInt8(ascii: "\\") }
    }

    @Test("the header is read across chunks if the line end is known")
    func knownLineEnd() throws {
        try expect("\"a\",\"b\"\n1,x\n", ["1@2:1 '1' 'x'"]) { $0.endsAtReturn = false }
        for chunk in Self.chunks {
            let reading = try Reading.of(
                "\"a\nb\",c\n1,2\n", as: "a.csv", paths: ["c"], chunk: chunk
            ) { $0.endsAtReturn = false }
            #expect(reading.records == ["1@3:1 '2'"])
        }
        try expect("\"" + String(repeating: "a", count: 50) + "\n", [], error: "csv.header") {
            $0.endsAtReturn = false
            $0.maxRecordBytes = 10
        }
    }

    @Test("null texts of a column that is not selected have no effect")
    func nullsOfOtherColumns() throws {
        try expect("a,b,c\n1,-,-\n", ["1@2:1 '1' '-'"]) {
            $0.columnNulls = [ColumnNulls(column: "c", texts: ["-"])]
        }
    }

    @Test func windows1252() throws {
        let bytes =
            Array("a,b\n1,".utf8) + [0x80, 0x93, 0xE9, 0x9F] + Array("\n2,".utf8) + [0x81, 10]
        for chunk in Self.chunks {
            let reading = try Reading.of(bytes, as: "a.csv", paths: ["a", "b"], chunk: chunk) {
                $0.encoding = .windows1252
            }
            #expect(reading.records == ["1@2:1 '1' '€“éŸ'"])
            #expect(reading.rejects.map { $0.split(separator: " ")[1] } == ["csv.invalid-text"])
        }
    }
}
