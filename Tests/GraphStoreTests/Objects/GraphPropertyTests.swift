import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore

/// Random changes, saves, rollbacks and undoing, in two contexts and their children, against
/// `GraphOracle`.
///
/// `GRAPHSTORE_SEQUENCES` says how many sequences a run has (a few hundred by default), and
/// `GRAPHSTORE_SEED` which, 1 if nobody says; the seed of a run stands in its failures.
@Suite("Random graphs") struct GraphPropertyTests {
    private static func setting(_ name: String, _ fallback: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? fallback
    }

    @Test("rows 38, 42, 54-60, 64, 103: contexts do what the oracle does, and the file agrees")
    func sequences() throws {
        let count = Self.setting("GRAPHSTORE_SEQUENCES", 400)
        let seed = Self.setting("GRAPHSTORE_SEED", 1)
        var done = 0
        var round = 0
        while done < count {
            // A fresh store now and then, so that most graphs are small.
            try withStore(objectModel) { store in
                var run = GraphRun(store, seed: UInt64(seed) &* 1000 &+ UInt64(round))
                for _ in 0..<min(50, count - done) {
                    try run.sequence()
                    done += 1
                    guard run.problem == nil else { break }
                }
                #expect(run.problem == nil, "seed \(seed), store \(round): \(run.log.suffix(30))")
                try checkLinks(store)
                if run.problem != nil { done = count }
            }
            round += 1
        }
    }

    /// Both sides of every link agree in the file.
    private func checkLinks(_ store: TestStore) throws {
        try store.expect(
            "SELECT p.Z_PK FROM ZPLAN p WHERE p.ZTASK IS NOT (SELECT t.Z_PK FROM ZTASK t"
                + " WHERE t.ZPLAN = p.Z_PK)", [])
        for column in ["CATEGORY", "PROJECT", "PLAN", "PARENT"] {
            let table = column == "PARENT" ? "TASK" : column
            try store.expect(
                "SELECT Z_PK FROM ZTASK WHERE Z\(column) NOT NULL"
                    + " AND Z\(column) NOT IN (SELECT Z_PK FROM Z\(table))", [])
        }
        try store.expect(
            "SELECT Z_PK FROM ZTASK WHERE (ZPROJECT IS NULL) <> (Z_FOK_PROJECT IS NULL)", [])
        let join = try store.joinTable("tags", of: "Task")
        try store.expect(
            "SELECT 1 FROM \(join.table) WHERE \(join.ownerColumn) NOT IN (SELECT Z_PK FROM ZTASK)"
                + " OR \(join.destinationColumn) NOT IN (SELECT Z_PK FROM ZTAG)", [])
    }
}

/// One store with its contexts, and what they should hold.
private struct GraphRun {
    /// A context with the graph that it should show.
    private struct Side {
        let context: ManagedObjectContext
        var graph: GraphOracle
        var undoable: [GraphOracle] = []
        var redoable: [GraphOracle] = []
    }

    private let store: TestStore
    private var random: SeededGenerator
    private var saved = GraphOracle()
    private var sides: [Side]
    private var current = 0
    /// The category that every plan must have.
    private let owner: ManagedObjectID
    private(set) var log: [String] = []
    private(set) var problem: String?

    init(_ store: TestStore, seed: UInt64) {
        self.store = store
        random = SeededGenerator(seed: seed)
        sides = (0..<2).map { _ in
            let context = store.context()
            context.automaticallyMergesChangesFromParent = true
            context.isUndoEnabled = true
            return Side(context: context, graph: GraphOracle())
        }
        owner = ManagedObjectID(entityNumber: 3, primaryKey: 1_000_000)
    }

    mutating func sequence() throws {
        for _ in 0..<(3 + random.pick(10)) {
            try step()
            if problem != nil { return }
        }
        try compare(sides[current].context, sides[current].graph, "memory")
        if random.chance(30), problem == nil { try compare(store.context(), saved, "file") }
    }

    // MARK: Steps

    private mutating func step() throws {
        switch random.pick(100) {
        case 0..<60: try change()
        case 60..<72: try save()
        case 72..<77: rollback()
        case 77..<85: try undo()
        case 85..<88: try redo()
        case 88..<93: try child()
        case 93..<96:
            try sides[current].context.refreshAllObjects()
            log.append("refresh")
        default: try turn()
        }
    }

    private mutating func change() throws {
        let before = sides[current].graph
        var graph = before
        try change(sides[current].context, &graph)
        try sides[current].context.processPendingChanges()
        sides[current].graph = graph
        note(before)
    }

    private var undoableCount: Int { sides[current].context.undoLog?.undoable.count ?? 0 }

