import GraphModel
import SQLite
import Testing

@testable import GraphStore

private let entities = """
    Task:
      attributes: { id: Integer 32 }
      relationships:
        related: { to: Task, many: true, inverse: related }
        blocks: { to: Task, many: true, inverse: blocks, delete: cascade }
      unique: [[id]]
    """

/// A many-to-many relationship that is its own inverse: each link goes both ways.
@Suite("Relationships that are their own inverse") struct BulkReflexiveTests {
    private func plan(
        _ name: String = "related", many: BulkPlan.ManyPolicy = .replace
    ) -> BulkPlan {
        BulkPlan(
            entity: "Task", key: ["id"], attributes: ["id"],
            links: [.init(relationship: name, destination: "Task", attribute: "id", many: many)])
    }

    private let pairs = """
        SELECT a.ZID, b.ZID FROM Z_1RELATED l JOIN ZTASK a ON a.Z_PK = l.Z_1RELATED
        JOIN ZTASK b ON b.Z_PK = l.REFLEXIVE ORDER BY 1, 2
        """

    /// Returns the objects with the IDs of their linked objects, by ID: read one at a time, then in
    /// table order.
    private func exported(_ store: TestStore) throws -> [[String]] {
        try [GraphSortDescriptor(["id"]), GraphSortDescriptor(["objectID"])].map { order in
            var found: [String] = []
            let cursor = try store.container.newContext().cursor(
                RowRequest(
                    entityName: "Task", order: [order], fields: [["id"], ["related", "id"]]))
            try cursor.forEachRow { batch, row in
                let items = batch.items(of: batch[row, 1]).map(\.integerValue)
                found.append("\(batch[row, 0].integerValue) \(items)")
            }
            return found.sorted()
        }
    }

    @Test("a load writes both join rows, whichever end sets the link", arguments: [1, 1000])
    func loads(batchSize: Int) throws {
        try withStore(entities) { store in
            let records: [[TestValue]] = [
                [1, [1]], [2, [1, 3]], [3, [2]], [4, .absent], [5, [4]],
            ]
            let first = try store.container.load(plan(), records, batchSize: batchSize)
            #expect(first.counts == "5 new, 0 changed, 0 same, 0 superseded, 0 rejected")
            try store.expect(pairs, ["1|1", "1|2", "2|1", "2|3", "3|2", "4|5", "5|4"])
            // Record 1 removes the link to 2, and record 2 restores it.
            let again = try store.container.load(plan(), records, batchSize: batchSize)
            #expect(again.counts == "0 new, 0 changed, 5 same, 0 superseded, 0 rejected")
        }
    }

    @Test func secondLoadOfTheSameRecordsChangesNothing() throws {
        try withStore(entities) { store in
            let records: [[TestValue]] = [[1, [2, 3]], [2, [1]], [3, [1]], [4, []]]
            try store.container.load(plan(), records)
            let again = try store.container.load(plan(), records)
            #expect(again.counts == "0 new, 0 changed, 4 same, 0 superseded, 0 rejected")
            let lines = ["1 [2, 3]", "2 [1]", "3 [1]", "4 []"]
            #expect(try exported(store) == [lines, lines])
        }
    }

    @Test func unlinkingFromOneSideUpdatesBothSides() throws {
        try withStore(entities) { store in
            try store.container.load(plan(), [[1, [2, 3]], [2, .absent], [3, .absent]])
            try store.expect(pairs, ["1|2", "1|3", "2|1", "3|1"])
            try store.container.load(plan(), [[2, []]])
            try store.expect(pairs, ["1|3", "3|1"])
            try store.container.load(plan(many: .remove), [[1, [3]]])
            try store.expect(pairs, [])
            try store.container.load(plan(many: .add), [[3, [1]], [1, [3]]])
            try store.expect(pairs, ["1|3", "3|1"])
        }
    }

    @Test("a join row that is stored in one direction links both objects")
    func singlePairs() throws {
        try withStore(entities) { store in
            try store.container.load(plan(), [[1, []], [2, []], [3, []]])
            try store.foreign().execute("INSERT INTO Z_1RELATED VALUES (2, 1)")
            let lines = ["1 [2]", "2 [1]", "3 []"]
            #expect(try exported(store) == [lines, lines])
            let same = try store.container.load(plan(), [[1, [2]]])
            #expect(same.counts == "0 new, 0 changed, 1 same, 0 superseded, 0 rejected")
            try store.container.load(plan(), [[1, [3]]])
            try store.expect(pairs, ["1|3", "3|1"])
        }
    }

    @Test func deletionFollowsJoinRowsFromBothSides() throws {
        try withStore(entities) { store in
            let blocks = "SELECT * FROM Z_1BLOCKS ORDER BY 1, 2"
            try store.container.load(plan("blocks"), [[1, []], [2, [1]], [3, []], [4, [3]]])
            try store.foreign().execute("DELETE FROM Z_1BLOCKS WHERE rowid % 2")
            try store.foreign().execute("INSERT INTO Z_1RELATED VALUES (3, 1)")
            let left = try store.integer("SELECT count(*) FROM Z_1BLOCKS")
            #expect(left == 2)
            let context = store.container.newContext()
            let result = try context.execute(
                BatchDeleteRequest(
                    entityName: "Task", predicate: GraphPredicate(format: "id == 1")))
            #expect(result.cascaded == ["Task": 1])
            try context.save()
            try store.expect("SELECT ZID FROM ZTASK ORDER BY 1", ["3", "4"])
            try store.expect("SELECT count(*) FROM Z_1RELATED", ["0"])
            try store.expect("SELECT count(*) FROM (\(blocks))", ["1"])
        }
    }
}
