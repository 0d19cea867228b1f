import GraphModel
import SQLite
import TestSeeds
import Testing

@testable import GraphStore
@testable import RowStore

/// Changes of texts by every way to write, so that the folded copies of searchable texts must be
/// updated.
extension WorldGenerator {
    mutating func rewrite(_ objects: [WorldObject], in store: TestStore) throws {
        for _ in 0..<random.pick(9) {
            let object = random.pick(objects)
            let names = object.entity.attributes.filter { $0.value.attribute.type == .string }
                .keys.sorted()
            guard !names.isEmpty else { continue }
            let name = random.pick(names)
            let text: GraphValue = random.chance(15) ? .null : .string(self.text())
            switch random.pick(6) {
            case 0: try update(object, name, text, bySQL: store)
            case 1: try upsert(object, name, text, store.container)
            case 2: try update(object, name, text, byRequest: store.container)
            case 3: try save(object, name, text, in: store.container, merging: false)
            // An unchanged value is not our change, so it does not win.
            case 4 where object.values[name] != text:
                try save(object, name, text, in: store.container, merging: true)
            case 4: continue
            default:
                try insertAndDelete(object.entity, name, store.container)
                continue
            }
            object.values[name] = text
        }
    }

    private func update(
        _ object: WorldObject, _ name: String, _ text: GraphValue, bySQL store: TestStore
    ) throws {
        let column = try #require(object.entity.attributes[name]?.column)
        try SQLFragment(
            "UPDATE \(object.entity.table) SET \(column) = ? WHERE Z_PK = ?",
            [text.stored, .integer(object.primaryKey)]
        ).run(on: store.foreign())
    }

    private func upsert(
        _ object: WorldObject, _ name: String, _ text: GraphValue,
        _ container: PersistentContainer
    ) throws {
        let outcome = try container.load(
            BulkPlan(entity: object.entity.name, key: ["id"], attributes: ["id", name]),
            [[.integer(object.primaryKey), text.cell]])
        #expect(outcome.rejects.isEmpty)
    }

    private func update(
        _ object: WorldObject, _ name: String, _ text: GraphValue,
        byRequest container: PersistentContainer
    ) throws {
        let context = container.newContext()
        let result = try context.execute(
            BatchUpdateRequest(
                entityName: object.entity.name,
                predicate: try GraphPredicate(format: "id == \(object.primaryKey)"),
                propertiesToUpdate: [name: .constant(text)]))
        #expect(result.matched == 1)
        try context.save()
    }

    private mutating func save(
        _ object: WorldObject, _ name: String, _ text: GraphValue,
        in container: PersistentContainer, merging: Bool
    ) throws {
        let context = container.newContext()
        let managed = try context.existingObject(with: object.id)
        _ = try managed.value(forKey: name)
        if merging {
            // The other context saves first; our changes win.
            context.mergePolicy = .mergeByPropertyObjectTrump
            let other = container.newContext()
            try other.existingObject(with: object.id).setValue(
                .attribute(.text(self.text())), forKey: name)
            try other.save()
        }
        try managed.setValue(.attribute(text.stored), forKey: name)
        try context.save()
    }

    private mutating func insertAndDelete(
        _ entity: StoreLayout.Entity, _ name: String, _ container: PersistentContainer
    ) throws {
        try container.load(
            BulkPlan(entity: entity.name, key: ["id"], attributes: ["id", name]),
            [[1_000_000, .text(text())]])
        let context = container.newContext()
        let result = try context.execute(
            BatchDeleteRequest(
                entityName: entity.name, predicate: try GraphPredicate(format: "id == 1000000")))
        #expect(result.deleted == 1)
        try context.save()
    }
}

extension GraphValue {
    fileprivate var cell: TestValue {
        if case .string(let text) = self { .text(text) } else { .null }
    }
}
