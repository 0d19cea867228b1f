import Foundation
import Testing

/// `etl report`, `etl status`, and the flag `--report`.
@Suite("etl report and etl status")
struct ReportCommandTests {
    private let workspace: Workspace
    private let spec: String

    init() throws {
        workspace = try Workspace()
        spec = workspace.path("pipelines/import-tasks.yaml")
    }

    /// Returns the text without the parts that differ between runs.
    private func plain(_ text: String) -> String {
        text.replacing(workspace.path(""), with: "")
            .replacing(#/\d{8}T\d{6}Z-\d+/#, with: "RUN")
            .replacing(#/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/#, with: "TIME")
            .replacing(#/\b[\d.]+ (ms|s)\b/#, with: "SECONDS")
            .replacing(#/[\d.]+ MiB/#, with: "MEMORY")
    }

    @Test(
        "report accepts a file, a page, a run ID, a spec, a folder, and a folder of rejects")
    func found() throws {
        try workspace.runSilently("import-tasks")
        let folder = workspace.path("out/runs")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        let page = try #require(names.first)
        let data = names[1]
        #expect(page.hasSuffix(".html") && data.hasSuffix(".json") && names.count == 3)
        #expect(names[2] == "index.html")
        let run = data.replacing("import-tasks-", with: "").replacing(".json", with: "")
        let ways = [
            "\(folder)/\(data)", "\(folder)/\(page)", run, spec, folder, "\(folder)/index.html",
            workspace.path("out/rejects/import-tasks-\(run)"),
        ]
        for way in ways {
            let result = try Tool.etl(["report", way], in: workspace.path("out"))
            #expect(result.status == 0 && result.standardError.isEmpty, "\(way)")
            #expect(
                plain(result.standardOutput) == """
                    import-tasks: exit 0 OK. Every record was counted, and no more records were \
                    rejected than allowed.
                      run     RUN
                      began   TIME
                      ended   TIME, took SECONDS
                      memory  MEMORY
                      store   tasks.sqlite

                    Stages
                      import categories   done     8 read, 8 inserted, SECONDS
                      import import-tags  done     11 read, 10 inserted, 1 superseded, SECONDS
                      import tasks        done     253 read, 240 inserted, 12 superseded, \
                    1 rejected, 1 blank line, SECONDS
                      export export-task  done     240 rows to tasks.ndjson.gz, SECONDS
                      export open-tasks   done     79 rows to open-tasks.csv, SECONDS

                    Objects changed
                      Category  8 inserted
                      Tag       10 inserted
                      Task      240 inserted

                    Rejects of tasks
                      parse: 1
                        sample-data/tasks.ndjson.gz:102:91: The JSON value is not \
                    complete
                      in rejects/import-tasks-RUN

                    Fields that tasks does not read
                      extra: 18 records

                    """, "\(way)")
        }
        let json = try Tool.etl(["report", spec, "--format", "json"])
        #expect(try json.standardOutput == workspace.contents("out/runs/\(data)"))
        let html = try Tool.etl(["report", spec, "--format", "html"])
        #expect(try html.standardOutput == workspace.contents("out/runs/\(page)"))
        #expect(html.standardOutput.contains("href=\"../rejects/import-tasks-\(run)\""))
    }

    @Test("report finds the last report of a spec whose parameters have no default")
    func parameters() throws {
        try workspace.write(
            """
            etl: 1
            params: { store: { type: path } }
            store:
              at: "${store}"
              model: { model: 1, entities: { Task: { attributes: { id: String } } } }
              open: create
            stages: [{ verify: none, expect: { Task: "== 0" } }]
            """, to: "spec.yaml")
        let spec = workspace.path("spec.yaml")
        let sets = ["--set", "store=" + workspace.path("s.sqlite")]
        let run = try Tool.etl(["run", spec] + sets)
        let report = try Tool.etl(["report", spec] + sets)
        #expect(run.status == 0 && report.status == 0, "\(run) \(report)")
        #expect(report.standardOutput.hasPrefix("spec: exit 0 OK."), "\(report)")
        #expect(try Tool.etl(["report", spec]).status == 78)
    }

    @Test("replay accepts a report instead of a run")
    func replay() throws {
        try workspace.runSilently("import-tasks")
        let folder = workspace.path("out/runs")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        for name in names where name != "index.html" {
            let result = try Tool.etl(["replay", name], in: folder)
            // The record is still invalid, which the spec allows.
            #expect(result == .silentSuccess, "\(name)")
        }
        // Replays are runs, too.
        let reports = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(reports.filter { $0.hasSuffix(".json") }.count == 3)
        let replays = try reports.filter { $0.hasSuffix(".json") }
            .filter { try workspace.contents("out/runs/\($0)").contains("\"replay\"") }
        #expect(replays.count == 2)
        try workspace.runSilently("cleanup-completed")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        let clean = try #require(files.first { $0.hasPrefix("cleanup") && $0.hasSuffix(".json") })
        let none = try Tool.etl(["replay", "\(folder)/\(clean)"])
        #expect(none.status == 66 && none.standardError.contains("has no rejects"))
    }

    @Test("replay accepts several runs, and exits with the status of the first that fails")
    func severalReplays() throws {
        for _ in 0..<2 { try workspace.runSilently("import-tasks") }
        let rejects = workspace.path("out/rejects")
        let names = try FileManager.default.contentsOfDirectory(atPath: rejects).sorted()
        #expect(names.count == 2)
        #expect(try Tool.etl(["replay"] + names, in: workspace.path("out")) == .silentSuccess)
        let reports = try FileManager.default.contentsOfDirectory(
            atPath: workspace.path("out/runs"))
        #expect(reports.filter { $0.hasSuffix(".json") }.count == 4)
        let mixed = try Tool.etl(["replay", "none", names[0]], in: workspace.path("out"))
        #expect(mixed.status == 66)
        let after = try FileManager.default.contentsOfDirectory(atPath: workspace.path("out/runs"))
        #expect(after.filter { $0.hasSuffix(".json") }.count == 5)
    }

    @Test("explain gives the meaning and the fix of each exit and reject code")
    func explain() throws {
        let exit = try Tool.etl(["explain", "65"])
        #expect(exit.status == 0 && exit.standardError.isEmpty)
        #expect(exit.standardOutput.hasPrefix("65 DATAERR\n  Too many rejects, a truncated"))
        #expect(try Tool.etl(["explain", "dataerr"]) == exit)
        let reject = try Tool.etl(["explain", "cast"])
        #expect(
            reject.standardOutput.hasPrefix(
                "reject cast\n  A value does not have its attribute's type."))
        let all = try Tool.etl(["explain"]).standardOutput
        let lines = all.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            lines.prefix(2) == [
                "Exit statuses",
                "  0 OK          Every record was counted, and no more records were rejected than allowed.",
            ])
        #expect(lines.contains("Rejects"))
        #expect(lines.contains("  cast           A value does not have its attribute's type."))
        #expect(
            lines.contains("Areas of messages") && lines.contains("Results of records")
                && lines.count < 90)
        #expect(all.hasSuffix("\n\n`etl explain CODE` prints the fix.\n"))
        let unknown = try Tool.etl(["explain", "cats"])
        #expect(unknown.status == 64 && unknown.standardError.contains("Did you mean 'cast'?"))
    }

