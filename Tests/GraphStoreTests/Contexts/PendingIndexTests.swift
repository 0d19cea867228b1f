import GraphModel
import TestSeeds
import Testing

@testable import GraphStore

@Suite("Index of pending objects") struct PendingIndexTests {
    private func equal(_ key: String, _ value: GraphValue) -> GraphPredicate {
        .comparison(GraphComparison(.keyPath([key]), .equal, .constant(value)))
    }

    /// Finds or creates tasks, with one save at the end, and returns the number of pending objects
    /// that fetches read.
    private func findOrCreate(
        _ count: Int, in context: ManagedObjectContext, _ lookup: (Int) -> GraphPredicate,
        _ fill: (Todo, Int) -> Void
    ) throws -> Int {
        for number in 0..<count {
            let request = FetchRequest<Todo>(predicate: lookup(number), fetchLimit: 1)
            guard try context.fetch(request).isEmpty else { continue }
            context.insert(Todo.self) { fill($0, number) }
        }
        let read = context.statistics.pendingObjectsRead
        try context.save()
        return read
    }

    @Test("find-or-create with one save at the end reads at most 4 pending objects per lookup")
    func findOrCreateIsLinear() throws {
        for count in [100, 1_000] {
            try withObjects { store in
                let read = try findOrCreate(count, in: store.context()) { number in
                    equal("code", .string("code \(number % (count / 2))"))
                } _: {
                    $0.code = "code \($1)"
                }
                // A scan would read count² / 4 of them.
                #expect(read <= 4 * count, "\(count) rows")
                #expect(
                    try store.context().count(for: FetchRequest<Todo>()) == count / 2)
            }
        }
    }

    @Test("find-or-create by a to-one and an attribute takes linear time")
    func severalProperties() throws {
        try withObjects { store in
            let context = store.context()
            let category = context.insert(Category.self) { $0.name = "all" }
            let read = try findOrCreate(1_000, in: context) { number in
                .and([
                    equal("category", .object(category.objectID)),
                    equal("title", .string("t\(number)")),
                ])
            } _: {
                $0.title = "t\($1)"
                $0.category = category
            }
            #expect(read <= 6_000)
            #expect(category.tasks.count == 1_000)
        }
    }

    @Test("a child context finds its own and its parent's pending objects by index")
    func children() throws {
        try withObjects { store in
            let parent = store.context()
            var read = 0
            for chunk in 0..<20 {
                let child = parent.makeChild()
                for number in 0..<100 {
                    let code = "code \((chunk * 100 + number) % 1_000)"
                    let request = FetchRequest<Todo>(
                        predicate: equal("code", .string(code)), fetchLimit: 1)
                    if try child.fetch(request).isEmpty {
                        child.insert(Todo.self) { $0.code = code }
                    }
                }
                try child.save()
                read += child.statistics.pendingObjectsRead
            }
            #expect(read <= 10_000)
            #expect(parent.insertedObjects.count == 1_000)
            try parent.save()
        }
    }

    @Test("counts, windows, and inverse fetches next to many changed rows read few rows")
    func changedRows() throws {
        try withObjects { store in
            let setUp = store.context()
            for number in 0..<600 {
                let category =
                    number % 3 == 0
                    ? setUp.insert(Category.self) { $0.name = "c\(number)" } : nil
                setUp.insert(Todo.self) {
                    $0.title = "t\(number)"
                    $0.number = number
                    $0.category = category
                }
            }
            try setUp.save()
            let context = store.context()
            let all = try context.fetch(
                FetchRequest<Todo>(sortDescriptors: [GraphSortDescriptor(["number"])]))
            let categories = try context.fetch(FetchRequest<Category>())
            let start = context.statistics
            for (place, task) in all.enumerated() {
                let title = task.title ?? ""
                #expect(
                    try context.count(
                        for: FetchRequest<Todo>(
                            predicate: equal("title", .string(title)))) == 1)
                task.number = 999 - place
                #expect(
                    try context.count(
                        for: FetchRequest<Todo>(
                            predicate: equal("title", .string(title)))) == 1)
                var window = FetchRequest<Todo>(predicate: equal("title", .string(title)))
                window.fetchLimit = 1
                #expect(try context.fetch(window) == [task])
            }
            for category in categories.dropLast() {
                context.delete(category)
                let last = try #require(categories.last)
                let tasks = try context.fetch(
                    FetchRequest<Todo>(
                        predicate: equal("category", .object(last.objectID))))
                #expect(tasks.count == 1)
            }
            #expect(context.statistics.rowsRead - start.rowsRead <= 2_000)
            #expect(
                context.statistics.pendingObjectsRead - start.pendingObjectsRead <= 12_000)
        }
    }

    @Test(
        "the index finds the same objects as a scan after random changes", .serialized,
        arguments: [UInt64(1), 2, 3, 4, 5, 6])
    func agreesWithScan(seed: UInt64) throws {
        try withObjects { store in
            var run = PendingIndexRun(seed: seed, context: store.context())
            for step in 0..<400 {
                try run.change()
                try run.compare("seed \(seed), step \(step)")
            }
            run.context.rollback()
        }
    }

    @Test(
        "the index and a scan agree after random changes in a child and its parent", .serialized,
        arguments: [UInt64(11), 12, 13, 14])
    func agreesWithScanInChildren(seed: UInt64) throws {
        try withObjects { store in
            let parent = store.context()
            parent.mergePolicy = .mergeByPropertyObjectTrump
            var above = PendingIndexRun(seed: seed, context: parent)
            for _ in 0..<60 { try above.change() }
            var run = PendingIndexRun(seed: seed + 100, context: parent.makeChild())
            for step in 0..<200 {
                try run.change()
                try run.compare("seed \(seed), step \(step)")
            }
            run.context.rollback()
            parent.rollback()
        }
    }
}

