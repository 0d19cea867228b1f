import Diagnostics
import Files
import FoundationEssentials
import RecordStreams
import TestSeeds
import Testing

/// One value to write.
enum Value: Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case text(String)
    case list([String])
}

@Suite("Record encoder") struct RecordEncoderTests {
    private static func write(
        _ rows: [[Value]], columns: [String], as format: RecordFormat, to path: String
    ) throws -> OutputSummary {
        let output = try OutputFile(path: path, gzipLevel: path.hasSuffix(".gz") ? 6 : nil)
        let encoder = RecordEncoder(format: format, columns: columns, output: output)
        for row in rows {
            encoder.beginRecord()
            for value in row {
                switch value {
                case .null: encoder.null()
                case .bool(let value): encoder.bool(value)
                case .integer(let value): encoder.integer(value)
                case .double(let value): encoder.double(value)
                case .text(let text): put(text, encoder)
                case .list(let texts):
                    repeat {
                        encoder.beginList()
                        for text in texts { put(text, encoder) }
                    } while encoder.endList()
                }
            }
            try encoder.endRecord()
        }
        return try encoder.finish()
    }

    private static func put(_ text: String, _ encoder: RecordEncoder) {
        Array(text.utf8).withUnsafeBufferPointer { encoder.text($0) }
    }

    private static let rows: [[Value]] = [
        [.integer(-1), .text("plain"), .double(7.5), .bool(true), .list(["x", "y,z"])],
        [.integer(.min), .text("a,\"b\"\r\n\tc\\\u{1}é"), .double(0.1), .bool(false), .list([])],
        [.null, .text(""), .double(.infinity), .null, .null],
    ]

