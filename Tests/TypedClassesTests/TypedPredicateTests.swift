import Foundation
import GraphModel
import GraphStore
import Testing

@Suite("Typed predicates") struct TypedPredicateTests {
    private static let expressions: [(TypedPredicate<Task>, String)] = [
        (\.notes == \.title, "notes == title"),
        (\.title != \.notes, "title != notes"),
        (\.priority <= \.priority, "priority <= priority"),
        (\.estimate >= \.estimate, "estimate >= estimate"),
        (\.priority + 1 > 2, "priority + 1 > 2"),
        (\.priority - \.views == 0, "priority - views == 0"),
        (\.estimate * 2 / \.weight <= 1.5, "estimate * 2 / weight <= 1.5"),
        (\.views != \.priority * 3, "views != priority * 3"),
        (\.priority + 1 < \.views, "priority + 1 < views"),
        (\.priority + \.views >= \.steps + 1, "priority + views >= steps + 1"),
        (\.priority == \.views, "priority == views"),
        (\.steps != \.priority, "steps != priority"),
        (\.views < \.steps, "views < steps"),
        (\.views <= \.estimate, "views <= estimate"),
        (\.price > \.priority, "price > priority"),
        (\.weight >= \.views, "weight >= views"),
        (-\.priority < 0, "-priority < 0"),
        (-(\.priority + 1) == \.views, "-(priority + 1) == views"),
        (10 - \.priority > 8, "10 - priority > 8"),
        (\.priority ** 2 == 4, "priority ** 2 == 4"),
        (2 ** \.priority ** 2 > \.views, "2 ** priority ** 2 > views"),
        (\.views * \.priority ** \.steps > 1, "views * priority ** steps > 1"),
        (\.views & 4 == 4, "views & 4 == 4"),
        (\.views & \.priority == 0, "views & priority == 0"),
        (\.views | \.steps != 0, "views | steps != 0"),
        (\.views ^ 1 < \.steps, "views ^ 1 < steps"),
        (1 << \.priority >= \.views, "1 << priority >= views"),
        (\.views >> \.priority == 1, "views >> priority == 1"),
        (~\.views == -1, "~views == -1"),
        (\.views & ~\.priority == 8, "views & ~priority == 8"),
        (~(\.views >> 1) | 1 == 1, "~(views >> 1) | 1 == 1"),
    ]

    private static let propertyPairs: [(TypedPredicate<Task>, String)] = [
        (TypedPredicate { $0.title.contains($0.notes) }, "title CONTAINS notes"),
        (TypedPredicate { $0.notes.beginsWith($0.title, [.c]) }, "notes BEGINSWITH[c] title"),
        (TypedPredicate { $0.title.endsWith($0.category.name) }, "title ENDSWITH category.name"),
        (TypedPredicate { $0.title.like($0.notes) }, "title LIKE notes"),
        (TypedPredicate { $0.title.matches($0.notes, [.d]) }, "title MATCHES[d] notes"),
        (TypedPredicate { $0.title.equals($0.notes, [.c]) }, "title ==[c] notes"),
        (TypedPredicate { $0.title.in($0.notes) }, "title IN notes"),
        (TypedPredicate { $0.notes.in($0.subtasks.title) }, "notes IN subtasks.title"),
        (TypedPredicate { $0.steps.in($0.subtasks.views) }, "steps IN subtasks.views"),
        (
            TypedPredicate { $0.subtasks.any.title.contains($0.title) },
            "ANY subtasks.title CONTAINS title"
        ),
        (
            TypedPredicate { $0.views.between($0.priority, $0.steps) },
            "views BETWEEN {priority, steps}"
        ),
        (TypedPredicate { $0.priority <= $0.views }, "priority <= views"),
        (TypedPredicate { $0.category == $0.parent.category }, "category == parent.category"),
        (\.category != \.parent.category, "category != parent.category"),
        (TypedPredicate { $0.parent.in($0.related) }, "parent IN related"),
        (TypedPredicate { $0.related.contains($0.parent) }, "related CONTAINS parent"),
        (TypedPredicate { $0.views.key & 4 << $0.priority == 4 }, "views & (4 << priority) == 4"),
        (TypedPredicate { ~$0.views.key ^ 2 ** $0.steps | 1 == 1 }, "~views ^ 2 ** steps | 1 == 1"),
        (TypedPredicate { $0.views.key >> 1 == 1 }, "views >> 1 == 1"),
    ]

