import Testing

@testable import Pipelines

/// Options for reading inputs that deviate from their format.
@Suite("Read options")
struct ReadOptionTests {
    static let model = """
        model: 1
        entities:
          Place:
            attributes: { id: { type: String, optional: false }, name: String, code: String }
            unique: [[id]]
        """

    private func read(
        _ file: String, _ keys: String, allow: String = "0", write: (Workspace) throws -> Void
    ) throws -> (run: Run, rows: [String], reasons: [String]) {
        let folder = try Workspace()
        try write(folder)
        let run = try folder.run(
            model: Self.model,
            "- { import: places, read: { files: \(file), \(keys) }, into: Place }",
            top: "rejects: { allow: \(allow) }")
        let rows = try folder.rows(
            "SELECT ZID || '|' || coalesce(ZNAME, '-') || '|' || coalesce(ZCODE, '-') FROM ZPLACE "
                + "ORDER BY ZID")
        return (run, rows, try folder.reasons())
    }

    @Test("ragged: pad fills short rows; rows that are too long are rejected")
    func ragged() throws {
        let text = "id,name,code\n1,a\n2\n3,c,x\n4,d,y,z\n"
        let padded = try read("a.csv", "ragged: pad", allow: "1") { try $0.write("a.csv", text) }
        #expect(padded.run.text == "")
        #expect(padded.rows == ["1|a|-", "2|-|-", "3|c|x"])
        #expect(padded.reasons.count == 1)
        let strict = try read("a.csv", "ragged: reject", allow: "3") {
            try $0.write("a.csv", text)
        }
        #expect(strict.rows == ["3|c|x"])
        #expect(strict.reasons.count == 3)
    }

    @Test("rejects a record larger than max-record, and reads the next one")
    func maxRecord() throws {
        let long = String(repeating: "x", count: 70_000)
        let found = try read("a.ndjson.gz", "max-record: 64KiB", allow: "1") { folder in
            try folder.writeGzip(
                "a.ndjson.gz",
                #"{"id":"1","name":"\#(long)"}"# + "\n" + #"{"id":"2","name":"b"}"# + "\n")
        }
        #expect(found.run.text == "")
        #expect(found.rows == ["2|b|-"])
        #expect(found.reasons.map { $0.prefix(7) } == ["too-big"])
    }

    @Test("a gzip file that inflates beyond max-ratio stops the run")
    func maxRatio() throws {
        let line = #"{"id":"1","name":"\#(String(repeating: "x", count: 1 << 20))"}"# + "\n"
        let text = String(repeating: line, count: 66)
        let stopped = try read("a.ndjson.gz", "max-ratio: 20") {
            try $0.writeGzip("a.ndjson.gz", text)
        }
        #expect(stopped.run.status == .dataError)
        #expect(stopped.run.text.contains("[gzip.bomb]"), "\(stopped.run.text)")
    }

    @Test("reads Latin-1 text", arguments: ["a.csv", "a.csv.gz"])
    func latin1(_ file: String) throws {
        let bytes: [UInt8] =
            Array("id,name\n1,Stra".utf8) + [0xDF] + Array("e \n2,".utf8) + [0xE9, 10]
        let found = try read(file, "encoding: latin1") { folder in
            try folder.write("a.csv", bytes: bytes)
            if file.hasSuffix(".gz") {
                let text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
                // Written as a string, the file would be UTF-8; this test needs these bytes.
                try folder.writeGzip(file, text)
            }
        }
        #expect(found.run.text == "")
        let twice = file.hasSuffix(".gz")
        #expect(
            found.rows == (twice ? ["1|StraÃ\u{9F}e |-", "2|Ã©|-"] : ["1|Straße |-", "2|é|-"]))
    }

    /// Returns a string as UTF-16 in either byte order.
    private static func utf16(_ text: String, isBig: Bool) -> [UInt8] {
        text.utf16.flatMap { unit -> [UInt8] in
            let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return isBig ? pair : pair.reversed()
        }
    }

    @Test("reads UTF-16 in the byte order of its mark", arguments: [true, false])
    func utf16(_ isBig: Bool) throws {
        let json = #"[{"id":"1","name":"Ä€"},{"id":"2","name":"👍"}]"#
        let found = try read("a.json", "encoding: utf-16") {
            try $0.write("a.json", bytes: Self.utf16("\u{FEFF}" + json, isBig: isBig))
        }
        #expect(found.run.text == "")
        #expect(found.rows == ["1|Ä€|-", "2|👍|-"])
        let bare = try read("a.json", "encoding: utf-16") {
            try $0.write("a.json", bytes: Self.utf16(json, isBig: false))
        }
        #expect(bare.rows == ["1|Ä€|-", "2|👍|-"])
    }

    @Test(
        "the error for undeclared UTF-16 names the key `read.encoding`",
        arguments: ["json", "ndjson"])
    func untoldUTF16(_ format: String) throws {
        let json = #"{"id":"1","name":"Ä€"}"#
        let text = format == "json" ? "[\(json)]" : json + "\n"
        let folder = try Workspace()
        try folder.write("a." + format, bytes: Self.utf16("\u{FEFF}" + text, isBig: false))
        let run = try folder.run(model: Self.model, "- { import: a.\(format), into: Place }")
        #expect(run.status == .dataError)
        #expect(
            run.text.hasPrefix("a.\(format):1:1: error: The text is not valid UTF-8 ["),
            "\(run.text)")
        #expect(
            run.text.contains(
                "name its encoding by `read.encoding`: windows-1252, latin1, or utf-16;"))
    }

    @Test("an incomplete UTF-16 character rejects only its record")
    func brokenUTF16() throws {
        var bytes = Self.utf16("\u{FEFF}id,name\n1,a\n2,", isBig: false)
        bytes += [0x3D, 0xD8]
        bytes += Self.utf16("\n3,c\n4,", isBig: false)
        bytes += [0x4D, 0xDC]
        bytes += Self.utf16("\n5,e\n6,f", isBig: false) + [0x61]
        let folder = try Workspace()
        try folder.write("a.csv", bytes: bytes)
        let run = try folder.run(
            model: Self.model,
            "- { import: a, read: { files: a.csv, encoding: utf-16 }, into: Place }",
            top: "rejects: { allow: 3 }")
        #expect(run.text == "")
        #expect(run.lines == ["import a: 6 read, 3 inserted, 3 rejected"])
        #expect(try folder.rows("SELECT ZID FROM ZPLACE ORDER BY ZID") == ["1", "3", "5"])
        let reject = try #require(folder.names("rejects").first)
        let reasons = try folder.text("rejects/\(reject)/a.a.csv.why.ndjson").split(separator: "\n")
        #expect(reasons.count == 3)
        #expect(reasons.allSatisfy { $0.contains("\"code\":\"encoding\"") })
    }

    @Test("reads a long file in another encoding completely")
    func longLatin1() throws {
        let count = 40_000
        let lines = (1...count).map { "\($0),é\($0)\n" }.joined()
        let bytes = ("id,name\n" + lines).unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        let found = try read("a.csv", "encoding: latin1") {
            try $0.write("a.csv", bytes: bytes)
        }
        #expect(found.run.text == "")
        #expect(
            found.rows.sorted() == (1...count).map { "\($0)|é\($0)|-" }.sorted())
    }
}
