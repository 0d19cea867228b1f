import GraphModel
import SQLite
import Testing

@testable import GraphStore

/// The ways to change links, and how each performs the action of a case.
extension LinkEndTests {
    static func plan(
        _ entity: String, _ relationship: String, _ many: BulkPlan.ManyPolicy = .replace
    ) -> BulkPlan {
        let destinations = [
            "list": "List", "board": "Board", "badge": "Badge", "tags": "Tag", "steps": "Tag",
            "tasks": "Task", "cards": "Task", "task": "Task", "friends": "Task",
            "things": "Thing", "members": "Member",
        ]
        return BulkPlan(
            entity: entity, key: ["name"], attributes: ["name"],
            links: [
                .init(
                    relationship: relationship, destination: destinations[relationship] ?? "",
                    attribute: "name", missing: .null, many: many)
            ])
    }

    static func isToMany(_ relationship: String) -> Bool {
        relationship.hasSuffix("s")
    }

    /// Runs the action by the path.
    ///
    /// - Returns: `false` if the path does not support the action.
    static func run(
        _ action: Action, _ path: Path, _ store: TestStore
    ) throws -> Bool {
        switch path {
        case .objects:
            let context = store.context()
            try change(action, in: context)
            try context.save()
        case .child:
            let context = store.context()
            let child = context.makeChild()
            try change(action, in: child)
            try child.save()
            try context.save()
        case .fewRows, .manyRows:
            guard let (plan, record) = record(of: action) else { return false }
            try store.container.load(
                plan, [record], keyMemoryBytes: path == .fewRows ? 0 : 192 << 20)
        case .insertRequest: return try insertRequest(action, store)
        case .request: return try request(action, store)
        case .mirror:
            guard case .delete(let entity, let name) = action else { return false }
            let context = store.context()
            let plan = BulkPlan(entity: entity, key: ["name"], attributes: ["name"])
            let writer = try context.bulkWriter(for: plan)
            let batch = RowBatch(width: 1)
            for other in try store.lines("SELECT ZNAME FROM Z\(entity.uppercased())")
            where other != name { batch.add([.text(other)]) }
            // Objects of a sub-entity share the table.
            try writer.apply(batch, firstToken: 1)
            try writer.finish()
            _ = writer.takeRejects()
            _ = try context.write(BatchDeleteRequest(entityName: entity), sparing: writer)
            try context.save()
        }
        return true
    }

    static func change(_ action: Action, in context: ManagedObjectContext) throws {
        func object(_ entity: String, _ name: String) throws -> ManagedObject {
            var request = FetchRequest<ManagedObject>(entityName: entity)
            request.predicate = try GraphPredicate(format: "name == '\(name)'")
            return try #require(try context.fetch(request).first)
        }
        func link(
            _ entity: String, _ name: String, _ relationship: String, _ names: [String],
            _ body: (ManagedObject, ManagedObject, ToManyKey<ManagedObject>) -> Void
        ) throws {
            let owner = try object(entity, name)
            let destination = plan("", relationship).links[0].destination
            for name in names { body(owner, try object(destination, name), .toMany(relationship)) }
        }
        func set(_ owner: ManagedObject, _ relationship: String, _ names: [String]) throws {
            let destination = plan("", relationship).links[0].destination
            let objects = try names.map { try object(destination, $0) }
            if isToMany(relationship) {
                owner[.toMany(relationship)] = objects
            } else {
                owner[.toOne(relationship)] = objects.first
            }
        }
        switch action {
        case .set(let entity, let name, let relationship, let names):
            try set(object(entity, name), relationship, names)
        case .add(let entity, let name, let relationship, let names):
            try link(entity, name, relationship, names) { $0.add($1, to: $2) }
        case .remove(let entity, let name, let relationship, let names):
            try link(entity, name, relationship, names) { $0.remove($1, from: $2) }
        case .insert(let entity, let name, let relationship, let names):
            let owner = try context.insert(entity)
            try owner.setValue(.attribute(.text(name)), forKey: "name")
            try set(owner, relationship, names)
        case .delete(let entity, let name): context.delete(try object(entity, name))
        }
    }

    static func record(of action: Action) -> (BulkPlan, [TestValue])? {
        switch action {
        case .set(let entity, let name, let relationship, let names),
            .insert(let entity, let name, let relationship, let names):
            let cell: TestValue =
                isToMany(relationship)
                ? .list(names.map { .text($0) }) : names.first.map { .text($0) } ?? .null
            return (plan(entity, relationship), [.text(name), cell])
        case .add(let entity, let name, let relationship, let names):
            return (
                plan(entity, relationship, .add), [.text(name), .list(names.map { .text($0) })]
            )
        case .remove(let entity, let name, let relationship, let names):
            return (
                plan(entity, relationship, .remove), [.text(name), .list(names.map { .text($0) })]
            )
        case .delete: return nil
        }
    }

    static func insertRequest(_ action: Action, _ store: TestStore) throws -> Bool {
        switch action {
        case .set(let entity, let name, let relationship, let names),
            .insert(let entity, let name, let relationship, let names):
            var isDone = false
            var request = BatchInsertRequest(
                entityName: entity, properties: ["name", relationship]
            ) { row in
                if isDone { return true }
                isDone = true
                row["name"] = .value(.text(name))
                row[relationship] = .keys(names.map { .text($0) })
                if !isToMany(relationship) {
                    row[relationship] = .value(names.first.map { .text($0) } ?? .null)
                }
                return false
            }
            request.key = ["name"]
            request.policy = .objectTrump
            request.links = [relationship: .init(by: "name", missing: .null)]
            let context = store.context()
            _ = try context.write(request)
            try context.save()
            return true
        case .add, .remove, .delete: return false
        }
    }

    static func request(_ action: Action, _ store: TestStore) throws -> Bool {
        let context = store.context()
        switch action {
        case .set(let entity, let name, let relationship, let names)
        where ["list", "board"].contains(relationship):
            var value = GraphValue.null
            if let destination = names.first {
                var request = FetchRequest<ManagedObject>(
                    entityName: plan(entity, relationship).links[0].destination)
                request.predicate = try GraphPredicate(format: "name == '\(destination)'")
                value = .object(try #require(try context.fetch(request).first).objectID)
            }
            _ = try context.write(
                BatchUpdateRequest(
                    entityName: entity, predicate: GraphPredicate(format: "name == '\(name)'"),
                    propertiesToUpdate: [relationship: .constant(value)]))
        case .delete(let entity, let name):
            _ = try context.write(
                BatchDeleteRequest(
                    entityName: entity, predicate: GraphPredicate(format: "name == '\(name)'")))
        default: return false
        }
        try context.save()
        return true
    }
}
