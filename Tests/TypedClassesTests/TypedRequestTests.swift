import Foundation
import GraphStore
import Testing

@Suite("Typed requests and values") struct TypedRequestTests {
    private let container: PersistentContainer

    init() throws {
        container = try PersistentContainer.ephemeral(model: .example("tasks"))
        container.register(TasksClasses.all)
        let context = container.newContext()
        for (priority, title) in ["Water", "Read", "Sleep"].enumerated() {
            context.insert(Task.self) {
                $0.id = UUID()
                $0.title = title
                $0.priority = Int16(priority)
                $0.estimate = Double(priority) + 0.5
            }
        }
        try context.save()
    }

    private func lines() throws -> [String] {
        let context = container.newContext()
        return try context.fetch(Task.request.sort(\.title)).map {
            "\($0.title) \($0.priority) \($0.isCompleted) \($0.estimate ?? -1) "
                + "\($0.category?.name ?? "-")"
        }
    }

    @Test("a batch update sets literals, values, arithmetic, other properties, and objects")
    func update() throws {
        let context = container.newContext()
        let home = context.insert(Category.self) { $0.name = "Home" }
        try context.save()
        let result = try context.execute(
            BatchUpdateRequest(
                Task.request.where(\.priority + 1 < 3),
                set: [
                    \.isCompleted: true, \.priority: \.priority + 1, \.estimate: .key(\.priority),
                    \.category: .object(home),
                ]))
        try context.save()
        #expect(result.updated == 2)
        #expect(
            try lines() == ["Read 2 true 1.0 Home", "Sleep 2 false 2.5 -", "Water 1 true 0.0 Home"])
        let day = Date(timeIntervalSinceReferenceDate: 3)
        _ = try context.execute(
            BatchUpdateRequest(
                Task.request, set: [\.dueOn: .value(day), \.estimate: nil, \.category: nil]))
        try context.save()
        #expect(
            try lines() == ["Read 2 true -1.0 -", "Sleep 2 false -1.0 -", "Water 1 true -1.0 -"])
        #expect(try context.count(for: Task.request.where(\.dueOn == day)) == 3)
    }

    @Test("a batch update with a value of another type fails and changes nothing")
    func misfit() throws {
        let context = container.newContext()
        let before = try lines()
        let error = #expect(throws: GraphPredicateError.self) {
            try context.execute(BatchUpdateRequest(Task.request, set: [\.priority: "high"]))
        }
        #expect(error?.message == "'priority' (Integer 16) cannot hold text")
        #expect(try lines() == before)
    }

    @Test("a batch delete uses the predicate, the class, and the limit of a typed request")
    func delete() throws {
        let context = container.newContext()
        context.insert(Errand.self) {
            $0.id = UUID()
            $0.title = "Post"
        }
        try context.save()
        _ = try context.execute(BatchDeleteRequest(Errand.request))
        _ = try context.execute(BatchDeleteRequest(Task.request.where { $0.title.contains("e") }))
        try context.save()
        #expect(try lines() == [])
        var limited = Task.request
        limited.fetchLimit = 2
        #expect(BatchDeleteRequest(limited).fetchLimit == 2)
        #expect(BatchDeleteRequest(Task.request).fetchLimit == nil)
    }

    @Test("properties are read and set by name as Swift values")
    func valuesByName() throws {
        func update(
            _ object: ManagedObject, changes: [String: (any AttributeValue)?]
        ) throws {
            try object.setValues(changes)
        }
        let context = container.newContext()
        let task = context.insert(Task.self)
        let day = Date(timeIntervalSinceReferenceDate: 60)
        try update(
            task, changes: ["title": "Walk", "priority": Int16(2), "dueOn": day, "notes": nil])
        try task.setValue("by name", forKey: "notes")
        try task.setValue(2.5, forKey: "estimate")
        #expect(task.title == "Walk" && task.priority == 2 && task.dueOn == day)
        #expect(try task.value(forKey: "notes").value() == "by name")
        #expect(try task.value(forKey: "estimate").value(as: Double.self) == 2.5)
        #expect(try task.value(forKey: "title").value(as: Int.self) == nil)
        #expect(try task.value(forKey: "category").object == nil)
        #expect(try task.value(forKey: "subtasks").objects == [])
        #expect(throws: StoreError.self) { try update(task, changes: ["titel": "x"]) }
    }

    @Test("an existing object is returned as the requested class")
    func existing() throws {
        let context = container.newContext()
        let task = try #require(context.fetch(Task.request.sort(\.title)).first)
        let other = container.newContext()
        #expect(try other.existingObject(Task.self, with: task.objectID).title == "Read")
        #expect(try other.existingObject(Ref(task)).title == "Read")
        let error = #expect(throws: StoreError.self) {
            try other.existingObject(Errand.self, with: task.objectID)
        }
        #expect(error?.code == .invalidRequest)
        let gone = ManagedObjectID(entityNumber: task.objectID.entityNumber, primaryKey: 99)
        #expect(throws: StoreError.self) { try other.existingObject(Task.self, with: gone) }
    }

    @Test("rows and references encode IDs as URIs and decode them again")
    func rowsAsURIs() throws {
        let context = container.newContext()
        let task = try #require(context.fetch(Task.request.sort(\.title)).first)
        task.category = context.insert(Category.self) { $0.name = "Home" }
        try context.save()
        let row = Task.Row(task)
        let encoder = JSONEncoder()
        encoder.userInfo[.objectURIs] = container.objectURIs
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = try encoder.encode(row)
        let text = String(decoding: json, as: UTF8.self)
        let category = try #require(task.category)
        let uris = [task.objectID, category.objectID].compactMap(container.uri)
        #expect(uris.count == 2 && uris[0].hasPrefix("x-coredata://"))
        #expect(text.contains("\"category\":{\"id\":\"\(uris[1])\"}"), "\(text)")
        #expect(text.contains("\"objectID\":\"\(uris[0])\""), "\(text)")
        let decoder = JSONDecoder()
        decoder.userInfo[.objectURIs] = container.objectURIs
        #expect(try decoder.decode(Task.Row.self, from: json) == row)
        let foreign = try PersistentContainer.ephemeral(model: .example("tasks"))
        decoder.userInfo[.objectURIs] = foreign.objectURIs
        #expect(throws: DecodingError.self) { try decoder.decode(Task.Row.self, from: json) }
        let numbers = try JSONEncoder().encode(row)
        #expect(try JSONDecoder().decode(Task.Row.self, from: numbers) == row)
    }

    @Test("a Transformable whose type the model names is read and set as that type")
    func transformable() throws {
        let context = container.newContext()
        let task = try #require(context.fetch(Task.request.sort(\.title)).first)
        #expect(task.spot == nil)
        task.spot = Spot(x: 1, y: -2)
        try context.save()
        let other = container.newContext()
        let again = try other.existingObject(Ref(task))
        #expect(again.spot == Spot(x: 1, y: -2))
        #expect(Task.Row(again).spot == Data(#"{"x":1,"y":-2}"#.utf8))
        again.spot = nil
        #expect(again.spot == nil)
        try other.save()
        #expect(try context.count(for: Task.request.where(\.spot != nil)) == 0)
    }

    @Test("several objects are added to and removed from a to-many relationship at once")
    func sequences() throws {
        let context = container.newContext()
        let tasks = try context.fetch(Task.request.sort(\.title))
        tasks[0].addToSubtasks(tasks.dropFirst())
        #expect(tasks[0].subtasks == [tasks[1], tasks[2]])
        tasks[0].removeFromSubtasks(Set(tasks.suffix(1)))
        #expect(tasks[0].subtasks == [tasks[1]])
        try context.save()
    }
}
