import Foundation
import Testing

/// The complete messages about mislabeled inputs, invalid paths, and unsupported models.
///
/// Their content does not match their names, their locations are not paths, or no store can hold
/// them.
@Suite("Recognition of input formats") struct InputRecognitionTests {
    private static let model = """
        model: 1
        entities:
          Task:
            attributes: { id: Integer 64, title: String, done: Boolean }
            unique: [[id]]
        """

    private func run(
        _ files: [String: [UInt8]], read: String, store: String = "s.sqlite",
        export: String? = nil
    ) throws -> ToolResult {
        let folder = try TemporaryFolder()
        for (name, bytes) in files {
            if name.contains("/") {
                try FileManager.default.createDirectory(
                    atPath: folder.path + "/in", withIntermediateDirectories: true)
            }
            try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/" + name))
        }
        try Self.model.write(
            toFile: folder.path + "/model.yaml", atomically: true, encoding: .utf8)
        let spec = """
            etl: 1
            name: test
            store: { at: "\(store)", open: create, model: model.yaml }
            stages:
              - import: tasks
                read: \(read)
                into: Task
            \(export.map { "  - { export: Task, to: \"\($0)\", as: ndjson }" } ?? "")
            """
        try spec.write(toFile: folder.path + "/s.yaml", atomically: true, encoding: .utf8)
        return try Tool.etl(["run", "s.yaml"], in: folder.path)
    }

