import GraphModel
import Testing

@testable import GraphStore

@Suite("Relationships") struct RelationshipTests {
    @Test("row 55: setting either side of a one-to-many relationship updates the other")
    func oneToMany() throws {
        try withObjects { store in
            let context = store.context()
            let home = context.insert(Category.self) { $0.name = "home" }
            let work = context.insert(Category.self) { $0.name = "work" }
            let tasks = (0..<3).map { _ in Todo(in: context) }
            home.tasks = tasks
            #expect(tasks.allSatisfy { $0.category === home })
            tasks[0].category = work
            #expect(home.tasks == [tasks[2], tasks[1]] || home.tasks == [tasks[1], tasks[2]])
            #expect(work.tasks == [tasks[0]])
            // Setting both sides by hand is redundant, and harmless.
            home.remove(tasks[1], from: Category.tasks)
            tasks[1].category = work
            work.add(tasks[1], to: Category.tasks)
            try context.save()
            try store.expect(
                "SELECT ZNAME, group_concat(t.Z_PK) FROM ZCATEGORY c LEFT JOIN ZTASK t"
                    + " ON t.ZCATEGORY = c.Z_PK GROUP BY 1", ["home|3", "work|1,2"])
            let other = store.context()
            let again = try other.existingObject(with: work.objectID)
            #expect(try again.objectIDs(for: "tasks") == tasks[0...1].map(\.objectID))
        }
    }

    @Test("row 55: a to-many fault accepts changes without being read")
    func changesUnderFaults() throws {
        try withObjects { store in
            let context = store.context()
            let home = Category(in: context)
            let tasks = (0..<3).map { _ in context.insert(Todo.self) { $0.category = home } }
            try context.save()
            let other = store.context()
            let category = try #require(other.object(with: home.objectID) as? Category)
            let new = Todo(in: other)
            new.category = category
            (other.object(with: tasks[0].objectID) as? Todo)?.category = nil
            #expect(category.hasFault(for: "tasks") && category.isUpdated)
            #expect(
                category.tasks.map(\.objectID)
                    == [tasks[1].objectID, tasks[2].objectID, new.objectID])
            try other.save()
            try store.expect("SELECT Z_PK FROM ZTASK WHERE ZCATEGORY = 1", ["2", "3", "4"])
        }
    }

    @Test("row 55: setting a one-to-one updates all four objects and both columns in the store")
    func oneToOne() throws {
        try withObjects { store in
            let context = store.context()
            let owner = Category(in: context)
            let tasks = (0..<2).map { _ in Todo(in: context) }
            let plans = try (0..<2).map { _ in
                let plan = try context.insert("Plan")
                plan[.toOne("owner")] = owner
                return plan
            }
            tasks[0][.toOne("plan")] = plans[0]
            tasks[1][.toOne("plan")] = plans[1]
            try context.save()
            try store.expect("SELECT Z_PK, ZPLAN FROM ZTASK ORDER BY 1", ["1|1", "2|2"])
            tasks[0][.toOne("plan")] = plans[1]
            #expect(plans[0][.toOne("task")] == nil)
            #expect(tasks[1][.toOne("plan")] == nil)
            #expect(plans[1][.toOne("task")] === tasks[0])
            try context.save()
            try store.expect("SELECT Z_PK, ZPLAN FROM ZTASK ORDER BY 1", ["1|2", "2|-"])
            try store.expect("SELECT Z_PK, ZTASK FROM ZPLAN", ["1|-", "2|1"])
        }
    }

    @Test("row 55: a many-to-many stores each pair once, and a self-inverse one links both objects")
    func manyToMany() throws {
        try withObjects { store in
            let context = store.context()
            let tags = (0..<3).map { number in
                context.insert(Tag.self) { $0.name = "\(number)" }
            }
            let one = Todo(in: context)
            let two = Todo(in: context)
            one.tags = [tags[0], tags[1]]
            tags[2].tasks = [one, two]
            one.add(two, to: .toMany("related"))
            try context.save()
            let join = try store.joinTable("tags", of: "Task")
            try store.expect(
                "SELECT \(join.ownerColumn), \(join.destinationColumn) FROM \(join.table)"
                    + " ORDER BY 1, 2", ["1|1", "1|2", "1|3", "2|3"])
            let other = store.context()
            let again = try #require(try other.existingObject(with: two.objectID) as? Todo)
            #expect(again[.toMany("related")].map(\.objectID) == [one.objectID])
            #expect(again.tags.map(\.objectID) == [tags[2].objectID])
            again[.toMany("related")] = []
            again.tags = []
            try other.save()
            try context.refreshAllObjects()
            #expect(one[.toMany("related")] == [])
            #expect(tags[2].tasks == [one])
        }
    }

    @Test("row 12: an ordered to-many keeps its order in memory and in the store")
    func ordered() throws {
        try withObjects { store in
            let context = store.context()
            let project = try context.insert("Project")
            let tasks = (0..<4).map { _ in Todo(in: context) }
            project[.toMany("steps")] = [tasks[2], tasks[0], tasks[1]]
            try context.save()
            try store.expect(
                "SELECT Z_PK FROM ZTASK WHERE ZPROJECT = 1 ORDER BY Z_FOK_PROJECT", ["3", "1", "2"])
            project.insert(tasks[3], into: .toMany("steps"), at: 1)
            project.remove(tasks[1], from: .toMany("steps"))
            #expect(project[.toMany("steps")] == [tasks[2], tasks[3], tasks[0]])
            try context.save()
            try store.expect(
                "SELECT Z_PK, Z_FOK_PROJECT FROM ZTASK ORDER BY Z_FOK_PROJECT",
                ["2|-", "3|1024", "4|1536", "1|2048"])
            let other = store.context()
            let again = try other.existingObject(with: project.objectID)
            again.add(other.object(with: tasks[1].objectID), to: .toMany("steps"))
            try other.save()
            let third = store.context()
            #expect(
                try third.existingObject(with: project.objectID).objectIDs(for: "steps")
                    .map(\.primaryKey) == [3, 4, 1, 2])
        }
    }

    @Test("row 12: a to-one to an entity with subentities keeps the entity of its object")
    func inheritance() throws {
        try withObjects { store in
            let context = store.context()
            let bug = Bug(in: context)
            let task = Todo(in: context)
            task.parent = bug
            try context.save()
            let other = store.context()
            let again = try #require(try other.existingObject(with: task.objectID) as? Todo)
            #expect(again.parent is Bug)
            #expect(again.parent?.subtasks == [again])
            #expect(try other.fetch(FetchRequest<Bug>()).count == 1)
            #expect(try other.fetch(FetchRequest<Todo>()).count == 2)
            var exact = FetchRequest<Todo>()
            exact.includesSubentities = false
            #expect(try other.fetch(exact) == [again])
        }
    }
}

extension TestStore {
    /// Returns the join table of a many-to-many relationship.
    func joinTable(_ relationship: String, of entity: String) throws -> StoreLayout.Join {
        let place = try #require(
            container.schema.entity(named: entity)?.toManys[relationship])
        guard case .joinTable(let join) = place else { throw StoreError(.internalError, "none") }
        return join
    }
}
