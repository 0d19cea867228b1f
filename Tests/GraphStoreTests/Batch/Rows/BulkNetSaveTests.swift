import GraphModel
import Testing

@testable import GraphStore
@testable import RowStore

/// A row that one save changes and a later save restores has changed in both.
@Suite("Changes that each save of a load reports") struct BulkNetSaveTests {
    /// Loads the records, with a save at the end of each list.
    private func load(
        _ store: TestStore, _ plan: BulkPlan, _ saves: [[[TestValue]]], batchSize: Int
    ) throws -> LoadOutcome {
        let context = store.container.newContext()
        let writer = try context.bulkWriter(for: plan)
        var outcome = LoadOutcome()
        for (number, records) in saves.enumerated() {
            for start in stride(from: 0, to: records.count, by: batchSize) {
                let batch = RowBatch(width: plan.width)
                for record in records[start..<min(start + batchSize, records.count)] {
                    batch.add(record)
                }
                try writer.apply(batch, firstToken: Int64(start + 1))
            }
            if number == saves.count - 1 { try writer.finish() }
            try writer.flush()
            outcome.changes.append(try context.save().change)
        }
        outcome.tally = writer.tally
        return outcome
    }

    private func updated(_ outcome: LoadOutcome) -> [[Int64]] {
        outcome.changes.map { $0.updated.ids.map(\.primaryKey) }
    }

    /// The first save sets the title to `a`.
    @Test(
        arguments: [
            (["c"], "c|3", "0 new, 0 changed, 2 same, 2 superseded, 0 rejected"),
            (["c", "a"], "a|3", "0 new, 1 changed, 1 same, 3 superseded, 0 rejected"),
            (["c", "a", "c"], "c|3", "0 new, 0 changed, 2 same, 4 superseded, 0 rejected"),
            (["b", "c", "a", "c"], "c|3", "0 new, 0 changed, 2 same, 5 superseded, 0 rejected"),
            (["c", "a", "c", "b"], "b|3", "0 new, 1 changed, 1 same, 5 superseded, 0 rejected"),
        ] as [([TestValue], String, String)])
    func reportsARowInEachSaveThatChangesIt(
        titles: [TestValue], row: String, counts: String
    ) throws {
        let model = try model(
            """
            Item:
              attributes: { id: Integer 32, title: String }
              unique: [[id]]
            """)
        let plan = BulkPlan(entity: "Item", key: ["id"], attributes: ["id", "title"])
        for batchSize in [1, 100] {
            let store = try TestStore(model, history: HistoryOptions(keeping: .untilPurged))
            try store.container.load(plan, [[1, "c"], [2, "x"]])
            let start = try store.container.currentHistoryToken()
            // A row that changes and is restored within one save is not reported.
            var second: [[TestValue]] = [[2, "z"]]
            for title in titles { second.append([1, title]) }
            second.append([2, "x"])
            let outcome = try load(store, plan, [[[1, "a"]], second], batchSize: batchSize)
            #expect(outcome.counts == counts)
            #expect(updated(outcome) == [[1], [1]])
            let history = try store.container.history(after: start).map { transaction in
                transaction.changes.map { change in
                    "\(change.kind) \(change.objectID.primaryKey) \(change.updatedProperties ?? [])"
                }
            }
            #expect(history == [["update 1 [\"title\"]"], ["update 1 [\"title\"]"]])
            try store.expect(
                "SELECT ZID, ZTITLE, Z_OPT FROM ZITEM ORDER BY 1", ["1|\(row)", "2|x|1"])
            try store.checkIntegrity()
        }
    }

    /// The first save moves object 2 from 1 to 3, and the second moves it back; each changes all
    /// three objects.
    @Test(
        arguments: [
            ([[1, [2]]], "0 new, 0 changed, 2 same, 0 superseded, 0 rejected"),
            (
                [[1, [2]], [3, [2]], [1, [2]]],
                "0 new, 0 changed, 2 same, 2 superseded, 0 rejected"
            ),
        ] as [([[TestValue]], String)])
    func reportsOwnersAndObjectsInEachSaveThatMovesThem(
        second: [[TestValue]], counts: String
    ) throws {
        let model = """
            Node:
              attributes: { id: Integer 32 }
              relationships:
                up: { to: Node, inverse: downs }
                downs: { to: Node, many: true, inverse: up }
              unique: [[id]]
            """
        let plan = BulkPlan(
            entity: "Node", key: ["id"], attributes: ["id"],
            links: [.init(relationship: "downs", destination: "Node", attribute: "id")])
        let rows = "SELECT ZID, ZUP, Z_OPT FROM ZNODE ORDER BY 1"
        for batchSize in [1, 100] {
            try withStore(model) { store in
                try store.container.load(plan, [[1], [2], [3]])
                try store.container.load(plan, [[1, [2]]])
                try store.expect(rows, ["1|-|2", "2|1|2", "3|-|1"])
                let outcome = try load(store, plan, [[[3, [2]]], second], batchSize: batchSize)
                #expect(outcome.counts == counts)
                #expect(updated(outcome) == [[1, 2, 3], [1, 2, 3]])
                try store.expect(rows, ["1|-|4", "2|1|4", "3|-|3"])
            }
        }
    }
}