/// Random changes of one context's tasks, and random fetches of them.
private struct PendingIndexRun {
    let context: ManagedObjectContext
    private var random: SeededGenerator

    init(seed: UInt64, context: ManagedObjectContext) {
        self.context = context
        random = SeededGenerator(seed: seed)
        context.mergePolicy = .mergeByPropertyObjectTrump
        context.isUndoEnabled = seed % 2 == 0
    }

    private mutating func someTask() throws -> Todo? {
        let tasks = try context.fetch(
            FetchRequest<Todo>(sortDescriptors: [GraphSortDescriptor(["title"])]))
        return tasks.isEmpty ? nil : tasks[random.pick(tasks.count)]
    }

    private mutating func someCategory() throws -> Category? {
        let categories = try context.fetch(FetchRequest<Category>())
        return categories.isEmpty ? nil : categories[random.pick(categories.count)]
    }

    mutating func change() throws {
        switch random.pick(20) {
        case 0...5:
            let task: Todo =
                random.chance(30) ? context.insert(Bug.self) : context.insert(Todo.self)
            task.title = "t\(random.pick(12))"
            task.number = random.pick(5)
            if random.chance(40) { task.code = "code \(random.pick(30))" }
            if random.chance(50) { task.category = try someCategory() }
        case 6: context.insert(Category.self) { $0.name = "c" }
        case 7, 8: try someTask()?.title = "t\(random.pick(12))"
        case 9: try someTask()?.number = random.chance(20) ? nil : random.pick(5)
        case 10: try someTask()?.isDone = random.chance(50)
        case 11: try someTask()?.code = random.chance(30) ? nil : "code \(random.pick(30))"
        case 12, 13:
            let category = random.chance(25) ? nil : try someCategory()
            try someTask()?.category = category
        case 14: if let task = try someTask() { context.delete(task) }
        case 15 where random.chance(40):
            if let category = try someCategory() { context.delete(category) }
        case 16 where context.isUndoEnabled:
            try random.chance(60) ? context.undo() : context.redo()
        case 17:
            if let task = try someTask() {
                try context.refresh(task, mergeChanges: random.chance(50))
            }
        case 18 where random.chance(30): try context.save()
        case 19 where random.chance(10): context.rollback()
        default:
            if let category = try someCategory(), let task = try someTask() {
                category.tasks.append(task)
            }
        }
    }

    private mutating func term() throws -> GraphPredicate {
        func compare(_ key: String, _ value: GraphValue) -> GraphPredicate {
            .comparison(GraphComparison(.keyPath([key]), .equal, .constant(value)))
        }
        switch random.pick(9) {
        case 0, 1: return compare("title", .string("t\(random.pick(12))"))
        case 2:
            return compare(
                "number", random.chance(50) ? .integer(Int64(random.pick(5))) : .double(2))
        case 3:
            return compare(
                "code", random.chance(30) ? .null : .string("code \(random.pick(30))"))
        case 4: return compare("isDone", .boolean(random.chance(50)))
        case 5, 6:
            guard let category = try someCategory(), random.chance(80) else {
                return compare("category", .null)
            }
            return compare("category", .object(category.objectID))
        case 7:
            return .comparison(
                GraphComparison(
                    .keyPath(["title"]), .in,
                    .aggregate([
                        .constant(.string("t\(random.pick(12))")),
                        .constant(.string("t\(random.pick(12))")),
                    ])))
        default:
            return .comparison(
                GraphComparison(.keyPath(["number"]), .greater, .constant(.integer(2))))
        }
    }

    private mutating func predicate() throws -> GraphPredicate {
        switch random.pick(4) {
        case 0: .or([try term(), try term()])
        case 1: .and([try term(), try term()])
        case 2: .and([.or([try term(), try term()]), try term()])
        default: try term()
        }
    }

    /// Compares a request's results with the results of the same request without an index.
    mutating func compare(_ place: String) throws {
        let predicate = try predicate()
        var request = FetchRequest<Todo>(predicate: predicate)
        request.includesSubentities = random.chance(80)
        if random.chance(50) {
            request.sortDescriptors = [GraphSortDescriptor(["title"], ascending: false)]
        }
        if random.chance(50) {
            request.fetchLimit = 1 + random.pick(3)
            request.fetchOffset = random.pick(3)
        }
        var scan = request
        scan.predicate = .not(.not(predicate))
        let expected = try context.fetchIDs(scan)
        let found = try context.fetchIDs(request)
        #expect(found == expected, "\(place): \(predicate)")
        #expect(
            try context.count(for: request) == expected.count, "\(place): count, \(predicate)")
    }
}
