import GraphModel
import TestSeeds
import Testing

@testable import GraphStore

/// Changes that other contexts make to the store while a context has its own changes.
extension GraphRun {
    mutating func others() throws {
        switch random.pick(3) {
        case 0: try batchUpdate()
        case 1 where !sides[current].context.hasChanges: try batchDelete()
        default: try otherContext()
        }
        guard problem == nil else { return }
        sides[1 - current].graph = saved
        forgetUndo()
        try sides[current].context.processPendingChanges()
    }

    /// Changes the saved graph and the current side's, for objects that the side has not touched.
    private mutating func both(_ change: (inout GraphOracle) -> Void) {
        change(&saved)
        change(&sides[current].graph)
    }

    /// Returns saved objects without changes in the side.
    private func untouched(_ entity: String) -> [ManagedObjectID] {
        saved.ids(entity).filter {
            sides[current].graph.items[$0] != nil
                && sides[current].context.registeredObject(for: $0)?.hasChanges != true
        }
    }

    private mutating func otherContext() throws {
        let context = store.context()
        log.append("others {")
        for _ in 0..<(1 + random.pick(3)) { try otherChange(context) }
        log.append("}")
        try context.save()
    }

    private mutating func otherChange(_ context: ManagedObjectContext) throws {
        let tasks = untouched("Task")
        guard !tasks.isEmpty, random.chance(80) else {
            guard saved.items.count < 25 else { return }
            let id = try context.insert("Task").objectID
            log.append("new Task \(id.primaryKey)")
            return both { $0.items[id] = GraphOracle.Item(entity: "Task") }
        }
        let id = random.pick(tasks)
        let task = context.object(with: id)
        switch random.pick(4) {
        case 0:
            let number = random.pick(10)
            log.append("\(id.primaryKey).number = \(number)")
            task[.integer("number")] = number
            both { $0.items[id]?.number = number }
        case 1:
            let tags = untouched("Tag")
            guard !tags.isEmpty else { return }
            let tag = random.pick(tags)
            log.append("\(id.primaryKey).tags + \(tag.primaryKey)")
            task.add(context.object(with: tag), to: .toMany("tags"))
            both { $0.items[id]?.tags.insert(tag) }
        case 2:
            let categories = untouched("Category")
            guard !categories.isEmpty, isUntouched(saved.items[id]?.category) else { return }
            let category = random.pick(categories)
            log.append("\(id.primaryKey).category = \(category.primaryKey)")
            task[.toOne("category")] = context.object(with: category)
            both { $0.items[id]?.category = category }
        default:
            let projects = untouched("Project")
            guard !projects.isEmpty, isUntouched(saved.items[id]?.project) else { return }
            let project = random.pick(projects)
            log.append("\(id.primaryKey).project = \(project.primaryKey)")
            task[.toOne("project")] = context.object(with: project)
            both { $0.setProject(id, project) }
        }
    }

    private func isUntouched(_ id: ManagedObjectID?) -> Bool {
        guard let id, let entity = saved.items[id]?.entity else { return true }
        return untouched(entity).contains(id)
    }

    private mutating func batchUpdate() throws {
        let limit = random.pick(10)
        log.append("batch number + 1 < \(limit)")
        let context = store.context()
        let matched = saved.items.filter { $0.value.number.map { $0 < limit } == true }
        let result = try context.execute(
            BatchUpdateRequest(
                entityName: "Task", predicate: try GraphPredicate(format: "number < \(limit)"),
                propertiesToUpdate: ["number": try GraphExpression(format: "number + 1")]))
        try context.save()
        if result.updated != matched.count { problem = "\(result) is not \(matched.count)" }
        for (id, item) in matched {
            guard let number = item.number else { continue }
            saved.items[id]?.number = number + 1
            let mine = sides[current].context.registeredObject(for: id)
            guard mine?.changedKeys.contains("number") != true else { continue }
            sides[current].graph.items[id]?.number = number + 1
        }
    }

    private mutating func batchDelete() throws {
        let number = random.pick(10)
        let (entity, format, condition): (String, String, (GraphOracle, ManagedObjectID) -> Bool) =
            switch random.pick(4) {
            case 0: ("Task", "number > \(number)", { $0.items[$1]?.number ?? 0 > number })
            case 1:
                (
                    "Tag", "tasks.@count == 1",
                    { graph, id in graph.items.count { $0.value.tags.contains(id) } == 1 }
                )
            case 2:
                (
                    "Category", "tasks.@count < 2",
                    { graph, id in graph.items.count { $0.value.category == id } < 2 }
                )
            default: ("Project", "steps.@count < 2", { $0.items[$1]?.steps.count ?? 0 < 2 })
            }
        let matched = saved.ids(entity).filter { condition(saved, $0) }
        let denied = matched.filter { saved.items[$0]?.steps.isEmpty == false }
        log.append("batch delete \(entity) \(matched.map(\.primaryKey))")
        let context = store.context()
        let result = try context.execute(
            BatchDeleteRequest(
                entityName: entity, predicate: try GraphPredicate(format: format)))
        try context.save()
        if result.matched != matched.count || result.denied != denied.count {
            problem = "\(result) is not \(matched.count), of which \(denied.count) denied"
        }
        for id in matched where !denied.contains(id) { saved.delete(id) }
        sides[current].graph = saved
    }
}
