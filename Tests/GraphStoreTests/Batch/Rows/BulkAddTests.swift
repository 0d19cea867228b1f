import GraphModel
import SQLite
import Testing

@testable import GraphStore

private let entities = """
    Book:
      attributes: { code: String }
      relationships: { shelf: { to: Shelf, inverse: books } }
      unique: [[code]]
    Box:
      attributes: { code: String }
      relationships: { shelf: { to: Shelf, inverse: boxes } }
      unique: [[code]]
    Room:
      attributes: { name: String }
      relationships: { shelves: { to: Shelf, many: true, inverse: room } }
      unique: [[name]]
    Shelf:
      attributes: { name: String }
      relationships:
        books: { to: Book, many: true, inverse: shelf }
        boxes: { to: Box, many: true, ordered: true, inverse: shelf }
        room: { to: Room, inverse: shelves }
        tags: { to: Tag, many: true, ordered: true, inverse: shelves }
      unique: [[name]]
    Tag:
      attributes: { code: String }
      relationships: { shelves: { to: Shelf, many: true, inverse: tags } }
      unique: [[code]]
    """

/// The queries for the shelves of things and their positions on them.
private let orders = [
    "boxes": "SELECT ZNAME, ZCODE, Z_FOK_SHELF FROM ZBOX b JOIN ZSHELF s ON s.Z_PK = b.ZSHELF"
        + " ORDER BY 1, 3",
    "tags": "SELECT ZNAME, ZCODE, Z_FOK_5TAGS FROM Z_4TAGS JOIN ZSHELF s ON s.Z_PK = Z_4SHELVES"
        + " JOIN ZTAG t ON t.Z_PK = Z_5TAGS ORDER BY 1, 3",
]

private func plan(_ link: String, _ many: BulkPlan.ManyPolicy) -> BulkPlan {
    let destination = ["books": "Book", "boxes": "Box"][link] ?? "Tag"
    return BulkPlan(
        entity: "Shelf", key: ["name"], attributes: ["name"],
        links: [
            .init(relationship: link, destination: destination, attribute: "code", many: many)
        ])
}

extension TestStore {
    /// Fills the store with a shelf and the objects that can be put on it.
    fileprivate func fill(_ codes: [String]) throws {
        for entity in ["Book", "Box", "Tag"] {
            try container.load(
                BulkPlan(entity: entity, key: ["code"], attributes: ["code"]),
                codes.map { [.text($0)] })
        }
        try container.load(BulkPlan(entity: "Shelf", key: ["name"], attributes: ["name"]), [["s"]])
    }
}

@Suite("Links that records add and remove one by one") struct BulkAddTests {
    @Test(
        arguments: [
            (
                "boxes", ["s|b|2048", "s|c|3072", "s|d|4096", "t|a|1024"],
                ["s|b|2048", "s|d|4096", "s|a|5120"]
            ),
            (
                "tags",
                [
                    "s|a|1024", "s|b|2048", "s|c|3072", "s|d|4096", "t|c|1024", "t|d|2048",
                    "t|a|3072",
                ],
                ["s|b|2048", "s|d|4096", "s|a|5120", "t|c|1024", "t|d|2048"]
            ),
        ] as [(String, [String], [String])])
    func addsLinksAfterTheExistingLinksOfTheOwner(
        link: String, added: [String], changed: [String]
    ) throws {
        let query = try #require(orders[link])
        for (batchSize, saveEvery) in [(1, 1), (1, 2), (1, .max), (100, .max)] {
            try withStore(entities) { store in
                try store.fill(["a", "b", "c", "d"])
                // The last box of one shelf moves to the other.
                let outcome = try store.container.load(
                    plan(link, .add),
                    [
                        ["s", ["a", "b"]], ["t", ["c"]], ["s", ["c"]], ["t", ["d"]],
                        ["s", ["b", "d"]], ["t", ["a"]],
                    ], batchSize: batchSize, saveEvery: saveEvery)
                #expect(outcome.counts == "1 new, 1 changed, 0 same, 4 superseded, 0 rejected")
                try store.expect(query, added)
                let removed = try store.container.load(
                    plan(link, .remove), [["s", ["c", "a"]], ["t", ["a"]], ["t", ["b"]]],
                    batchSize: batchSize, saveEvery: saveEvery)
                #expect(removed.counts == "0 new, 2 changed, 0 same, 1 superseded, 0 rejected")
                try store.container.load(plan(link, .add), [["s", ["a"]]])
                try store.expect(query, changed)
            }
        }
    }

    /// Returns how often all links of a shelf are read while records arrive one at a time.
    private func readings(
        _ store: TestStore, _ plan: BulkPlan, _ records: [[TestValue]]
    ) throws -> Int {
        let context = store.container.newContext()
        let writer = try context.bulkWriter(for: plan)
        var count = 0
        try context.session().connection.trace(expanded: false) { event in
            guard case .begins(let sql) = event else { return }
            let reads = ["WHERE ZSHELF = ?", "max(Z_FOK_", "WHERE Z_4SHELVES = ?1"]
            if reads.contains(where: { sql.contains($0) }) { count += 1 }
        }
        let batch = RowBatch(width: plan.width)
        for record in records { batch.add(record) }
        try writer.apply(batch, firstToken: 1)
        try writer.finish()
        try context.save()
        return count
    }

    @Test(arguments: [("books", 0), ("boxes", 1), ("tags", 1)])
    func doesNotReadTheOtherLinksForEachRecord(link: String, expected: Int) throws {
        try withStore(entities) { store in
            let codes = (0..<40).map { "c\($0)" }
            try store.fill(codes)
            let records: [[TestValue]] = codes.map { ["s", [.text($0)]] }
            #expect(try readings(store, plan(link, .add), records) == expected)
            if let query = orders[link] {
                let lines = codes.enumerated().map { "s|\($1)|\(($0 + 1) * 1024)" }
                try store.expect(query, lines)
            }
            #expect(try readings(store, plan(link, .remove), records) == 0)
            if let query = orders[link] { try store.expect(query, []) }
            try store.expect("SELECT count(ZSHELF) FROM ZBOOK", ["0"])
        }
    }

    /// The position that a rejected record's object had is free again.
    @Test(arguments: [1, 100])
    func rejectedRecordLeavesNoGapInTheOrder(batchSize: Int) throws {
        try withStore(entities) { store in
            try store.fill(["a", "b", "c"])
            var shelves = BulkPlan.Link(
                relationship: "shelves", destination: "Shelf", attribute: "name")
            shelves.nested = plan("boxes", .add)
            let outcome = try store.container.load(
                BulkPlan(entity: "Room", key: ["name"], attributes: ["name"], links: [shelves]),
                [
                    ["r", ["s", ["a"]]],
                    // The second shelf of this record has no key.
                    ["r", ["s", ["b"], nil, []]],
                    ["r", ["s", ["c"]]],
                ], batchSize: batchSize)
            #expect(outcome.rejectedCodes == ["2 key"])
            try store.expect(try #require(orders["boxes"]), ["s|a|1024", "s|c|2048"])
        }
    }
}
