import GraphModel
import GraphStore

/// Queries and object operations on the store that the upserts filled.
struct ObjectSteps {
    let container: PersistentContainer
    let meter: StepMeter

    func run() throws {
        let ids = (1...meter.records).map {
            ManagedObjectID(entityNumber: number, primaryKey: Int64($0))
        }
        let request = RowRequest(
            entityName: "Task",
            predicate: try ParsedPredicate(format: "isCompleted == NO AND priority >= 1").predicate,
            order: [GraphSortDescriptor([ObjectNumber.key])], fields: [["title"], ["priority"]])
        try meter.add("query", of: meter.records) {
            let cursor = try container.newContext().cursor(request)
            let batch = cursor.makeBatch()
            while try cursor.next(batch) {}
        }
        let batched = container.newContext()
        try meter.add("fault, in a batch", of: ids.count) { _ = try batched.fault(ids) }
        let single = container.newContext()
        try meter.add("fault, one by one", of: ids.count) {
            for id in ids { _ = try single.existingObject(with: id) }
        }
    }

    private var number: Int64 {
        // Entities are numbered by name.
        Int64(container.model.entities.map(\.name).sorted().firstIndex(of: "Task") ?? 0) + 1
    }
}