    private static let cases: [(TypedPredicate<Task>, String)] = [
        (\.title == "x", "title == 'x'"),
        (\.title != "x", "title != 'x'"),
        (\.priority < 1, "priority < 1"),
        (\.priority <= 1, "priority <= 1"),
        (\.estimate > 1.5, "estimate > 1.5"),
        (\.estimate >= 1.5, "estimate >= 1.5"),
        (\.notes == nil, "notes == nil"),
        (\.notes < \.draftless, "notes < notes"),
        (\.notes > \.draftless, "notes > notes"),
        (\.isCompleted == true, "isCompleted == YES"),
        (\.default == false, "default == NO"),
        (\.category.name == "a", "category.name == 'a'"),
        (\.category == nil, "category == nil"),
        (\.category != nil, "category != nil"),
        (\.parent.category.name != "a", "parent.category.name != 'a'"),
        (\.subtasks.any.title == "a", "ANY subtasks.title == 'a'"),
        (\.category.tasks.none.title == "a", "NONE category.tasks.title == 'a'"),
        (
            \.title == "x" && \.priority > 1 || \.notes == nil,
            "title == 'x' AND priority > 1 OR notes == nil"
        ),
        (
            !(\.title == "x" || \.priority > 1) && \.notes != nil,
            "NOT (title == 'x' OR priority > 1) AND notes != nil"
        ),
        (TypedPredicate { $0.title.contains("x", [.c, .d]) }, "title CONTAINS[cd] 'x'"),
        (TypedPredicate { $0.subtasks.all.priority > 1 }, "ALL subtasks.priority > 1"),
        (TypedPredicate { $0.subtasks.isEmpty }, "subtasks.@count == 0"),
        (TypedPredicate { $0.subtasks.sum(\.views) > 3 }, "subtasks.@sum.views > 3"),
        (TypedPredicate { $0.subtasks.average(\.estimate) > 3 }, "subtasks.@avg.estimate > 3"),
        (TypedPredicate { $0.subtasks.minimum(\.priority) == 0 }, "subtasks.@min.priority == 0"),
        (TypedPredicate { $0.subtasks.maximum(\.priority) == 2 }, "subtasks.@max.priority == 2"),
        (TypedPredicate { $0.category.isNil }, "category == nil"),
        (TypedPredicate { $0.parent.category.isNotNil }, "parent.category != nil"),
        (
            TypedPredicate { $0.related.any.category.name == "a" },
            "ANY related.category.name == 'a'"
        ),
    ]

    @Test(
        "each typed predicate gives the same tree as its text",
        arguments: 0..<(cases.count + expressions.count + propertyPairs.count))
    func sameTreeAsText(index: Int) throws {
        let (typed, text) = (Self.cases + Self.expressions + Self.propertyPairs)[index]
        #expect(typed.predicate == (try GraphPredicate(format: text)))
    }

    @Test("sort orders accumulate, and a second condition narrows the first")
    func requests() throws {
        let request = Task.request.where(\.title == "x").where { $0.priority > 1 }
            .sort(\.category.name, ascending: false, textOrder: .caseInsensitive)
            .sort(\.dueOn, nullOrder: .last).prefetch(\.category).prefetch(\.subtasks)
        #expect(request.entityName == "Task")
        #expect(request.predicate == (try GraphPredicate(format: "title == 'x' AND priority > 1")))
        #expect(
            request.sortDescriptors == [
                GraphSortDescriptor(
                    ["category", "name"], ascending: false, textOrder: .caseInsensitive),
                GraphSortDescriptor(["dueOn"], nullOrder: .last),
            ])
        #expect(request.relationshipKeyPathsForPrefetching == ["category", "subtasks"])
        #expect(Errand.request.entityName == "Errand")
    }

    @Test("objects and references are compared by their IDs")
    func objects() throws {
        let container = try PersistentContainer.ephemeral(model: .example("tasks"))
        container.register(TasksClasses.all)
        let context = container.newContext()
        let homes = ["A", "B"].map { name in context.insert(Category.self) { $0.name = name } }
        for (index, home) in homes.enumerated() {
            context.insert(Task.self) {
                $0.id = UUID()
                $0.title = "in \(index)"
                $0.category = home
            }
        }
        try context.save()
        func titles(_ predicate: TypedPredicate<Task>) throws -> [String] {
            try context.fetch(Task.request.where(predicate).sort(\.title)).map(\.title)
        }
        #expect(try titles(\.category == homes[0]) == ["in 0"])
        #expect(try titles(\.category != homes[0]) == ["in 1"])
        let references = homes.map { Ref($0) }
        #expect(try titles(TypedPredicate { $0.category.in(references) }) == ["in 0", "in 1"])
    }
}

extension ObjectKeys where KeyedObject: Task {
    /// A second key of the same type, because the model has only one optional text.
    fileprivate var draftless: Key<String?> { Key("notes") }
}
