import Foundation
import Testing

/// The changes that a run would make, reported without any change.
@Suite("etl plan and --dry-run")
struct PlanTests {
    private static let stages = """
        - import: tasks
          read: { files: tasks.ndjson }
          into: Task
          link:
            owner: { by: { name: owner }, missing: create }
            tags: { by: { name: "tags[*]" }, missing: create }
        - { update: grow, entity: Task, where: "size > 10", set: { size: "size + 1" } }
        - { delete: small, entity: Task, where: "size == 1" }
        - { export: Task, to: out/tasks.csv }
        """

    private static func folder(open: String = "create", allow: String = "0") throws -> FailureFolder
    {
        let folder = try FailureFolder()
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, \(open.isEmpty ? "" : "open: \(open)") }
            rejects: { allow: \(allow) }
            stages:
            \(stages)
            """)
        try folder.write(
            "tasks.ndjson",
            """
            {"id":1,"title":"a","size":1,"owner":"Ann","tags":["x"]}
            {"id":2,"title":"b","size":2,"owner":"Bob","tags":["x","y"]}
            {"id":3,"title":"c","size":30,"owner":"Ann","tags":[]}

            """)
        return folder
    }

    /// Returns the files of the folder with their content.
    private static func content(_ folder: FailureFolder) throws -> String {
        try folder.shell("find . -type f ! -name '*-shm' | sort | xargs sha256sum; find . -type d")
            .output
    }

    @Test(
        "plan without a store reports all objects as inserted and creates no file",
        arguments: [
            "plan", "run --dry-run",
        ])
    func empty(_ command: String) throws {
        let folder = try Self.folder()
        let before = try Self.content(folder)
        let result = try folder.shell("\"$E\" \(command) spec.yaml")
        #expect(result.status == 0)
        #expect(result.errors == "")
        #expect(result.output == "Person: 2 inserted\nTag: 2 inserted\nTask: 2 inserted\n")
        #expect(try Self.content(folder) == before)
    }

    @Test("plan reports differences per entity and property and changes nothing")
    func differences() throws {
        let folder = try Self.folder()
        #expect(try folder.run().status == 0)
        #expect(
            try folder.shell("rm -r out; \"$E\" plan spec.yaml; rm store.sqlite.etl-lock").output
                == "No changes\n")
        try folder.write(
            "tasks.ndjson",
            """
            {"id":2,"title":"b","size":1,"owner":"Bob","tags":["x","y"]}
            {"id":3,"title":"C","size":40,"owner":"Cid","tags":["y"]}
            {"id":4,"title":"d","size":4,"owner":null,"tags":[]}

            """)
        let before = try Self.content(folder)
        let result = try folder.shell("\"$E\" plan -v --detailed-exit spec.yaml")
        #expect(result.status == 2)
        #expect(
            result.output == """
                Person: 1 inserted
                Tag: 2 updated (tasks 2)
                Task: 1 inserted, 1 updated (owner 1, size 1, tags 1, title 1), 1 deleted

                """)
        let lines = result.errors.split(separator: "\n").map { $0.prefix { $0 != "(" } }
        #expect(
            lines == [
                "would import tasks: 3 read, 1 inserted, 2 updated, 1 link target created ",
                "would update grow: 1 matched, 1 updated ",
                "would delete small: 1 matched, 1 deleted ",
                "would export export-task: 2 rows to out/tasks.csv ",
            ])
        #expect(try Self.content(folder) == before)
    }

    @Test("plan reports no changes if the run would change nothing")
    func none() throws {
        let folder = try Self.folder()
        try folder.write(
            "tasks.ndjson", #"{"id":2,"title":"b","size":2,"owner":"Bob","tags":["x"]}"#)
        #expect(try folder.run().status == 0)
        let result = try folder.shell("\"$E\" plan --detailed-exit spec.yaml")
        #expect(result.status == 0)
        #expect(result.output == "No changes\n")
    }

    @Test("plan compares a store that the run replaces by unique keys")
    func replaced() throws {
        let folder = try Self.folder(open: "replace")
        #expect(try folder.run().status == 0)
        try folder.write(
            "tasks.ndjson",
            """
            {"id":9,"title":"i","size":9,"owner":"Ann","tags":["y"]}
            {"id":3,"title":"c","size":30,"owner":"Ann","tags":[]}
            {"id":2,"title":"b","size":2,"owner":"Ann","tags":["y","x"]}

