import Foundation
import GraphModel
import SQLite
import TestSeeds
import Testing

@testable import GraphStore

/// Generated models, objects, and predicates: SQL and the evaluator find the same objects in the
/// same order.
///
/// `ETL_AGREEMENT_SEED` repeats a run. With the seed of one world and `ETL_AGREEMENT_WORLDS=1`, it
/// repeats only that world.
@Suite("rows 80–93: SQL and the evaluator") struct AgreementTests {
    private static let predicatesPerWorld = 250

    /// The number of shards that run in parallel.
    private static let shards = 4

    /// The numbers of tested predicates.
    private struct Tally {
        var tried = 0
        var unresolved = 0
        var failedInBoth = 0
        var failedInOne = 0
        var found = 0
    }

    private static let seed: UInt64 = {
        let given = ProcessInfo.processInfo.environment["ETL_AGREEMENT_SEED"]
        let seed = given.flatMap { UInt64($0) } ?? 777_000
        print("agreement of SQL and the evaluator: seed \(seed)")
        return seed
    }()

    private static let worlds =
        ProcessInfo.processInfo.environment["ETL_AGREEMENT_WORLDS"].flatMap { Int($0) } ?? 80

    @Test("SQL and the evaluator find the same objects in the same order", arguments: 0..<shards)
    func findTheSameObjects(shard: Int) throws {
        var tally = Tally()
        for world in 0..<Self.worlds where world % Self.shards == shard {
            try tryWorld(seed: Self.seed &+ UInt64(world), &tally)
        }
        guard Self.worlds >= 80 else { return }
        #expect(tally.tried >= 20_000 / Self.shards)
        #expect(tally.unresolved * 20 < tally.tried, "\(tally)")
        #expect(tally.failedInBoth * 10 < tally.tried, "\(tally)")
        #expect(tally.failedInOne * 200 < tally.tried, "\(tally)")
        #expect(tally.found > tally.tried, "\(tally)")
    }

    private func tryWorld(seed: UInt64, _ tally: inout Tally) throws {
        var generator = WorldGenerator(random: SeededGenerator(seed: seed))
        let world = try World(&generator)
        var tried = 0
        while tried < Self.predicatesPerWorld {
            let entity = generator.random.pick(world.schema.entities)
            var predicates = WorldPredicates(
                generator.random, world.schema, over: entity, objectCount: world.variables.count)
            let format = predicates.predicate(depth: 2)
            let order = predicates.sortDescriptors()
            generator.random = predicates.random
            let predicate: GraphPredicate
            do {
                predicate = try GraphPredicate(format: format).resolved(
                    for: entity.name, in: world.model, variables: world.variables)
            } catch {
                tally.unresolved += 1
                if tally.unresolved > 10_000 { break }
                continue
            }
            tally.tried += 1
            tried += 1
            let expected = Result { try world.evaluate(predicate, order, over: entity) }
            let found = Result { try world.select(predicate, order, over: entity) }
            switch (expected, found) {
            case (.success(let expected), .success(let found)) where found == expected:
                tally.found += found.count
            case (.failure(is EvaluationError), .failure(is StoreError)): tally.failedInBoth += 1
            case (.failure(is EvaluationError), .success),
                (.success, .failure(is StoreError))
            where mayStopBeforeFailing(predicate, in: world, over: entity):
                tally.failedInOne += 1
            default:
                Issue.record(
                    """
                    seed \(seed): \(entity.name) where \(format) sorted by \(order)
                    SQL: \(found)
                    memory: \(expected)
                    \(world.description)
                    """)
            }
        }
    }

    /// Returns whether a part of an AND or OR may fail on both sides.
    ///
    /// The order of evaluation is not promised, so neither is whether that part is evaluated.
    private func mayStopBeforeFailing(
        _ predicate: GraphPredicate, in world: World, over entity: StoreLayout.Entity
    ) -> Bool {
        // SQL reads the elements of all objects; the evaluator reads one object at a time.
        if "\(predicate)".contains("SUBQUERY") { return true }
        let parts = predicate.choices
        guard parts.count > 1 else { return false }
        return parts.contains { part in
            let expected = Result { try world.evaluate(part, [], over: entity) }
            let found = Result { try world.select(part, [], over: entity) }
            if case .failure(is EvaluationError) = expected, case .failure(is StoreError) = found {
                return true
            }
            return false
        }
    }
}
