import Foundation
import Testing

@Suite("Command line") struct CommandLineTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    // MARK: check

    @Test(arguments: Repository.specs)
    func checkIsSilentForEverySpecOfPipelines(spec: String) throws {
        #expect(try Tool.etl(["check", workspace.path("pipelines/\(spec)")]) == .silentSuccess)
    }

    @Test func checkReportsAllProblemsWithTheirPositions() throws {
        try workspace.write(
            """
            etl: 1
            name: Bad Name
            store: { at: ../out/x.sqlite, model: task-model.yaml, opne: create }
            stages:
              - import: tasks
                read: { files: ../sample-data/tasks.json, at: "data.items" }
                into: Taks
              - export: Task
                feilds: [id]
                where: "priority > 'high'"
                to: ../out/x.csv
              - delete: Task

            """, to: "pipelines/bad.yaml")
        let result = try Tool.etl(["check", "bad.yaml"], in: workspace.path("pipelines"))
        #expect(result.status == 78)
        #expect(result.standardOutput.isEmpty)
        #expect(
            result.standardError == """
                bad.yaml:2:7: error: 'Bad Name' is not a valid pipeline name [spec.name]
                  in: name
                  fix: use 1 to 64 of the characters a-z, 0-9, and -
                bad.yaml:3:55: error: The key 'opne' is unknown here. Did you mean 'open'? [spec.unknown-key]
                  in: store.opne
                bad.yaml:6:51: error: The path 'data.items' is not valid: it must start with '$' [spec.path]
                  data.items
                  ^
                  in: stages[0].read.at
                  fix: begin with $, then a dot before each name, and [*] for every element of a list: $.data.items[*]
                bad.yaml:7:11: error: The model has no entity 'Taks'. Did you mean 'Task'? [spec.unknown-entity]
                  in: stages[0].into
                bad.yaml:9:5: error: The key 'feilds' is unknown here. Did you mean 'fields'? [spec.unknown-key]
                  in: stages[1].feilds
                bad.yaml:10:12: error: A number cannot be compared with text ("high") [predicate.type]
                  priority > 'high'
                             ^
                  in: stages[1].where
                bad.yaml:12:5: error: The key 'where' is missing [spec.missing-key]
                  in: stages[2]
                  fix: write `where: ALL` if you mean every object

                """)
    }

    @Test func invalidSpecIsReportedAndCreatesNoFile() throws {
        try workspace.write(
            "etl: 1\nstore: { at: ../out/x.sqlite }\nstages: []\n", to: "pipelines/bad.yaml")
        let result = try workspace.run("bad")
        #expect(result.status == 78)
        #expect(result.standardOutput.isEmpty)
        #expect(result.standardError.contains("pipelines/bad.yaml:3:9: error: "))
        #expect(!FileManager.default.fileExists(atPath: workspace.path("out")))
    }

    // MARK: run

    @Test func resolvesRelativePathsAgainstTheSpecFolder() throws {
        #expect(
            try Tool.etl(["run", workspace.path("pipelines/import-tasks.yaml")], in: "/")
                == .silentSuccess)
        #expect(
            try Tool.etl(["run", "../pipelines/export-snapshot.yaml"], in: workspace.path("out"))
                == .silentSuccess)
        let files = FileManager.default.enumerator(atPath: workspace.path("out"))?
            .compactMap { $0 as? String }.filter {
                !$0.hasPrefix("rejects") && !$0.hasPrefix("runs/")
            }.sorted()
        #expect(
            files == [
                "open-tasks.csv", "runs", "snapshot", "snapshot/categories.csv",
                "snapshot/tags.tsv",
                "snapshot/tasks.csv.gz", "snapshot/tasks.json", "tasks.ndjson.gz", "tasks.sqlite",
                "tasks.sqlite.etl-lock",
            ])
    }

    @Test func resolvesPathsOfSetAgainstTheWorkingFolder() throws {
        try workspace.runSilently("import-tasks")
        let result = try Tool.etl(
            ["run", "../pipelines/export-snapshot.yaml", "--set", "to=here"],
            in: workspace.path("out"))
        #expect(result == .silentSuccess)
        #expect(FileManager.default.fileExists(atPath: workspace.path("out/here/tags.tsv")))
    }

    @Test func verbosePrintsToStderrAndConflictsWithQuiet() throws {
        let verbose = try workspace.run("import-tasks", "-v")
        #expect(verbose.status == 0)
        #expect(verbose.standardOutput.isEmpty)
        #expect(verbose.standardError.split(separator: "\n").count == 6)
        try workspace.runSilently("import-tasks", "-q")
        #expect(try workspace.run("import-tasks", "-q", "-v").status == 64)
    }

    @Test func progressFlagKeepsStandardOutputEmpty() throws {
        try workspace.runSilently("import-tasks", "--progress", "never")
        let result = try workspace.run("import-tasks", "--progress", "always")
        #expect(result.status == 0)
        #expect(result.standardOutput.isEmpty)
    }

    @Test func rejectsOverTheLimitExitWith65() throws {
        let spec = try workspace.contents("pipelines/import-tasks.yaml")
        try workspace.write(
            spec.replacing("allow: 1", with: "allow: 0"), to: "pipelines/import-tasks.yaml")
        let result = try workspace.run("import-tasks")
        #expect(result.status == 65)
        #expect(result.standardOutput.isEmpty)
        #expect(result.standardError.contains("1 of 253 records was rejected; none is allowed"))
        // What was saved stays, and later stages do not run.
        #expect(try workspace.sqlite("out/tasks.sqlite", "SELECT count(*) FROM ZTASK") == ["240"])
        #expect(!FileManager.default.fileExists(atPath: workspace.path("out/tasks.ndjson.gz")))
    }

    @Test func missingStoreOrInputExitsWith66() throws {
        let result = try workspace.run("export-snapshot")
        #expect(result.status == 66)
        #expect(result.standardError.contains("does not exist"))
        try FileManager.default.removeItem(atPath: workspace.path("sample-data/tags.ndjson"))
        #expect(try workspace.run("import-tasks").status == 66)
    }

    @Test func unsetParametersAreListedTogether() throws {
        try workspace.write(
            """
            etl: 1
            params: { one: { type: path }, two: { type: string, from: "env:ETL_TEST_TWO" } }
            store: { at: "${one}/${two}.sqlite", model: task-model.yaml }
            stages: [{ export: Task, to: x.csv }]
            """, to: "pipelines/unset.yaml")
        #expect(try Tool.etl(["check", workspace.path("pipelines/unset.yaml")]) == .silentSuccess)
        let result = try workspace.run("unset")
        #expect(result.status == 78)
        #expect(result.standardError.contains("The parameters 'one', 'two' have no value"))
    }

    @Test(arguments: [["run"], ["run", "a", "b"], ["walk"], ["run", "--fast", "x"], ["check"]])
    func wrongUsageExitsWith64(arguments: [String]) throws {
        let result = try Tool.etl(arguments)
        #expect(result.status == 64)
        #expect(result.standardOutput.isEmpty)
        #expect(!result.standardError.isEmpty)
    }

    @Test(
        "a mistake in the arguments has the form of other errors",
        arguments: [
            (
                ["import", "a.csv"],
                """
                error: Missing expected argument '--into <store>' [usage.argument]
                  help: --into <store>  The store, an SQLite file.
                  usage: etl import [<options>] <file> ... --into <store>
                  fix: see `etl import --help`

                """
            ),
            (
                ["run", "a.yaml", "--nope"],
                """
                error: Unknown option '--nope' [usage.argument]
                  usage: etl run [<options>] <spec>
                  fix: see `etl run --help`

                """
            ),
            (
                ["import", "a", "a", "--into", "x"],
                """
                error: name each file once [usage.argument]
                  usage: etl import [<options>] <file> ... --into <store>
                  fix: see `etl import --help`

                """
            ),
        ])
    func mistakes(arguments: [String], message: String) throws {
        #expect(
            try Tool.etl(arguments) == ToolResult(status: 64, standardError: message))
    }

    // MARK: help

    @Test(arguments: [["--help"], ["help"], ["run", "--help"], ["check", "--help"]])
    func everyCommandHasHelp(arguments: [String]) throws {
        let result = try Tool.etl(arguments)
        #expect(result.status == 0)
        #expect(result.standardOutput.hasPrefix("OVERVIEW: "))
        #expect(result.standardOutput.contains("USAGE: etl "))
        #expect(result.standardError.isEmpty)
    }

    @Test func versionIsPrinted() throws {
        #expect(
            try Tool.etl(["--version"]) == ToolResult(status: 0, standardOutput: "0.1.0\n"))
    }
}
