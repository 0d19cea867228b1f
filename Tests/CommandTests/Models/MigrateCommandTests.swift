import Foundation
import TestSeeds
import Testing

@Suite("etl migrate", .serialized) struct MigrateCommandTests {
    private static let before = """
        model: 1
        version: tasks-1
        entities:
          Task:
            attributes: { id: { type: Integer 32, optional: false }, title: String, level: String, tagText: String }
            relationships: { owner: { to: Person, inverse: tasks } }
            unique: [[id]]
          Person:
            attributes: { name: { type: String, optional: false } }
            relationships: { tasks: { to: Task, many: true, inverse: owner } }
            unique: [[name]]
        """
    private static let after = """
        model: 1
        version: tasks-2
        entities:
          Todo:
            renamed-from: Task
            attributes:
              id: { type: Integer 64, optional: false }
              name: { type: String, renamed-from: title, searchable: true }
              level: Integer 16
              done: { type: Boolean, default: false }
            relationships:
              owner: { to: Person, inverse: todos }
              tags: { to: Tag, many: true, inverse: todos }
            unique: [[id]]
          Person:
            attributes: { name: { type: String, optional: false } }
            relationships: { todos: { to: Todo, many: true, inverse: owner, renamed-from: tasks } }
            unique: [[name]]
          Tag:
            attributes: { name: String }
            relationships: { todos: { to: Todo, many: true, inverse: tags } }
        """
    private static let mapping = """
        mapping: 1
        entities:
          Todo:
            set: { level: "ternary(level == 'high', 2, 0)" }
            lookup: { tags: { by: name, from: tagText, split: "," } }
        """
    private static let spec = """
        etl: 1
        store: { at: store.sqlite, model: before.yaml, open: create }
        stages:
          - import: tasks
            read: { files: tasks.ndjson }
            into: Task
            link: { owner: { by: { name: owner }, missing: create } }
        """

    private let folder: FailureFolder

    init() throws { folder = try Self.filled(3) }

    private static func filled(_ count: Int) throws -> FailureFolder {
        let folder = try FailureFolder()
        try folder.write("before.yaml", before)
        try folder.write("after.yaml", after)
        try folder.write("spec.yaml", spec)
        var tasks = ""
        for number in 1...count {
            let level = number % 3 == 0 ? "high" : "low"
            tasks += """
                {"id":\(number),"title":"t\(number)","level":"\(level)",\
                "tagText":"a\(number % 7), b\(number % 5)","owner":"p\(number % 11)"}

                """
        }
        try folder.write("tasks.ndjson", tasks)
        #expect(try folder.run().status == 0)
        return folder
    }

    private func migrate(_ arguments: String) throws -> FailureFolder.Result {
        try folder.shell("exec \"$E\" migrate \(arguments)")
    }

    @Test("rows 122, 124: GRAPHSTORE_SQL_DEBUG writes statements only to stderr")
    func logsStatements() throws {
        try folder.shell("mkdir migrations")
        try folder.write("migrations/tasks-1-tasks-2.yaml", Self.mapping)
        let migrated = try folder.shell(
            "GRAPHSTORE_SQL_DEBUG=1 exec \"$E\" migrate store.sqlite --to after.yaml")
        #expect(migrated.status == 0 && !migrated.output.contains("sql: "))
        #expect(migrated.errors.contains(#/sql: [0-9.e-]+ ms: INSERT INTO/#))
        let loud = try folder.shell(
            "GRAPHSTORE_SQL_DEBUG=1 exec \"$E\" fetch store.sqlite Todo --format csv")
        let quiet = try folder.shell("exec \"$E\" fetch store.sqlite Todo --format csv")
        #expect(loud.output == quiet.output && quiet.errors == "")
        #expect(loud.errors.contains(#/sql: [0-9.e-]+ ms: SELECT/#))
    }

