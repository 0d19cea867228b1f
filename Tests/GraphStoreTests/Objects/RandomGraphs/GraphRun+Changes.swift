import GraphModel
import TestSeeds
import Testing

@testable import GraphStore

/// The changes that a user may make in a context.
extension GraphRun {
    mutating func change(
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
            // Sometimes, a number that the model does not allow.
            let number = random.chance(6) ? 1001 + random.pick(3) : random.pick(10)
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

    mutating func insert(
        _ context: ManagedObjectContext, _ graph: inout GraphOracle
    ) throws {
        let entity = random.pick(["Task", "Task", "Task", "Category", "Project", "Tag", "Plan"])
        guard graph.items.count < 25 else { return try delete(context, &graph) }
        let object = try context.insert(entity)
        log.append("new \(entity) \(object.objectID.primaryKey)")
        if entity == "Plan" { object.links[1] = owner }
        graph.items[object.objectID] = GraphOracle.Item(entity: entity)
    }

    mutating func delete(
        _ context: ManagedObjectContext, _ graph: inout GraphOracle
    ) throws {
        guard !graph.items.isEmpty else { return }
        let id = random.pick(graph.items.keys.sorted())
        log.append("delete \(graph.items[id]?.entity ?? "") \(id.primaryKey)")
        context.delete(context.object(with: id))
        graph.delete(id)
    }
}
