import Diagnostics
import Files
import RecordStreams
import Testing

@Suite("Errors of inputs") struct RecordErrorTests {
    /// An input that cannot be read, and the error for it.
    private struct Case {
        var text: String
        var name = "a.csv"
        var path = "title"
        var code: String
        var message: String
        var fix: String?
        var change: @Sendable (inout ReadOptions) -> Void = { _ in }
    }

    private static let dialects = [
        Case(
            text: "a,b\n", code: "csv.bad-dialect",
            message: "Delimiter, quote, comment, and escape must be different characters, "
                + "the last three of ASCII",
            change: { $0.delimiter = [UInt8(ascii: "\"")] }),
        Case(
            text: "a,b\n1,2\n", code: "csv.too-short",
            message: "The table has fewer than 3 lines, but `read.skip` skips this number",
            fix: "lower `read.skip`", change: { $0.linesSkipped = 3 }),
        Case(
            text: "a,b\n", code: "csv.column-count",
            message: "`columns` names 3 columns where the header has 2",
            fix: "name every column of the file in `read.columns`",
            change: { $0.columns = ["x", "y", "z"] }),
        Case(
            text: "a,b\n", code: "csv.no-column-names", message: "The columns have no names",
            fix: "name them in `read.columns`, or set `read.header: true`",
            change: { $0.header = false }),
        Case(
            text: "1,2\n", code: "csv.duplicate-header",
            message: "The header names the column 'x' twice",
            fix: "rename the columns by `read.columns`",
            change: {
                $0.header = false
                $0.columns = ["x", "x"]
            }),
        Case(
            text: "a,b\n1,2\n", code: "csv.duplicate-header",
            message: "The header names the column 'x' twice",
            fix: "rename the columns by `read.columns`", change: { $0.columns = ["x", "x"] }),
    ]

    private static let columns = [
        Case(
            text: (1...13).map { "column\($0)" }.joined(separator: ",") + "\n",
            code: "csv.unknown-column", message: "The header has no column 'title'",
            fix: "use one of: " + (1...12).map { "column\($0)" }.joined(separator: ", ") + ", …"),
        Case(
            text: "sep=,\na,b\n", code: "csv.unknown-column",
            message: "The header has no column 'title'",
            fix: "the first line names the delimiter for Excel: set `read.skip: 1`"),
        Case(
            text: "abc||def\n", code: "csv.unknown-column",
            message: "The header has no column 'title'",
            fix: "the header is one column, 'abc||def': set `read.delimiter: \"||\"`"),
        Case(
            text: "title,b\n1,2\n", code: "csv.unknown-column",
            message: "The header has no column 'other'", fix: "use one of: title, b",
            change: { $0.columnNulls = [ColumnNulls(column: "other", texts: ["-"])] }),
        Case(
            text: "[]", name: "a.json", code: "input.bad-path",
            message: "The path 'x' is not valid: it must start with '$'", change: { $0.at = "x" }),
        Case(
            text: "[]", name: "a.json", code: "input.bad-path",
            message: "The path '$.*.a' is not valid: '*' is allowed only at the end",
            change: { $0.at = "$.*.a" }),
    ]

    private func check(_ cases: [Case]) throws {
        let folder = try TemporaryFolder()
        for expected in cases {
            let input = try folder.write(Array(expected.text.utf8), to: expected.name)
            var options = ReadOptions()
            expected.change(&options)
            let error = #expect(throws: RecordStreamError.self, "\(expected.text)") {
                let reader = try RecordReader(
                    input: input, options: options,
                    selection: FieldSelection([FieldPath(name: expected.path)]))
                _ = try reader.next(RecordBatch())
            }
            #expect(error?.code == expected.code)
            #expect(error?.diagnostic.message == expected.message)
            #expect(error?.diagnostic.fix == expected.fix)
        }
    }

    @Test func reportsOptionsThatDoNotFitTheTable() throws {
        try check(Self.dialects)
    }

    @Test func reportsColumnsAndPathsThatDoNotExist() throws {
        try check(Self.columns)
    }

    @Test func reportsDamagedGzipData() throws {
        let folder = try TemporaryFolder()
        let input = try folder.write([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0, 7], to: "a.ndjson.gz")
        let error = #expect(throws: RecordStreamError.self) {
            let reader = try RecordReader(
                input: input, options: ReadOptions(),
                selection: FieldSelection([FieldPath(name: "a")]))
            _ = try reader.next(RecordBatch())
        }
        #expect(error?.diagnostic.message.hasPrefix("The compressed data is damaged: ") == true)
        #expect(
            error?.diagnostic.fix == "fetch the file again; the records before the damage were kept"
        )
    }

    @Test(
        "reports file patterns that are not valid",
        arguments: [
            ("", "The file pattern is not valid: it is empty"),
            ("a{b,c.csv", "The file pattern is not valid: a '{' is not closed"),
            (
                String(repeating: "{a,b}", count: 14),
                "The file pattern is not valid: its braces expand to too many names"
            ),
        ])
    func patterns(pattern: String, message: String) throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: RecordStreamError.self) {
            try InputFiles.expand(patterns: [pattern], baseFolder: folder.path)
        }
        #expect(error?.code == "input.bad-pattern")
        #expect(error?.diagnostic.message == message)
        #expect(error?.diagnostic.fix == nil)
    }
}
