import GraphModel
import GraphStore
import Testing

/// Loads that continue in another process, with deferred records in the progress notes.
@Suite("Deferred records of a resumed load") struct BulkJournalTests {
    @Test("a resumed load keeps values of every type", arguments: [192 << 20, 0])
    func values(keyMemory: Int) throws {
        try withStore(
            """
            Task:
              attributes:
                id: { type: Integer 32, optional: false }
                text: String
                size: Double
                photo: Binary
              relationships:
                parent: { to: Task, inverse: children }
                children: { to: Task, many: true, inverse: parent }
              unique: [[id]]
            """
        ) { store in
            let plan = BulkPlan(
                entity: "Task", key: ["id"], attributes: ["id", "text", "size", "photo"],
                links: [.init(relationship: "parent", destination: "Task", attribute: "id")])
            let records: [[TestValue]] = [
                [1, "a", 2.5, .blob([1, 255]), 3], [2, "é", -0.25, nil, 1],
                [3, nil, .absent, .blob([7]), 4], [4, .absent, 1e300, .absent, nil],
            ]
            let beginning = store.container.newContext()
            try beginning.beginProgressNotes()
            try beginning.save()
            for (number, record) in records.enumerated() {
                // A new process each time, which reads the notes of the previous one.
                let context = store.container.newContext()
                let writer = try context.bulkWriter(
                    for: plan, memory: .ofTests(keys: keyMemory), isResumable: true)
                let batch = RowBatch(width: plan.width)
                batch.add(record)
                try writer.apply(batch, firstToken: Int64(number + 1))
                // The last record, which waits for nothing, resolves the others.
                if number < 3 {
                    #expect(writer.deferredCount == number + 1)
                } else {
                    try writer.finish()
                }
                try writer.flush()
                try writer.noteState()
                try context.save()
                if number == 3 { #expect(writer.tally.inserted == 4) }
            }
            let end = store.container.newContext()
            try end.removeProgressNotes(BulkWriter.noteKinds)
            try end.save()
            try store.container.buildPendingIndexes()
            try store.expect(
                """
                SELECT t.ZID, t.ZTEXT, t.ZSIZE, t.ZPHOTO, p.ZID FROM ZTASK t
                LEFT JOIN ZTASK p ON p.Z_PK = t.ZPARENT ORDER BY 1
                """,
                ["1|a|2.5|x01ff|3", "2|é|-0.25|-|1", "3|-|-|x07|4", "4|-|1e+300|-|-"])
        }
    }
}
