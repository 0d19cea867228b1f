import GraphModel
import TestSeeds
import Testing

@testable import GraphStore

/// One store with its contexts and their expected contents.
struct GraphRun {
    /// A context with the graph that it should show.
    struct Side {
        let context: ManagedObjectContext
        var graph: GraphOracle
        var undoable: [GraphOracle] = []
        var redoable: [GraphOracle] = []
    }

    let store: TestStore
    var random: SeededGenerator
    var saved = GraphOracle()
    var sides: [Side]
    var current = 0
    /// The category that every plan must have.
    let owner: ManagedObjectID
    var log: [String] = []
    var problem: String?

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

    mutating func sequence() {
        do {
            try steps()
        } catch {
            problem = "An error: \(error)"
        }
    }

    private mutating func steps() throws {
        for _ in 0..<(3 + random.pick(10)) {
            try step()
            if problem != nil { return }
        }
        try compare(sides[current].context, sides[current].graph, "memory")
        if random.chance(30), problem == nil { try compare(store.context(), saved, "file") }
    }

    // MARK: Steps

    mutating func step() throws {
        switch random.pick(100) {
        case 0..<56: try change()
        case 56..<68: try save()
        case 68..<72: rollback()
        case 72..<80: try undo()
        case 80..<83: try redo()
        case 83..<88: try child()
        case 88..<94: try others()
        case 94..<96:
            try sides[current].context.refreshAllObjects()
            log.append("refresh")
        default: try turn()
        }
    }

    mutating func change() throws {
        let before = sides[current].graph
        var graph = before
        try change(sides[current].context, &graph)
        try sides[current].context.processPendingChanges()
        sides[current].graph = graph
        note(before)
    }

    var undoableCount: Int { sides[current].context.undoLog?.undoable.count ?? 0 }

    /// Records whether the context created an undo group for the change.
    mutating func note(_ before: GraphOracle) {
        if undoableCount > sides[current].undoable.count {
            sides[current].undoable.append(before)
            sides[current].redoable.removeAll()
        }
    }

    mutating func save() throws {
        log.append("save \(current)")
        let graph = sides[current].graph
        guard graph.failures.isEmpty else {
            let context = sides[current].context
            expectFailure(graph.failures) { try context.save() }
            // The rejected changes are still pending and can be corrected.
            try compare(sides[current].context, graph, "after a refused save")
            if graph.isDenied || random.chance(50) { rollback() }
            return
        }
        try sides[current].context.save()
        saved = graph
        // The other context had no changes, and merges the save.
        sides[1 - current].graph = saved
    }

    /// Expects that a save that breaks rules reports all of them.
    mutating func expectFailure(_ codes: Set<ValidationCode>, _ body: () throws -> Void) {
        let error = storeError(body)
        let found = Set(error?.validationError?.failures.map(\.code) ?? [])
        if found != codes { problem = "The save was refused for \(found), not for \(codes)" }
    }

    mutating func rollback() {
        log.append("rollback \(current)")
        sides[current].context.rollback()
        sides[current].graph = saved
        sides[current].undoable.removeAll()
        sides[current].redoable.removeAll()
    }

    mutating func undo() throws {
        guard let graph = sides[current].undoable.popLast() else { return }
        log.append("undo")
        try sides[current].context.undo()
        sides[current].redoable.append(sides[current].graph)
        sides[current].graph = graph
    }

    mutating func redo() throws {
        guard let graph = sides[current].redoable.popLast() else { return }
        log.append("redo")
        try sides[current].context.redo()
        sides[current].undoable.append(sides[current].graph)
        sides[current].graph = graph
    }

    /// Makes changes in a child context, then saves or drops them.
    mutating func child() throws {
        let before = sides[current].graph
        var graph = before
        let child = sides[current].context.makeChild()
        log.append("child {")
        for _ in 0..<(1 + random.pick(4)) {
            try change(child, &graph)
            try child.processPendingChanges()
        }
        try compare(child, graph, "child")
        guard random.chance(70), before.failures.isEmpty else {
            log.append("} dropped")
            return
        }
        guard graph.failures.isEmpty else {
            log.append("} refused")
            return expectFailure(graph.failures) { try child.save() }
        }
        log.append("} saved")
        try child.save()
        try sides[current].context.processPendingChanges()
        sides[current].graph = graph
        note(before)
    }

    /// Switches to the other context; both have no changes then, and each merges the other's saves.
    mutating func turn() throws {
        if !sides[current].graph.failures.isEmpty || random.chance(30) {
            rollback()
        } else {
            try save()
        }
        forgetUndo()
        current = 1 - current
        log.append("turn to \(current)")
        sides[current].graph = saved
        try sides[current].context.processPendingChanges()
    }

    /// Clears the undo stack, because undo restores complete objects and would revert later saves
    /// of others.
    mutating func forgetUndo() {
        for side in 0..<2 {
            sides[side].context.isUndoEnabled = false
            sides[side].context.isUndoEnabled = true
            sides[side].undoable.removeAll()
            sides[side].redoable.removeAll()
        }
    }
}
