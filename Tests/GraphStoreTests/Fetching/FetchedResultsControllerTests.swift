import GraphModel
import TestSeeds
import Testing

@testable import GraphStore

/// Records its notifications, and maintains a list from them alone.
private final class Recorder: FetchedResultsControllerDelegate {
    var lines: [String] = []
    var mirror: [[Todo]] = []
    private var deleted: [ResultIndexPath] = []
    private var arriving: [(place: ResultIndexPath, object: Todo)] = []
    private var sections: (deleted: [Int], inserted: [Int]) = ([], [])

    func controllerWillChangeContent(_ controller: FetchedResultsController<Todo>) {
        lines.append("will")
        deleted = []
        arriving = []
        sections = ([], [])
    }

    func controller(
        _ controller: FetchedResultsController<Todo>,
        didChange section: FetchedResultsController<Todo>.SectionInfo, atSectionIndex index: Int,
        for type: FetchedResultsChange
    ) {
        lines.append("\(type) section \(index) '\(section.name)'")
        if type == .delete {
            sections.deleted.append(index)
        } else {
            sections.inserted.append(index)
        }
    }

    func controller(
        _ controller: FetchedResultsController<Todo>, didChange object: Todo,
        at indexPath: ResultIndexPath?, for type: FetchedResultsChange,
        newIndexPath: ResultIndexPath?
    ) {
        let from = indexPath.map { "\($0)" } ?? "-"
        let to = newIndexPath.map { "\($0)" } ?? "-"
        lines.append("\(type) \(object.isDeleted ? "?" : object.title ?? "-") \(from) \(to)")
        if type == .update { return }
        if let indexPath { deleted.append(indexPath) }
        if let newIndexPath { arriving.append((newIndexPath, object)) }
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Todo>) {
        lines.append("did")
        for place in deleted.sorted(by: >) { mirror[place.section].remove(at: place.row) }
        for number in sections.deleted.sorted(by: >) { mirror.remove(at: number) }
        for number in sections.inserted.sorted() { mirror.insert([], at: number) }
        for (place, object) in arriving.sorted(by: { $0.place < $1.place }) {
            mirror[place.section].insert(object, at: place.row)
        }
    }

    func take() -> [String] {
        defer { lines.removeAll() }
        return lines
    }
}

@Suite("Fetched results controller") struct FetchedResultsControllerTests {
    private func fill(_ store: TestStore, _ rows: [(String, String?)]) throws {
        let context = store.context()
        var categories: [String: GraphStoreTests.Category] = [:]
        for (number, (title, category)) in rows.enumerated() {
            context.insert(Todo.self) {
                $0.title = title
                $0.number = number
                guard let category else { return }
                let known =
                    categories[category]
                    ?? context.insert(GraphStoreTests.Category.self) { $0.name = category }
                categories[category] = known
                $0.category = known
            }
        }
        try context.save()
    }

