import Foundation
import Testing

@Suite("etl infer") struct InferCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func write(_ name: String, _ text: String) throws {
        let file = URL(fileURLWithPath: "\(folder.path)/\(name)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func etl(_ arguments: String...) throws -> ToolResult {
        try Tool.etl(arguments, in: folder.path)
    }

    @Test func chinookBecomesOneLinkedStore() throws {
        for (name, text) in ChinookTests.tables { try write("tables/\(name).csv", text) }
        let files = ChinookTests.tables.keys.sorted().map { "tables/\($0).csv" }
        #expect(
            try Tool.etl(["infer"] + files + ["--output", "out/spec"], in: folder.path)
                == .silentSuccess)
        let spec = try String(
            contentsOfFile: "\(folder.path)/out/spec/pipeline.yaml", encoding: .utf8)
        #expect(spec.contains("      files: ../../tables/Album.csv\n"))
        #expect(try etl("check", "out/spec/pipeline.yaml") == .silentSuccess)
        #expect(try etl("run", "out/spec/pipeline.yaml") == .silentSuccess)
        #expect(
            try Tool.sqlite(
                "\(folder.path)/out/spec/data.sqlite",
                """
                SELECT (SELECT count(*) FROM ZARTIST), (SELECT count(*) FROM ZALBUM),
                    (SELECT count(*) FROM ZTRACK), (SELECT count(*) FROM ZGENRE),
                    (SELECT count(*) FROM ZMEDIATYPE), (SELECT count(*) FROM ZPLAYLIST),
                    (SELECT count(*) FROM Z_9TRACK), (SELECT count(*) FROM ZEMPLOYEE),
                    (SELECT count(*) FROM ZCUSTOMER), (SELECT count(*) FROM ZINVOICE),
                    (SELECT count(*) FROM ZINVOICELINE);
                SELECT (SELECT count(ZARTIST) FROM ZALBUM), (SELECT count(ZALBUM) FROM ZTRACK),
                    (SELECT count(ZGENRE) FROM ZTRACK), (SELECT count(ZMEDIATYPE) FROM ZTRACK),
                    (SELECT count(ZCUSTOMER) FROM ZINVOICE),
                    (SELECT count(ZINVOICE) FROM ZINVOICELINE),
                    (SELECT count(ZTRACK) FROM ZINVOICELINE),
                    (SELECT count(ZSUPPORTREP) FROM ZCUSTOMER);
                SELECT ZLASTNAME, datetime(ZBIRTHDATE + 978307200, 'unixepoch'), ZREPORTSTO
                    FROM ZEMPLOYEE ORDER BY ZEMPLOYEEID;
                PRAGMA integrity_check
                """) == [
                    "3|3|4|2|2|3|5|3|2|2|3", "3|3|3|4|2|3|3|2", "Adams|1962-02-18 00:00:00|",
                    "Edwards|1958-12-08 00:00:00|1", "Peacock|1973-08-29 00:00:00|2", "ok",
                ])
    }

    @Test func specOnStandardOutputRuns() throws {
        try write("tasks.csv", "id,title\n1,a\n")
        let result = try etl("infer", "tasks.csv")
        #expect(result.status == 0)
        #expect(result.standardError == "")
        try write("import.yaml", result.standardOutput)
        #expect(try etl("run", "import.yaml") == .silentSuccess)
        #expect(
            try etl("fetch", "tasks.sqlite", "Tasks", "--count")
                == ToolResult(status: 0, standardOutput: "1\n"))
    }

    @Test func overwritesExistingFilesOnlyWithForce() throws {
        try write("tasks.csv", "id,title\n1,a\n")
        try write("pipeline.yaml", "mine\n")
        let refused = try etl("infer", "tasks.csv", "--output", ".")
        #expect(refused.status == 73)
        #expect(refused.standardError.contains("give --force"))
        #expect(
            try String(contentsOfFile: "\(folder.path)/pipeline.yaml", encoding: .utf8) == "mine\n")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/model.yaml"))
        #expect(
            try etl("infer", "tasks.csv", "--output", ".", "--force", "--limit", "1")
                == .silentSuccess)
        #expect(try etl("check", "pipeline.yaml") == .silentSuccess)
    }

    private static let refusals: [([String], Int32)] = [
        (["-"], 65), (["tasks.csv", "--key", "nr"], 64),
        (["tasks.csv", "--type", "id"], 64), (["tasks.csv", "--type", "id=Day"], 64),
        (["tasks.csv", "--force"], 64), (["tasks.csv", "--limit", "0"], 64),
        (["missing.csv"], 66), (["empty.csv"], 65), ([], 64), (["tasks.csv", "a.sqlite"], 64),
    ]

    @Test(arguments: refusals) func failedInferHasItsExitStatus(arguments: [String], status: Int32)
        throws
    {
        try write("tasks.csv", "id\n1\n")
        try write("empty.csv", "")
        try write("a.sqlite", "SQLite format 3\0")
        let result = try Tool.etl(["infer"] + arguments, in: folder.path)
        #expect(result.status == status, "\(result.standardError)")
        #expect(result.standardOutput == "")
        #expect(result.standardError != "")
    }
}
