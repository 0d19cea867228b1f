import GraphModel
import GraphStore

/// The expected graph: plain values of the object model, written for clarity.
struct GraphOracle: Equatable {
    struct Item: Equatable {
        var entity: String
        var number: Int?
        var category: ManagedObjectID?
        var project: ManagedObjectID?
        var parent: ManagedObjectID?
        var plan: ManagedObjectID?
        var tags: Set<ManagedObjectID> = []
        /// The steps of a project.
        var steps: [ManagedObjectID] = []
    }

    var items: [ManagedObjectID: Item] = [:]

    func ids(_ entity: String) -> [ManagedObjectID] {
        items.filter { $0.value.entity == entity }.map(\.key).sorted()
    }

    // MARK: Changes

    mutating func setProject(_ task: ManagedObjectID, _ project: ManagedObjectID?) {
        guard items[task]?.project != project else { return }
        if let old = items[task]?.project { items[old]?.steps.removeAll { $0 == task } }
        items[task]?.project = project
        if let project { items[project]?.steps.append(task) }
    }

    mutating func insertStep(_ task: ManagedObjectID, _ project: ManagedObjectID, at index: Int) {
        setProject(task, project)
        var steps = items[project]?.steps.filter { $0 != task } ?? []
        steps.insert(task, at: min(index, steps.count))
        items[project]?.steps = steps
    }

    mutating func setPlan(_ task: ManagedObjectID, _ plan: ManagedObjectID?) {
        if let plan {
            for (id, item) in items where item.entity == "Task" && item.plan == plan {
                items[id]?.plan = nil
            }
        }
        items[task]?.plan = plan
    }

    mutating func delete(_ id: ManagedObjectID) {
        var doomed: [ManagedObjectID] = [id]
        var next = 0
        while next < doomed.count {
            let id = doomed[next]
            next += 1
            for (other, item) in items where !doomed.contains(other) {
                // Subtasks are deleted with their parent, and a task with its plan.
                if item.parent == id || item.plan == id { doomed.append(other) }
            }
        }
        for id in doomed { items[id] = nil }
        let gone = Set(doomed)
        func kept(_ id: ManagedObjectID?) -> ManagedObjectID? {
            id.flatMap { gone.contains($0) ? nil : $0 }
        }
        for (other, var item) in items {
            item.category = kept(item.category)
            item.parent = kept(item.parent)
            item.plan = kept(item.plan)
            item.tags.subtract(gone)
            item.steps.removeAll(where: gone.contains)
            // A Deny rule clears no link; the save must fail while this links to a deleted object.
            items[other] = item
        }
    }

    /// Whether a project was deleted that still has steps.
    var isDenied: Bool {
        items.values.contains { item in item.project.map { items[$0] == nil } ?? false }
    }

    /// The reasons for which a save of the graph must fail.
    var failures: Set<ValidationCode> {
        var codes: Set<ValidationCode> = []
        if isDenied { codes.insert(.deletionDenied) }
        if items.values.contains(where: { $0.number ?? 0 > 1000 }) { codes.insert(.numberTooLarge) }
        return codes
    }
}
