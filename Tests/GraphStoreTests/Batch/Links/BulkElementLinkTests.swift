import GraphModel
import Testing

@testable import GraphStore

/// Join rows of a many-to-many relationship that is set by records and by objects nested in them.
@Suite("Join rows that records and their nested objects set") struct BulkElementLinkTests {
    private static let model = """
        Task:
          attributes: { id: Integer 32, code: String }
          relationships:
            child: { to: Task, inverse: parents }
            parents: { to: Task, many: true, inverse: child }
            tags: { to: Tag, many: true, inverse: tasks }
          unique: [[id], [code]]
        Tag:
          attributes: { name: String }
          relationships: { tasks: { to: Task, many: true, inverse: tags } }
          unique: [[name]]
        """
    private static let pairs = """
        SELECT ZID, ZNAME FROM Z_1TASKS JOIN ZTASK t ON t.Z_PK = Z_2TASKS
        JOIN ZTAG g ON g.Z_PK = Z_1TAGS ORDER BY 1, 2
        """

    private var plan: BulkPlan {
        let tags = BulkPlan.Link(
            relationship: "tags", destination: "Tag", attribute: "name", missing: .create)
        var child = BulkPlan.Link(relationship: "child", destination: "Task", attribute: "id")
        child.nested = BulkPlan(entity: "Task", key: ["id"], attributes: ["id"], links: [tags])
        return BulkPlan(
            entity: "Task", key: ["id"], attributes: ["id", "code"], links: [tags, child])
    }

    /// Loads the records into an empty store, twice.
    private func check(
        _ records: [[TestValue]], _ pairs: [String], rejected: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for batchSize in [1, 1000] {
            for saveEvery in [1, .max] {
                try withStore(Self.model, sourceLocation: sourceLocation) { store in
                    for _ in 1...2 {
                        let outcome = try store.container.load(
                            plan, records, batchSize: batchSize, saveEvery: saveEvery)
                        #expect(outcome.rejectedCodes == rejected, sourceLocation: sourceLocation)
                        try store.expect(Self.pairs, pairs, sourceLocation: sourceLocation)
                    }
                    try store.checkIntegrity()
                }
            }
        }
    }

    @Test func nestedObjectInALaterRecordReplacesTheJoinRows() throws {
        try check(
            [[1, "a", ["x", "y"], .absent], [2, "b", ["x"], [1, ["z"]]]], ["1|z", "2|x"])
    }

    @Test func laterRecordReplacesTheJoinRowsOfANestedObject() throws {
        try check(
            [[2, "b", ["x"], [1, ["z"]]], [1, "a", ["x", "y"], .absent]], ["1|x", "1|y", "2|x"])
    }

    /// Join rows are written at once, so their row must exist before.
    @Test func rejectedRecordLeavesNoJoinRows() throws {
        try check(
            [
                [1, "a", ["x"], .absent], [3, "a", ["x", "y"], .absent],
                [2, "b", .absent, [1, ["z"]]],
            ],
            ["1|z"], rejected: ["2 unique"])
    }
}
