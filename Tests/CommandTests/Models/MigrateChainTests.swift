import Foundation
import Testing

/// Chains of versions without mappings.
@Suite("etl migrate through several versions") struct MigrateChainTests {
    private static func model(_ version: Int, _ entities: String) -> String {
        "model: 1\nversion: tasks-\(version)\nentities:\n" + entities + "\n"
    }

    private static let person = """
          Person:
            attributes: { name: { type: String, optional: false } }
            unique: [[name]]
        """
    private let folder: FailureFolder

    init() throws {
        folder = try FailureFolder()
        try folder.write(
            "tasks-1.yaml",
            Self.model(
                1,
                """
                  Task:
                    attributes: { id: Integer 32, title: String, tagText: String }
                    relationships: { owner: { to: Person, inverse: tasks } }
                    unique: [[id]]
                \(Self.person)
                    relationships: { tasks: { to: Task, many: true, inverse: owner } }
                """))
        try folder.write(
            "tasks-2.yaml",
            Self.model(
                2,
                """
                  Todo:
                    renamed-from: Task
                    attributes: { id: Integer 64, name: { type: String, renamed-from: title } }
                    relationships: { owner: { to: Person, inverse: todos } }
                    unique: [[id]]
                \(Self.person)
                    relationships: { todos: { to: Todo, many: true, inverse: owner, renamed-from: tasks } }
                """))
        try folder.write(
            "tasks-3.yaml",
            Self.model(
                3,
                """
                  Job:
                    renamed-from: Todo
                    attributes:
                      id: Integer 64
                      text: { type: String, renamed-from: name }
                      tagText: String
                      level: { type: Integer 16, default: 3 }
                    relationships: { boss: { to: Person, inverse: jobs, renamed-from: owner } }
                    unique: [[id]]
                \(Self.person)
                    relationships: { jobs: { to: Job, many: true, inverse: boss, renamed-from: todos } }
                """) + "history: [tasks-1.yaml, tasks-2.yaml]\n")
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: store.sqlite, model: tasks-1.yaml, open: create }
            stages:
              - import: tasks
                read: { files: tasks.ndjson }
                into: Task
                link: { owner: { by: { name: owner }, missing: create } }
            """)
        try folder.write(
            "tasks.ndjson",
            """
            {"id":1,"title":"a","tagText":"x","owner":"Ann"}
            {"id":2,"title":"b","tagText":"y","owner":"Bob"}

            """)
        try #require(try folder.run().status == 0)
    }

    private func migrate(_ flags: String = "") throws -> FailureFolder.Result {
        try folder.shell("exec \"$E\" migrate store.sqlite --to tasks-3.yaml \(flags)")
    }

    private func fetched() throws -> String {
        try folder.shell(
            "\"$E\" fetch store.sqlite Job --fields id,text,tagText,level,boss.name --format csv"
        ).output
    }

    private static let jobs = "id,text,tagText,level,boss.name\n1,a,,3,Ann\n2,b,,3,Bob\n"

    @Test("versions without a mapping are one step, which follows renames through them")
    func oneStep() throws {
        let planned = try migrate("--dry-run")
        #expect(planned.status == 0, "\(planned.output)\(planned.errors)")
        #expect(!planned.output.contains("ersion 'tasks"), "\(planned.output)")
        for line in [
            "~ Job: renamed from 'Task'", "- Job.tagText: is removed, with its values [2]",
            "Job: 2 objects",
        ] {
            #expect(planned.output.contains(line + "\n"), "\(planned.output)")
        }
        let done = try migrate()
        #expect(done.status == 0, "\(done.errors)")
        #expect(done.output == planned.output + "The old store is store.sqlite.bak-v1\n")
        #expect(try fetched() == Self.jobs)
        #expect(
            try folder.shell("exec \"$E\" verify store.sqlite --model tasks-3.yaml").status == 0)
    }

    @Test("a dry run reports the failure of the last step and leaves no files")
    func lastStep() throws {
        let last = Self.model(
            4,
            """
              Job:
                attributes:
                  id: Integer 64
                  text: { type: String, optional: false }
                  photo: Binary
                relationships: { boss: { to: Person, inverse: jobs } }
                unique: [[id]]
            \(Self.person)
                relationships:
                  jobs: { to: Job, many: true, inverse: boss, optional: false, count: 1..2 }
            """)
        try folder.write(
            "tasks-4.yaml", last + "history: [tasks-1.yaml, tasks-2.yaml, tasks-3.yaml]\n")
        try folder.shell("mkdir migrations temporary")
        let mapping = "mapping: 1\nentities: { Job: { where: \"text != 'b'\" } }\n"
        try folder.write("migrations/tasks-3-tasks-4.yaml", mapping)
        let before = try folder.shell(
            "ls -lA --time-style=full-iso . && cat store.sqlite | sha256sum")
        let command = "TMPDIR=$PWD/temporary \"$E\" migrate store.sqlite --to tasks-4.yaml"
        let planned = try folder.shell("\(command) --dry-run")
        #expect(planned.status == 65, "\(planned.output)\(planned.errors)")
        #expect(planned.output.hasPrefix("To version 'tasks-3':\n"))
        #expect(
            planned.output.contains(
                "Not migrated: 1 object of 'Job', by the `where` of the mapping\n"))
        let refusal = "Person.jobs is required, and 1 object has none; link them in a mapping"
        #expect(
            planned.errors
                == "error: store.sqlite cannot be migrated: \(refusal) [store.migration-refused]\n")
        let after = try folder.shell(
            "ls -lA --time-style=full-iso . && cat store.sqlite | sha256sum")
        #expect(
            after.output.replacing(/.* temporary\n/, with: "")
                == before.output.replacing(/.* temporary\n/, with: ""))
        #expect(try folder.shell("ls -A temporary").output == "")
        let done = try folder.shell(command)
        #expect(done.status == 65 && done.output == planned.output)
        #expect(
            done.errors == """
                error: store.sqlite cannot be migrated: \(refusal) (the store is now at version \
                'tasks-3') [store.migration-refused]

                """)
        // With a decision in a mapping, the migration succeeds, as in the dry run.
        try folder.write("migrations/tasks-3-tasks-4.yaml", "mapping: 1\nentities: { Job: {} }\n")
        let next = try folder.shell("\(command) --dry-run")
        #expect(next.status == 0, "\(next.errors)")
        try folder.shell("mkdir links && ln -s ../store.sqlite links/store.sqlite")
        let linked = try folder.shell(
            "\(command.replacing("store.sqlite", with: "links/store.sqlite")) --dry-run")
        #expect(linked.status == 0 && linked.output == next.output, "\(linked.errors)")
        #expect(try folder.shell(command).status == 0)
    }

    @Test("one step gives the same rows as one step per version")
    func sameAsSteps() throws {
        try folder.shell("cp store.sqlite first.sqlite")
        #expect(try migrate().status == 0)
        let dump = "sqlite3 store.sqlite 'SELECT * FROM ZJOB; SELECT * FROM ZPERSON'"
        let merged = try folder.shell(dump).output
        try folder.shell("rm store.sqlite* && mv first.sqlite store.sqlite")
        let first = try folder.shell("exec \"$E\" migrate store.sqlite --to tasks-2.yaml")
        #expect(first.status == 0, "\(first.errors)")
        #expect(try migrate().status == 0)
        #expect(try folder.shell(dump).output == merged)
        #expect(try fetched() == Self.jobs)
    }
}