            """)
        let result = try folder.shell("\"$E\" plan spec.yaml")
        #expect(
            result.output == """
                Person: 1 deleted
                Tag: 1 updated (tasks 1)
                Task: 1 inserted, 1 updated (owner 1)

                """)
        #expect(result.status == 0)
    }

    @Test("plan of a failing run has its exit status and leaves no rejects")
    func failing() throws {
        let folder = try Self.folder()
        try folder.write("tasks.ndjson", "{\"id\":1}\n{\"id\":\"x\"}\n")
        let before = try Self.content(folder)
        let result = try folder.shell("\"$E\" plan spec.yaml")
        #expect(result.status == 65)
        #expect(result.output == "Task: 1 inserted\n")
        #expect(result.errors.contains("fix: correct the records, or raise `rejects.allow`"))
        #expect(
            result.errors.hasSuffix(
                """
                note: The run would end with 65; the changes saved until then would be kept, and \
                are shown [run.would-fail]

                """), "\(result.errors)")
        #expect(try Self.content(folder) == before)
        // The run makes the changes that the plan shows.
        #expect(try folder.run().status == 65)
        #expect(try folder.query("SELECT count(*) FROM ZTASK") == "1\n")
    }

    @Test("plan of a failing run that replaces the store reports no changes and the failed stage")
    func failingWhole() throws {
        let folder = try Self.folder(open: "replace")
        try folder.write("tasks.ndjson", "{\"id\":1}\n{\"id\":\"x\"}\n")
        let result = try folder.shell("\"$E\" plan spec.yaml -v")
        #expect(result.status == 65)
        #expect(result.output == "No changes\n")
        #expect(
            result.errors.contains("would import tasks: 2 read, 1 inserted, 1 rejected; failed ("),
            "\(result.errors)")
        #expect(
            result.errors.hasSuffix(
                "note: The run would end with 65; nothing would change [run.would-fail]\n"))
        let run = try folder.run("-v")
        #expect(run.errors.contains("\nimport tasks: 2 read, 1 inserted, 1 rejected; failed ("))
        let json = try folder.run("-v --log-format json")
        #expect(json.errors.contains(#""state":"failed""#))
    }

    @Test("plan of an interrupted run covers the remaining stages and leaves them to the next run")
    func interrupted() throws {
        let folder = try Self.folder(allow: "5")
        try folder.write("out", "in the way")
        try folder.write("tasks.ndjson", "{\"id\":1,\"size\":5}\n{\"id\":\"x\"}\n")
        #expect(try folder.run().status == 73)
        try folder.shell("rm out")
        let rejects = try folder.shell("cat rejects/*/*").output
        let result = try folder.shell("\"$E\" plan spec.yaml")
        #expect(result.output == "No changes\n")
        #expect(try folder.shell("cat rejects/*/*").output == rejects)
        #expect(try folder.query("SELECT count(*) FROM ETL_PROGRESS") != "0\n")
        let second = try folder.run("-v")
        #expect(second.status == 0)
        #expect(second.errors.contains("\nexport export-task: 1 row to out/tasks.csv"))
        #expect(try folder.shell("cat rejects/*/*").output == rejects)
    }

    @Test("plan deletes the copies that killed plans left")
    func leftovers() throws {
        let folder = try Self.folder()
        #expect(try folder.run().status == 0)
        try folder.write("store.sqlite.etl-plan-999999999", "")
        try folder.write("store.sqlite.etl-plan-999999999-wal", "")
        #expect(try folder.shell("\"$E\" plan spec.yaml").status == 0)
        #expect(
            folder.names().filter { $0.hasPrefix("store") } == [
                "store.sqlite", "store.sqlite.etl-lock",
            ])
    }
}
