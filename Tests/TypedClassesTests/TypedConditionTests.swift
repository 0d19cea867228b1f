import Foundation
import GraphStore
import Testing

/// Conditions on several properties select the same objects from the store and from the context.
@Suite("Typed conditions on several properties") struct TypedConditionTests {
    private static let rows: [(title: String, notes: String?, priority: Int16, views: Int64)] = [
        ("sea", "a*", 0, 0), ("a.b", "a.b", 1, 5), ("sea shell", "sea s.*", 2, -7),
        ("Sea", "se", 1, 6), ("plain", nil, 2, 2),
    ]

    private static let cases: [(TypedPredicate<Task>, [String])] = [
        (TypedPredicate { $0.title.contains($0.notes) }, ["a.b"]),
        (TypedPredicate { $0.title.contains($0.notes, [.c]) }, ["Sea", "a.b"]),
        (TypedPredicate { $0.title.beginsWith($0.notes, [.c]) }, ["Sea", "a.b"]),
        (
            TypedPredicate { $0.title.endsWith($0.title) },
            ["Sea", "a.b", "plain", "sea", "sea shell"]
        ),
        (TypedPredicate { $0.title.like($0.parent.notes) }, ["a.b"]),
        (TypedPredicate { $0.title.matches($0.notes) }, ["a.b", "sea shell"]),
        (TypedPredicate { $0.notes.in($0.title) }, ["a.b"]),
        (
            TypedPredicate { $0.title.in($0.parent.subtasks.title) },
            ["a.b", "plain", "sea shell"]
        ),
        (TypedPredicate { $0.views.in($0.parent.subtasks.priority) }, ["plain"]),
        (TypedPredicate { $0.priority.in($0.parent.subtasks.views) }, ["plain"]),
        (TypedPredicate { $0.parent.in($0.related) }, ["a.b"]),
        (TypedPredicate { $0.related.contains($0.parent) }, ["a.b"]),
        (\.priority == \.views, ["plain", "sea"]),
        (\.views > \.priority, ["Sea", "a.b"]),
        (\.views <= \.estimate, ["plain", "sea", "sea shell"]),
        (-\.views > 0, ["sea shell"]),
        (2 ** \.priority > \.views, ["plain", "sea", "sea shell"]),
        (\.views & 4 == 4, ["Sea", "a.b"]),
        (\.views | \.priority == 7, ["Sea"]),
        (\.views ^ \.priority == 7, ["Sea"]),
        (1 << \.priority == 4, ["plain", "sea shell"]),
        (\.views >> 1 == -4, ["sea shell"]),
        (~\.views == 6, ["sea shell"]),
    ]

    private func fill(_ context: ManagedObjectContext) {
        let tasks = Self.rows.map { row in
            context.insert(Task.self) {
                $0.id = UUID()
                $0.title = row.title
                $0.notes = row.notes
                $0.priority = row.priority
                $0.views = row.views
                $0.estimate = Double(row.priority)
            }
        }
        tasks[0].subtasks = [tasks[1], tasks[2]]
        tasks[3].subtasks = [tasks[4]]
        tasks[1].related = [tasks[0]]
    }

    private func context() throws -> ManagedObjectContext {
        let container = try PersistentContainer.ephemeral(model: .example("tasks"))
        container.register(TasksClasses.all)
        return container.newContext()
    }

    @Test("the store and the context agree on every operator")
    func selection() throws {
        let unsaved = try context()
        fill(unsaved)
        let saved = try context()
        fill(saved)
        try saved.save()
        saved.reset()
        for (predicate, titles) in Self.cases {
            let request = Task.request.where(predicate).sort(\.title)
            let text = Comment(rawValue: predicate.predicate.description)
            #expect(try saved.fetch(request).map(\.title) == titles, text)
            #expect(try unsaved.fetch(request).map(\.title) == titles, text)
        }
    }

    @Test("a batch update computes with powers, bits, and negations")
    func update() throws {
        let context = try context()
        fill(context)
        try context.save()
        let result = try context.execute(
            BatchUpdateRequest(
                Task.request.where(\.views >= 0),
                set: [
                    \.estimate: -\.estimate, \.steps: ~\.priority,
                    \.views: (\.views & ~4 | 8) ^ 2 ** \.priority,
                ]))
        #expect(result.updated == 4)
        let lines = try context.fetch(Task.request.sort(\.title)).map {
            "\($0.title) \($0.views) \($0.steps ?? 0) \($0.estimate ?? 0)"
        }
        #expect(
            lines == [
                "Sea 8 -2 -1.0", "a.b 11 -2 -1.0", "plain 14 -3 -2.0", "sea 9 -1 0.0",
                "sea shell -7 0 2.0",
            ])
    }

    @Test("a batch update whose power or shift does not fit changes nothing")
    func misfits() throws {
        let context = try context()
        fill(context)
        try context.save()
        let values: [(TypedExpression<Task>, String)] = [
            (\.priority << 31, "'steps' of 4 objects would be outside Integer 32"),
            ((\.priority + 30) ** 30, "The result of the arithmetic is too large"),
        ]
        for (value, message) in values {
            let error = #expect(throws: StoreError.self) {
                try context.execute(BatchUpdateRequest(Task.request, set: [\.steps: value]))
            }
            #expect(error?.message == message)
        }
        #expect(try context.count(for: Task.request.where(\.steps == nil)) == 5)
    }
}
