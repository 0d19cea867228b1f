import Foundation
import Testing

@Suite("README") struct ReadmeTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    @Test func fitsOnAFewScreens() throws {
        let text = try Repository.text("README.md")
        #expect(text.utf8.count <= 8192)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 121)
    }

    /// `.ci/run` executes them, and installs the packages that the first one names.
    @Test func firstCommandsAreTheMainJobTheTestsAndTheInstallation() throws {
        let commands = try GuidePage("README.md", only: "sh").blocks.map(\.text)
        #expect(commands.count == 3)
        #expect(commands[0].hasPrefix("sudo apt-get update && sudo apt-get install -y "))
        #expect(commands[0].hasSuffix("etl run pipelines/import-tasks.yaml\n"))
        #expect(commands[1] == "swift test\n")
        #expect(commands[2].contains("/usr/local/bin/etl"))
    }

    @Test func transcriptsMatchTheRealOutput() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            atPath: Repository.path("docs"), toPath: "\(folder.path)/docs")
        let page = try GuidePage("README.md", only: "console")
        #expect(page.blocks.count == 2)
        #expect(try page.run(in: folder.path) == [])
    }

    @Test func specToCopyRuns() throws {
        let spec = try #require(GuidePage("README.md", only: "yaml").blocks.first).text
        try workspace.write(spec, to: "pipelines/nightly.yaml")
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
                """) == ["ok", "Late|0|Home"])
        let files = try FileManager.default.contentsOfDirectory(
            atPath: workspace.path("pipelines/out"))
        #expect(files.count == 1)
        #expect(files.allSatisfy { $0.hasPrefix("tasks-20") && $0.hasSuffix(".ndjson.gz") })
    }

    @Test func everyLinkTargetExists() throws {
        for match in try Repository.text("README.md").matches(of: #/\]\(([^)#:]+)\)/#) {
            #expect(
                FileManager.default.fileExists(atPath: Repository.path(String(match.1))),
                "\(match.1)")
        }
    }
}
