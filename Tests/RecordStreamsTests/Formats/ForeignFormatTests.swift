import RecordStreams
import Testing

@Suite("Formats that commands read and write") struct ForeignFormatTests {
    private static let note = "; FORMAT is csv, tsv, json, or ndjson"

    @Test(
        "the fix for standard input is a pipe, or a file for formats that need one",
        arguments: [
            (
                ForeignFormat.nestedGzip,
                "unpack it before: `… | gzip -dc | etl infer - --as FORMAT`\(note)"
            ),
            (.zstd, "unpack it before: `… | zstd -dc | etl infer - --as FORMAT`\(note)"),
            (.emptyZip, "put a file into it, or name another one"),
            (
                .zip,
                "save it to a file, and unpack that: `unzip -p FILE | etl infer - --as FORMAT`\(note)"
            ),
            (
                .tar,
                "save it to a file, and unpack that: `tar -xOf FILE | etl infer - --as FORMAT`\(note)"
            ),
            (
                .parquet,
                "save it to a file, and convert that: `duckdb -c 'COPY '\\''FILE'\\'' TO "
                    + "'\\''/dev/stdout'\\'' (FORMAT json)' | etl infer - --as ndjson`"
            ),
        ])
    func standardInput(format: ForeignFormat, expected: String) {
        #expect(format.fix("-", for: "etl infer -") == expected)
    }

    @Test("the fix for standard input in a spec is a command that reads a file")
    func specs() {
        #expect(
            ForeignFormat.xz.fix("-")
                == "let a command unpack it: `read: { command: [xz, -dc, FILE], as: FORMAT }`"
                + Self.note)
    }

    @Test("formats that compress a stream name the commands for it")
    func filters() {
        #expect(ForeignFormat.nestedGzip.filter == ["gzip", "-dc"])
        #expect(ForeignFormat.nestedGzip.packing == ["sh", "-c", "gzip | gzip"])
        #expect(ForeignFormat.zip.filter == nil)
        #expect(ForeignFormat.zip.packing == ["zip", "-q", "-", "-"])
        #expect(
            ForeignFormat.nestedGzip.fix(writing: "t.csv.gz.gz", as: .csv, isSeveral: false)
                == "let a command compress it: `to: { command: "
                + #"[sh, -c, "gzip | gzip > \"$0\"", t.csv.gz.gz] }`, and `as: csv`"#)
    }

    @Test("data that starts like an archive, but is none, has an unknown format")
    func unknownData() throws {
        let reading = try Reading.of(Array("PK and more".utf8), as: "data", paths: ["a"])
        #expect(reading.error == "input.ambiguous-format")
    }
}
