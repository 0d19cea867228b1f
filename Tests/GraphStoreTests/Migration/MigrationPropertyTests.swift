import Foundation
import GraphModel
import TestSeeds
import Testing

@testable import GraphStore

/// Migrations of random models with random objects to random successors.
///
/// Values and links that both models have are unchanged, and the new store is valid.
/// `MIGRATION_RUNS=1000` sets the number of model pairs.
@Suite("Migrations of random models") struct MigrationPropertyTests {
    /// The state of an object: the number of its entity, its values, and its links by key.
    private struct Seen: Equatable {
        var entity: Int
        var values: [Int: String] = [:]
        var links: [Int: [Int64]] = [:]
    }

    @Test func keepsValuesAndLinksThatBothModelsHave() throws {
        let runs = Int(ProcessInfo.processInfo.environment["MIGRATION_RUNS"] ?? "") ?? 60
        let first = TestSeed.ofThisRun
        let migrated = try (0..<UInt64(runs)).count(where: { try migrates(first &+ $0) })
        // Most changes are valid; ambiguous ones are rejected.
        #expect(migrated > runs / 3, "seeds from \(first)")
    }

    private func migrates(_ seed: UInt64) throws -> Bool {
        var numbers = SeededGenerator(seed: seed)
        let before = RandomModel(&numbers)
        var after = before
        after.evolve(&numbers)
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let (old, new) = (try before.model(), try after.model())
        try fill(path, old, before, &numbers)
        let expected = try look(path, before)
        let manager = MigrationManager(storeAt: path, to: new)
        let plan = try manager.plan()
        guard plan.isPossible else { return false }
        do {
            try manager.migrate()
        } catch {
            Issue.record("seed \(seed): \(error)\n\(plan.text)")
            return false
        }
        let problems = try PersistentContainer.verify(at: path, .full, model: new).problems
        #expect(problems == [], "seed \(seed)")
        let found = try look(path, after)
        #expect(found.count == expected.count, "seed \(seed)")
        for (id, object) in expected {
            let now = try #require(found[id], "seed \(seed): \(id)")
            for attribute in after.attributes(of: object.entity) {
                guard let value = object.values[attribute.id] else {
                    // An added attribute may have become a required text since.
                    let required =
                        attribute.defaultValue == .text("none") ? "text(\"none\")" : "integer(7)"
                    let wanted = attribute.isOptional ? "null" : required
                    let isOld = before.entities.contains {
                        $0.attributes.contains { $0.id == attribute.id }
                    }
                    if !isOld {
                        #expect(Self.plain(now.values[attribute.id]) == wanted, "seed \(seed)")
                    }
                    continue
                }
                let filled = value == "null" && !attribute.isOptional ? "text(\"none\")" : value
                #expect(
                    Self.same(filled, now.values[attribute.id] ?? ""),
                    "seed \(seed): \(attribute.name) is \(now.values[attribute.id] ?? ""), was \(value)"
                )
            }
            for end in after.ends(of: object.entity) {
                guard let links = object.links[end.id] else { continue }
                #expect(now.links[end.id] == links, "seed \(seed): \(end.name) of \(id)")
            }
        }
        return true
    }

    private static func plain(_ value: String?) -> String {
        (value ?? "").replacing("GraphModel.StoredValue.", with: "")
    }

    /// Returns whether two values are equal, apart from the format of a wider type.
    private static func same(_ old: String, _ new: String) -> Bool {
        if old == new { return true }
        func digits(_ text: String) -> String {
            var digits = text.filter { $0.isNumber || $0 == "-" || $0 == "." }
            if digits.hasSuffix(".0") { digits.removeLast(2) }
            return digits
        }
        // A UUID becomes its text; its bytes are no longer visible.
        if old.hasPrefix("blob"), new.hasPrefix("text") {
            return new.count == 36 + "text(\"\")".count
        }
        return digits(old) == digits(new)
    }

    private func fill(
        _ path: String, _ model: ManagedObjectModel, _ random: RandomModel,
        _ numbers: inout SeededGenerator
    ) throws {
        let container = try PersistentContainer(model: model, at: path, opening: .create)
        let context = container.newContext()
        var objects: [(entity: Int, object: ManagedObject)] = []
        for entity in random.entities {
            for _ in 0..<Int.random(in: 0...6, using: &numbers) {
                let object = try context.insert(entity.name)
                for attribute in random.attributes(of: entity.id) where numbers.chance(3, of: 4) {
                    try object.setValue(
                        .attribute(Self.value(attribute.type, &numbers)), forKey: attribute.name)
                }
                objects.append((entity.id, object))
            }
        }
        for link in random.links {
            let sources = objects.filter { random.lineage(of: $0.entity).contains(link.source) }
            let others = objects.filter { random.lineage(of: $0.entity).contains(link.destination) }
            for (_, object) in sources where numbers.chance(2, of: 3) {
                let chosen = others.filter { _ in numbers.chance(1, of: 3) }.map(\.object)
                let value: PropertyValue =
                    link.forward.isToMany ? .objects(chosen) : .object(chosen.first)
                try object.setValue(value, forKey: link.forward.name)
            }
        }
        try context.save()
    }

    private static func value(
        _ type: AttributeType, _ numbers: inout SeededGenerator
    ) -> StoredValue {
        switch type {
        case .boolean: .integer(Int64.random(in: 0...1, using: &numbers))
        case .integer16: .integer(Int64.random(in: -32_768...32_767, using: &numbers))
        case .integer32: .integer(Int64.random(in: -2_000_000_000...2_000_000_000, using: &numbers))
        case .integer64: .integer(Int64.random(in: .min ... .max, using: &numbers))
        case .double, .date: .real(Double(Int.random(in: -99_999...99_999, using: &numbers)) + 0.5)
        case .uuid: .blob((0..<16).map { _ in UInt8.random(in: 0...255, using: &numbers) })
        case .binary: .blob((0..<5).map { _ in UInt8.random(in: 0...255, using: &numbers) })
        default: .text("text \(Int.random(in: 0...999, using: &numbers))")
        }
    }

    /// Returns all objects, by the number of their hierarchy's first entity and their keys.
    private func look(_ path: String, _ random: RandomModel) throws -> [String: Seen] {
        let container = try PersistentContainer(model: nil, at: path)
        let context = container.newContext()
        var found: [String: Seen] = [:]
        for entity in random.entities where !entity.isAbstract {
            var request = FetchRequest<ManagedObject>(entityName: entity.name)
            request.includesSubentities = false
            for object in try context.fetch(request) {
                var seen = Seen(entity: entity.id)
                for attribute in random.attributes(of: entity.id) {
                    if case .attribute(let value) = try object.value(forKey: attribute.name) {
                        seen.values[attribute.id] = Self.plain("\(value)")
                    }
                }
                for end in random.ends(of: entity.id) {
                    switch try object.value(forKey: end.name) {
                    case .object(let other):
                        seen.links[end.id] = other.map { [$0.objectID.primaryKey] } ?? []
                    case .objects(let others):
                        seen.links[end.id] = others.map(\.objectID.primaryKey).sorted()
                    case .attribute, .composite: break
                    }
                }
                found["\(entity.id) \(object.objectID.primaryKey)"] = seen
            }
        }
        return found
    }
}
