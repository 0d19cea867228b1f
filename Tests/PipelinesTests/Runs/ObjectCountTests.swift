import Testing

@testable import Pipelines

/// The objects that a stage has changed, which the report counts once for each save.
@Suite("Counts of changed objects") struct ObjectCountTests {
    private static let model = """
        model: 1
        entities:
          Category:
            attributes: { id: { type: Integer 64, optional: false }, name: String }
            relationships: { tasks: { to: Task, many: true, inverse: category } }
            unique: [[id]]
          Task:
            attributes:
              id: { type: Integer 64, optional: false }
              categoryName: { type: String, derived: "category.name" }
            relationships: { category: { to: Category, inverse: tasks } }
            unique: [[id]]
        """
    private static let tasks = """
          - import: tasks
            read: { files: tasks.ndjson }
            into: Task
            set: { id: id }
            set-only: true
            link: { category: { by: { id: category } } }
        """
    private static let categories =
        "  - { import: categories, read: { files: categories.ndjson }, into: Category }"

    /// Returns a folder with 40 categories, of which each of the first 20 has a task.
    private static func filled() throws -> Workspace {
        let folder = try Workspace()
        try folder.write("categories.ndjson", (1...40).map { "{\"id\":\($0)}\n" }.joined())
        try folder.write("tasks.ndjson", tasks(1...20) { $0 })
        let run = try folder.run(model: model, [categories, tasks].joined(separator: "\n"))
        #expect(run.status == .ok, "\(run.text)")
        return folder
    }

    /// Returns records of tasks with the numbers of their categories.
    private static func tasks(
        _ ids: ClosedRange<Int>, category: (Int) -> Int
    ) -> String {
        ids.map { "{\"id\":\($0),\"category\":\(category($0))}\n" }.joined()
    }

    /// Returns the counts of the last stage, such as `Task 3 updated`.
    private static func counts(_ run: Run) -> [String] {
        texts(run.outcome.stages.last?.objects ?? [])
    }

    /// Returns the counts of all stages together, as in the summary of the report.
    private static func total(_ run: Run) -> [String] {
        texts(RunReport.total(run.outcome.stages.flatMap(\.objects)))
    }

    private static func texts(_ counts: [ObjectCounts]) -> [String] {
        counts.map { count in
            let parts = [
                (count.inserted, "inserted"), (count.updated, "updated"),
                (count.deleted, "deleted"),
            ]
            return ([count.entity] + parts.filter { $0.0 > 0 }.map { "\($0) \($1)" })
                .joined(separator: " ")
        }
    }

    @Test(
        "an import counts the objects at both ends of its links, however often it saves",
        arguments: [1, 3, 20, 1000])
    func bothEnds(_ saveEvery: Int) throws {
        let folder = try Self.filled()
        try folder.write("tasks.ndjson", Self.tasks(1...20) { $0 + 20 })
        let run = try folder.run(
            model: Self.model, Self.tasks, top: "budget: { save-every: \(saveEvery) }")
        #expect(run.status == .ok, "\(run.text)")
        #expect(Self.counts(run) == ["Category 40 updated", "Task 20 updated"])
        #expect(Self.total(run) == Self.counts(run))
    }

    @Test(
        "the total of a run does not count objects that it inserted as updated, too",
        arguments: [1, 3, 1000])
    func insertedBefore(_ saveEvery: Int) throws {
        let folder = try Workspace()
        try folder.write("categories.ndjson", (1...40).map { "{\"id\":\($0)}\n" }.joined())
        try folder.write(
            "tasks.ndjson",
            Self.tasks(1...10) { $0 } + "{\"id\":\"a\"}\n{\"id\":\"b\"}\n"
                + Self.tasks(11...20) { $0 })
        func run(_ rejects: String) throws -> Run {
            try folder.run(
                model: Self.model, [Self.categories, Self.tasks].joined(separator: "\n"),
                top: "budget: { save-every: \(saveEvery) }\nrejects: { allow: 100%\(rejects) }")
        }
        #expect(try run(", abort: 1").status == .dataError)
        // The second attempt knows the objects of the first one.
        let last = try run("")
        #expect(last.outcome.attempts == 2)
        #expect(Self.total(last) == ["Category 40 inserted", "Task 20 inserted"])
        #expect(Self.counts(last) == ["Category 20 updated", "Task 20 inserted"])
        // Of the next run, these objects are existing ones.
        try folder.write(
            "categories.ndjson", (40...41).map { "{\"id\":\($0)}\n" }.joined())
        try folder.write("tasks.ndjson", Self.tasks(20...21) { $0 + 20 })
        let next = try run("")
        #expect(
            Self.total(next) == ["Category 1 inserted 2 updated", "Task 1 inserted 1 updated"])
    }

    @Test("an import that stopped counts the same objects in two attempts as in one")
    func resumed() throws {
        let folder = try Self.filled()
        try folder.write(
            "tasks.ndjson",
            Self.tasks(1...10) { $0 + 20 } + "{\"id\":\"a\"}\n{\"id\":\"b\"}\n"
                + Self.tasks(11...20) { $0 + 20 })
        func run(_ rejects: String) throws -> Run {
            try folder.run(
                model: Self.model, Self.tasks,
                top: "budget: { save-every: 3 }\nrejects: { allow: 100%\(rejects) }")
        }
        #expect(try run(", abort: 1").status == .dataError)
        let last = try run("")
        #expect(last.outcome.attempts == 2)
        #expect(Self.counts(last) == ["Category 40 updated", "Task 20 updated"])
    }

    @Test("a deletion counts the objects that lost a link")
    func deleted() throws {
        let folder = try Self.filled()
        let run = try folder.run(model: Self.model, "  - { delete: Task, where: id <= 5 }")
        #expect(Self.counts(run) == ["Category 5 updated", "Task 5 deleted"], "\(run.text)")
    }

    @Test("an update counts the objects whose derived attributes changed")
    func derived() throws {
        let folder = try Self.filled()
        let run = try folder.run(
            model: Self.model,
            """
              - update: names
                entity: Category
                where: id <= 5
                set: { name: "'a'" }
            """)
        #expect(Self.counts(run) == ["Category 5 updated", "Task 5 updated"], "\(run.text)")
    }
}
