import Foundation
import GraphModel
import Testing

@testable import GraphStore

/// Figures, printed; run with `GRAPHSTORE_FIGURES=1` and `-c release -Xswiftc -enable-testing`.
@Suite(
    "Figures of objects",
    .enabled(if: ProcessInfo.processInfo.environment["GRAPHSTORE_FIGURES"] == "1"), .serialized)
struct ObjectFigures {
    private let entities = """
        Row:
          attributes:
            key: { type: String, optional: false }
            a: String
            b: String
            c: Integer 64
            d: Integer 32
            e: Double
            f: Date
            g: Boolean
          unique: [[key]]
        """

    private func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    @Test func savesAgainstBulk() throws {
        let count = 500_000
        let bulk = try TestStore(entities)
        let plan = BulkPlan(
            entity: "Row", key: ["key"], attributes: ["key", "a", "b", "c", "d", "e", "f", "g"])
        let bulkSeconds = try seconds {
            let context = bulk.context()
            let writer = try context.bulkWriter(for: plan)
            let batch = RowBatch(width: plan.width)
            for start in stride(from: 0, to: count, by: 1000) {
                batch.removeAll()
                for number in start..<start + 1000 {
                    batch.add([
                        .text("key \(number)"), "some text", "some more text",
                        .integer(Int64(number)), 5, 1.5, .real(Double(number) + 0.5), 1,
                    ])
                }
                try writer.apply(batch, firstToken: 1)
            }
            try writer.finish()
            try context.save()
            try bulk.container.buildPendingIndexes()
        }
        let objects = try TestStore(entities)
        let key = AttributeKey<String>("key", slot: 0)
        let a = AttributeKey<String>("a", slot: 1)
        let b = AttributeKey<String>("b", slot: 2)
        let c = AttributeKey<Int>("c", slot: 3)
        let d = AttributeKey<Int>("d", slot: 4)
        let e = AttributeKey<Double>("e", slot: 5)
        let f = AttributeKey<Date>("f", slot: 6)
        let g = AttributeKey<Bool>("g", slot: 7)
        let context = objects.context()
        var saveSeconds = 0.0
        let makeSeconds = try seconds {
            for start in stride(from: 0, to: count, by: 10_000) {
                for number in start..<start + 10_000 {
                    let row = try context.insert("Row")
                    row[key] = "key \(number)"
                    row[a] = "some text"
                    row[b] = "some more text"
                    row[c] = number
                    row[d] = 5
                    row[e] = 1.5
                    row[f] = Date(timeIntervalSinceReferenceDate: Double(number) + 0.5)
                    row[g] = true
                }
                saveSeconds += try seconds { _ = try context.save() }
            }
        }
        let ids = (1...100_000).map {
            ManagedObjectID(entityNumber: 1, primaryKey: Int64($0))
        }
        let reader = objects.context()
        var rows: [ManagedObject] = []
        let faultSeconds = try seconds { rows = try reader.fault(ids) }
        let single = objects.context()
        let singleSeconds = try seconds {
            for id in ids { _ = try single.existingObject(with: id) }
        }
        let micro = { (seconds: Double, count: Int) in
            String(format: "%.2f", seconds * 1_000_000 / Double(count))
        }
        print(
            "figures, us a row: bulk \(micro(bulkSeconds, count)),",
            "objects \(micro(makeSeconds, count)), of which save \(micro(saveSeconds, count));",
            "batch fault \(micro(faultSeconds, ids.count)),",
            "single fault \(micro(singleSeconds, ids.count))", rows.count)
        #expect(single.statistics.singleFaultRuns == ["Row": 100_000])
    }
}
