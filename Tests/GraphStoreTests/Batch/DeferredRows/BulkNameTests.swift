import GraphModel
import GraphStore
import TestSeeds
import Testing

private func plan(
    _ links: [(relationship: String, attribute: String)] = [("parent", "slug")],
    missing: BulkPlan.MissingPolicy = .reject, duplicates: BulkPlan.DuplicatePolicy = .last
) -> BulkPlan {
    BulkPlan(
        entity: "Task", key: ["id"], attributes: ["id", "title", "slug"],
        links: links.map {
            .init(
                relationship: $0.relationship, destination: "Task", attribute: $0.attribute,
                missing: missing)
        }, duplicates: duplicates)
}

/// Returns a record: number, title, slug, and then its links.
private func task(
    _ id: Int64, _ title: TestValue, _ slug: TestValue, _ links: TestValue...
) -> [TestValue] {
    LinkedTasks.record(id, title, slug, links)
}

private let toOnes = """
    SELECT t.ZID, t.ZTITLE, p.ZID, n.ZID FROM ZTASK t LEFT JOIN ZTASK p ON p.Z_PK = t.ZPARENT \
    LEFT JOIN ZTASK n ON n.Z_PK = t.ZNEXT ORDER BY 1
    """
private let pairs = """
    SELECT a.ZID, b.ZID FROM Z_1BLOCKERS JOIN ZTASK a ON a.Z_PK = Z_1BLOCKED \
    JOIN ZTASK b ON b.Z_PK = Z_1BLOCKERS ORDER BY 1, 2
    """

@Suite("Bulk links between rows of the same load by a non-key attribute", .serialized)
struct BulkNameTests {
    /// The last entry has no memory: all deferred rows are spilled, and cycles are resolved one at
    /// a time.
    private static let ways: [(batchSize: Int, saveEvery: Int, keyMemory: Int)] = [
        (1, 1, 192 << 20), (1000, 1000, 192 << 20), (3, 3, 0),
    ]

    private func check(
        _ plan: BulkPlan, _ records: [[TestValue]], counts: String, rejects: [String] = [],
        query: String = toOnes, _ rows: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for way in Self.ways {
            try withStore(LinkedTasks.entities, sourceLocation: sourceLocation) { store in
                let outcome = try store.container.load(
                    plan, records, batchSize: way.batchSize, saveEvery: way.saveEvery,
                    keyMemoryBytes: way.keyMemory)
                #expect(outcome.counts == counts, "\(way)", sourceLocation: sourceLocation)
                #expect(outcome.rejectedCodes == rejects, "\(way)", sourceLocation: sourceLocation)
                try store.expect(query, rows, sourceLocation: sourceLocation)
            }
        }
    }

    private static let chain = [
        task(1, "a", "s1", "s4"), task(2, "b", "s2", "s1"), task(3, "c", "s3", "s2"),
        task(4, "d", "s4", nil),
    ]

    @Test(arguments: [
        [0, 1, 2, 3], [2, 1, 0, 3], [3, 0, 1, 2], [1, 0, 3, 2], [1, 3, 2, 0], [2, 0, 1, 3],
    ])
    func resolvesAChainInAnyOrder(order: [Int]) throws {
        try check(
            plan(), order.map { Self.chain[$0] },
            counts: "4 new, 0 changed, 0 same, 0 superseded, 0 rejected",
            ["1|a|4|-", "2|b|1|-", "3|c|2|-", "4|d|-|-"])
    }

    @Test(arguments: [BulkPlan.MissingPolicy.reject, .null])
    func appliesTheMissingPolicyToAChainWithAMissingEnd(missing: BulkPlan.MissingPolicy) throws {
        let isNull = missing == .null
        try check(
            plan(missing: missing), Array(Self.chain.prefix(3)),
            counts: isNull
                ? "3 new, 0 changed, 0 same, 0 superseded, 0 rejected"
                : "0 new, 0 changed, 0 same, 0 superseded, 3 rejected",
            rejects: isNull ? [] : ["1 link", "2 link", "3 link"],
            isNull ? ["1|a|-|-", "2|b|1|-", "3|c|2|-"] : [])
    }