    /// The context made a group of the change, or none.
    private mutating func note(_ before: GraphOracle) {
        if undoableCount > sides[current].undoable.count {
            sides[current].undoable.append(before)
            sides[current].redoable.removeAll()
        }
    }

    private mutating func change(
        _ context: ManagedObjectContext, _ graph: inout GraphOracle
    ) throws {
        let tasks = graph.ids("Task")
        guard tasks.count > 1, random.chance(80) else { return try insert(context, &graph) }
        let id = random.pick(tasks)
        let task = context.object(with: id)
        func some(_ entity: String) -> ManagedObjectID? {
            let ids = graph.ids(entity)
            return ids.isEmpty || random.chance(25) ? nil : random.pick(ids)
        }
        switch random.pick(9) {
        case 0:
            let number = random.pick(10)
            log.append("\(id.primaryKey).number = \(number)")
            task[.integer("number")] = number
            graph.items[id]?.number = number
        case 1:
            let other = some("Category")
            log.append("\(id.primaryKey).category = \(other?.primaryKey ?? 0)")
            task[.toOne("category")] = other.map(context.object)
            graph.items[id]?.category = other
        case 2:
            let other = some("Project")
            log.append("\(id.primaryKey).project = \(other?.primaryKey ?? 0)")
            task[.toOne("project")] = other.map(context.object)
            graph.setProject(id, other)
        case 3:
            guard let other = some("Project") else { return }
            let index = random.pick(4)
            log.append("\(other.primaryKey).steps[\(index)] = \(id.primaryKey)")
            context.object(with: other).insert(task, into: .toMany("steps"), at: index)
            graph.insertStep(id, other, at: index)
        case 4:
            let other = random.chance(30) ? nil : random.pick(tasks)
            log.append("\(id.primaryKey).parent = \(other?.primaryKey ?? 0)")
            task[.toOne("parent")] = other.map(context.object)
            graph.items[id]?.parent = other
        case 5:
            guard let tag = some("Tag") else { return }
            let isIn = graph.items[id]?.tags.contains(tag) == true
            log.append("\(id.primaryKey).tags \(isIn ? "-" : "+") \(tag.primaryKey)")
            if isIn {
                task.remove(context.object(with: tag), from: .toMany("tags"))
                graph.items[id]?.tags.remove(tag)
            } else {
                context.object(with: tag).add(task, to: .toMany("tasks"))
                graph.items[id]?.tags.insert(tag)
            }
        case 6:
            let tags = graph.ids("Tag").filter { _ in random.chance(50) }
            log.append("\(id.primaryKey).tags = \(tags.map(\.primaryKey))")
            task[.toMany("tags")] = tags.map(context.object)
            graph.items[id]?.tags = Set(tags)
        case 7:
            let plan = some("Plan")
            log.append("\(id.primaryKey).plan = \(plan?.primaryKey ?? 0)")
            task[.toOne("plan")] = plan.map(context.object)
            graph.setPlan(id, plan)
        default: try delete(context, &graph)
        }
    }

    private mutating func insert(
        _ context: ManagedObjectContext, _ graph: inout GraphOracle
    ) throws {
        let entity = random.pick(["Task", "Task", "Task", "Category", "Project", "Tag", "Plan"])
        guard graph.items.count < 25 else { return try delete(context, &graph) }
        let object = try context.insert(entity)
        log.append("new \(entity) \(object.objectID.primaryKey)")
        if entity == "Plan" { object.links[1] = owner }
        graph.items[object.objectID] = GraphOracle.Item(entity: entity)
    }

    private mutating func delete(
        _ context: ManagedObjectContext, _ graph: inout GraphOracle
    ) throws {
        guard !graph.items.isEmpty else { return }
        let id = random.pick(graph.items.keys.sorted())
        log.append("delete \(graph.items[id]?.entity ?? "") \(id.primaryKey)")
        context.delete(context.object(with: id))
        graph.delete(id)
    }

    private mutating func save() throws {
        log.append("save \(current)")
        let graph = sides[current].graph
        if graph.isDenied {
            let error = storeError { try sides[current].context.save() }
            if error?.validationError?.failures.contains(where: { $0.code == .deletionDenied })
                != true
            {
                problem = "A Deny rule was passed over: \(String(describing: error))"
            }
            return rollback()
        }
        try sides[current].context.save()
        saved = graph
        // The other side was clean, and merges.
        sides[1 - current].graph = saved
    }

    private mutating func rollback() {
        log.append("rollback \(current)")
        sides[current].context.rollback()
        sides[current].graph = saved
        sides[current].undoable.removeAll()
        sides[current].redoable.removeAll()
    }

