import GraphModel
import SQLite
import TestSeeds
import Testing

@testable import GraphStore
@testable import RowStore

private let entities = """
    Task:
      attributes:
        id: { type: Integer 32, optional: false }
        title: String
        size: { type: Integer 16, default: 4 }
      relationships:
        owner: { to: Owner, inverse: tasks }
        tags: { to: Tag, many: true, inverse: tasks }
        ranked: { to: Tag, many: true, ordered: true, inverse: ranks }
      unique: [[id]]
      indexes: { bySize: [size] }
    Owner:
      attributes: { name: String }
      relationships: { tasks: { to: Task, many: true, inverse: owner } }
      unique: [[name]]
    Tag:
      attributes: { name: String }
      relationships:
        tasks: { to: Task, many: true, inverse: tags }
        ranks: { to: Task, many: true, inverse: ranked }
      unique: [[name]]
    """

private let plan = BulkPlan(
    entity: "Task", key: ["id"], attributes: ["id", "title", "size"],
    links: [
        .init(relationship: "owner", destination: "Owner", attribute: "name", missing: .create),
        .init(relationship: "tags", destination: "Tag", attribute: "name", missing: .create),
        .init(relationship: "ranked", destination: "Tag", attribute: "name", missing: .create),
    ])

private let tables = """
    SELECT t.ZID, t.ZTITLE, t.ZSIZE, t.Z_OPT, o.ZNAME, \
    (SELECT group_concat(n) FROM (SELECT g.ZNAME n FROM Z_2TASKS l JOIN ZTAG g ON \
    g.Z_PK = l.Z_2TAGS WHERE l.Z_3TASKS = t.Z_PK ORDER BY 1)), \
    (SELECT group_concat(n) FROM (SELECT g.ZNAME n FROM Z_2RANKS l JOIN ZTAG g ON \
    g.Z_PK = l.Z_2RANKED WHERE l.Z_3RANKS = t.Z_PK ORDER BY l.Z_FOK_2RANKED)) \
    FROM ZTASK t LEFT JOIN ZOWNER o ON o.Z_PK = t.ZOWNER ORDER BY 1
    """

/// Returns the record of a task number, in one of several forms.
private func record(_ number: Int, form: Int = 0) -> [TestValue] {
    let tags = (0..<(number % 4)).map { TestValue.text("t\(($0 + form + number) % 6)") }
    return [
        .integer(Int64(number)), .text("task \(number), \(form / 3)"), .integer(Int64(form % 2)),
        .text("o\((number + form / 2) % 3)"), .list(tags), .list(tags.reversed()),
    ]
}

/// Loads that find objects with a sequential cursor while records arrive in table order.
@Suite("Bulk upsert in table order") struct BulkWalkTests {
    private func full(_ store: TestStore, _ count: Int) throws {
        try store.container.load(plan, (0..<count).map { record($0) })
    }

    @Test func leavesUnchangedRowsAlone() throws {
        try withStore(entities) { store in
            try full(store, 300)
            let before = try store.lines(tables)
            let outcome = try store.container.load(plan, (0..<300).map { record($0) })
            #expect(outcome.counts == "0 new, 0 changed, 300 same, 0 superseded, 0 rejected")
            #expect(outcome.changes.allSatisfy { $0.isEmpty })
            #expect(try store.lines(tables) == before)
        }
    }

    @Test func ignoresLinkOrderUnlessTheRelationshipIsOrdered() throws {
        try withStore(entities) { store in
            try full(store, 300)
            let before = try store.lines(tables)
            func reordered(_ cell: Int) -> [[TestValue]] {
                (0..<300).map { number in
                    var record = record(number)
                    if case .list(let keys) = record[cell] {
                        record[cell] = .list(keys.reversed() + keys)
                    }
                    return record
                }
            }
            let unordered = try store.container.load(plan, reordered(4))
            #expect(unordered.counts == "0 new, 0 changed, 300 same, 0 superseded, 0 rejected")
            #expect(try store.lines(tables) == before)
            // Half of them have two or three tags.
            let ordered = try store.container.load(plan, reordered(5))
            #expect(ordered.counts == "0 new, 150 changed, 150 same, 0 superseded, 0 rejected")
            #expect(try store.lines(tables) != before)
        }
    }

    /// Ordered records, with gaps, repetitions, jumps, changes, and new records between them, have
    /// the same result as one load per record.
    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func givesTheSameResultAsOneLoadPerRecord(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let count = 150
        var records: [[TestValue]] = []
        var number = random.pick(20)
        let (changes, jumps) = (random.pick([0, 5, 30]), random.pick([0, 5, 40]))
        for _ in 0..<250 {
            records.append(
                record(number, form: random.chance(changes) ? random.pick(6) : 0))
            if random.chance(jumps) {
                number = random.pick(count + 40)
            } else {
                number = (number + (random.chance(5) ? random.pick(20) : 1)) % (count + 20)
            }
        }
        try withStore(entities) { one in
            try full(one, count)
            for record in records { try one.container.load(plan, [record]) }
            let lines = Self.values(try one.lines(tables))
            for batchSize in [7, 1000] {
                try withStore(entities) { store in
                    try full(store, count)
                    let outcome = try store.container.load(
                        plan, records, batchSize: batchSize, saveEvery: batchSize * 3)
                    #expect(Self.values(try store.lines(tables)) == lines, "seed \(seed)")
                    let tally = outcome.tally
                    #expect(
                        tally.inserted + tally.updated + tally.unchanged + tally.superseded
                            == records.count, "seed \(seed)")
                }
            }
        }
    }

    /// Returns the lines without versions, because a load restores the version of a restored row.
    private static func values(_ lines: [String]) -> [String] {
        lines.map { line in
            var cells = line.split(separator: "|", omittingEmptySubsequences: false)
            cells.remove(at: 3)
            return cells.joined(separator: "|")
        }
    }

    @Test func writesTheColumnsThatDiffer() throws {
        let names = (1...8).map { "a\($0)" }
        let attributes = names.map { "\($0): String" }.joined(separator: ", ")
        let model = """
            Row:
              attributes: { key: { type: String, optional: false }, \(attributes) }
              unique: [[key]]
            """
        try withStore(model) { store in
            let plan = BulkPlan(entity: "Row", key: ["key"], attributes: ["key"] + names)
            let update = RowUpdate(
                try ColumnPlan(plan, store.container.schema), on: try store.foreign())
            func statement(_ columns: [Int], raises: Bool = true) throws -> String {
                update.begin()
                for column in columns { update.note(column) }
                return try #require(try update.statement(raises: raises)).sql
            }
            let beginning = "UPDATE ZROW SET \(RowVersion.raise)"
            #expect(try statement([3]) == beginning + ", ZA3 = ? WHERE Z_PK = ?")
            #expect(
                try statement([3], raises: false) == "UPDATE ZROW SET ZA3 = ? WHERE Z_PK = ?")
            // A wide table does not get one statement per set of columns.
            for set in 1..<256 { _ = try statement((1...8).filter { set >> ($0 - 1) & 1 == 1 }) }
            let all = ", ZKEY = ?" + (1...8).map { ", ZA\($0) = ?" }.joined()
            #expect(try statement([7, 8]) == beginning + all + " WHERE Z_PK = ?")
            #expect(update.columns == Array(0...8))
            #expect(try statement([3]) == beginning + ", ZA3 = ? WHERE Z_PK = ?")
        }
    }
}