    @Test("plans, migrates with the mapping next to the model, and keeps the old store")
    func migrates() throws {
        let refused = try migrate("store.sqlite --to after.yaml --dry-run")
        #expect(refused.status == 78)
        #expect(refused.output.hasSuffix("\nPerson: 3 objects\nTag: 0 objects\nTodo: 3 objects\n"))
        #expect(
            refused.errors == """
                error: store.sqlite cannot be migrated without a mapping: Todo.level is Integer 16, \
                was String [store.needs-mapping]
                  fix: write migrations/tasks-1-tasks-2.yaml; `etl migrate store.sqlite --to \
                after.yaml --write-mapping migrations/tasks-1-tasks-2.yaml` writes the start of it

                """)
        // The run prints each reason once, after the differences, as the plan does.
        let run = try migrate("store.sqlite --to after.yaml 2>&1")
        #expect(run.status == 78 && run.output == refused.output + refused.errors)
        try folder.shell("mkdir migrations")
        try folder.write("migrations/tasks-1-tasks-2.yaml", Self.mapping)
        let planned = try migrate("store.sqlite --to after.yaml --dry-run")
        #expect(planned.status == 0, "\(planned.errors)")
        for line in [
            "~ Todo: renamed from 'Task'", "- Todo.tagText: is removed, with its values [3]",
            "Person: 3 objects", "Tag: 6 objects", "Todo: 3 objects",
        ] {
            #expect(planned.output.contains(line + "\n"), "\(planned.output)")
        }
        #expect(
            folder.names().filter { $0.hasPrefix("store.sqlite.") } == ["store.sqlite.etl-lock"])
        let done = try migrate("store.sqlite --to after.yaml")
        #expect(done.status == 0)
        #expect(done.errors == "")
        #expect(done.output == planned.output + "The old store is store.sqlite.bak-v1\n")
        let fetched = try folder.shell(
            "\"$E\" fetch store.sqlite Todo --fields id,name,level,done,owner.name --format csv")
        #expect(
            fetched.output == """
                id,name,level,done,owner.name
                1,t1,0,false,p1
                2,t2,0,false,p2
                3,t3,2,false,p3

                """)
        let tags = try folder.shell(
            "\"$E\" fetch store.sqlite Tag --fields name --sort name --format csv")
        #expect(tags.output == "name\na1\na2\na3\nb1\nb2\nb3\n")
        #expect(try folder.shell("exec \"$E\" verify store.sqlite --model after.yaml").status == 0)
        #expect(
            try folder.shell("exec \"$E\" verify store.sqlite.bak-v1 --model before.yaml").status
                == 0)
        // The store is up to date, so nothing is printed.
        let again = try migrate("store.sqlite --to after.yaml")
        #expect(again.status == 0 && again.output == "" && again.errors == "")
    }

    @Test("a todo in a mapping file stops the migration and is reported with its location")
    func todo() throws {
        try folder.shell("mkdir migrations")
        try folder.write(
            "migrations/tasks-1-tasks-2.yaml",
            """
            mapping: 1
            todo: ["what becomes of levels", "whether tags are kept"]
            entities:
              Todo:
                todo: "how urgent is it?"
                set: { level: "0" }
            """)
        for flags in ["", " --dry-run"] {
            let stopped = try migrate("store.sqlite --to after.yaml\(flags)")
            #expect(stopped.status == 78 && stopped.output == "")
            let fix =
                "  fix: write it with `from`, `where`, `set`, or `lookup`, then remove the `todo`\n"
            let file = "migrations/tasks-1-tasks-2.yaml"
            #expect(
                stopped.errors == """
                    \(file):2:8: error: The mapping file has a decision to make: what becomes of levels \
                    [mapping.todo]
                      in: todo[0]
                    \(fix)\(file):2:34: error: The mapping file has a decision to make: whether tags are \
                    kept [mapping.todo]
                      in: todo[1]
                    \(fix)\(file):5:11: error: The mapping of 'Todo' has a decision to make: how urgent is \
                    it? [mapping.todo]
                      in: entities.Todo.todo
                    \(fix)
                    """)
        }
        #expect(
            folder.names().filter { $0.hasPrefix("store.sqlite.") } == ["store.sqlite.etl-lock"])
        try folder.write(
            "migrations/tasks-1-tasks-2.yaml",
            "mapping: 1\nentities: { Todo: { set: { level: \"0\" } } }\n")
        #expect(try migrate("store.sqlite --to after.yaml").status == 0)
    }

    @Test("reports per entity how many objects the `where` of a mapping leaves out")
    func leftBehind() throws {
        try folder.shell("mkdir migrations")
        try folder.write(
            "migrations/tasks-1-tasks-2.yaml",
            """
            mapping: 1
            entities:
              Todo:
                - { where: "id == 2", set: { level: "0" } }
                - { where: "level == 'high' AND id < 3", set: { level: "2" } }
              Person: { where: "name != 'p2'" }
            """)
        let planned = try migrate("store.sqlite --to after.yaml --dry-run")
        #expect(planned.status == 0, "\(planned.errors)")
        #expect(
            planned.output.hasSuffix(
                """
                Person: 2 objects
                Tag: 0 objects
                Todo: 1 object
                Not migrated: 1 object of 'Person', by the `where` of the mapping
                Not migrated: 2 objects of 'Task', by the `where` of the mapping

                """), "\(planned.output)")
        let done = try migrate("store.sqlite --to after.yaml")
        #expect(done.output == planned.output + "The old store is store.sqlite.bak-v1\n")
        #expect(
            try folder.shell("\"$E\" fetch store.sqlite Todo --count").output == "1\n")
    }

    @Test("text without quotes in a mapping's expression fails with the quoted text as the fix")
    func textsOfMappings() throws {
        try folder.shell("mkdir migrations")
        try folder.write(
            "migrations/tasks-1-tasks-2.yaml",
            "mapping: 1\nentities: { Todo: { set: { level: \"0\", name: \"unknown\" } } }\n")
        let wrong = try migrate("store.sqlite --to after.yaml")
        #expect(wrong.status == 78)
        #expect(
            wrong.errors.contains("put text in its own quotation marks: \"'unknown'\""),
            "\(wrong.errors)")
    }

    @Test("a run with another model names the migrate command as the fix")
    func advice() throws {
        try folder.write(
            "spec.yaml",
            Self.spec.replacing("before.yaml", with: "after.yaml")
                .replacing("Task", with: "Todo"))
        let run = try folder.run()
        #expect(run.status == 78)
        #expect(
            run.errors.contains(
                "  fix: bring the store to this model: etl migrate store.sqlite --to after.yaml\n"),
            "\(run.errors)")
    }

    @Test("exits: missing file, file in the way, store in use, and invalid mapping")
    func failures() throws {
        #expect(try migrate("none.sqlite --to after.yaml").status == 66)
        #expect(try migrate("store.sqlite --to none.yaml").status == 66)
        #expect(try migrate("store.sqlite").status == 64)
        try folder.shell("mkdir migrations")
        try folder.write("migrations/tasks-1-tasks-2.yaml", "mapping: 1\nentities: { Todoo: {} }\n")
        let wrong = try migrate("store.sqlite --to after.yaml")
        #expect(wrong.status == 78)
        #expect(wrong.errors.contains("The new model has no entity 'Todoo'. Did you mean 'Todo'?"))
        try folder.write("migrations/tasks-1-tasks-2.yaml", Self.mapping)
        try folder.write("store.sqlite.migrating", "mine")
        let inTheWay = try migrate("store.sqlite --to after.yaml")
        #expect(inTheWay.status == 73)
        #expect(folder.text("store.sqlite.migrating") == "mine")
        try folder.shell("rm store.sqlite.migrating")
        let busy = try folder.shell(
            """
            python3 -c 'import sqlite3, time
            store = sqlite3.connect("store.sqlite"); store.execute("SELECT * FROM ZTASK").fetchone()
            open("ready", "w").close(); time.sleep(20)' & holder=$!
            until test -e ready; do sleep 0.05; done
            "$E" migrate store.sqlite --to after.yaml; status=$?
            kill -KILL $holder; exit $status
            """)
        #expect(busy.status == 75, "\(busy.errors)")
        // The file of a migration that was killed before it marked the file.
        try folder.shell("sqlite3 store.sqlite.migrating 'PRAGMA user_version = 1'")
        #expect(try migrate("store.sqlite --to after.yaml").status == 0)
        #expect(!folder.names().contains("store.sqlite.migrating"))
    }

    @Test("an old store migrates through the later versions in the fewest steps")
    func chain() throws {
        try folder.shell("mkdir migrations")
        try folder.write("migrations/tasks-1-tasks-2.yaml", Self.mapping)
        try folder.write(
            "newest.yaml",
            Self.after.replacingOccurrences(of: "version: tasks-2", with: "version: tasks-3")
                .replacingOccurrences(of: "    renamed-from: Task\n", with: "")
                .replacingOccurrences(of: ", renamed-from: title", with: "")
                .replacingOccurrences(of: ", renamed-from: tasks", with: "")
                .replacingOccurrences(
                    of: "      level: Integer 16",
                    with: "      urgency: { type: Integer 16, renamed-from: level }")
                + "\nhistory: [before.yaml, after.yaml]\n")
        let planned = try migrate("store.sqlite --to newest.yaml --dry-run")
        #expect(planned.status == 0, "\(planned.errors)")
        #expect(planned.output.hasPrefix("To version 'tasks-2':\n"))
        #expect(planned.output.contains("\nTo version 'tasks-3':\n"))
        let done = try migrate("store.sqlite --to newest.yaml")
        #expect(done.status == 0, "\(done.errors)")
        #expect(done.output == planned.output + "The old store is store.sqlite.bak-v1\n")
        #expect(folder.names().filter { $0.contains(".bak") } == ["store.sqlite.bak-v1"])
        let fetched = try folder.shell(
            "\"$E\" fetch store.sqlite Todo --fields id,urgency,owner.name --format csv")
        #expect(fetched.output == "id,urgency,owner.name\n1,0,p1\n2,0,p2\n3,2,p3\n")
        #expect(try migrate("store.sqlite --to newest.yaml").output == "")
        // A mapping from the first to the last version makes it one step.
        try folder.shell("mv store.sqlite.bak-v1 store.sqlite")
        try folder.write(
            "migrations/tasks-1-tasks-3.yaml",
            """
            mapping: 1
            entities:
              Todo:
                from: Task
                set: { name: title, urgency: "ternary(level == 'high', 9, 1)", owner: owner }
            """)
        let direct = try migrate("store.sqlite --to newest.yaml")
        #expect(direct.status == 0, "\(direct.output)\(direct.errors)")
        #expect(!direct.output.contains("To version"))
        let again = try folder.shell(
            "\"$E\" fetch store.sqlite Todo --fields id,name,urgency --format csv")
        #expect(again.output == "id,name,urgency\n1,t1,1\n2,t2,1\n3,t3,9\n")
    }

    @Test("the versions of an Xcode bundle form a chain with their names")
    func bundle() throws {
        try folder.shell(
            """
            set -e
            "$E" model convert before.yaml Tasks.xcdatamodel
            "$E" model convert after.yaml 'Tasks 2.xcdatamodel'
            mkdir Tasks.xcdatamodeld
            mv Tasks.xcdatamodel 'Tasks 2.xcdatamodel' Tasks.xcdatamodeld/
            sed -i 's/userDefinedModelVersionIdentifier="[^"]*"/userDefinedModelVersionIdentifier=""/' \
                Tasks.xcdatamodeld/*/contents
            cat > Tasks.xcdatamodeld/.xccurrentversion <<'X'
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key>
            <string>Tasks 2.xcdatamodel</string></dict></plist>
            X
            mkdir migrations
            """)
        let refused = try migrate("store.sqlite --to Tasks.xcdatamodeld --dry-run")
        #expect(refused.status == 78)
        #expect(
            refused.errors.hasSuffix(
                "  fix: write migrations/Tasks-Tasks 2.yaml; `etl migrate store.sqlite --to"
                    + " Tasks.xcdatamodeld --write-mapping 'migrations/Tasks-Tasks 2.yaml'` writes"
                    + " the start of it\n"),
            "\(refused.errors)")
        try folder.write("migrations/Tasks-Tasks 2.yaml", Self.mapping)
        let done = try migrate("store.sqlite --to Tasks.xcdatamodeld")
        #expect(done.status == 0, "\(done.errors)")
        let fetched = try folder.shell(
            "\"$E\" fetch store.sqlite Todo --fields id,level --format csv")
        #expect(fetched.output == "id,level\n1,0\n2,0\n3,2\n")
    }

    /// `ETL_KILLS=50` sets how many migrations are killed.
    @Test(
        "a migration that is killed at any moment leaves the complete old or new store",
        .tags(.slow))
    func killed() throws {
        let folder = try Self.filled(20_000)
        try folder.shell("mkdir migrations && cp store.sqlite first.sqlite")
        try folder.write("migrations/tasks-1-tasks-2.yaml", Self.mapping)
        let clock = ContinuousClock()
        let start = clock.now
        #expect(try folder.shell("\"$E\" migrate store.sqlite --to after.yaml").status == 0)
        let whole = (clock.now - start).components
        let longest = whole.seconds * 1000 + whole.attoseconds / 1_000_000_000_000_000
        let dump = """
            sqlite3 store.sqlite "SELECT Z_PK, Z_ENT, Z_OPT, ZNAME, ZLEVEL, ZOWNER FROM ZTODO; \
            SELECT * FROM ZPERSON; SELECT * FROM ZTAG"
            """
        let expected = try folder.shell(dump).output
        #expect(expected.split(separator: "\n").count == 20_000 + 11 + 12)
        let wanted = Int(ProcessInfo.processInfo.environment["ETL_KILLS"] ?? "") ?? 10
        let seed = TestSeed.ofThisRun
        var random = SeededGenerator(seed: seed)
        var killed = 0
        for round in 0..<(10 * wanted) where killed < wanted {
            try folder.shell("rm -f store.sqlite*; cp first.sqlite store.sqlite")
            let delay = Double(random.pick(Int(max(1, longest)))) / 1000
            let result = try folder.shell(
                """
                "$E" migrate store.sqlite --to after.yaml > /dev/null & run=$!
                ( sleep \(delay); kill -KILL $run 2> /dev/null ) &
                wait $run
                """)
            if result.status == 137 { killed += 1 }
            let version = try folder.shell(
                """
                "$E" verify store.sqlite --model before.yaml && echo old ||
                "$E" verify store.sqlite --model after.yaml && echo new
                """)
            #expect(
                version.output.hasSuffix("old\n") || version.output.hasSuffix("new\n"),
                "seed \(seed), round \(round): \(version.output)\(version.errors)")
            // The next migration finishes, or starts over.
            let next = try folder.shell("\"$E\" migrate store.sqlite --to after.yaml")
            #expect(next.status == 0, "seed \(seed), round \(round): \(next.errors)")
            #expect(try folder.shell(dump).output == expected, "seed \(seed), round \(round)")
            let left = folder.names().filter { $0.hasPrefix("store.sqlite") }
            #expect(
                left == ["store.sqlite", "store.sqlite.bak-v1", "store.sqlite.etl-lock"],
                "seed \(seed), round \(round)")
        }
        #expect(killed > 0, "seed \(seed)")
    }
}
