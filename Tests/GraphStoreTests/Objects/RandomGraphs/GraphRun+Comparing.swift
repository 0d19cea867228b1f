import GraphModel
import Testing

@testable import GraphStore

/// Comparisons of a context with the oracle, through the public API.
extension GraphRun {
    mutating func compare(
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

    func item(_ object: ManagedObject) throws -> GraphOracle.Item {
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
            // Clears the tags unless the inverse ends agree.
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