    @Test("report exits with 66 if there is no report, and with 78 if a file is not one")
    func notFound() throws {
        for way in ["20260101T000000Z-1", "nothing", workspace.path("pipelines"), spec] {
            let result = try Tool.etl(["report", way], in: workspace.path(""))
            #expect(result.status == 66, "\(way)")
            #expect(result.standardError.contains("report.missing"), "\(way)")
        }
        try workspace.write("{\"report\":2}", to: "new.json")
        try workspace.write("no report", to: "none.json")
        let newer = try Tool.etl(["report", workspace.path("new.json")])
        #expect(newer.status == 78 && newer.standardError.contains("report.version"))
        #expect(try Tool.etl(["report", workspace.path("none.json")]).status == 78)
    }

    @Test("--report - writes the report to stdout and fails for a dry run")
    func flag() throws {
        let result = try workspace.run("import-tasks", "--report", "-")
        #expect(result.status == 0 && result.standardError.isEmpty)
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(result.standardOutput.utf8))
                as? [String: Any])
        #expect(report["report"] as? Int == 1 && report["pipeline"] as? String == "import-tasks")
        #expect(try workspace.run("import-tasks", "--dry-run", "--report", "-").status == 64)
    }

    @Test("status exits with 1 before the first run, then shows the last one; -q prints nothing")
    func status() throws {
        let never = try Tool.etl(["status", spec])
        #expect(never.status == 1)
        #expect(
            never.standardOutput.replacing(workspace.path(""), with: "") == """
                pipeline      import-tasks
                last run      never
                reports       out/runs

                """)
        try workspace.runSilently("import-tasks")
        let ran = try Tool.etl(["status", spec, "--max-age", "26h"])
        #expect(ran.status == 0)
        #expect(
            plain(ran.standardOutput) == """
                pipeline      import-tasks
                last run      RUN, exit 0 OK, ended TIME, SECONDS ago
                reports       out/runs

                """)
        #expect(try Tool.etl(["status", "-q", spec]) == .silentSuccess)
        #expect(try Tool.etl(["status", workspace.path("none.yaml")]).status == 78)
    }
}
