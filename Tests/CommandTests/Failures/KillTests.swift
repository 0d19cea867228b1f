import Foundation
import TestSeeds
import Testing

extension Tag {
    /// Tests that take minutes if they run in full.
    @Tag static var slow: Self
}

/// Kills runs of the real command at random moments and repeats them until they are done.
///
/// Then the store, the export, the rejects, and the totals must equal the undisturbed results.
/// `ETL_KILLS=300` sets how many runs are killed.
@Suite("Killed runs", .serialized, .tags(.slow))
struct KillTests {
    static let model = """
        model: 1
        entities:
          Task:
            attributes:
              id: { type: Integer 32, optional: false }
              title: String
              size: { type: Integer 32, default: 0 }
            relationships:
              parent: { to: Task, inverse: children }
              children: { to: Task, many: true, inverse: parent }
              owner: { to: Person, inverse: tasks }
              tags: { to: Tag, many: true, inverse: tasks }
            unique: [[id]]
          Person:
            attributes: { name: { type: String, optional: false } }
            relationships: { tasks: { to: Task, many: true, inverse: owner } }
            unique: [[name]]
          Tag:
            attributes: { name: { type: String, optional: false } }
            relationships: { tasks: { to: Task, many: true, inverse: tags } }
            unique: [[name]]
        """

    static let tasks = """
        - import: tasks
          read: { files: tasks.ndjson }
          into: Task
          link:
            owner: { by: { name: owner }, missing: create }
            tags: { by: { name: "tags[*]" }, missing: create, many: add }
        """
    /// Large enough to be decoded in parts.
    static let filtered = tasks.replacing("files: tasks.", with: "files: padded.")
        .replacing("into: Task", with: "into: Task\n  keep-if: size != 3")
    /// Unordered, and enough records to be written in the order of their objects' rows.
    static let again = """
        - import: again
          read: { files: again.ndjson }
          into: Task
          link:
            owner: { by: { name: owner } }
            tags: { by: { name: "tags[*]" }, missing: create, many: add }
        """
    static let sizes = "- { import: sizes, read: { files: sizes.csv }, into: Task }"
    static let bump = """
        - { update: bump, entity: Task, where: "size < 50", set: { size: "size + 1" } }
        """
    static let parents = """
        - import: parents
          read: { files: parents.ndjson }
          into: Task
          link: { parent: { by: { id: parent } } }
        """
    static let delete = "- { delete: old, entity: Task, where: \"size == 3\" }"
    static let export = """
        - export: all
          entity: Task
          fields: [id, title, size, owner.name, parent.id, tags.name]
          to: out.csv
        """

    /// The option that opens the store, and the stages, by the name of the spec.
    static let specs: [String: (store: String, stages: [String])] = [
        "plain": ("open: create", [tasks, sizes, bump, export]),
        "filter": ("open: create", [filtered, sizes, export]),
        "sorted": ("open: create", [tasks, again, bump, export]),
        "links": ("open: create", [tasks, parents, export]),
        "run": ("open: create, commit: run", [tasks, bump, parents, sizes, export]),
        "stage": ("open: create, commit: stage", [tasks, bump, sizes, delete, export]),
        "replace": ("open: replace", [parents, tasks, bump, export]),
    ]

    /// All results of a run, except its name and times.
    struct Outcome: Equatable {
        var store: String
        var export: String
        var rejects: [String: String]
        /// The line of each stage.
        var totals: [String: String]
    }

    static let dump = """
        import sqlite3
        store = sqlite3.connect("store.sqlite")
        assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        print(*store.execute("SELECT name, sql FROM sqlite_master ORDER BY name"), sep="\\n")
        tables = store.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        for (table,) in tables.fetchall():
            if table == "Z_METADATA": continue
            # A version for each save that changed the object, and a run that goes on saves elsewhere.
            columns = [row[1] for row in store.execute(f"PRAGMA table_info({table})") if row[1] != "Z_OPT"]
            rows = store.execute(f"SELECT {', '.join(columns)} FROM {table}")
            print(table, *sorted(map(repr, rows)), sep="\\n")
        """

    /// Succeeds if the last stage is done and the store contains no notes of a run.
    static let isDone = """
        test -e out.csv && ! ls store.sqlite.etl-* 2> /dev/null | grep -qv lock &&
        python3 -c 'import sqlite3, sys
        names = sqlite3.connect("store.sqlite").execute("SELECT name FROM sqlite_master")
        sys.exit(("ETL_PROGRESS",) in names.fetchall())'
        """

