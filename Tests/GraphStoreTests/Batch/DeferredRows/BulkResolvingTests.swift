import GraphModel
import GraphStore
import Testing

private let tasks = """
    Task:
      attributes:
        id: { type: Integer 32, optional: false }
        title: { type: String, optional: false }
        slug: String
      relationships:
        parent: { to: Task, inverse: children }
        children: { to: Task, many: true, inverse: parent }
      unique: [[id], [slug]]
    """

private func task(
    _ id: Int64, _ title: TestValue, _ slug: TestValue, _ parent: TestValue
) -> [TestValue] {
    [.integer(id), title, slug, parent]
}

private let rows = """
    SELECT t.ZID, t.ZTITLE, p.ZID FROM ZTASK t LEFT JOIN ZTASK p ON p.Z_PK = t.ZPARENT ORDER BY 1
    """

@Suite("Deferred rows that are resolved in several calls") struct BulkResolvingTests {
    /// Returns a writer that returns three rejects per call and has received the records.
    private func writer(
        _ records: [[TestValue]], missing: BulkPlan.MissingPolicy = .reject,
        in context: ManagedObjectContext
    ) throws -> BulkWriter {
        var link = BulkPlan.Link(relationship: "parent", destination: "Task", attribute: "id")
        link.missing = missing
        link.notesMissed = missing == .null
        let plan = BulkPlan(
            entity: "Task", key: ["id"], attributes: ["id", "title", "slug"], links: [link])
        let writer = try context.bulkWriter(for: plan, memory: BulkMemory(deferredRows: 3 * 512))
        let batch = RowBatch(width: plan.width)
        for record in records { batch.add(record) }
        try writer.apply(batch, firstToken: 1)
        #expect(writer.takeRejects() == [])
        return writer
    }

    private static let hopeless: [[TestValue]] = (1...10).map { id in task(id, "t", nil, 99) }

    /// Pairs; one row of each of the first four is rejected for its own reason.
    private static let cycles: [[TestValue]] = (0..<6).flatMap { number -> [[TestValue]] in
        let id = Int64(20 + number * 2)
        let slug: TestValue = number < 4 ? "taken" : .null
        return [task(id, "t", nil, .integer(id + 1)), task(id + 1, "t", slug, .integer(id))]
    }

    private static let good: [[TestValue]] = [
        task(50, "t", "taken", nil), task(51, "t", nil, 52), task(52, "t", nil, nil),
    ]

    @Test func returnsRejectsInSeveralCalls() throws {
        try withStore(tasks) { store in
            let context = store.container.newContext()
            let writer = try writer(Self.hopeless + Self.cycles + Self.good, in: context)
            var turns: [Int] = []
            var rejects: [BulkReject] = []
            var isMore = true
            while isMore {
                isMore = try writer.resolveSome()
                let new = writer.takeRejects()
                turns.append(new.count)
                rejects += new
            }
            try writer.finish()
            #expect(writer.takeRejects() == [])
            try context.save()
            try store.container.buildPendingIndexes(linkBytes: 1 << 20)
            #expect(turns.prefix(3) == [3, 3, 3])
            // The rejects of one cycle are returned together.
            #expect(turns.allSatisfy { $0 <= 6 }, "\(turns)")
            #expect(
                rejects.map { "\($0.token) \($0.code)" }.sorted()
                    == (1...18).map { "\($0) link" }.sorted())
            try store.expect(
                rows,
                [
                    "28|t|29", "29|t|28", "30|t|31", "31|t|30", "50|t|-", "51|t|52",
                    "52|t|-",
                ])
        }
    }

    @Test func returnsMissedLinksInSeveralCalls() throws {
        try withStore(tasks) { store in
            let context = store.container.newContext()
            let writer = try writer(Self.hopeless, missing: .null, in: context)
            var turns: [Int] = []
            var tokens: [Int64] = []
            var isMore = true
            while isMore {
                isMore = try writer.resolveSome()
                let new = writer.takeMissedLinks()
                turns.append(new.count)
                tokens += new.map(\.token)
            }
            try writer.finish()
            #expect(writer.takeMissedLinks() == [])
            #expect(writer.takeRejects() == [])
            try context.save()
            try store.container.buildPendingIndexes(linkBytes: 1 << 20)
            #expect(turns == [3, 3, 3, 1])
            #expect(tokens.sorted() == Array(1...10))
            try store.expect(rows, (1...10).map { "\($0)|t|-" })
        }
    }

    @Test func finishResolvesTheRemainingDeferredRows() throws {
        try withStore(tasks) { store in
            let context = store.container.newContext()
            let writer = try writer(Self.hopeless + Self.good, in: context)
            let isMore = try writer.resolveSome()
            #expect(isMore)
            #expect(writer.takeRejects().count == 3)
            try writer.finish()
            #expect(writer.takeRejects().count == 7)
            try context.save()
            try store.container.buildPendingIndexes(linkBytes: 1 << 20)
            #expect(writer.tally.inserted == 3)
            try store.expect(rows, ["50|t|-", "51|t|52", "52|t|-"])
        }
    }
}
