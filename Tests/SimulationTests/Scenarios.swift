import AppStoreFixtures
import Files
import Foundation
import GraphModel
import GraphStore
import TestSeeds

@testable import Pipelines

extension Scenario {
    static let model = """
        model: 1
        version: v1
        entities:
          Task:
            attributes:
              id: { type: Integer 32, optional: false }
              title: { type: String, pattern: "[^z]*" }
              size: { type: Integer 32, default: 0 }
            relationships:
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
          Log:
            attributes: { text: String, number: Integer 32 }
        """

    /// The next version of the model, to which a store can be migrated without a mapping.
    private static let laterModel = model.replacing("version: v1", with: "version: v2").replacing(
        "title: { type: String, pattern: \"[^z]*\" }",
        with: "name: { type: String, renamed-from: title }\n      note: String")

    /// Returns records of tasks in a random or ascending order, of which some are rejected.
    static func tasks(_ ids: Range<Int>, seed: UInt64, ordered: Bool = false, bad: Int = 8)
        -> String
    {
        var random = SeededGenerator(seed: seed)
        let numbers = ordered ? Array(ids) : ids.shuffled(using: &random)
        return numbers.map { id in
            let title = random.chance(bad) ? "zz" : "t\(random.pick(1000))"
            let tags = (0..<random.pick(3)).map { _ in "\"g\(random.pick(6))\"" }
            let owner = random.chance(70) ? "\"p\(random.pick(9))\"" : "null"
            return "{\"id\":\(id),\"title\":\"\(title)\",\"size\":\(random.pick(50)),"
                + "\"owner\":\(owner),\"tags\":[\(tags.joined(separator: ","))]}\n"
        }.joined()
    }