    static func folder(_ name: String) throws -> FailureFolder {
        let spec = try #require(specs[name])
        let folder = try FailureFolder()
        try folder.write("model.yaml", model)
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, \(spec.store) }
            budget: { save-every: 250 }
            rejects: { allow: 100%, abort: 100% }
            stages:
            \(spec.stages.joined(separator: "\n"))
            """)
        try folder.write(".dump.py", dump)
        var (tasks, sizes, parents, again) = ("", "id,size\n", "", "")
        let count = 2000
        for number in 0..<count {
            let id = number % 333 == 5 ? 0 : number * 7919 % count
            tasks += "{\"id\":\(number % 400 == 7 ? "null" : "\(id)"),\"title\":\"t\(number)\","
            tasks += "\"size\":\(number % 100),\"owner\":\"p\(number % 57)\","
            tasks += "\"tags\":[\"a\(number % 5)\",\"b\(number % 7)\"]}\n"
            sizes += "\(number * 31 % count),\(number % 500 == 3 ? "x" : "\(number % 100)")\n"
            let parent = number % 211 == 1 ? 99_999_999 : 100_000 + (number * 13 + 1) % count
            parents += "{\"id\":\(100_000 + number),\"parent\":"
            parents += "\(number % 5 == 0 ? "null" : "\(parent)")}\n"
        }
        for number in stride(from: 0, to: count, by: 3) { sizes += "\(number),\(number % 9)\n" }
        for number in 0..<(4 * count) {
            let id = number * 7919 % (count + 40)
            again += "{\"id\":\(number % 900 == 7 ? "null" : "\(id)"),\"title\":\"u\(number)\","
            again += "\"size\":\(number % 700 == 3 ? "\"x\"" : "\(number % 100)"),"
            again += "\"owner\":\"\(number % 601 == 9 ? "nobody" : "p\(number % 57)")\","
            again += "\"tags\":[\"a\(number % 5)\",\"b\(number % 3)\"]}\n"
        }
        try folder.write("tasks.ndjson", tasks)
        let notes = "\"notes\":\"\(String(repeating: "x", count: 600))\",\"owner\""
        try folder.write("padded.ndjson", tasks.replacing("\"owner\"", with: notes))
        try folder.write("again.ndjson", again.replacing("\"owner\"", with: notes))
        try folder.write("sizes.csv", sizes)
        try folder.write("parents.ndjson", parents)
        return folder
    }

    /// Returns the lines of stages in a run's output, by stage.
    static func totals(_ errors: String) -> [String: String] {
        var totals: [String: String] = [:]
        for line in errors.split(separator: "\n") {
            guard let end = line.lastIndex(of: "("), let colon = line.firstIndex(of: ":"),
                line.hasSuffix(" s)")
            else { continue }
            totals[String(line[..<colon])] = String(line[..<end])
        }
        return totals
    }

    /// - Parameter sortsRejects: Whether to sort the rejects, whose order may depend on the kills.
    static func outcome(
        _ folder: FailureFolder, _ totals: [String: String], sortsRejects: Bool
    ) throws -> Outcome {
        let dump = try folder.shell("python3 .dump.py")
        #expect(dump.errors == "")
        var rejects: [String: String] = [:]
        for run in folder.names("rejects") {
            for file in folder.names("rejects/\(run)") {
                let name = run.prefix { $0 != "-" }
                rejects[file, default: ""] += folder.text("rejects/\(run)/\(file)")
                    .replacing(run.dropFirst(name.count + 1), with: "RUN")
                    .replacing(folder.path, with: "")
                guard sortsRejects else { continue }
                rejects[file] = rejects[file]?.split(separator: "\n").sorted().joined(
                    separator: "\n")
            }
        }
        return Outcome(
            store: dump.output, export: folder.text("out.csv"), rejects: rejects, totals: totals)
    }

    @Test("killed runs have the result of an undisturbed run", arguments: specs.keys.sorted())
    func killed(_ name: String) throws {
        let folder = try Self.folder(name)
        let clock = ContinuousClock()
        let start = clock.now
        let undisturbed = try folder.run("-v")
        let whole = (clock.now - start).components
        #expect(undisturbed.status == 0, "\(undisturbed.errors)")
        let expected = try Self.outcome(
            folder, Self.totals(undisturbed.errors), sortsRejects: name == "sorted")
        let longest = whole.seconds * 1000 + whole.attoseconds / 1_000_000_000_000_000

        let wanted = Int(ProcessInfo.processInfo.environment["ETL_KILLS"] ?? "") ?? 10
        let seed = TestSeed.ofThisRun
        var random = SeededGenerator(seed: seed)
        var killed = 0
        var rounds = 0
        while killed < (wanted + Self.specs.count - 1) / Self.specs.count, rounds < 10 * wanted {
            rounds += 1
            try folder.shell("rm -rf store.sqlite* out.csv .out.csv* rejects runs")
            var totals: [String: String] = [:]
            var status: Int32 = 137
            // Killed up to three times, and then not again.
            for attempt in 0..<4 where status != 0 {
                let delay = Double(random.pick(Int(max(1, longest)))) / 1000
                let killer = attempt == 3 ? ":" : "sleep \(delay); kill -KILL $run 2> /dev/null"
                let result = try folder.shell(
                    """
                    "$E" run -v spec.yaml & run=$!
                    ( \(killer) ) &
                    wait $run
                    """)
                status = result.status
                if status == 137 { killed += 1 }
                // The run was already complete, and the next run would be a new one.
                if status == 137, try folder.shell(Self.isDone).status == 0 { status = 0 }
                totals.merge(Self.totals(result.errors)) { $1 }
            }
            #expect(status == 0, "seed \(seed), round \(rounds)")
            // This includes runs that were killed after their last save.
            let reports = folder.names("runs").filter { $0.hasSuffix(".json") }
            #expect(!reports.isEmpty, "seed \(seed), round \(rounds)")
            var outcome = try Self.outcome(
                folder, totals, sortsRejects: name == "sorted")
            // The lines that a run would print between its last save and its kill are lost.
            outcome.totals = expected.totals.merging(totals) { $1 }
            #expect(outcome.store == expected.store, "seed \(seed), round \(rounds)")
            #expect(outcome.export == expected.export, "seed \(seed), round \(rounds)")
            #expect(outcome.rejects == expected.rejects, "seed \(seed), round \(rounds)")
            #expect(outcome.totals == expected.totals, "seed \(seed), round \(rounds)")
            let left = folder.names().filter { $0.hasPrefix("store.sqlite") }
            #expect(left == ["store.sqlite", "store.sqlite.etl-lock"], "seed \(seed)")
        }
        #expect(killed > 0, "seed \(seed)")
    }
}
