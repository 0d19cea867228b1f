import GraphModel
import TestSeeds
import Testing

@testable import GraphStore

/// Two containers on one store, like two processes: each allocates keys that the other also uses.
@Suite("Two processes that insert concurrently") struct RivalPropertyTests {
    /// One process: its context, its tasks, and the name of the category that each task must be
    /// linked to.
    private final class Side {
        let name: String
        let context: ManagedObjectContext
        var tasks: [(task: Todo, category: String?)] = []
        var count = 0

        init(_ name: String, _ path: String) throws {
            self.name = name
            let container = try PersistentContainer(model: nil, at: path)
            container.register(Todo.self, Bug.self, Category.self, Tag.self)
            context = container.newContext()
            context.mergePolicy = .mergeByPropertyObjectTrump
        }

        func next() -> String {
            count += 1
            return "\(name)\(count)"
        }

        func categories(_ context: ManagedObjectContext) throws -> [Category] {
            let found = try context.fetch(FetchRequest<Category>().sort("name"))
            #expect(Set(found.compactMap(\.name)).count == found.count)
            #expect(Set(found.map(\.objectID)).count == found.count)
            return found
        }

        func step(_ random: inout SeededGenerator) throws {
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1: context.insert(Category.self) { $0.name = next() }
            case 2, 3:
                let category = try categories(context).randomElement(using: &random)
                let task = context.insert(Todo.self) {
                    $0.title = next()
                    $0.category = category
                }
                tasks.append((task, category?.name))
            case 4:
                guard let place = tasks.indices.randomElement(using: &random) else { return }
                let category = try categories(context).randomElement(using: &random)
                tasks[place].task.category = category
                tasks[place].category = category?.name
            case 5: try context.save()
            case 6: try context.refreshAllObjects()
            default:
                let child = context.makeChild()
                let made = child.insert(Category.self) { $0.name = next() }
                let all = try categories(child)
                #expect(all.contains(made))
                try child.save()
            }
            for (task, category) in tasks { #expect(task.category?.name == category) }
        }
    }

    @Test("row 33: neither process mistakes the other's objects for its own", arguments: 0..<40)
    func mixed(seed: Int) throws {
        try withObjects { store in
            var random = SeededGenerator(seed: TestSeed.ofThisRun &+ UInt64(seed))
            let sides = [try Side("a", store.path), try Side("b", store.path)]
            for _ in 0..<40 {
                guard let side = sides.randomElement(using: &random) else { continue }
                try side.step(&random)
            }
            for side in sides { try side.context.save() }
            let expected = sides.flatMap(\.tasks)
                .map { "\($0.task.title ?? "?")|\($0.category ?? "-")" }.sorted()
            try store.expect(
                "SELECT t.ZTITLE || '|' || ifnull(c.ZNAME, '-') AS x FROM ZTASK t"
                    + " LEFT JOIN ZCATEGORY c ON c.Z_PK = t.ZCATEGORY ORDER BY x", expected)
            for side in sides {
                for (task, category) in side.tasks { #expect(task.category?.name == category) }
            }
        }
    }

    @Test("row 34: keys are reserved in stores of every kind")
    func reservedKeys() throws {
        let folder = try TemporaryFolder()
        let model = try model(objectModel)
        let containers = [
            try PersistentContainer.ephemeral(model: model),
            try PersistentContainer(
                model: model, .json(at: folder.file("store.json"), opening: .create)),
        ]
        for container in containers {
            container.register(Category.self)
            let context = container.newContext()
            let mine = context.insert(Category.self) { $0.name = "mine" }
            try context.obtainPermanentIDs(for: [mine])
            #expect(mine.isInserted && mine.objectID.primaryKey == 1)
            try context.save()
            #expect(try container.newContext().fetch(FetchRequest<Category>()).count == 1)
        }
    }
}