    static func logs(_ count: Int, _ name: String) -> String {
        (0..<count).map {
            "{\"text\":\"\(name) \($0)\",\"number\":\($0 % 17 == 3 ? "\"x\"" : "\($0)")}\n"
        }
        .joined()
    }

    /// Returns a spec with the given stages for `store.sqlite`.
    static func spec(
        _ stages: String, open: String = "create", store: String = "", saveEvery: Int = 17
    ) -> String {
        """
        etl: 1
        name: nightly
        store: { at: store.sqlite, model: model.yaml, open: \(open)\(store) }
        rejects: { allow: 100% }
        budget: { save-every: \(saveEvery) }
        stages:
        \(stages)

        """
    }

    static let importTasks = """
          - import: tasks
            read: { files: "tasks*.ndjson" }
            into: Task
            link:
              owner: { by: { name: owner }, missing: create }
              tags: { by: { name: "tags[*]" }, missing: create }
        """
    static let importLogs = """
          - import: logs
            read: { files: "logs*.ndjson" }
            into: Log
            when-found: append
        """
    static let exportTasks = """
          - { export: Task, to: out/tasks.ndjson }
        """

    /// Creates a store of 60 tasks with a spec of another name.
    private static func fill(_ place: WorkLocation, _ store: String = "") throws {
        try place.write("model.yaml", model)
        try place.write("tasks.ndjson", tasks(0..<60, seed: 1, ordered: true))
        try place.write(
            "first.yaml",
            spec(importTasks, store: store, saveEvery: 1000)
                .replacing("name: nightly", with: "name: first"))
        try place.mustRun("first.yaml")
        for name in ["runs", "rejects"] {
            try? FileManager.default.removeItem(atPath: place.path(name))
        }
    }

    /// Returns a scenario that runs a spec on a filled store.
    private static func filled(
        _ name: String, _ stages: String, store: String = "", files: [String: String] = [:],
        open: String = "create", saveEvery: Int = 17
    ) -> Scenario {
        Scenario(name: name) { place in
            try fill(place, store.replacing(", commit: run", with: ""))
            for (name, text) in files { try place.write(name, text) }
            try place.write(
                "spec.yaml", spec(stages, open: open, store: store, saveEvery: saveEvery))
        } work: {
            $0.run()
        }
    }

    static let all: [Scenario] = [
        Scenario(name: "first load") { place in
            try place.write("model.yaml", model)
            try place.write("tasks-1.ndjson", tasks(0..<70, seed: 2))
            try place.write("tasks-2.ndjson", tasks(50..<90, seed: 3))
            try place.write("spec.yaml", spec(importTasks + "\n" + exportTasks))
        } work: {
            $0.run()
        },
        filled("sections", importTasks, files: ["tasks.ndjson": tasks(20..<120, seed: 4)]),
        filled(
            "links",
            """
              - import: tasks
                read: { files: tasks.ndjson }
                into: Task
                when-found: update
                set: { title: title }
                link:
                  owner: { by: { name: owner } }
                  tags: { by: { name: "tags[*]" }, missing: create }
            """, files: ["tasks.ndjson": tasks(0..<80, seed: 5)]),
        filled(
            "append", importLogs,
            files: ["logs-1.ndjson": logs(60, "a"), "logs-2.ndjson": logs(50, "b")]),
        filled(
            "skip", importTasks + "\n    when-found: skip",
            files: ["tasks.ndjson": tasks(20..<110, seed: 6)]),
        filled(
            "reject", importTasks + "\n    when-found: reject",
            files: ["tasks.ndjson": tasks(30..<100, seed: 7)]),
        Scenario(name: "replay", hasTotals: false) { place in
            try fill(place)
            let stages = importTasks.replacing("missing: create", with: "missing: reject")
            let lines = (200..<260).map { "{\"id\":\($0),\"owner\":\"new\($0 % 9)\"}\n" }
            try place.write("tasks.ndjson", lines.joined())
            try place.write("spec.yaml", spec(stages))
            try place.mustRun()
            let people = (0..<7).map { "{\"name\":\"new\($0)\"}\n" }.joined()
            try place.write("people.ndjson", people)
            try place.write("people.yaml", spec("  - { import: people.ndjson, into: Person }"))
            try place.mustRun("people.yaml")
            try? FileManager.default.removeItem(atPath: place.path("runs"))
        } work: {
            $0.replay()
        },
        filled(
            "mirror", importTasks + "\n    mirror: { where: ALL, at-most: 100% }",
            files: ["tasks.ndjson": tasks(30..<90, seed: 8, bad: 0)]),
        filled(
            "commit: run",
            importLogs + "\n" + exportTasks + "\n"
                + importTasks.replacing("tasks*", with: "more*").replacing(
                    "import: tasks", with: "import: more")
                + "\n  - { export: Log, to: out/logs.csv }", store: ", commit: run",
            files: [
                "logs.ndjson": logs(60, "a"), "more.ndjson": tasks(40..<100, seed: 9),
            ]),
        filled(
            "open: replace", importLogs + "\n" + importTasks + "\n" + exportTasks,
            files: [
                "logs.ndjson": logs(60, "a"), "tasks.ndjson": tasks(40..<100, seed: 10),
            ], open: "replace"),
        filled(
            "update",
            """
              - update: grow
                entity: Task
                where: ALL
                set: { size: "size + 1" }
              - update: shrink
                entity: Task
                where: "id < 30"
                set: { size: "size * 2" }
            """, saveEvery: 10),
        filled(
            "delete",
            """
              - delete: some
                entity: Task
                where: "id < 25"
              - delete: others
                entity: Person
                where: "name == 'p1'"
            """, saveEvery: 7),
        filled(
            "export",
            exportTasks + """

                  - { export: Task, where: "id < 30", fields: [id, title], to: out/some.csv }
                  - { export: Person, to: other/people.ndjson.gz }
                """),
        filled(
            "history",
            importTasks + "\n" + """
                  - update: grow
                    entity: Task
                    where: "id < 40"
                    set: { size: "size + 1" }
                """, store: ", history: { keep: 7d }",
            files: ["tasks.ndjson": tasks(20..<100, seed: 11)]),
        Scenario(name: "migrate") { place in
            try fill(place)
            try place.write("model2.yaml", laterModel)
        } work: { place in
            let migration = StoreMigration(
                store: place.path("store.sqlite"), to: place.path("model2.yaml"),
                progress: RunProgress(), interruption: Interruption())
            do throws(RunFailure) {
                _ = try migration.run { _, _ in }
                return Ending(.ok)
            } catch {
                return Ending(error)
            }
        },
        Scenario(name: "migrate while opening") { place in
            try fill(place)
        } work: { place in
            let (read, diagnostics) = ModelFile.read(text: laterModel)
            guard let model = read else { return Ending(.software, "\(diagnostics)") }
            var options = StoreOptions()
            options.migration = .automatic
            do throws(StoreError) {
                _ = try PersistentContainer(
                    model: model, .sqlite(at: place.path("store.sqlite"), options: options))
                return Ending(.ok)
            } catch {
                return Ending(RunFailure(error))
            }
        },
        Scenario(name: "repair") { place in
            try fill(place)
        } work: { place in
            let target = place.path("repaired.sqlite")
            // An earlier attempt may have finished without reporting it.
            if Disk.exists(target), (try? FileSystem.removeAll(target)) == nil {
                return Ending(.ioError, "the repaired store stays")
            }
            do throws(RunFailure) {
                _ = try StoreCheck(store: place.path("store.sqlite"), model: nil).repair(to: target)
                return Ending(.ok)
            } catch {
                return Ending(error)
            }
        },
        Scenario(name: "app store") { place in
            let (read, diagnostics) = ModelFile.read(text: AppStoreFixture.modelText)
            guard let model = read else { throw Unprepared(text: "\(diagnostics)") }
            try AppStoreFixture.make(at: place.path("Shelf.sqlite"), model)
            let tags = (0..<40).map { "{\"name\":\"tag \($0)\"}\n" }.joined()
            try place.write("tags.ndjson", tags)
            try place.write(
                "spec.yaml",
                """
                etl: 1
                name: shelf
                store: { at: Shelf.sqlite }
                budget: { save-every: 11 }
                stages:
                  - import: tags
                    read: { files: tags.ndjson }
                    into: Tag
                  - update: relabel
                    entity: Shelf
                    where: "label == 'Upper'"
                    set: { label: "'Top'" }
                  - delete: bob
                    entity: Person
                    where: "name == 'Bob'"
                  - { export: Tag, to: out/tags.ndjson }

                """)
        } work: {
            $0.run()
        },
    ]
}