    private mutating func undo() throws {
        guard let graph = sides[current].undoable.popLast() else { return }
        log.append("undo")
        try sides[current].context.undo()
        sides[current].redoable.append(sides[current].graph)
        sides[current].graph = graph
    }

    private mutating func redo() throws {
        guard let graph = sides[current].redoable.popLast() else { return }
        log.append("redo")
        try sides[current].context.redo()
        sides[current].undoable.append(sides[current].graph)
        sides[current].graph = graph
    }

    /// Changes in a child, saved into the context or dropped.
    private mutating func child() throws {
        let before = sides[current].graph
        var graph = before
        let child = sides[current].context.makeChild()
        log.append("child {")
        for _ in 0..<(1 + random.pick(4)) {
            try change(child, &graph)
            try child.processPendingChanges()
        }
        try compare(child, graph, "child")
        guard random.chance(70), !graph.isDenied else {
            log.append("} dropped")
            return
        }
        log.append("} saved")
        try child.save()
        try sides[current].context.processPendingChanges()
        sides[current].graph = graph
        note(before)
    }

    /// The other context's turn; both are clean then, and what one saved the other merges.
    private mutating func turn() throws {
        if sides[current].graph.isDenied || random.chance(30) { rollback() } else { try save() }
        for side in 0..<2 {
            sides[side].context.isUndoEnabled = false
            sides[side].context.isUndoEnabled = true
            sides[side].undoable.removeAll()
            sides[side].redoable.removeAll()
        }
        current = 1 - current
        log.append("turn to \(current)")
        sides[current].graph = saved
        try sides[current].context.processPendingChanges()
    }

    // MARK: Comparing

    private mutating func compare(
        _ context: ManagedObjectContext, _ graph: GraphOracle, _ place: String
    ) throws {
        guard problem == nil else { return }
        for entity in ["Task", "Category", "Project", "Tag", "Plan"] {
            let found = try context.fetchIDs(FetchRequest<ManagedObject>(entityName: entity))
            if found.sorted() != graph.ids(entity) {
                problem = "\(place): \(entity): \(found) is not \(graph.ids(entity))"
                return
            }
        }
        for (id, item) in graph.items.sorted(by: { $0.key < $1.key }) {
            let found = try self.item(context.object(with: id))
            var expected = item
            if graph.isDenied { expected.project = found.project }
            if found != expected {
                problem = "\(place): \(id): \(found) is not \(item)"
                return
            }
        }
        let request = FetchRequest<ManagedObject>(
            entityName: "Task",
            predicate: try ParsedPredicate(format: "number < 5 OR ANY tags.name == nil").predicate,
            sortDescriptors: [GraphSortDescriptor(["number"], ascending: false)], fetchLimit: 3,
            fetchOffset: 1)
        let found = try context.fetchIDs(request)
        let matching = graph.ids("Task").filter { id in
            guard let item = graph.items[id] else { return false }
            return item.number.map { $0 < 5 } == true || !item.tags.isEmpty
        }.sorted { left, right in
            let order = (graph.items[left]?.number ?? -1, graph.items[right]?.number ?? -1)
            return order.0 == order.1 ? left.primaryKey < right.primaryKey : order.0 > order.1
        }
        if found != Array(matching.dropFirst().prefix(3)) {
            problem = "\(place): the fetch gave \(found) of \(matching)"
        }
    }

    private func item(_ object: ManagedObject) throws -> GraphOracle.Item {
        var item = GraphOracle.Item(entity: object.entityName)
        func ids(_ key: String) throws -> [ManagedObjectID] { try object.objectIDs(for: key) }
        switch object.entityName {
        case "Task":
            item.number = object[.integer("number")]
            item.category = try ids("category").first
            item.project = try ids("project").first
            item.parent = try ids("parent").first
            item.plan = try ids("plan").first
            item.tags = Set(try ids("tags"))
            // The other ends agree.
            for tag in object[.toMany("tags")]
            where try !tag.objectIDs(for: "tasks").contains(object.objectID) {
                item.tags = []
            }
            if let category = object[.toOne("category")],
                try !category.objectIDs(for: "tasks").contains(object.objectID)
            {
                item.category = nil
            }
            if let parent = object[.toOne("parent")],
                try !parent.objectIDs(for: "subtasks").contains(object.objectID)
            {
                item.parent = nil
            }
            if let plan = object[.toOne("plan")],
                try plan.objectIDs(for: "task") != [object.objectID]
            {
                item.plan = nil
            }
        case "Project": item.steps = try ids("steps")
        default: break
        }
        return item
    }
}