    @Test func resolvesChainsAndCyclesOfThousandsOfRows() throws {
        let count: Int64 = 3000
        func slug(_ id: Int64) -> TestValue { .text("s\(id)") }
        let records = (1..<count).map { id in
            task(id, "t", slug(id), slug(id == 1 ? count : id - 1))
        }
        // A cycle, and the same chain with an end.
        for end in [slug(count - 1), .null] {
            try withStore(LinkedTasks.entities) { store in
                let outcome = try store.container.load(
                    plan(), records + [task(count, "t", slug(count), end)])
                #expect(
                    outcome.counts == "3000 new, 0 changed, 0 same, 0 superseded, 0 rejected")
                try store.expect(
                    "SELECT count(*), sum(t.ZID = p.ZID + 1) FROM ZTASK t"
                        + " JOIN ZTASK p ON p.Z_PK = t.ZPARENT",
                    [end == .null ? "2999|2998" : "3000|2999"])
            }
        }
    }

    @Test func resolvesCycles() throws {
        try check(
            plan(),
            [
                task(5, "e", "s5", "s2"), task(1, "a", "s1", "s2"), task(2, "b", "s2", "s1"),
                task(3, "c", "s3", "s3"),
            ], counts: "4 new, 0 changed, 0 same, 0 superseded, 0 rejected",
            ["1|a|2|-", "2|b|1|-", "3|c|3|-", "5|e|2|-"])
    }

    @Test func resolvesCyclesOverTheKeyAndOtherAttributes() throws {
        try check(
            plan([("parent", "slug"), ("next", "id")]),
            [
                task(1, "a", "s1", "s2", nil), task(2, "b", "s2", nil, 3),
                task(3, "c", "s3", "s1", 3),
            ], counts: "3 new, 0 changed, 0 same, 0 superseded, 0 rejected",
            ["1|a|2|-", "2|b|-|3", "3|c|1|3"])
    }

    @Test func resolvesCyclesOfToManyLinks() throws {
        try check(
            plan([("blockers", "slug")]),
            [
                task(1, "a", "s1", ["s2", "s3", "s1"]), task(2, "b", "s2", ["s1"]),
                task(3, "c", "s3", []), task(4, "d", "s4", ["s1", "s9"]),
            ], counts: "3 new, 0 changed, 0 same, 0 superseded, 1 rejected", rejects: ["4 link"],
            query: pairs, ["1|1", "1|2", "1|3", "2|1"])
    }

    @Test func resolvesCyclesOfRowsWithoutAKey() throws {
        var plan = plan()
        (plan.key, plan.found) = ([], .append)
        try check(
            plan,
            [
                task(1, "a", "s1", "s3"), task(2, "b", "s2", "s1"), task(3, "c", "s3", "s2"),
                task(4, "d", "s4", "s4"), task(5, "e", "s5", "s9"),
            ], counts: "4 new, 0 changed, 0 same, 0 superseded, 1 rejected", rejects: ["5 link"],
            ["1|a|3|-", "2|b|1|-", "3|c|2|-", "4|d|4|-"])
    }

    /// The row with the slug follows another row of its key, which is in the cycle.
    @Test func resolvesASlugThatALaterRecordSets() throws {
        try check(
            plan(),
            [
                task(3, "c", "s3", "s2"), task(2, "b", "old", "s1"), task(2, "new", "s2", .absent),
                task(1, "a", "s1", "s2"),
            ], counts: "3 new, 0 changed, 0 same, 1 superseded, 0 rejected",
            ["1|a|2|-", "2|new|1|-", "3|c|2|-"])
    }

    @Test func rejectsEveryRowOfACycleIfOneIsRejected() throws {
        try check(
            plan([("parent", "slug"), ("next", "id")]),
            [
                task(1, "a", "s1", "s2", nil), task(2, "b", "s2", "s1", 99),
                task(3, "c", "s3", "s1", nil), task(6, "f", "s6", "s7", nil),
                task(7, "g", "s7", "s6", nil),
            ], counts: "2 new, 0 changed, 0 same, 0 superseded, 3 rejected",
            rejects: ["1 link", "2 link", "3 link"], ["6|f|7|-", "7|g|6|-"])
    }

    /// If each object has one slug, links by slug behave like links by key.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func linksBySlugMatchLinksByKey(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let missing: BulkPlan.MissingPolicy = random.pick([.reject, .reject, .null, .skip])
        let duplicates: BulkPlan.DuplicatePolicy = random.pick([.last, .last, .first])
        let keys = random.pick([4, 12, 40])
        func key() -> Int64? { random.chance(25) ? nil : Int64(random.pick(keys + 1)) }
        var records: [(id: Int64, parent: Int64?, next: Int64?, blockers: [Int64])] = []
        for _ in 0..<random.pick([4, 10, 40]) {
            let blockers = random.chance(60) ? [] : [key(), key()].compactMap { $0 }
            records.append((Int64(random.pick(keys)), key(), key(), blockers))
        }
        func load(_ attribute: String, _ name: (Int64) -> TestValue) throws -> [[String]] {
            var found: [[String]] = []
            for way in Self.ways {
                try withStore(LinkedTasks.entities) { store in
                    let outcome = try store.container.load(
                        plan(
                            [("parent", attribute), ("next", "id"), ("blockers", attribute)],
                            missing: missing, duplicates: duplicates),
                        records.enumerated().map { number, record in
                            task(
                                record.id, .text("t\(number)"), .text("s\(record.id)"),
                                record.parent.map(name) ?? TestValue.null,
                                record.next.map(TestValue.integer) ?? TestValue.null,
                                .list(record.blockers.map(name)))
                        }, batchSize: way.batchSize, saveEvery: way.saveEvery,
                        keyMemoryBytes: way.keyMemory)
                    var lines = [outcome.counts] + outcome.rejectedCodes
                    lines += try store.lines(toOnes)
                    lines += try store.lines(pairs)
                    found.append(lines)
                }
            }
            return found
        }
        let byKey = try load("id") { .integer($0) }
        let bySlug = try load("slug") { .text("s\($0)") }
        #expect(bySlug == byKey, "seed \(seed)")
    }
}
