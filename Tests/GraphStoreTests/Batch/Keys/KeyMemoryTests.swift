import GraphModel
import Testing

@testable import GraphStore
@testable import RowStore

/// Keys without a uniqueness constraint: the map in memory, and the temporary table that replaces
/// it when it may not grow.
@Suite("Memory for keys without constraints") struct KeyMemoryTests {
    private static let entities = """
        Note:
          attributes: { title: String, page: Integer 64, text: String }
          relationships: { book: { to: Book, inverse: notes } }
        Book:
          attributes: { name: String }
          relationships: { notes: { to: Note, many: true, inverse: book } }
        """

    /// 400 notes: some have no page, and some share their key with another note.
    private static let existing: [[TestValue]] = (0..<400).flatMap { number in
        let record: [TestValue] = [
            .text("old \(number)"), number % 3 == 0 ? nil : 1, .text("as it was"),
        ]
        return Array(repeating: record, count: number % 10 == 1 ? 2 : 1)
    }

    /// New and existing keys, keys that several notes share, null keys, repeated keys, and links to
    /// books of which two share a name.
    private static let records: [[TestValue]] = (0..<6_000).map { number in
        let (title, page): (TestValue, TestValue) =
            switch number % 50 {
            case 7: (.text("old \(number / 50 % 40 * 10 + 1)"), 1)
            case 9: (.text("new \(number)"), nil)
            case 10: (nil, 1)
            case 11: (.text("old \(number / 50 * 3 % 400 + 2)"), 1)
            case 13: (.text("new \(number - 13)"), 1)
            default: (.text("new \(number)"), 1)
            }
        let book: TestValue = number % 20 == 3 ? nil : .text("book \(number % 19)")
        return [title, page, .text("text \(number)"), book]
    }

    private static let plan = BulkPlan(
        entity: "Note", key: ["title", "page"], attributes: ["title", "page", "text"],
        links: [
            BulkPlan.Link(
                relationship: "book", destination: "Book", attribute: "name", missing: .create)
        ])

    /// The results of two loads of the records, and the contents of the store after them.
    private struct Result: Equatable {
        var counts: [String] = []
        var rejects: [BulkReject] = []
        var rows: [String] = []
    }

    /// Loads the records twice, each time with this memory for keys.
    ///
    /// - Returns: The result, and for each batch of the first load, whether it used the map.
    private func load(keyMemoryBytes: Int) throws -> (result: Result, usedMap: [Bool]) {
        var result = Result()
        var usedMap: [Bool] = []
        try withStore(Self.entities) { store in
            var notes = BulkPlan(
                entity: "Note", key: [], attributes: ["title", "page", "text"])
            notes.found = .append
            try store.container.load(notes, Self.existing)
            var books = BulkPlan(entity: "Book", key: [], attributes: ["name"])
            books.found = .append
            try store.container.load(books, [["book 5"], ["book 5"]])
            for _ in 1...2 {
                let context = store.container.newContext()
                let writer = try context.bulkWriter(
                    for: Self.plan, memory: .ofTests(keys: keyMemoryBytes))
                let batch = RowBatch(width: Self.plan.width)
                for start in stride(from: 0, to: Self.records.count, by: 500) {
                    batch.removeAll()
                    for record in Self.records[start..<start + 500] { batch.add(record) }
                    try writer.apply(batch, firstToken: Int64(start + 1))
                    result.rejects += writer.takeRejects()
                    if result.counts.isEmpty { usedMap.append(writer.keyFinder.usesMap) }
                    guard start % 2_000 == 1_500 else { continue }
                    try writer.flush()
                    try context.save()
                }
                try writer.finish()
                result.rejects += writer.takeRejects()
                try context.save()
                result.counts.append(LoadOutcome(tally: writer.tally).counts)
            }
            result.rows = try [
                "SELECT Z_PK, Z_OPT, ZTITLE, ZPAGE, ZTEXT, ZBOOK FROM ZNOTE ORDER BY 1",
                "SELECT Z_PK, ZNAME FROM ZBOOK ORDER BY 1",
                "SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY 1",
            ].flatMap { try store.lines($0) }
            try store.expect(
                "SELECT count(*) FROM sqlite_master WHERE name LIKE 'ETL_KEYS%'", ["0"])
        }
        return (result, usedMap)
    }

    @Test("a load that drops its key map has the same result as one with enough memory")
    func fallsBack() throws {
        let (wanted, usedMap) = try load(keyMemoryBytes: 64 << 20)
        #expect(usedMap == Array(repeating: true, count: 12))
        #expect(
            wanted.counts == [
                "5148 new, 102 changed, 0 same, 135 superseded, 615 rejected, 18 targets",
                "0 new, 0 changed, 5250 same, 135 superseded, 615 rejected",
            ])
        let reasons = Dictionary(grouping: wanted.rejects, by: \.code).mapValues(\.count)
        #expect(reasons == ["key": 1230])
        #expect(
            wanted.rejects.first { $0.token == 8 }?.message
                == "Several 'Note' objects have title 'old 1' and page 1: primary keys 2 and 3")
        #expect(
            wanted.rejects.first { $0.token == 6 }?.message
                == "Several 'Book' objects have name 'book 5': primary keys 1 and 2")

        // Each segment of the map holds 44 keys before it has to grow.
        let (small, smallUsedMap) = try load(keyMemoryBytes: 32 << 10)
        #expect(smallUsedMap.first == true && smallUsedMap.last == false, "\(smallUsedMap)")
        #expect(small == wanted)

        // Without memory, the table is used from the beginning.
        let (none, noneUsedMap) = try load(keyMemoryBytes: 0)
        #expect(noneUsedMap == Array(repeating: false, count: 12))
        #expect(none == wanted)
    }
}
