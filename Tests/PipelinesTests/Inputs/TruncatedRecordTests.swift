import Testing

@testable import Pipelines

/// Records that are too large; the reject files contain their beginning.
@Suite("Truncated records")
struct TruncatedRecordTests {
    @Test("a reject file with a truncated record stays a JSON array, so a replay reads the rest")
    func array() throws {
        let folder = try Workspace()
        let long = String(repeating: "x", count: 99)
        try folder.write(
            "a.json",
            #"[{"id":"1"},{"id":"2","title":"\#(long)"},{"id":"3","owner":"ann"}]"#)
        let run = try folder.run(
            model: ReplayTests.model,
            """
            - import: a
              read: { files: a.json, max-record: 60 }
              into: Task
              link: { owner: { by: { email: owner } } }
            """, top: "rejects: { allow: 2 }")
        #expect(run.lines == ["import a: 3 read, 1 inserted, 2 rejected"])
        #expect(
            try folder.reasons() == [
                "too-big -: The record is larger than `read.max-record`; only its beginning is "
                    + "kept",
                "link owner: No Person has email 'ann'",
            ])
        // As long as `read.max-record` allows.
        let cut = #""{\"id\":\"2\",\"title\":\""# + String(long.prefix(32)) + "\""
        #expect(cut.utf8.count == 60)
        #expect(
            try folder.rejects()["a.a.json"] == "[\n\(cut),\n{\"id\":\"3\",\"owner\":\"ann\"}\n]\n")
        try ReplayTests.addAnn(to: folder)
        let rejects = "rejects/\(folder.names("rejects")[0])"
        let replay = ReplayTests.replay(folder, rejects)
        #expect(replay.text == "")
        #expect(replay.lines == ["import a: 2 read, 1 inserted, 1 rejected"])
        #expect(try folder.rows("SELECT ZID FROM ZTASK ORDER BY ZID") == ["1", "3"])
        for _ in 1...2 {
            #expect(try folder.rejects()["a.a.json"] == "[\n\(cut)\n]\n")
            #expect(try folder.reasons() == ["shape -: The record is not an object"])
            let again = ReplayTests.replay(folder, rejects)
            #expect(again.lines == ["import a: 1 read, 1 rejected"])
        }
        let reason = try folder.rejects()["a.a.json.why.ndjson"] ?? ""
        #expect(reason.contains("\"file\":\"a.json\"") && reason.contains("\"record\":2"))
    }

    @Test("a replay rejects a truncated row, whatever the extension of its file")
    func table() throws {
        let folder = try Workspace()
        try folder.write("a.txt", "id,size\n1,5\n\(String(repeating: "2", count: 99)),7\n")
        _ = try folder.run(
            model: ReplayTests.model,
            "- { import: a, read: { files: a.txt, as: csv, max-record: 50 }, into: Task }",
            top: "rejects: { allow: 1 }")
        let rejects = "rejects/\(folder.names("rejects")[0])"
        let replay = ReplayTests.replay(folder, rejects)
        #expect(replay.status == .dataError)
        #expect(replay.text.contains("[replay.cut]"), "\(replay.text)")
    }
}
