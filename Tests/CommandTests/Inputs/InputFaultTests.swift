import Foundation
import Testing

/// The complete messages about inputs that are damaged, malformed, or nested too deeply.
@Suite("Faults of inputs") struct InputFaultTests {
    private static let model = """
        model: 1
        entities:
          Task:
            attributes: { id: Integer 64, title: String, size: Integer 32 }
            unique: [[id]]
        """

    /// A folder with the model and a spec that imports a file.
    private struct Place {
        let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
            try write("model.yaml", Array(InputFaultTests.model.utf8))
        }

        func write(_ name: String, _ bytes: [UInt8]) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/" + name))
        }

        /// Runs the import, and removes times from the messages.
        func run(_ read: String, _ more: String = "") throws -> ToolResult {
            let spec = """
                etl: 1
                name: test
                store: { at: s.sqlite, open: create, model: model.yaml }
                stages:
                  - { import: tasks, read: \(read), into: Task\(more) }
                """
            try write("s.yaml", Array(spec.utf8))
            var result = try Tool.etl(["run", "s.yaml"], in: folder.path)
            result.standardError = result.standardError.replacing(
                #/rejects/test-[0-9TZ-]+/#, with: "rejects/RUN")
            return result
        }

        func count() throws -> Int {
            try Tool.sqlite(folder.path + "/s.sqlite", "SELECT count(*) FROM ZTASK").first
                .flatMap { Int($0) } ?? -1
        }

        /// Returns the reasons of all rejects: code, detail, and message.
        func reasons() throws -> [String] {
            let rejects = folder.path + "/rejects"
            var found: [String] = []
            for case let path as String in FileManager.default.enumerator(atPath: rejects)
                ?? .init()
            where path.hasSuffix(".why.ndjson") {
                for line in try Tool.contents("\(rejects)/\(path)").split(separator: "\n") {
                    let reason =
                        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                    found.append(
                        ["code", "detail", "message"].map { "\(reason?[$0] ?? "")" }
                            .joined(separator: " | "))
                }
            }
            return found
        }
    }

    private func tooMany(_ count: Int, of total: Int) -> String {
        """
        error: \(count) of \(total) record\(total == 1 ? "" : "s") \(count == 1 ? "was" : "were") \
        rejected; none is allowed [rejects.too-many]
          stage: s.yaml:5:5 import tasks
          fix: correct the records in rejects/RUN, or raise `rejects.allow`

        """
    }

    // MARK: gzip

    /// Writes a damaged file of 5,000 records; the script changes the bytes `b`.
    private func damaged(_ name: String, in place: Place, _ script: String) throws {
        let lines = (0..<5_000).map { "{\"id\":\($0)}" }
        let text =
            name.hasPrefix("a.json.")
            ? "[" + lines.joined(separator: ",") + "]" : lines.joined(separator: "\n") + "\n"
        try place.write("plain", Array(text.utf8))
        let result = try Tool.run(
            "python3",
            [
                "-c",
                """
                import gzip
                t = open('plain', 'rb').read()
                b = bytearray(gzip.compress(t))
                \(script)
                open('\(name)', 'wb').write(b)
                """,
            ], in: place.folder.path)
        #expect(result.status == 0, "\(result.standardError)")
    }

    @Test(
        "reports gzip damage and whether the records before and after it were imported",
        arguments: [
            (
                "a.ndjson.gz", "b[-8] ^= 1",
                "The checksum of the gzip data does not match its contents [gzip.crc]",
                "fetch the file again; records after the damage may have been imported", 5_000
            ),
            (
                "a.ndjson.gz", "b[-4] ^= 1",
                "The length stored in the gzip data does not match its contents [gzip.length]",
                "fetch the file again; records after the damage may have been imported", 5_000
            ),
            // The JSON after the damage is malformed, but that is not the problem to fix.
            (
                "a.json.gz",
                "b = bytearray(gzip.compress(t, 0)); b[b.index(b'{\"id\":100}') + 8] = 125",
                "The checksum of the gzip data does not match its contents [gzip.crc]",
                "fetch the file again; records after the damage may have been imported", 100
            ),
            (
                "a.ndjson.gz", "b = b[:len(b) // 2]", "The gzip data ends early [gzip.truncated]",
                "fetch the file again; the records before the damage were kept", nil
            ),
            (
                "a.json.gz", "b = b[:len(b) // 2]", "The gzip data ends early [gzip.truncated]",
                "fetch the file again; the records before the damage were kept", nil
            ),
            (
                "a.ndjson.gz", "b += b'more'",
                "Bytes that are not gzip follow the last gzip member [gzip.trailing]",
                "fetch the file again; the records before the damage were kept", 5_000
            ),
            (
                "a.ndjson.gz", "b[2] = 7",
                "This is not a valid gzip header: the method is not deflate [gzip.header]",
                "rename the file or set `read.compression: none` if it is not compressed", 0
            ),
            (
                "a.ndjson.gz", "b = t",
                "This is not a valid gzip header: the magic bytes are missing [gzip.header]",
                "rename the file or set `read.compression: none` if it is not compressed", 0
            ),
        ] as [(String, String, String, String, Int?)])
    func gzip(name: String, script: String, message: String, fix: String, count: Int?) throws {
        let place = try Place()
        try damaged(name, in: place, script)
        let result = try place.run("{ files: \(name) }")
        #expect(result.status == 65)
        #expect(
            result.standardError == """
                \(name): error: \(message)
                  stage: s.yaml:5:5 import tasks
                  fix: \(fix)

                """)
        let kept = try place.count()
        if let count { #expect(kept == count) } else { #expect((1..<5_000).contains(kept)) }
    }

    // MARK: JSON

    @Test(
        "a malformed number in a list is a `parse` reject",
        arguments: [
            ("[1,-]", "json.bad-number", "This is not a JSON number"),
            ("[1.,2]", "json.bad-number", "This is not a JSON number"),
            ("[1e]", "json.bad-number", "This is not a JSON number"),
            ("[+1]", "json.bad-number", "This is not a JSON number"),
            ("[.5]", "json.bad-number", "This is not a JSON number"),
            ("[01]", "json.unexpected-byte", "This is not JSON: a byte does not belong here"),
            ("[0x1]", "json.unexpected-byte", "This is not JSON: a byte does not belong here"),
            (
                "[NaN]", "json.bad-literal", "Only true, false, and null may be unquoted"
            ),
        ])
    func malformedNumbers(value: String, detail: String, message: String) throws {
        for field in ["size", "other"] {
            for isArray in [false, true] {
                let place = try Place()
                let record = "{\"id\":1,\"\(field)\":\(value)}"
                try place.write(
                    isArray ? "a.json" : "a.ndjson", Array((isArray ? "[\(record)]" : record).utf8))
                let result = try place.run("{ files: \(isArray ? "a.json" : "a.ndjson") }")
                #expect(result.status == 65)
                #expect(result.standardError.contains(": error: \(message) [\(detail)]\n"))
                #expect(try place.reasons() == ["parse | \(detail) | \(message)"])
            }
        }
    }

    @Test("a malformed number as a record is a `parse` reject, and a valid one a `shape` reject")
    func malformedElements() throws {
        let place = try Place()
        try place.write("a.json", Array("[-,{\"id\":1}]".utf8))
        let result = try place.run("{ files: a.json }")
        #expect(
            result.standardError == """
                a.json:1:3: error: This is not a JSON number [json.bad-number]
                  in: record 1, byte 2
                  stage: s.yaml:5:5 import tasks
                \(tooMany(1, of: 2))
                """)
        #expect(try place.reasons() == ["parse | json.bad-number | This is not a JSON number"])
        let other = try Place()
        try other.write("a.json", Array("[7,{\"id\":1}]".utf8))
        #expect(
            try other.run("{ files: a.json }").standardError == """
                a.json:1:2: error: The record is not an object [json.not-an-object]
                  in: record 1, byte 1
                  stage: s.yaml:5:5 import tasks
                \(tooMany(1, of: 2))
                """)
        #expect(
            try other.reasons() == ["shape | json.not-an-object | The record is not an object"])
    }

    @Test(
        "null at `read.at` yields no record, and `.*` reads the members of an object",
        arguments: [
            ("{\"x\":null}", "$.x[*]", 0), ("{\"x\":null}", "$.x.*", 0),
            ("{\"x\":null}", "$.x", 0), ("{\"x\":[]}", "$.x[*]", 0), ("{\"x\":{}}", "$.x.*", 0),
            ("{\"x\":{\"a\":{\"id\":1},\"b\":{\"id\":2}}}", "$.x.*", 2),
            ("{\"a\":{\"id\":1},\"b\":{\"id\":2}}", "$.*", 2),
        ])
    func places(text: String, at: String, count: Int) throws {
        let place = try Place()
        try place.write("a.json", Array(text.utf8))
        #expect(try place.run("{ files: a.json, at: \"\(at)\" }") == .silentSuccess)
        #expect(try place.count() == count)
    }

    @Test(
        "a wrong value at `read.at` fails with the path that reads the records",
        arguments: [
            (
                "{\"x\":{\"a\":{\"id\":1}}}", "$.x[*]", "an array",
                "write `read: { at: '$.x.*' }` or `read: { at: '$.x' }`"
            ),
            (
                "{\"x\":[{\"id\":1}]}", "$.x.*", "an object",
                "write `read: { at: '$.x[*]' }`"
            ),
            (
                "{\"x\":7}", "$.x.*", "an object",
                "set `read.at` to the path of the records, such as $.data.items[*]"
            ),
            (
                "{\"x\":\"a\"}", "$.x[*]", "an array",
                "set `read.at` to the path of the records, such as $.data.items[*]"
            ),
        ])
    func otherPlaces(text: String, at: String, wanted: String, fix: String) throws {
        let place = try Place()
        try place.write("a.json", Array(text.utf8))
        let result = try place.run("{ files: a.json, at: \"\(at)\" }")
        #expect(result.status == 65)
        #expect(
            result.standardError == """
                a.json:1:6: error: The value at \(at) is not \(wanted) [json.structure]
                  in: byte 5
                  stage: s.yaml:5:5 import tasks
                  fix: \(fix)

                """)
    }

    @Test("fails if the document has no value at `read.at`")
    func missingPlace() throws {
        let place = try Place()
        try place.write("a.json", Array("{\"x\":[]}".utf8))
        #expect(
            try place.run("{ files: a.json, at: \"$.y[*]\" }")
                == ToolResult(
                    status: 65,
                    standardError: """
                        a.json: error: The document has no value at $.y[*] [json.path-missing]
                          stage: s.yaml:5:5 import tasks
                          fix: set `read.at` to the path of the records, such as $.data.items[*]

                        """))
    }

    @Test(
        "rejects a record deeper than `read.max-depth` with its location and the key",
        arguments: [
            ("a.ndjson", "{\"id\":1,\"x\":[[[1]]]}\n{\"id\":2,\"x\":[[1]]}\n", 15),
            ("a.json", "[{\"id\":1,\"x\":[[[1]]]},{\"id\":2,\"x\":[[1]]}]", 16),
        ])
    func depth(name: String, text: String, column: Int) throws {
        let place = try Place()
        try place.write(name, Array(text.utf8))
        let result = try place.run("{ files: \(name), max-depth: 3 }")
        #expect(result.status == 65)
        #expect(
            result.standardError == """
                \(name):1:\(column): error: The value nests too deep [json.too-deep]
                  in: record 1, byte \(column - 1)
                  stage: s.yaml:5:5 import tasks
                  fix: raise `read.max-depth` if the record is valid
                \(tooMany(1, of: 2))
                """)
        #expect(try place.reasons() == ["parse | json.too-deep | The value nests too deep"])
        // The maximum depth.
        let deeper = try Place()
        try deeper.write(name, Array(text.utf8))
        #expect(try deeper.run("{ files: \(name), max-depth: 4 }") == .silentSuccess)
        #expect(try deeper.count() == 2)
    }

    @Test("`read.max-depth` must be from 1 to 4096", arguments: ["0", "4097"])
    func depthRange(value: String) throws {
        let place = try Place()
        #expect(
            try place.run("{ files: a.ndjson, max-depth: \(value) }")
                == ToolResult(
                    status: 78,
                    standardError: """
                        s.yaml:5:58: error: 'max-depth' must be from 1 to 4096, not \(value) \
                        [spec.range]
                          in: stages[0].read.max-depth

                        """))
    }

    // MARK: Headers

    @Test(
        "an invalid header is reported with its line and column",
        arguments: [
            (
                "\n\nid,title,id\n1,a,2\n", ":3:10",
                "The header names the column 'id' twice [csv.duplicate-header]", nil,
                "rename the columns by `read.columns`"
            ),
            (
                "\nid,\"title\n1,a\n", ":2:4",
                "The header cannot be read: The quoted field is not closed [csv.header]", 4,
                "correct the first line"
            ),
            (
                "id,ti\"tle\n1,a\n", ":1:6",
                "The header cannot be read: A field that does not start with a quote contains "
                    + "one [csv.header]",
                5, "correct the first line"
            ),
            (
                "id,\"title\" x\n1,a\n", ":1:11",
                "The header cannot be read: Text follows a closing quote [csv.header]", 10,
                "correct the first line"
            ),
            (
                "", "",
                "The file is empty, but must have a header [csv.no-header]", nil,
                "write a header, or set `read.header: false` and `read.columns`"
            ),
            (
                "\n\r\n\n", "",
                "The file is empty, but must have a header [csv.no-header]", nil,
                "write a header, or set `read.header: false` and `read.columns`"
            ),
        ] as [(String, String, String, Int?, String)])
    func headers(text: String, place: String, message: String, byte: Int?, fix: String) throws {
        let folder = try Place()
        try folder.write("a.csv", Array(text.utf8))
        let result = try folder.run("{ files: a.csv }")
        #expect(result.status == 65)
        let bytes = byte.map { "  in: byte \($0)\n" } ?? ""
        #expect(
            result.standardError == """
                a.csv\(place): error: \(message)
                \(bytes)  stage: s.yaml:5:5 import tasks
                  fix: \(fix)

                """)
    }

    @Test("a header that is not UTF-8 is reported with its byte and the possible encodings")
    func headerEncoding() throws {
        let place = try Place()
        try place.write("a.csv", Array("\nid,t".utf8) + [0xE9] + Array("\n1,a\n".utf8))
        let result = try place.run("{ files: a.csv }")
        #expect(result.status == 65)
        #expect(
            result.standardError == """
                a.csv:2:5: error: The header cannot be read: The text is not valid UTF-8 [csv.header]
                  in: byte 5
                  stage: s.yaml:5:5 import tasks
                  fix: name its encoding by `read.encoding`: windows-1252, latin1, or utf-16; else \
                convert the file to UTF-8

                """)
    }

    // MARK: Memory

    @Test("the memory peak of a run excludes the memory of the program that started it")
    func memoryPeak() throws {
        let place = try Place()
        try place.write("a.ndjson", Array("{\"id\":1}\n".utf8))
        #expect(try place.run("{ files: a.ndjson }") == .silentSuccess)
        // A caller that uses much memory executes the command in the same process.
        let result = try Tool.run(
            "python3",
            [
                "-c",
                """
                import os, sys
                much = b'1' * (600 << 20)
                os.execv(sys.argv[1], ['etl', 'run', 's.yaml', '--report', 'report.json'])
                """, Tool.etlPath,
            ], in: place.folder.path)
        #expect(result == .silentSuccess)
        let data = try Data(contentsOf: URL(fileURLWithPath: place.folder.path + "/report.json"))
        let report = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        let peak = try #require(report["memoryPeak"] as? Int)
        #expect((8 << 20..<400 << 20).contains(peak))
    }

    #if os(Linux)
        @Test("the memory peak of a run matches the peak that the system measures")
        func memoryPeakOfSystem() throws {
            let place = try Place()
            let spec = """
                etl: 1
                name: test
                store: { at: s.sqlite, open: create, model: model.yaml }
                stages:
                  - import: tasks
                    read: { generate: 60000 }
                    into: Task
                    set: { id: { expr: "$row" }, title: { expr: "lorem(200)" } }
                """
            try place.write("s.yaml", Array(spec.utf8))
            let process = Process()
            process.executableURL = URL(fileURLWithPath: Tool.etlPath)
            process.arguments = ["run", "s.yaml", "--report", "report.json"]
            process.currentDirectoryURL = URL(fileURLWithPath: place.folder.path)
            try process.run()
            var seen = 0
            while process.isRunning {
                let status = try? String(
                    contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
                let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
                if status?.contains("Name:\tetl") == true,
                    let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first,
                    let count = Int(kibibytes)
                {
                    seen = max(seen, count << 10)
                }
                Thread.sleep(forTimeInterval: 0.005)
            }
            #expect(process.terminationStatus == 0)
            let data = try Data(
                contentsOf: URL(fileURLWithPath: place.folder.path + "/report.json"))
            let report = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
            let peak = try #require(report["memoryPeak"] as? Int)
            // The report is written shortly before the process exits.
            #expect(peak + 4 << 20 >= seen, "\(peak) and \(seen)")
            #expect(peak <= seen + 16 << 20, "\(peak) and \(seen)")
        }
    #endif

    @Test("an array on a line of NDJSON is rejected with the fix `read.as: json`")
    func arrayLine() throws {
        let place = try Place()
        try place.write("a.ndjson", Array("[{\"id\":1},{\"id\":2}]\n".utf8))
        let result = try place.run("{ files: a.ndjson }")
        #expect(
            result
                == ToolResult(
                    status: 65,
                    standardError: """
                        a.ndjson:1:1: error: The record is not an object [json.not-an-object]
                          in: record 1, byte 0
                          stage: s.yaml:5:5 import tasks
                          fix: set `read.as: json` if the file is one JSON array
                        error: 1 of 1 record was rejected; none is allowed [rejects.too-many]
                          stage: s.yaml:5:5 import tasks
                          fix: correct the records in rejects/RUN, or raise `rejects.allow`

                        """))
    }
}
