import Testing

@testable import Pipelines

/// Input files of all kinds: valid and invalid tables, patterns, and gzip.
@Suite("Inputs")
struct InputTests {
    static let model = """
        model: 1
        entities:
          Task:
            attributes:
              id: { type: String, optional: false }
              title: String
              size: Integer 32
            unique: [[id]]
        """
    static let rows = "SELECT ZID, ZTITLE, ZSIZE FROM ZTASK ORDER BY ZID"

    @Test("a table may lack columns that the spec does not name")
    func lackingColumns() throws {
        let folder = try Workspace()
        try folder.write("tasks.csv", "other,id\nx,1\n")
        let run = try folder.run(model: Self.model, "- { import: tasks.csv, into: Task }")
        #expect(run.text == "")
        #expect(try folder.rows(Self.rows) == ["1|NULL|NULL"])
    }

    @Test("values of one file do not fill columns that the next file lacks")
    func lackingColumnsOfLaterFiles() throws {
        let folder = try Workspace()
        try folder.write("a.csv", "id,title,size\n1,a,5\n2,b,6\n")
        try folder.write("b.csv", "id\n3\n4\n")
        let run = try folder.run(model: Self.model, "- { import: \"?.csv\", into: Task }")
        #expect(run.text == "")
        #expect(
            try folder.rows(Self.rows) == ["1|a|5", "2|b|6", "3|NULL|NULL", "4|NULL|NULL"])
    }

    @Test("a missing column that the spec names ends the run with 78")
    func missingColumn() throws {
        let folder = try Workspace()
        try folder.write("tasks.csv", "id,Titel\n1,a\n")
        let run = try folder.run(
            model: Self.model,
            "- { import: tasks.csv, into: Task, set: { title: Title } }")
        #expect(run.status == .configuration)
        #expect(
            run.text == """
                tasks.csv:1:1: error: The header has no column 'Title'. Did you mean 'Titel'? \
                [csv.unknown-column]
                  stage: spec.yaml:5:3 import import-tasks
                  fix: use one of: id, Titel
                """)
        let key = try Workspace()
        try key.write("tasks.csv", "title\na\n")
        let other = try key.run(model: Self.model, "- { import: tasks.csv, into: Task }")
        #expect(other.status == .configuration)
        #expect(other.text.hasPrefix("tasks.csv:1:1: error: The header has no column 'id'"))
        let filter = try Workspace()
        try filter.write("tasks.csv", "id\na\n")
        let third = try filter.run(
            model: Self.model, "- { import: tasks.csv, into: Task, keep-if: \"kind == 'a'\" }")
        #expect(third.status == .configuration)
        #expect(third.text.hasPrefix("tasks.csv:1:1: error: The header has no column 'kind'"))
    }

    @Test("reads a table with the header, columns, delimiter, quote, and null of the spec")
    func dialects() throws {
        let folder = try Workspace()
        try folder.write("a.csv", "1;\"x;y\";NULL\n2;NULL;\"3\"\n")
        try folder.write("b.tsv", "id\ttitle\n3\t\"a\" b\n4\t-\n")
        let run = try folder.run(
            model: Self.model,
            """
            - import: a
              read:
                files: a.csv
                header: false
                columns: [id, title, size]
                delimiter: ";"
                null: ["", "NULL"]
              into: Task
            - import: b
              read: { files: b.tsv, quote: none, null: "-" }
              into: Task
            """)
        #expect(run.text == "")
        #expect(
            try folder.rows(Self.rows)
                == ["1|x;y|NULL", "2|NULL|3", "3|\"a\" b|NULL", "4|NULL|NULL"])
    }

    @Test("columns replace the names in the header")
    func renamedColumns() throws {
        let folder = try Workspace()
        try folder.write("a.csv", "a,a\n1,x\n")
        let run = try folder.run(
            model: Self.model,
            "- { import: a, read: { files: a.csv, columns: [id, title] }, into: Task }")
        #expect(run.text == "")
        #expect(try folder.rows(Self.rows) == ["1|x|NULL"])
    }

    @Test("a pattern reads its files in the order of their names")
    func patterns() throws {
        let folder = try Workspace()
        for (name, title) in [("b/2", "four"), ("a/10", "one"), ("a/2", "two"), ("b/1", "three")] {
            try folder.write("in/\(name).ndjson", "{\"id\":\"1\",\"title\":\"\(title)\"}\n")
        }
        let run = try folder.run(
            model: Self.model, "- { import: \"in/**/*.ndjson\", into: Task }")
        #expect(run.lines == ["import import: 4 read, 1 inserted, 3 superseded"])
        #expect(try folder.rows(Self.rows) == ["1|four|NULL"])
    }

    @Test("a pattern without matches and a missing file end the run with 66")
    func noFiles() throws {
        let folder = try Workspace()
        let run = try folder.run(model: Self.model, "- { import: \"*.ndjson\", into: Task }")
        #expect(run.status == .noInput)
        #expect(
            run.text == """
                error: No file matches *.ndjson [input.too-few]
                  stage: spec.yaml:5:3 import import
                  fix: check the pattern; a relative path starts at the spec's folder, one from \
                --set at the working directory
                """)
        let other = try folder.run(model: Self.model, "- { import: a.ndjson, into: Task }")
        #expect(other.status == .noInput)
        #expect(
            other.text == """
                a.ndjson: error: The file does not exist [input.missing]
                  stage: spec.yaml:5:3 import import-a
                  fix: check the name; a relative path starts at the spec's folder, one from --set \
                at the working directory
                """)
    }

    @Test("detects gzip by name and by its first bytes, and reads several members")
    func gzip() throws {
        let folder = try Workspace()
        let one = try folder.writeGzip("a.ndjson.gz", #"{"id":"1","title":"a"}"#)
        let two = try folder.writeGzip("b.ndjson", "\n" + #"{"id":"2","title":"b"}"#)
        try folder.write("c.ndjson.gz", bytes: one + two)
        let run = try folder.run(
            model: Self.model,
            "- { import: all, read: { files: [\"*.ndjson\", \"*.gz\"] }, into: Task }")
        #expect(run.text == "")
        #expect(run.lines == ["import all: 4 read, 2 inserted, 2 superseded, 1 blank line"])
        #expect(try folder.rows(Self.rows) == ["1|a|NULL", "2|b|NULL"])
    }

    @Test("a damaged gzip file fails the stage, and the records before the damage are kept")
    func damagedGzip() throws {
        let folder = try Workspace()
        var text = ""
        for number in 10000..<60000 {
            text += "{\"id\":\"\(number)\",\"size\":\(number * 7919 % 65537)}\n"
        }
        let whole = try folder.writeGzip("a.ndjson.gz", text)
        try folder.write("a.ndjson.gz", bytes: Array(whole.prefix(whole.count / 2)))
        let run = try folder.run(
            model: Self.model,
            """
            - { import: a.ndjson.gz, into: Task }
            - { export: Task, to: out.csv }
            """)
        #expect(run.status == .dataError)
        #expect(
            run.text == """
                a.ndjson.gz: error: The gzip data ends early [gzip.truncated]
                  stage: spec.yaml:5:3 import import-a
                  fix: fetch the file again; the records before the damage were kept
                """)
        let kept = try folder.rows("SELECT count(*), min(ZID), max(ZID) + 1 - min(ZID) FROM ZTASK")[
            0
        ]
        .split(separator: "|")
        #expect(kept[1] == "10000")
        #expect(kept[0] == kept[2])
        #expect((Int(kept[0]) ?? 0) > 20000)
        #expect(!folder.exists("out.csv"))
        // With the complete file, the run succeeds.
        try folder.write("a.ndjson.gz", bytes: whole)
        let again = try folder.run(model: Self.model, "- { import: a.ndjson.gz, into: Task }")
        #expect(again.status == .ok)
        #expect(
            try folder.rows("SELECT count(*), min(ZID), max(ZID) FROM ZTASK")
                == ["50000|10000|59999"])
    }

    @Test("a truncated JSON document keeps the records before the error")
    func damagedDocument() throws {
        let folder = try Workspace()
        try folder.write("a.json", "[{\"id\":\"1\"},\n{\"id\":\"2\"}\n {\"id\":\"3\"}]")
        let run = try folder.run(model: Self.model, "- { import: a.json, into: Task }")
        #expect(run.status == .dataError)
        #expect(run.text.hasPrefix("a.json:3:2: error: "))
        #expect(run.text.contains("[json.structure]"))
        #expect(try folder.rows("SELECT ZID FROM ZTASK ORDER BY ZID") == ["1", "2"])
    }

    @Test("detects the format by the file name, then by the first byte")
    func formats() throws {
        let folder = try Workspace()
        try folder.write("a.txt", "[{\"id\":\"1\"}]")
        try folder.write("b.txt", "{\"id\":\"2\"}\n{\"id\":\"3\"}\n")
        let run = try folder.run(
            model: Self.model, "- { import: a, read: { files: \"?.txt\" }, into: Task }")
        #expect(run.text == "")
        #expect(try folder.rows("SELECT ZID FROM ZTASK ORDER BY ZID") == ["1", "2", "3"])
        try folder.write("c.txt", "id\n1\n")
        let bad = try folder.run(
            model: Self.model, "- { import: a, read: { files: c.txt }, into: Task }")
        #expect(bad.status == .configuration)
        #expect(
            bad.text == """
                c.txt: error: Neither the name nor the first byte identifies the format \
                [input.ambiguous-format]
                  stage: spec.yaml:5:3 import a
                  fix: set `read.as` to csv, tsv, json, or ndjson
                """)
    }

    @Test("an empty input needs a format from its name or from the spec")
    func empty() throws {
        let folder = try Workspace()
        func run(_ read: String) throws -> Run {
            try folder.run(
                model: Self.model, "- { import: a, read: { files: \(read) }, into: Task }")
        }
        for text in ["", " \n\n", "\u{FEFF}"] {
            for name in ["a.txt", "b.ndjson"] { try folder.write(name, text) }
            try folder.writeGzip("c.gz", text)
            for name in ["a.txt", "c.gz"] {
                let bad = try run(name)
                #expect(bad.status == .configuration)
                #expect(
                    bad.text == """
                        \(name): error: The input is empty, and its name does not identify the \
                        format [input.ambiguous-format]
                          stage: spec.yaml:5:3 import a
                          fix: set `read.as` to csv, tsv, json, or ndjson; an empty input of ndjson \
                        is one without records
                        """)
                #expect(try run("\(name), as: ndjson").text == "")
            }
            let blank = text.contains("\n") ? ", 2 blank lines" : ""
            #expect(try run("b.ndjson").lines == ["import a: 0 read\(blank)"])
        }
    }

    @Test("rejects only the bad records, in every format", arguments: ["ndjson", "json", "csv"])
    func badRecords(_ format: String) throws {
        let folder = try Workspace()
        let texts = [
            "ndjson": "{\"id\":\"1\"}\n{\"id\":\"2\",}\n[]\n{\"id\":\"\u{1}\"}\n{\"id\":\"3\"}\n",
            "json": "[{\"id\":\"1\"},\n7,\n{\"id\":\"3\"}]",
            "csv": "id,title\n1,a\n2,\"b\"x\n4\n3,c\n",
        ]
        try folder.write("a.\(format)", texts[format] ?? "")
        let run = try folder.run(
            model: Self.model, "- { import: a.\(format), into: Task }",
            top: "rejects: { allow: 3 }")
        #expect(run.text == "")
        #expect(try folder.rows("SELECT ZID FROM ZTASK ORDER BY ZID") == ["1", "3"])
        let records = [
            "ndjson": "{\"id\":\"2\",}\n[]\n{\"id\":\"\u{1}\"}\n", "json": "[\n7\n]\n",
            "csv": "id,title\n2,\"b\"x\n4\n",
        ]
        #expect(try folder.rejects()["import-a.a.\(format)"] == records[format])
        let codes = try folder.reasons().map { String($0.prefix { $0 != " " }) }
        let expected = [
            "ndjson": ["parse", "shape", "parse"], "json": ["shape"], "csv": ["parse", "shape"],
        ]
        #expect(codes == expected[format])
    }
}