    @Test("row 77: the delegate receives section changes first, then objects with their positions")
    func callbacks() throws {
        try withObjects { store in
            try fill(store, [("a", "home"), ("b", "home"), ("c", "work")])
            let context = store.context()
            let controller = FetchedResultsController(
                Todo.request.sort("category.name").sort("title"), in: context,
                sectionNameKeyPath: "category.name")
            let recorder = Recorder()
            controller.delegate = recorder
            try controller.performFetch()
            recorder.mirror = controller.sections?.map(\.objects) ?? []
            #expect(controller.sections?.map(\.name) == ["home", "work"])
            #expect(controller.sections?.map(\.numberOfObjects) == [2, 1])
            let a = try #require(controller.object(at: ResultIndexPath(section: 0, row: 0)))
            let c = try #require(controller.object(at: ResultIndexPath(section: 1, row: 0)))
            #expect(controller.indexPath(for: c) == ResultIndexPath(section: 1, row: 0))
            #expect(controller.object(at: ResultIndexPath(section: 2, row: 0)) == nil)
            #expect(recorder.take() == [])

            a.number = 10
            #expect(recorder.take() == [])
            try context.processPendingChanges()
            #expect(recorder.take() == ["will", "update a 0.0 0.0", "did"])
            try context.processPendingChanges()
            #expect(recorder.take() == [])

            a.title = "z"
            context.delete(c)
            context.insert(Todo.self) { $0.title = "new" }
            try context.save()
            #expect(
                recorder.take() == [
                    "will", "delete section 1 'work'", "insert section 0 ''", "delete ? 1.0 -",
                    "insert new - 0.0", "move z 0.0 1.1", "did",
                ])
            #expect(controller.fetchedObjects?.map { $0.title ?? "-" } == ["new", "b", "z"])

            a.title = "y"
            try context.processPendingChanges()
            #expect(recorder.take() == ["will", "update y 1.1 1.1", "did"])
            context.rollback()
            #expect(recorder.take() == ["will", "update z 1.1 1.1", "did"])
            #expect(controller.fetchedObjects?.count == 3)
        }
    }

    @Test("row 77: the controller follows merged saves of other contexts within the limit")
    func merging() throws {
        try withObjects { store in
            try fill(store, [("b", nil), ("d", nil), ("f", nil)])
            let context = store.context()
            context.automaticallyMergesChangesFromParent = true
            let controller = FetchedResultsController(
                Todo.request.sort("title").limit(3), in: context)
            let recorder = Recorder()
            controller.delegate = recorder
            try controller.performFetch()
            recorder.mirror = controller.sections?.map(\.objects) ?? []
            let other = store.context()
            other.insert(Todo.self) { $0.title = "a" }
            try #require(try task("b", in: other)).number = 99
            try other.save()
            try context.processPendingChanges()
            #expect(
                recorder.take() == [
                    "will", "delete f 0.2 -", "insert a - 0.0", "update b 0.0 0.1", "did",
                ])
            #expect(controller.fetchedObjects?.map(\.number) == [nil, 99, 1])
            other.delete(try #require(try task("a", in: other)))
            try other.save()
            try context.processPendingChanges()
            #expect(recorder.take() == ["will", "delete ? 0.0 -", "insert f - 0.2", "did"])
        }
    }

    @Test("row 77: the controller does not follow changes without a delegate or after a reset")
    func notFollowing() throws {
        try withObjects { store in
            try fill(store, [("a", nil)])
            let context = store.context()
            let controller = FetchedResultsController(Todo.request.sort("title"), in: context)
            try controller.performFetch()
            context.insert(Todo.self) { $0.title = "b" }
            try context.processPendingChanges()
            #expect(controller.fetchedObjects?.count == 1)
            let recorder = Recorder()
            controller.delegate = recorder
            context.reset()
            #expect(controller.fetchedObjects == nil && recorder.take() == [])
            context.insert(Todo.self) { $0.title = "c" }
            try context.processPendingChanges()
            #expect(recorder.take() == [])
            try controller.performFetch()
            #expect(controller.fetchedObjects?.count == 2)
        }
    }

    @Test("row 77: the controller fails without an order or if the order splits a section")
    func badRequests() throws {
        try withObjects { store in
            try fill(store, [("a", "x"), ("b", "y"), ("c", "x")])
            let context = store.context()
            let unsorted = FetchedResultsController(Todo.request, in: context)
            #expect(storeError { try unsorted.performFetch() }?.code == .invalidRequest)
            let torn = FetchedResultsController(
                Todo.request.sort("title"), in: context, sectionNameKeyPath: "category.name")
            #expect(
                storeError { try torn.performFetch() }?.message.contains("section 'x'") == true)
        }
    }

    @Test(
        "row 77: the reported changes give the results after random edits, saves, and merges",
        arguments: [UInt64(7), 8])
    func replay(seed: UInt64) throws {
        let names = ["p", "q", "r"]
        try withObjects { store in
            var random = SeededGenerator(seed: seed)
            try fill(store, (0..<20).map { ("t\($0)", random.pick(names)) })
            let context = store.context()
            context.automaticallyMergesChangesFromParent = true
            context.mergePolicy = .mergeByPropertyObjectTrump
            let other = store.context()
            other.automaticallyMergesChangesFromParent = true
            other.mergePolicy = .mergeByPropertyObjectTrump
            let request = try Todo.request.where("number < 15").sort("category.name")
                .sort("number").limit(12)
            let controller = FetchedResultsController(
                request, in: context, sectionNameKeyPath: "category.name")
            let recorder = Recorder()
            controller.delegate = recorder
            try controller.performFetch()
            recorder.mirror = controller.sections?.map(\.objects) ?? []
            for step in 0..<500 {
                let here = random.chance(70) ? context : other
                let tasks = try here.fetch(Todo.request.sort("title"))
                let categories = try here.fetch(
                    FetchRequest<GraphStoreTests.Category>().sort("name"))
                for task in tasks where random.chance(10) {
                    switch random.pick(4) {
                    case 0 where tasks.count > 10: here.delete(task)
                    case 1: task.category = random.chance(90) ? random.pick(categories) : nil
                    default: task.number = random.pick(20)
                    }
                }
                if random.chance(30) {
                    here.insert(Todo.self) {
                        $0.title = "n\(step)"
                        $0.number = random.pick(20)
                        $0.category = random.pick(categories)
                    }
                }
                if random.chance(5) {
                    random.pick(categories).name = random.pick(names) + "\(step)"
                }
                switch random.pick(4) {
                case 0: here.rollback()
                case 1: try here.save()
                default: if here === other { try here.save() }
                }
                try context.processPendingChanges()
                let expected = try context.fetch(request)
                #expect(recorder.mirror.flatMap(\.self) == expected, "seed \(seed), step \(step)")
                #expect(
                    recorder.mirror == controller.sections?.map(\.objects),
                    "seed \(seed), step \(step)")
                #expect(context.takeNotedErrors().isEmpty, "seed \(seed), step \(step)")
            }
        }
    }
}
