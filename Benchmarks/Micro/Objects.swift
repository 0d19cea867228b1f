import FoundationEssentials
import GraphModel
import GraphStore

/// The cost per row of the object path: inserts and saves compared with the bulk path, and faults.
enum Objects {
    private static let model = """
        model: 1
        entities:
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
    /// The number of objects per save.
    private static let saveSize = 10_000

    static func measure(folder: String, count: Int = 500_000, rounds: Int = 3) throws {
        let (model, diagnostics) = ModelFile.read(text: model)
        guard let model else { throw MeasureError(text: "\(diagnostics)") }
        var figures: [String: [Double]] = [:]
        for round in 0..<rounds {
            let bulk = try container(model, "\(folder)/bulk\(round).sqlite")
            let taken = try seconds { try load(count, into: bulk) }
            figures["bulk", default: []].append(taken / Double(count))
            let objects = try container(model, "\(folder)/objects\(round).sqlite")
            var saving = 0.0
            let making = try seconds { try insert(count, into: objects, &saving) }
            figures["objects", default: []].append(making / Double(count))
            figures["of which save", default: []].append(saving / Double(count))
            figures["objects ÷ bulk", default: []].append(making / taken / 1e6)
            let whole = try container(model, "\(folder)/whole\(round).sqlite")
            var wholeSaving = 0.0
            let wholeMaking = try seconds {
                try insert(count, into: whole, saveSize: count, &wholeSaving)
            }
            figures["objects, one save", default: []].append(wholeMaking / Double(count))
            figures["its save", default: []].append(wholeSaving / Double(count))
            figures["its save ÷ bulk", default: []].append(wholeSaving / taken / 1e6)
            let ids = (1...min(count, 100_000)).map {
                ManagedObjectID(entityNumber: 1, primaryKey: Int64($0))
            }
            let reader = objects.newContext()
            var rows: [ManagedObject] = []
            let batch = try seconds { rows = try reader.fault(ids) }
            guard rows.count == ids.count else { throw MeasureError(text: "rows are missing") }
            figures["batch fault", default: []].append(batch / Double(ids.count))
            let single = objects.newContext()
            let fired = try seconds {
                for id in ids { _ = try single.existingObject(with: id) }
            }
            guard single.statistics.singleFaultRuns["Row"] == ids.count else {
                throw MeasureError(text: "the run of single faults was not noticed")
            }
            figures["single fault", default: []].append(fired / Double(ids.count))
        }
        print("| CPU, µs a row | least | middle |\n|---|---|---|")
        for name in [
            "bulk", "objects", "of which save", "objects, one save", "its save", "batch fault",
            "single fault",
        ] {
            row(name, Spread((figures[name] ?? []).map { $0 * 1e6 }))
        }
        for name in ["objects ÷ bulk", "its save ÷ bulk"] {
            row(name, Spread((figures[name] ?? []).map { $0 * 1e6 }))
        }
    }

    private static func row(_ name: String, _ spread: Spread) {
        print("| \(name) | \(spread.least.text(places: 2)) | \(spread.middle.text(places: 2)) |")
    }

    private static func container(
        _ model: ManagedObjectModel, _ path: String
    ) throws -> PersistentContainer {
        try PersistentContainer(model: model, .sqlite(at: path, opening: .create))
    }

    private static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = cpuSeconds()
        try body()
        return cpuSeconds() - start
    }

    /// Inserts rows by the bulk path, in one transaction.
    private static func load(_ count: Int, into container: PersistentContainer) throws {
        let plan = BulkPlan(
            entity: "Row", key: ["key"], attributes: ["key", "a", "b", "c", "d", "e", "f", "g"])
        let context = container.newContext()
        let writer = try context.bulkWriter(for: plan)
        let batch = RowBatch(width: plan.width)
        for start in stride(from: 0, to: count, by: 1000) {
            batch.removeAll()
            for number in start..<min(start + 1000, count) {
                let values: [StoredValue] = [
                    .text("key \(number)"), .text("some text"), .text("some more text"),
                    .integer(Int64(number)), .integer(5), .real(1.5),
                    .real(Double(number) + 0.5), .integer(1),
                ]
                let row = batch.addRow()
                for (column, value) in values.enumerated() {
                    batch[row, column] = batch.arena.cell(value)
                }
            }
            try writer.apply(batch, firstToken: 1)
        }
        try writer.finish()
        try context.save()
        try container.buildPendingIndexes()
    }

    /// Inserts objects and saves after every `saveSize` of them.
    private static func insert(
        _ count: Int, into container: PersistentContainer, saveSize: Int = saveSize,
        _ saving: inout Double
    ) throws {
        let key = AttributeKey<String>("key", slot: 0)
        let a = AttributeKey<String>("a", slot: 1)
        let b = AttributeKey<String>("b", slot: 2)
        let c = AttributeKey<Int>("c", slot: 3)
        let d = AttributeKey<Int>("d", slot: 4)
        let e = AttributeKey<Double>("e", slot: 5)
        let f = AttributeKey<Date>("f", slot: 6)
        let g = AttributeKey<Bool>("g", slot: 7)
        let context = container.newContext()
        for start in stride(from: 0, to: count, by: saveSize) {
            for number in start..<min(start + saveSize, count) {
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
            saving += try seconds { _ = try context.save() }
        }
    }

    private struct MeasureError: Error, CustomStringConvertible {
        let text: String
        var description: String { text }
    }
}
