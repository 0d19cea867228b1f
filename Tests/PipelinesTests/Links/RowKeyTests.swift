import Diagnostics
import Foundation
import GraphModel
import RecordStreams
import Testing

@testable import Pipelines

/// Keys that consist of complete records.
@Suite("Row keys") struct RowKeyTests {
    private static let model = """
        model: 1
        entities:
          Note:
            attributes:
              key: { type: String, optional: false }
              text: String
              size: Integer 64
            unique: [[key]]
        """

    private static let stage = """
        - import: notes
          read: { files: "in/*.csv" }
          into: Note
          set: { key: { expr: "rowkey()" } }
        """

    @Test("equal rows of one file get different keys, and equal rows of two files the same keys")
    func twice() throws {
        let folder = try Workspace()
        try folder.write("in/a.csv", "text,size\nx,1\nx,1\ny,2\n")
        try folder.write("in/b.csv", "size,text\r\n1,\"x\"\r\n")
        let first = try folder.run(model: Self.model, Self.stage)
        #expect(first.lines == ["import notes: 4 read, 3 inserted, 1 superseded"], "\(first.text)")
        let second = try folder.run(model: Self.model, Self.stage)
        #expect(
            second.lines == ["import notes: 4 read, 3 unchanged, 1 superseded"], "\(second.text)")
    }

    @Test(
        "a row key of named fields equals the key of a record with only these fields",
        arguments: [
            ("in/a.csv", "text,size\nx,1\n", "size,more,text\n1,q,x\n"),
            ("in/a.csv", "text,size\nx,1\n", "size,text\n1,x\n"),
            (
                "in/a.ndjson", #"{"text":"x","size":1}"#,
                #"{"size":1,"o":{"text":2},"text":"x"}"#
            ),
        ])
    func someFields(file: String, first: String, second: String) throws {
        let folder = try Workspace()
        let stage = Self.stage.replacing("*.csv", with: "*")
        let some = stage.replacing(
            #""rowkey()""#, with: #"'rowkey( "text" , "size" )'"#)
        try folder.write(file, first)
        let before = try folder.run(model: Self.model, stage)
        #expect(before.lines == ["import notes: 1 read, 1 inserted"], "\(before.text)")
        try folder.write(file, second)
        let after = try folder.run(model: Self.model, some)
        #expect(after.lines == ["import notes: 1 read, 1 unchanged"], "\(after.text)")
    }

    @Test("a table without a column of the row key ends the run with 78")
    func missingColumn() throws {
        let folder = try Workspace()
        try folder.write("in/a.csv", "size\n1\n")
        let run = try folder.run(
            model: Self.model,
            Self.stage.replacing(#""rowkey()""#, with: #"'rowkey("text")'"#))
        #expect(run.status == .configuration, "\(run.text)")
        #expect(run.text.contains("'text'"), "\(run.text)")
    }

    @Test("a reject keeps its row key, so that a replay updates the object of the corrected record")
    func replay() throws {
        let folder = try Workspace()
        try folder.write("in/a.csv", "text,size\nx,1\nx,many\nx,1\nx,many\n")
        let run = try folder.run(model: Self.model, Self.stage, top: "rejects: { allow: 5 }")
        #expect(run.lines == ["import notes: 4 read, 2 inserted, 2 rejected"], "\(run.text)")
        let why = try #require(try folder.rejects()["notes.a.csv.why.ndjson"])
        let keys = try why.split(separator: "\n").map { line in
            let reason = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return try #require(reason?["rowKey"] as? String)
        }
        #expect(keys.count == 2)
        #expect(keys[0].count == 64)
        #expect(keys[1] == keys[0] + "-2")
        // Both records are corrected to the same values as the other records.
        let rejects = "rejects/\(folder.names("rejects")[0])"
        let text = try folder.text("\(rejects)/notes.a.csv")
        try folder.write("\(rejects)/notes.a.csv", text.replacingOccurrences(of: "many", with: "1"))
        let replay = ReplayTests.replay(folder, rejects)
        #expect(replay.lines == ["import notes: 2 read, 2 inserted"], "\(replay.text)")
        let export = try folder.run(
            model: Self.model, "- { export: Note, to: notes.ndjson, fields: [key, size] }")
        #expect(export.status == .ok, "\(export.text)")
        let lines = try folder.text("notes.ndjson").split(separator: "\n")
        #expect(lines.count == 4)
        for key in keys { #expect(lines.contains("{\"key\":\"\(key)\",\"size\":1}")) }
    }

    @Test("a resumed import continues the counts of equal rows")
    func resumed() throws {
        let folder = try Workspace()
        try folder.write("in/a.csv", "text,size\nx,1\nx,1\nx,many\nx,1\ny,2\n")
        let top = "rejects: { abort: 0, allow: 1 }\nbudget: { save-every: 1 }"
        let first = try folder.run(model: Self.model, Self.stage, top: top)
        #expect(first.status == .dataError)
        let second = try folder.run(model: Self.model, Self.stage, top: top)
        #expect(second.status == .ok, "\(second.text)")
        #expect(second.lines == ["import notes: 5 read, 4 inserted, 1 rejected"], "\(second.text)")
    }

    @Test("counts that exceed the memory are stored in a table, with equal results")
    func counts() throws {
        let small = OccurrenceCounts(memory: 0)
        let large = OccurrenceCounts(memory: 1 << 20)
        for round in 1...3 {
            for number in 0..<100 {
                let digest = [UInt8](repeating: UInt8(number), count: 32)
                #expect(try small.next(digest) == round)
                #expect(try large.next(digest) == round)
            }
        }
    }

    @Test(
        "spaces, escapes, and the order of members do not change the canonical record",
        arguments: [
            #"{"a":1,"b":"x"}"#, #"{ "b" : "x", "a" : 1 }"#, "{\"b\":\"\\u0078\",\n\"a\":1}",
        ])
    func canonical(json: String) {
        var json = json
        let text = json.withUTF8 { CanonicalJSON.text(of: $0) }
        #expect(String(decoding: text, as: UTF8.self) == "{1:a#1;1:b1:x}")
    }

    @Test("rowkey() for an attribute that is not text ends the run with 78")
    func refusals() throws {
        let folder = try Workspace()
        try folder.write("in/a.csv", "text,size\nx,1\n")
        let run = try folder.run(
            model: Self.model,
            """
            - import: notes
              read: { files: "in/*.csv" }
              into: Note
              set: { key: text, size: { expr: "rowkey()" } }
            """)
        #expect(run.status == .configuration)
        #expect(run.text.contains("`rowkey()` gives text, and 'size' is Integer 64"), "\(run.text)")
    }
}
