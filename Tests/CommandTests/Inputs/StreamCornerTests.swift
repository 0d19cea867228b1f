import Foundation
import Testing

/// Fields, depths, and names that two readers of the same record must read alike.
@Suite("Corners of records") struct StreamCornerTests {
    private static let model = """
        model: 1
        entities:
          Task:
            attributes: { id: String, left: String, right: String }
            relationships: { parts: { to: Part, many: true, inverse: task } }
            unique: [[id]]
          Part:
            attributes: { id: String }
            relationships: { task: { to: Task, inverse: parts } }
            unique: [[id]]
        """

    private static func deep(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    /// Returns the reasons of the only reject file.
    private static func reasons(_ place: DriftPlace) throws -> [String] {
        let rejects = place.folder.path + "/rejects"
        let run = try #require(FileManager.default.contentsOfDirectory(atPath: rejects).first)
        let file = try #require(
            FileManager.default.contentsOfDirectory(atPath: "\(rejects)/\(run)")
                .first { $0.hasSuffix(".why.ndjson") })
        return try Tool.contents("\(rejects)/\(run)/\(file)").split(separator: "\n").map {
            let reason = try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            return "\(reason?["detail"] ?? ""): \(reason?["message"] ?? "")"
        }
    }

    @Test("a row key depends on what follows a carriage return in a field")
    func carriageReturn() throws {
        let place = try DriftPlace(model: Self.model)
        try place.write("t.csv", "left,right\nx\r1,a\nx\r2,a\nx\r1,b\nx\r1,a\n")
        let run = try place.run(
            "{ import: t.csv, into: Task, set: { id: { expr: \"rowkey()\" } } }")
        #expect(run == .silentSuccess)
        #expect(
            try place.rows(
                "SELECT count(*), count(DISTINCT substr(ZID, 1, 64)), sum(ZID LIKE '%-2') FROM ZTASK"
            ) == ["4|3|1"])
    }

    @Test("names of columns are compared by their bytes")
    func equivalentNames() throws {
        let place = try DriftPlace(model: Self.model)
        try place.write("t.csv", "e\u{301},\u{E9},id\nNA,NA,1\n-,-,2\n")
        let run = try place.run(
            """
            { import: tasks, read: { files: t.csv, null-in: { "\u{E9}": NA } }, \
            into: Task, set: { id: id, left: "e\u{301}", right: "\u{E9}" } }
            """)
        #expect(run == .silentSuccess)
        #expect(
            try place.rows(
                "SELECT ZID, coalesce(ZLEFT, 'null'), coalesce(ZRIGHT, 'null') FROM ZTASK ORDER BY 1"
            ) == ["1|NA|null", "2|-|-"])
    }

    @Test("read.max-depth also holds for objects inside records", arguments: ["t.ndjson", "-"])
    func depth(file: String) throws {
        let place = try DriftPlace(model: Self.model)
        let lines =
            "{\"id\":\"1\",\"parts\":[{\"id\":\"2\",\"more\":\(Self.deep(600))}]}\n{\"id\":\"3\"}\n"
        try place.write("t.ndjson", lines)
        try place.write([
            """
            { import: tasks, read: { files: "\(file)", max-depth: 700 }, into: Task, \
            set: { id: id }, link: { parts: { each: "parts[*]", set: { id: id } } } }
            """
        ])
        let run = try Tool.etl(["run", "s.yaml"], in: place.folder.path, input: lines)
        #expect(run == .silentSuccess)
        #expect(try place.rows("SELECT ZID FROM ZTASK ORDER BY 1") == ["1", "3"])
        #expect(try place.rows("SELECT ZID FROM ZPART") == ["2"])
    }

    @Test("the message about unmapped fields names all of them below a deep value")
    func deepExtraFields() throws {
        let place = try DriftPlace(model: Self.model)
        try place.write(
            "t.ndjson", "{\"id\":\"1\",\"deep\":\(Self.deep(1500)),\"other\":1}\n{\"id\":\"2\"}\n")
        let run = try place.run(
            """
            { import: tasks, read: { files: t.ndjson, max-depth: 2000 }, into: Task, extra: reject, \
            set: { id: id } }
            """, head: "rejects: { allow: 1 }")
        #expect(run == .silentSuccess)
        #expect(try Self.reasons(place) == ["extra: Nothing maps 'deep', 'other'"])
    }

    @Test("a line that is not a number has the same fault as in a document")
    func badNumbers() throws {
        let place = try DriftPlace(model: Self.model)
        try place.write("t.ndjson", "{\"id\":\"1\"}\n01\n-\n1 2\n1\n")
        let run = try place.run(
            "{ import: t.ndjson, into: Task, set: { id: id } }", head: "rejects: { allow: 9 }")
        #expect(run == .silentSuccess)
        #expect(
            try Self.reasons(place) == [
                "json.bad-number: This is not a JSON number",
                "json.incomplete: The JSON value is not complete",
                "json.two-values: A second value follows on the same line",
                "json.not-an-object: The record is not an object",
            ])
    }

    @Test("a value outside the records that is too deep names read.max-depth")
    func deepOutside() throws {
        let place = try DriftPlace(model: Self.model)
        try place.write("t.json", "{\"meta\":\(Self.deep(600)),\"items\":[{\"id\":\"1\"}]}")
        let stage = """
            { import: tasks, read: { files: t.json, at: "$.items[*]" }, into: Task, \
            set: { id: id } }
            """
        let run = try place.run(stage)
        #expect(
            run
                == ToolResult(
                    status: 65,
                    standardError: """
                        t.json:1:521: error: The value nests too deep [json.structure]
                          in: byte 520
                          stage: s.yaml:5:5 import tasks
                          fix: raise `read.max-depth` if the document is valid

                        """))
        #expect(
            try place.run(stage.replacing("t.json,", with: "t.json, max-depth: 700,"))
                == .silentSuccess)
    }

    @Test("a replay does not need as many files as the run")
    func fewerRejectFiles() throws {
        let place = try DriftPlace(
            model: Self.model.replacing("id: String", with: "id: Integer 64"))
        try place.write("a.ndjson", "{\"id\":1}\n")
        try place.write("b.ndjson", "{\"id\":\"x\"}\n")
        let stage = """
            { import: tasks, read: { files: "?.ndjson", min-files: 2 }, into: Task, \
            set: { id: id } }
            """
        #expect(try place.run(stage, head: "rejects: { allow: 1 }") == .silentSuccess)
        let rejects = place.folder.path + "/rejects"
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: rejects).first)
        try "{\"id\":2}\n".write(
            toFile: "\(rejects)/\(name)/tasks.b.ndjson", atomically: true, encoding: .utf8)
        let replay = try Tool.etl(["replay", "rejects/\(name)"], in: place.folder.path)
        #expect(replay == .silentSuccess)
        #expect(try place.rows("SELECT ZID FROM ZTASK ORDER BY 1") == ["1", "2"])
    }

    @Test("a column of the header counts as present even if all rows are padded")
    func paddedColumns() throws {
        let place = try DriftPlace(model: Self.model)
        try place.write("t.csv", "id,left\n1\n2\n")
        let run = try place.run(
            """
            { import: tasks, read: { files: t.csv, ragged: pad }, into: Task, unmet: stop, \
            set: { id: id, left: left } }
            """)
        #expect(run == .silentSuccess)
        #expect(try place.rows("SELECT ZID FROM ZTASK ORDER BY 1") == ["1", "2"])
    }

    @Test("a suggested `read.at` leads through no empty name")
    func emptyNames() throws {
        let place = try DriftPlace(model: Self.model)
        try place.write("t.json", "{\"\":[{\"id\":\"1\"}],\"items\":[{\"id\":\"2\"}]}")
        let stage = "{ import: tasks, read: { files: t.json }, into: Task, set: { id: id } }"
        #expect(
            try place.run(stage)
                == ToolResult(
                    status: 65,
                    standardError: """
                        t.json:1:1: error: The document is one object without any field that the \
                        stage reads; its records seem to be at $.items[*] [json.wrapped]
                          in: record 1, byte 0
                          stage: s.yaml:5:5 import tasks
                          fix: write `read: { at: '$.items[*]' }`

                        """))
        try place.write("t.json", "{\"\":[{\"id\":\"1\"}]}")
        let run = try place.run(stage)
        #expect(!run.standardError.contains("json.wrapped"), "\(run)")
    }

    @Test("gzip damage is reported instead of a header fault in the same member")
    func damagedHeader() throws {
        let place = try DriftPlace(model: Self.model)
        let made = try Tool.run(
            "sh", ["-c", "(echo 'id,\"a\"b'; seq 1 3000) | gzip | head -c 3000 > t.csv.gz"],
            in: place.folder.path)
        #expect(made.status == 0)
        #expect(
            try place.run("{ import: tasks, read: { files: t.csv.gz }, into: Task }")
                == ToolResult(
                    status: 65,
                    standardError: """
                        t.csv.gz: error: The gzip data ends early [gzip.truncated]
                          stage: s.yaml:5:5 import tasks
                          fix: fetch the file again; the records before the damage were kept

                        """))
    }

    private static let nested = """
        { import: tasks, read: { files: t.ndjson }, into: Task, extra: reject, set: { id: id }, \
        link: { parts: { each: "parts[*]", set: { id: id } } } }
        """

    @Test("a replay prints all faults of an object inside a record")
    func faultsOfNested() throws {
        let place = try DriftPlace(
            model: Self.model.replacing(
                "attributes: { id: String }", with: "attributes: { id: Integer 64 }"))
        try place.write("t.ndjson", "{\"id\":\"1\",\"parts\":[{\"id\":\"x\",\"more\":1}]}\n")
        let run = try place.run(Self.nested)
        func message(_ file: String) -> String {
            """
            \(file):1:20: error: Nothing maps 'parts[0].more'; also: 'id' takes a whole number that \
            fits Integer 64, not 'x' [extra]
              in: record 1, field 'parts[0].more', byte 19

            """
        }
        #expect(run.status == 65)
        let stage = "  stage: s.yaml:5:5 import tasks\n"
        #expect(run.standardError.hasPrefix(message("t.ndjson") + stage), "\(run)")
        let rejects = place.folder.path + "/rejects"
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: rejects).first)
        let replay = try Tool.etl(["replay", "rejects/\(name)"], in: place.folder.path)
        #expect(replay.status == 65)
        #expect(replay.standardError.hasPrefix(message("t.ndjson")), "\(replay)")
    }

    @Test("a record with more than 100 faults states how many are not listed")
    func manyFaults() throws {
        let place = try DriftPlace(model: Self.model)
        let parts = Array(repeating: "1", count: 105).joined(separator: ",")
        try place.write("t.ndjson", "{\"id\":\"1\",\"parts\":[\(parts)]}\n")
        let run = try place.run(Self.nested)
        #expect(run.status == 65)
        let also = (1..<100).map { "; also: 'parts[\($0)]' is not an object, but 1" }.joined()
        let whole =
            "t.ndjson:1:20: error: 'parts[0]' is not an object, but 1\(also); also: 5 more faults "
            + "are not listed [shape]\n"
        #expect(run.standardError.hasPrefix(whole), "\(run)")
    }

    @Test("a record with more than 100 missing links states how many are not listed")
    func manyLinks() throws {
        let place = try DriftPlace()
        let tags = (0..<150).map { "\"t\($0)\"" }.joined(separator: ",")
        try place.write("t.ndjson", "{\"id\":1,\"tags\":[\(tags)]}\n")
        let run = try place.run(
            """
            { import: tasks, read: { files: t.ndjson }, into: Task, set: { id: id }, \
            link: { tags: { by: { name: "tags[*]" } } } }
            """)
        #expect(run.status == 65)
        let all = (0..<100).map { "No Tag has name 't\($0)' (for 'tags')" }
        let whole =
            "t.ndjson:1:18: error: \((all + ["50 more faults are not listed"]).joined(separator: "; also: "))"
        #expect(run.standardError.hasPrefix(whole + " [link]\n"), "\(run)")
    }
}
