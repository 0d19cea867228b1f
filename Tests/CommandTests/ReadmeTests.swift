import Foundation
import Testing

@Suite("README") struct ReadmeTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    /// The blocks of the README in a language.
    private func blocks(_ language: String) throws -> [String] {
        try Repository.text("README.md").components(separatedBy: "```\(language)\n").dropFirst()
            .map { $0.components(separatedBy: "\n```")[0] + "\n" }
    }

    @Test func specToCopyRuns() throws {
        let spec = try #require(blocks("yaml").first)
        try workspace.write(spec, to: "pipelines/nightly.yaml")
        try workspace.write("Name,Color\nWork,#1E88E5\n", to: "pipelines/in/categories.csv")
        try workspace.write(
            """
            {"id":"A5F2E1D0-0000-4000-8000-000000000001","title":"Old","status":"done",\
            "created_at":"2020-01-01","completed_at":"2020-02-01","tags":["a"]}
            {"id":"A5F2E1D0-0000-4000-8000-000000000002","title":"Late","status":"open",\
            "created_at":"2020-01-01","due_on":"2020-03-01","category":{"name":"Home"},"tags":[]}

            """, to: "pipelines/in/tasks-1.ndjson")
        let zipped = try Tool.run("gzip", [workspace.path("pipelines/in/tasks-1.ndjson")])
        #expect(zipped == .silentSuccess)
        try workspace.runSilently("nightly")
        #expect(
            try workspace.sqlite(
                "pipelines/tasks.sqlite",
                """
                PRAGMA integrity_check;
                SELECT t.ZTITLE, t.ZPRIORITY, c.ZNAME FROM ZTASK t
                    JOIN ZCATEGORY c ON c.Z_PK = t.ZCATEGORY
                """) == ["ok", "Late|1|Home"])
        let files = try FileManager.default.contentsOfDirectory(
            atPath: workspace.path("pipelines/out"))
        #expect(files.count == 1)
        #expect(files.allSatisfy { $0.hasPrefix("tasks-20") && $0.hasSuffix(".ndjson.gz") })
    }

    @Test func exitCodesAreThoseOfTheCommand() throws {
        let readme = try Repository.text("README.md")
        let source = try Repository.text("Sources/Pipelines/Running/ExitStatus.swift")
        let listed = readme.matches(of: #/\| (\d[\d, ]*) \|/#).flatMap {
            $0.1.split(separator: ", ").map(String.init)
        }
        for match in source.matches(of: #/case \w+ = (\d+)/#) {
            #expect(listed.contains(String(match.1)), "\(match.1)")
        }
    }
}