    @Test(
        "recognizes a foreign format by its first bytes and names the command that unpacks it",
        arguments: [
            (
                "a.ndjson.xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0, 4], "an xz file",
                "let a command unpack it: `read: { command: [xz, -dc, a.ndjson.xz], as: ndjson }`"
            ),
            (
                "a.csv", Array("BZh9".utf8) + [0x31, 0x41, 0x59, 0x26, 0x53, 0x59], "a bzip2 file",
                "let a command unpack it: `read: { command: [bzip2, -dc, a.csv], as: csv }`"
            ),
            (
                "in/a b.json.zst", [0x28, 0xB5, 0x2F, 0xFD, 4], "a zstd file",
                "let a command unpack it: `read: { command: [zstd, -dc, \"in/a b.json.zst\"], as: json }`"
            ),
            (
                "a.json", Array("PK".utf8) + [3, 4, 20], "a zip archive",
                "unpack it, or let a command do so: `read: { command: [unzip, -p, a.json], as: json }`, with "
                    + "the name of one of its files at the end if it has several"
            ),
            (
                "a.XLSX", Array("PK".utf8) + [3, 4, 20], "an Excel workbook",
                "save the sheet as CSV, or let a command do so: `read: { command: [xlsx2csv, a.XLSX], as: "
                    + "csv }`"
            ),
            (
                "a.tsv.gz", Array("PK".utf8) + [3, 4, 20], "a zip archive",
                "unpack it, or let a command do so: `read: { command: [unzip, -p, a.tsv.gz], as: tsv }`, with "
                    + "the name of one of its files at the end if it has several"
            ),
            (
                "a.parquet", Array("PAR1".utf8) + [0x15, 4], "a Parquet file",
                "let a command convert it: `read: { command: [duckdb, -c, \"COPY 'a.parquet' TO "
                    + "'/dev/stdout' (FORMAT json)\"], as: ndjson }`"
            ),
        ] as [(String, [UInt8], String, String)])
    func foreignFormat(name: String, bytes: [UInt8], what: String, fix: String) throws {
        let result = try run([name: bytes], read: "{ files: \"\(name)\" }")
        #expect(result.status == 65)
        #expect(
            result.standardError == """
                \(name): error: The file starts like \(what), which etl does not read \
                [input.foreign-format]
                  stage: s.yaml:5:5 import tasks
                  fix: \(fix)

                """)
    }

    @Test(
        "a packed file that is named like its content fails with the command that unpacks it",
        arguments: [
            ("a.json", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0, 4], "an xz file", "xz"),
            ("a.json", [0x28, 0xB5, 0x2F, 0xFD, 4], "a zstd file", "zstd"),
            (
                "a.json", Array("BZh9".utf8) + [0x31, 0x41, 0x59, 0x26, 0x53, 0x59],
                "a bzip2 file", "bzip2"
            ),
        ] as [(String, [UInt8], String, String)])
    func packedUnderPlainName(name: String, bytes: [UInt8], what: String, program: String) throws {
        let result = try run([name: bytes], read: "{ files: \"\(name)\" }")
        #expect(result.status == 65)
        #expect(
            result.standardError == """
                \(name): error: The file starts like \(what), which etl does not read \
                [input.foreign-format]
                  stage: s.yaml:5:5 import tasks
                  fix: let a command unpack it: `read: { command: [\(program), -dc, \(name)], as: json }`

                """)
    }

    private static let zip: [UInt8] =
        Array("PK".utf8) + [3, 4, 20] + [UInt8](repeating: 0, count: 21) + [8, 0, 0, 0]

    @Test(
        "the format of packed data comes from the spec, the inner name, or the file name",
        arguments: [
            (
                "a.zip", zip + Array("a.ndjson".utf8), nil, "a zip archive",
                "unpack it, or let a command do so: `read: { command: [unzip, -p, a.zip], as: ndjson }`, "
                    + "with the name of one of its files at the end if it has several"
            ),
            (
                "a.csv.zip", zip + Array("a.jsonx/".utf8), nil, "a zip archive",
                "unpack it, or let a command do so: `read: { command: [unzip, -p, a.csv.zip], as: csv }`, "
                    + "with the name of one of its files at the end if it has several"
            ),
            (
                "a.zip", zip + Array("a.json\0\0".utf8), "tsv", "a zip archive",
                "unpack it, or let a command do so: `read: { command: [unzip, -p, a.zip], as: tsv }`, "
                    + "with the name of one of its files at the end if it has several"
            ),
            (
                "a.zst", [0x28, 0xB5, 0x2F, 0xFD, 4], nil, "a zstd file",
                "let a command unpack it: `read: { command: [zstd, -dc, a.zst], as: FORMAT }`; FORMAT is "
                    + "csv, tsv, json, or ndjson"
            ),
            (
                "a.zst", [0x28, 0xB5, 0x2F, 0xFD, 4], "json", "a zstd file",
                "let a command unpack it: `read: { command: [zstd, -dc, a.zst], as: json }`"
            ),
            (
                "a.zip", Array("PK".utf8) + [5, 6] + [UInt8](repeating: 0, count: 18), nil,
                "a zip archive without a file", "put a file into it, or name another one"
            ),
        ] as [(String, [UInt8], String?, String, String)])
    func innerFormat(
        name: String, bytes: [UInt8], format: String?, what: String, fix: String
    ) throws {
        let key = format.map { ", as: \($0)" } ?? ""
        let result = try run([name: bytes], read: "{ files: \(name)\(key) }")
        #expect(result.status == 65)
        #expect(
            result.standardError == """
                \(name): error: The file starts like \(what), which etl does not read \
                [input.foreign-format]
                  stage: s.yaml:5:5 import tasks
                  fix: \(fix)

                """)
    }

    @Test("a file that was compressed twice fails with the command that unpacks both layers")
    func nestedGzip() throws {
        let folder = try TemporaryFolder()
        try "[{\"id\":1}]".write(
            toFile: folder.path + "/a.json", atomically: true, encoding: .utf8)
        _ = try Tool.run("sh", ["-c", "gzip -c a.json | gzip -c > b.gz"], in: folder.path)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/b.gz"))
        let result = try run(["a.json.gz": Array(bytes)], read: "{ files: a.json.gz }")
        #expect(result.status == 65)
        #expect(
            result.standardError == """
                a.json.gz: error: The file starts like a gzip file inside a gzip file, which \
                etl does not read [input.foreign-format]
                  stage: s.yaml:5:5 import tasks
                  fix: let a command unpack it: `read: { command: [sh, -c, "gzip -dc \\"$0\\" | gzip \
                -dc", a.json.gz], as: json }`

                """)
        let unpacked = try run(
            ["a.json.gz": Array(bytes)],
            read: "{ command: [sh, -c, \"gzip -dc \\\"$0\\\" | gzip -dc\", a.json.gz], as: json }",
            export: "-")
        #expect(unpacked.status == 0, "\(unpacked.standardError)")
        #expect(unpacked.standardOutput.split(separator: "\n").count == 1)
    }

    @Test("a header of 20 MB fails with its location", arguments: [0, 2])
    func longHeader(blankLines: Int) throws {
        let text =
            String(repeating: "\n", count: blankLines) + "id,title,"
            + String(repeating: "x", count: 20_000_000) + "\n1,a,b\n"
        let result = try run(["a.csv": Array(text.utf8)], read: "{ files: a.csv }")
        #expect(result.status == 65)
        #expect(
            result.standardError == """
                a.csv:\(blankLines + 1):1: error: The header cannot be read: it is longer than \
                16777216 bytes (`read.max-record`) [csv.header]
                  in: byte \(blankLines)
                  stage: s.yaml:5:5 import tasks
                  fix: correct the first line

                """)
    }

    @Test("reads a gzip file that is named like its content")
    func gzipUnderPlainName() throws {
        let folder = try TemporaryFolder()
        try "[{\"id\":1},{\"id\":2}]".write(
            toFile: folder.path + "/a.json", atomically: true, encoding: .utf8)
        _ = try Tool.run("gzip", ["a.json"], in: folder.path)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/a.json.gz"))
        let result = try run(["a.json": Array(bytes)], read: "{ files: a.json }", export: "-")
        #expect(result.status == 0, "\(result.standardError)")
        #expect(result.standardOutput.split(separator: "\n").count == 2)
    }

    @Test(
        "a document that contradicts its file name fails with the key that reads it",
        arguments: [
            (
                "{\"id\":1}\n{\"id\":2}\n", "a.json",
                """
                a.json: error: The file is NDJSON: a second object follows the first one \
                [json.is-ndjson]
                  stage: s.yaml:5:5 import tasks
                  fix: set `read.as: ndjson`, or name the file .ndjson

                """
            ),
            (
                "{\"id\":1} {\"id\":2}\n", "a.json",
                """
                a.json:1:10: error: A document has one value, and here a second object follows the \
                first one [json.several]
                  in: record 1, byte 9
                  stage: s.yaml:5:5 import tasks
                  fix: write each object on its own line, as `jq -c .` does, and set `read.as: \
                ndjson`

                """
            ),
            (
                "{\n  \"id\": 1\n}\n{\n  \"id\": 2\n}\n", "a.json",
                """
                a.json:4:1: error: A document has one value, and here a second object follows the \
                first one [json.several]
                  in: record 1, byte 14
                  stage: s.yaml:5:5 import tasks
                  fix: write each object on its own line, as `jq -c .` does, and set `read.as: \
                ndjson`

                """
            ),
            (
                "{\"total\":2,\"issues\":[{\"id\":1},{\"id\":2}]}", "a.json",
                """
                a.json:1:1: error: The document is one object without any field that the stage reads; \
                its records seem to be at $.issues[*] [json.wrapped]
                  in: record 1, byte 0
                  stage: s.yaml:5:5 import tasks
                  fix: write `read: { at: '$.issues[*]' }`

                """
            ),
        ])
    func shape(text: String, name: String, message: String) throws {
        let result = try run([name: Array(text.utf8)], read: "{ files: \(name) }")
        #expect(result.status == 65)
        #expect(result.standardError == message)
    }

    @Test(
        "`read.at` reads no record from null, and `.*` reads the members of an object",
        arguments: [
            ("{\"x\":null}", "$.x[*]", 0),
            ("{\"x\":{\"a\":{\"id\":1},\"b\":{\"id\":2}}}", "$.x.*", 2),
        ])
    func paths(text: String, at: String, count: Int) throws {
        let result = try run(
            ["a.json": Array(text.utf8)], read: "{ files: a.json, at: \"\(at)\" }", export: "-")
        #expect(result.status == 0, "\(result.standardError)")
        #expect(result.standardOutput.split(separator: "\n").count == count)
    }

    @Test("a record that nests too deep fails with `read.max-depth` as the fix")
    func depth() throws {
        let text = "{\"id\":1,\"title\":\"a\",\"x\":[[[1]]]}\n{\"id\":2,\"x\":[[1]]}\n"
        let result = try run(
            ["a.ndjson": Array(text.utf8)], read: "{ files: a.ndjson, max-depth: 3 }")
        #expect(result.status == 65)
        #expect(
            result.standardError.hasPrefix(
                """
                a.ndjson:1:27: error: The value nests too deep [json.too-deep]
                  in: record 1, byte 26
                  stage: s.yaml:5:5 import tasks
                  fix: raise `read.max-depth` if the record is valid

                """), "\(result.standardError)")
    }

    @Test("reports gzip damage before faults of the JSON inside")
    func damagedGzip() throws {
        let folder = try TemporaryFolder()
        let text = "[" + (0..<5_000).map { "{\"id\":\($0)}" }.joined(separator: ",") + "]"
        try text.write(toFile: folder.path + "/a.json", atomically: true, encoding: .utf8)
        // Stored, not deflated, so that the test can change a byte of the text.
        _ = try Tool.run(
            "python3",
            [
                "-c",
                "import gzip,sys; b=bytearray(gzip.compress(open('a.json','rb').read(), 0)); "
                    + "i=b.index(b'{\"id\":100}'); b[i+8]=ord('}'); open('a.json.gz','wb').write(b)",
            ], in: folder.path)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/a.json.gz"))
        let result = try run(["a.json.gz": Array(bytes)], read: "{ files: a.json.gz }")
        #expect(result.status == 65)
        #expect(
            result.standardError.hasPrefix(
                """
                a.json.gz: error: The checksum of the gzip data does not match its contents [gzip.crc]
                  stage: s.yaml:5:5 import tasks
                  fix: fetch the file again; records after the damage may have been imported

                """), "\(result.standardError)")
    }

    @Test(
        "a URL instead of a path fails with 78 and a fix",
        arguments: [
            (
                "postgresql://h/tasks", "a.ndjson", nil, "3:14", "store.at", "postgresql",
                "name an SQLite file; etl writes no other databases"
            ),
            (
                "s.sqlite", "https://h/a.ndjson?x=1", nil, "6:20", "stages[0].read.files", "https",
                "let a command fetch it: `read: { command: [curl, -fsSL, \"https://h/a.ndjson?x=1\"], as: "
                    + "ndjson }`"
            ),
            (
                "s.sqlite", "s3://b/a", nil, "6:20", "stages[0].read.files", "s3",
                "let a command fetch it: `read: { command: [aws, s3, cp, \"s3://b/a\", \"-\"], as: json }`"
            ),
            (
                "s.sqlite", "gs://b/a.csv", nil, "6:20", "stages[0].read.files", "gs",
                "let a command fetch it: `read: { command: [gcloud, storage, cat, \"gs://b/a.csv\"], as: "
                    + "csv }`"
            ),
            (
                "s.sqlite", "a.ndjson", "S3://b/x.csv", "8:25", "stages[1].to", "s3",
                "let a command send it: `to: { command: [aws, s3, cp, \"-\", \"S3://b/x.csv\"] }`, and "
                    + "`as: csv`"
            ),
            (
                "s.sqlite", "a.ndjson", "https://h/x.json", "8:25", "stages[1].to", "https",
                "let a command send it: `to: { command: [curl, -fsS, -T, \"-\", \"https://h/x.json\"] }`, and "
                    + "`as: json`"
            ),
            (
                "s.sqlite", "hdfs://n/x.json", nil, "6:20", "stages[0].read.files", "hdfs",
                "name a file"
            ),
        ] as [(String, String, String?, String, String, String, String)])
    func urls(
        store: String, files: String, export: String?, place: String, key: String, scheme: String,
        fix: String
    ) throws {
        let result = try run(
            ["a.ndjson": Array("{\"id\":1}".utf8)], read: "{ files: \"\(files)\" }", store: store,
            export: export)
        #expect(result.status == 78)
        #expect(
            result.standardError == """
                s.yaml:\(place): error: A path is needed here, not a URL: etl does not read or \
                write \
                \(scheme):// [spec.url]
                  in: \(key)
                  fix: \(fix)

                """)
    }

    @Test("a URL as the folder of reports fails, and no folder is created")
    func reportURL() throws {
        let folder = try TemporaryFolder()
        let spec = """
            etl: 1
            name: test
            store: { at: s.sqlite, open: create, model: model.yaml }
            report: { to: "s3://b/r", metrics: "s3://b/m.prom" }
            stages: [{ import: a.ndjson, into: Task }]
            """
        try spec.write(toFile: folder.path + "/s.yaml", atomically: true, encoding: .utf8)
        try "model: 1\nentities: { Task: { attributes: { id: Integer 64 } } }\n".write(
            toFile: folder.path + "/model.yaml", atomically: true, encoding: .utf8)
        let result = try Tool.etl(["run", "s.yaml"], in: folder.path)
        #expect(result.status == 78)
        #expect(result.standardError.contains("[spec.url]"), "\(result)")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                "model.yaml", "s.yaml",
            ])
    }

    @Test("searches up to 990 searchable attributes, and check rejects a model with more")
    func searchableAttributes() throws {
        let folder = try TemporaryFolder()
        func write(_ count: Int) throws {
            let attributes = (0..<count).map { "a\($0): { type: String, searchable: true }" }
            try
                "model: 1\nentities: { Task: { attributes: { \(attributes.joined(separator: ", ")) } } }\n"
                .write(toFile: folder.path + "/model.yaml", atomically: true, encoding: .utf8)
        }
        let spec = """
            etl: 1
            name: test
            store: { at: s.sqlite, open: create, model: model.yaml }
            stages: [{ import: a.ndjson, into: Task, when-found: append }]
            """
        try spec.write(toFile: folder.path + "/s.yaml", atomically: true, encoding: .utf8)
        try "{\"a0\":\"É\",\"a989\":\"Ö\"}\n".write(
            toFile: folder.path + "/a.ndjson", atomically: true, encoding: .utf8)
        try write(991)
        let refused = try Tool.etl(["check", "s.yaml"], in: folder.path)
        #expect(refused.status == 78)
        #expect(
            refused.standardError == """
                s.yaml:3:8: error: 'Task' and its sub-entities have 991 searchable attributes, and \
                SQLite can keep the folded texts of at most 990 [spec.too-many-columns]
                  in: store
                  fix: remove `searchable: true` from attributes that no search uses

                """)
        try write(990)
        let result = try Tool.etl(["run", "s.yaml"], in: folder.path)
        #expect(result.status == 0, "\(result.standardError)")
        let found = try Tool.etl(
            ["fetch", "s.sqlite", "Task", "--where", "a989 CONTAINS[cd] 'o'", "--count"],
            in: folder.path)
        #expect(found.standardOutput == "1\n", "\(found.standardError)")
        let verified = try Tool.etl(["verify", "s.sqlite"], in: folder.path)
        #expect(verified.status == 0, "\(verified.standardOutput)\(verified.standardError)")
    }

    @Test(
        "check rejects an entity hierarchy over SQLite's column limit; a wide file is imported"
    )
    func wideModel() throws {
        let folder = try TemporaryFolder()
        let attributes = (0..<1_000).map { "a\($0): String" }.joined(separator: ", ")
        let others = (0..<1_000).map { "b\($0): String" }.joined(separator: ", ")
        let model = """
            model: 1
            entities:
              Task: { attributes: { \(attributes) } }
              SubTask: { parent: Task, attributes: { \(others) } }
            """
        try model.write(toFile: folder.path + "/model.yaml", atomically: true, encoding: .utf8)
        let spec = """
            etl: 1
            name: test
            store: { at: s.sqlite, open: create, model: model.yaml }
            stages: [{ export: Task, to: t.csv }]
            """
        try spec.write(toFile: folder.path + "/s.yaml", atomically: true, encoding: .utf8)
        let result = try Tool.etl(["check", "s.yaml"], in: folder.path)
        #expect(result.status == 78)
        #expect(
            result.standardError == """
                s.yaml:3:8: error: 'Task' and its sub-entities need 2003 columns in one table, and \
                SQLite has at most 2000 [spec.too-many-columns]
                  in: store
                  fix: remove the parent of some sub-entities

                """)
        let alone = (0..<2_000).map { "a\($0): String" }.joined(separator: ", ")
        try "model: 1\nentities: { Task: { attributes: { \(alone) } } }\n".write(
            toFile: folder.path + "/model.yaml", atomically: true, encoding: .utf8)
        #expect(
            try Tool.etl(["check", "s.yaml"], in: folder.path).standardError == """
                s.yaml:3:8: error: 'Task' needs 2003 columns in one table, and SQLite has at most 2000 \
                [spec.too-many-columns]
                  in: store
                  fix: remove attributes; a file may have more columns than its entity

                """)
        let names = (0..<3_000).map { "c\($0)" }.joined(separator: ",")
        let wide = try run(
            ["a.csv": Array("id,\(names)\n1\(String(repeating: ",x", count: 3_000))\n".utf8)],
            read: "{ files: a.csv }")
        #expect(wide.status == 0, "\(wide.standardError)")
    }
}