    @Test(arguments: [
        (
            RecordFormat.ndjson,
            #"""
            {"id":-1,"a b":"plain","d":7.5,"e":true,"l":["x","y,z"]}
            {"id":-9223372036854775808,"a b":"a,\"b\"\r\n\tc\\\u0001é","d":0.1,"e":false,"l":[]}
            {"id":null,"a b":"","d":null,"e":null,"l":null}

            """#
        ),
        (
            .json,
            #"""
            [
            {"id":-1,"a b":"plain","d":7.5,"e":true,"l":["x","y,z"]},
            {"id":-9223372036854775808,"a b":"a,\"b\"\r\n\tc\\\u0001é","d":0.1,"e":false,"l":[]},
            {"id":null,"a b":"","d":null,"e":null,"l":null}
            ]

            """#
        ),
        (
            .csv,
            "id,a b,d,e,l\n-1,plain,7.5,true,\"x|y,z\"\n-9223372036854775808,"
                + "\"a,\"\"b\"\"\r\n\tc\\\u{1}é\",0.1,false,\n,\"\",,,\n"
        ),
        (
            .tsv,
            "id\ta b\td\te\tl\n-1\tplain\t7.5\ttrue\tx|y,z\n-9223372036854775808\t"
                + "\"a,\"\"b\"\"\r\n\tc\\\u{1}é\"\t0.1\tfalse\t\n\t\"\"\t\t\t\n"
        ),
    ])
    func writesEachFormat(format: RecordFormat, expected: String) throws {
        let folder = try TemporaryFolder()
        let summary = try Self.write(
            Self.rows, columns: ["id", "a b", "d", "e", "l"], as: format, to: folder.path + "/o")
        let bytes = try folder.read("o")
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
        #expect(summary == OutputSummary(byteCount: bytes.count, rowCount: 3))
        #expect(try folder.names() == ["o"])
    }

    @Test("records without columns are empty objects")
    func noColumns() throws {
        let folder = try TemporaryFolder()
        _ = try Self.write([[], []], columns: [], as: .ndjson, to: folder.path + "/o")
        #expect(String(decoding: try folder.read("o"), as: UTF8.self) == "{}\n{}\n")
    }

    @Test(
        "writes lists of numbers, empty text, control characters, and long text without quotes",
        arguments: [
            (RecordFormat.csv, "l,e,c,a\n1.5|0.25,\"\",\u{8}\u{C},LONG\n"),
            (
                .ndjson,
                #"{"l":[1.5,0.25],"e":"","c":"\b\f","a":"LONG"}"# + "\n"
            ),
        ])
    func otherValues(format: RecordFormat, expected: String) throws {
        let folder = try TemporaryFolder()
        let output = try OutputFile(path: folder.path + "/o")
        let encoder = RecordEncoder(format: format, columns: ["l", "e", "c", "a"], output: output)
        encoder.beginRecord()
        repeat {
            encoder.beginList()
            for number in [1.5, 0.25] { encoder.double(number) }
        } while encoder.endList()
        [UInt8]().withUnsafeBufferPointer { encoder.ascii($0) }
        Self.put("\u{8}\u{C}", encoder)
        let long = String(repeating: "a", count: 200_000)
        Array(long.utf8).withUnsafeBufferPointer { encoder.ascii($0) }
        try encoder.endRecord()
        _ = try encoder.finish()
        let found = String(decoding: try folder.read("o"), as: UTF8.self)
        #expect(found.replacing(long, with: "LONG") == expected)
    }

    @Test func escapesBarsOnlyInCSVLists() throws {
        let folder = try TemporaryFolder()
        let rows: [[Value]] = [[.text(#"a|b\|"#), .list(["a|b", #"c\"#, #"\|"#, #"d\"#])]]
        _ = try Self.write(rows, columns: ["t", "l"], as: .csv, to: folder.path + "/o.csv")
        let table = try String(decoding: folder.read("o.csv"), as: UTF8.self)
        #expect(table == "t,l\n" + #"a|b\|,a\|b|c\\|\\\||d\"# + "\n")
        _ = try Self.write(rows, columns: ["t", "l"], as: .ndjson, to: folder.path + "/o.ndjson")
        let line = try String(decoding: folder.read("o.ndjson"), as: UTF8.self)
        #expect(line == #"{"t":"a|b\\|","l":["a|b","c\\","\\|","d\\"]}"# + "\n")
    }

    /// Long texts and lists leave the encoder in parts, and look like short ones.
    @Test(arguments: [RecordFormat.csv, .ndjson], ["", ",", "\"", "é", "\n"])
    func writesLongValues(as format: RecordFormat, special: String) throws {
        let folder = try TemporaryFolder()
        let isTable = format == .csv
        func quoted(_ text: String) -> String {
            guard isTable else {
                let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                    .replacing("\n", with: "\\n")
                return "\"\(escaped)\""
            }
            return text.contains(#/[,"\n]/#)
                ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
        }
        // The special character occurs once after some parts, or all over.
        let plain = String(repeating: "0123456789abcdef", count: 20_000)
        let texts = [plain + special, String(repeating: "a1" + special, count: 200_000)]
        let lists = [
            (0..<60_000).map { "item \($0)" } + ["last" + special],
            (0..<40_000).map { $0 % 3 == 0 ? "a|\($0)\\" : "b\($0)" + special },
        ]
        let rows = zip(texts, lists).map { [Value.text($0), .list($1), .text("end")] }
        _ = try Self.write(rows, columns: ["t", "l", "e"], as: format, to: folder.path + "/o")
        let lines = zip(texts, lists).map { text, list -> String in
            guard isTable else {
                let items = list.map(quoted).joined(separator: ",")
                return "{\"t\":\(quoted(text)),\"l\":[\(items)],\"e\":\"end\"}\n"
            }
            let items = list.map { item in
                let escaped = item.replacing("|", with: #"\|"#)
                return escaped.hasSuffix("\\") ? escaped + "\\" : escaped
            }
            var joined = items.joined(separator: "|")
            // The last item is not followed by a bar.
            if joined.hasSuffix("\\\\") { joined.removeLast() }
            return "\(quoted(text)),\(quoted(joined)),end\n"
        }
        let found = try String(decoding: folder.read("o"), as: UTF8.self)
        let expected = (isTable ? "t,l,e\n" : "") + lines.joined()
        #expect(found == expected, "differs")
    }

    /// Texts are written one word at a time, wherever in the word a quote is.
    @Test func escapesQuotesAtEveryPosition() throws {
        let folder = try TemporaryFolder()
        let plain = Array("ab,cdefghijklmnopqrst")
        let texts = plain.indices.flatMap { first in
            (first..<plain.count).map { second in
                String(plain.indices.map { $0 == first || $0 == second ? "\"" : plain[$0] })
            }
        }
        let rows = texts.map { [Value.text($0)] }
        _ = try Self.write(rows, columns: ["t"], as: .csv, to: folder.path + "/o.csv")
        let doubled = texts.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"\n" }
        let table = try String(decoding: folder.read("o.csv"), as: UTF8.self)
        #expect(table == "t\n" + doubled.joined())
        _ = try Self.write(rows, columns: ["t"], as: .ndjson, to: folder.path + "/o.ndjson")
        let escaped = texts.map { "{\"t\":\"" + $0.replacing("\"", with: "\\\"") + "\"}\n" }
        let lines = try String(decoding: folder.read("o.ndjson"), as: UTF8.self)
        #expect(lines == escaped.joined())
    }

    /// Texts are written 16 bytes at a time, with an overlap at their end.
    @Test(
        arguments: [RecordFormat.csv, .ndjson], [",", "\"", "\\", "\n", "\r", "\u{1F}", " ", "é"])
    func writesSpecialCharactersAtEveryPosition(as format: RecordFormat, special: String) throws {
        let folder = try TemporaryFolder()
        let texts = (0...50).flatMap { count in
            (0...count).map { place in
                String(repeating: "a", count: place) + special
                    + String(repeating: "b", count: count - place)
            }
        }
        let escapes = [
            "\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\u{1F}": "\\u001f",
        ]
        let expected = texts.map { text in
            guard format == .csv else {
                return "{\"t\":\""
                    + text.replacing(special, with: escapes[special] ?? special) + "\"}\n"
            }
            guard [",", "\"", "\n", "\r"].contains(special) else { return text + "\n" }
            return "\"" + text.replacing("\"", with: "\"\"") + "\"\n"
        }
        _ = try Self.write(
            texts.map { [.text($0)] }, columns: ["t"], as: format, to: folder.path + "/o")
        let written = try String(decoding: folder.read("o"), as: UTF8.self)
        #expect(written == (format == .csv ? "t\n" : "") + expected.joined())
    }

    @Test(arguments: [RecordFormat.csv, .ndjson])
    func findsAnInvalidByteAtEveryPosition(format: RecordFormat) throws {
        let folder = try TemporaryFolder()
        for count in 1...50 {
            for place in 0..<count {
                let output = try OutputFile(path: folder.path + "/o", gzipLevel: nil)
                let encoder = RecordEncoder(format: format, columns: ["t"], output: output)
                encoder.beginRecord()
                var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: count)
                bytes[place] = 0xFF
                bytes.withUnsafeBufferPointer { encoder.text($0) }
                #expect(encoder.hasInvalidText, "byte \(place) of \(count)")
            }
        }
    }

    @Test func writesNoRecords() throws {
        let folder = try TemporaryFolder()
        for (format, expected) in [
            (RecordFormat.json, "[]\n"), (.ndjson, ""), (.csv, "a,\"b,c\"\n"),
        ] {
            _ = try Self.write([], columns: ["a", "b,c"], as: format, to: folder.path + "/o")
            #expect(try String(decoding: folder.read("o"), as: UTF8.self) == expected)
        }
    }

    @Test func writesTheShortestDoubles() throws {
        let folder = try TemporaryFolder()
        let seed = TestSeed.ofThisRun
        var random = SeededGenerator(seed: seed)
        var values: [Double] = [
            0, -0.0, 1, -1, 0.1, 0.3, 1e21, 1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
            1.0 / 3,
            123456.789,
            999_999_999.999999, 1e9, 0.001, 0.000999, 65, 1e15, 9_007_199_254_740_992,
        ]
        for index in 0..<20_000 {
            let word = random.next()
            let bits = Double(bitPattern: word)
            let short =
                Double(Int64(bitPattern: word) >> 30) / [1, 10, 100, 1e3, 1e5, 1e6][index % 6]
            values += [bits.isFinite ? bits : 0, short]
        }
        _ = try Self.write(
            values.map { [.double($0)] }, columns: ["d"], as: .csv, to: folder.path + "/o")
        let lines = try String(decoding: folder.read("o"), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == values.count + 1)
        for (line, value) in zip(lines.dropFirst(), values) {
            #expect(Double(line)?.bitPattern == value.bitPattern, "seed \(seed)")
            #expect(line.count <= value.description.count, "\(line) \(value) seed \(seed)")
            let isJSON = Array(line.utf8).withUnsafeBufferPointer { JSONScanner.validate($0) }
            #expect(isJSON, "\(line)")
        }
    }

    @Test(arguments: ["csv", "tsv", "json", "ndjson", "csv.gz", "ndjson.gz"])
    func readsBackWhatItWrote(ending: String) throws {
        let folder = try TemporaryFolder()
        let seed = TestSeed.ofThisRun
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("ab,\t\"\n\r|\\ é€😀\u{FEFF}\u{0}\u{1F}\u{7F}'/").map(String.init)
        let rows = (0..<500).map { _ -> [Value] in
            (0..<3).map { _ in
                random.next() % 8 == 0
                    ? .null
                    : .text(
                        (0..<(random.next() % 6)).map { _ in
                            alphabet[Int(random.next() % UInt64(alphabet.count))]
                        }.joined())
            }
        }
        let columns = ["\u{FEFF}a", "b,\"c\"", "é\n"]
        let path = folder.path + "/o." + ending
        _ = try Self.write(
            rows, columns: columns, as: try #require(RecordFormat(fileName: path)), to: path)
        let reader = try RecordReader(
            input: InputFile(path: FileName(path), byteCount: 0), options: ReadOptions(),
            selection: FieldSelection(columns.map { FieldPath(name: $0) }))
        let batch = RecordBatch()
        var back: [[Value]] = []
        while try reader.next(batch) {
            #expect(batch.rejects == [])
            for record in 0..<batch.count {
                back.append(
                    batch.fields(of: record).map { $0.kind == .null ? .null : .text($0.text) })
            }
        }
        #expect(back.count == rows.count)
        for (row, written) in zip(back, rows) where row != written {
            Issue.record("seed \(seed): wrote \(written), read \(row)")
        }
    }

    @Test func keepsNestedJSONOnOneLine() throws {
        let folder = try TemporaryFolder()
        let output = try OutputFile(path: folder.path + "/o")
        let encoder = RecordEncoder(format: .ndjson, columns: ["j", "n", "u"], output: output)
        encoder.beginRecord()
        Array("{\"a\":\r\n[1]}".utf8).withUnsafeBufferPointer { encoder.json($0) }
        Array("1.50".utf8).withUnsafeBufferPointer { encoder.number($0) }
        Array("A-B".utf8).withUnsafeBufferPointer { encoder.ascii($0) }
        try encoder.endRecord()
        _ = try encoder.finish()
        #expect(
            try String(decoding: folder.read("o"), as: UTF8.self)
                == "{\"j\":{\"a\":  [1]},\"n\":1.50,\"u\":\"A-B\"}\n")
    }
}

@Suite("Output file") struct OutputFileTests {
    @Test func keepsTheOldFileUntilTheNewOneIsFinished() throws {
        let folder = try TemporaryFolder()
        try folder.write(Array("old".utf8), to: "o.csv")
        do {
            let output = try OutputFile(path: folder.path + "/o.csv")
            try Array("new".utf8).withUnsafeBytes { try output.write($0) }
            #expect(try folder.names().count == 2)
            output.abandon()
            #expect(try folder.names() == ["o.csv"])
        }
        do {
            let output = try OutputFile(path: folder.path + "/o.csv", gzipLevel: 1)
            try Array("new".utf8).withUnsafeBytes { try output.write($0) }
        }
        #expect(try folder.names() == ["o.csv"])
        #expect(try folder.read("o.csv") == Array("old".utf8))
    }

    @Test func keepsTheModeOfTheOldFile() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/o.csv"
        try folder.write(Array("old".utf8), to: "o.csv")
        let usual = FilePermissions(of: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        let rights = try #require(FilePermissions(of: path))
        #expect(rights != usual)
        let output = try OutputFile(path: path)
        // The output has the same permissions from the start.
        for name in try folder.names() {
            #expect(FilePermissions(of: folder.path + "/" + name) == rights, "\(name)")
        }
        _ = try output.finish(rowCount: 0)
        #expect(FilePermissions(of: path) == rights)
        #expect(try folder.read("o.csv") == [])
    }

    @Test func removesTheTemporaryFileOfAKilledProcess() throws {
        let folder = try TemporaryFolder()
        // No process has the largest number; the other number is this process's.
        let mine = ".o.csv.\(ProcessInfo.processInfo.processIdentifier)-7.part"
        for name in [".o.csv.2147483647-0.part", mine, ".p.csv.2147483647-0.part"] {
            try folder.write([], to: name)
        }
        _ = try OutputFile(path: folder.path + "/o.csv").finish(rowCount: 0)
        #expect(
            try folder.names().sorted() == [mine, ".p.csv.2147483647-0.part", "o.csv"].sorted())
    }

    @Test func reportsAnOutputThatCannotBeCreated() throws {
        let folder = try TemporaryFolder()
        for name in ["/missing/o.csv", ""] {
            do throws(RecordStreamError) {
                _ = try OutputFile(path: folder.path + name)
                Issue.record("made \(name)")
            } catch {
                #expect(error.code == "output.not-created")
                #expect(error.fault.kind == .notCreated)
            }
        }
    }
}
