import GraphModel
import Testing

@testable import GraphStore

/// Links that were omitted to break a cycle, if one record of the cycle is not written.
@Suite("Links of a cycle with a record that is not written") struct BulkOmittedLinkTests {
    private static let nodes = """
        Node:
          attributes: { id: Integer 32, code: String }
          relationships:
            up: { to: Node, inverse: downs }
            downs: { to: Node, many: true, inverse: up }
            one: { to: Node, inverse: oneOf }
            oneOf: { to: Node, inverse: one }
          unique: [[id], [code]]
        """
    private static let rows = """
        SELECT n.ZID, n.ZCODE, u.ZID FROM ZNODE n LEFT JOIN ZNODE u ON u.Z_PK = n.ZUP ORDER BY 1
        """

    private func plan(_ links: (String, BulkPlan.MissingPolicy)...) -> BulkPlan {
        BulkPlan(
            entity: "Node", key: ["id"], attributes: ["id", "code"],
            links: links.map { name, missing in
                .init(relationship: name, destination: "Node", attribute: "id", missing: missing)
            })
    }

    /// Loads the records with and without a key map, into a store with an object of the code X.
    private func check(
        _ plan: BulkPlan, _ records: [[TestValue]], _ counts: String, skipped: Int = 0,
        _ lines: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for batchSize in [1, 1000] {
            for keyMemoryBytes in [0, 192 << 20] {
                try withStore(Self.nodes, sourceLocation: sourceLocation) { store in
                    let old = BulkPlan(entity: "Node", key: ["id"], attributes: ["id", "code"])
                    try store.container.load(old, [[9, "X"]])
                    let outcome = try store.container.load(
                        plan, records, batchSize: batchSize, keyMemoryBytes: keyMemoryBytes)
                    #expect(outcome.counts == counts, sourceLocation: sourceLocation)
                    #expect(outcome.tally.skipped == skipped, sourceLocation: sourceLocation)
                    try store.expect(
                        Self.rows, lines + ["9|X|-"], sourceLocation: sourceLocation)
                }
            }
        }
    }

    @Test func skippedRecordSetsNoLink() throws {
        try check(
            plan(("up", .null), ("one", .skip)),
            [[1, "a", 1, 8], [1, "b", .absent, .absent]],
            "1 new, 0 changed, 0 same, 0 superseded, 0 rejected", skipped: 1, ["1|b|-"])
    }

    @Test func skippedRecordOverwritesNothing() throws {
        try check(
            plan(("up", .skip)), [[1, "a", 1], [1, "b", 7]],
            "1 new, 0 changed, 0 same, 0 superseded, 0 rejected", skipped: 1, ["1|a|1"])
    }

    /// The row is part of a group, so the error occurs only when the group is written.
    @Test func recordRejectedWithItsGroupSetsNoLink() throws {
        try check(
            plan(("up", .null)), [[1, "X", 1], [1, "b", .absent]],
            "1 new, 0 changed, 0 same, 0 superseded, 1 rejected", ["1|b|-"])
    }

    @Test func rejectingOneRecordKeepsTheLinksOfOthers() throws {
        try check(
            plan(("up", .null)), [[1, "a", 1], [5, "X", 1], [2, "b", 2]],
            "2 new, 0 changed, 0 same, 0 superseded, 1 rejected", ["1|a|1", "2|b|2"])
    }

    /// Notes about a cycle's records are dropped if the cycle is rolled back.
    @Test func skippedRecordOverwritesNothingAfterARollback() throws {
        try check(
            plan(("up", .skip)),
            [[1, "a", 1], [1, "b", 7], [3, "c", 4], [4, "X", 3]],
            "1 new, 0 changed, 0 same, 0 superseded, 0 rejected", skipped: 3, ["1|a|1"])
    }

    /// A record whose key was rejected before is deferred again, together with the next one.
    @Test(
        arguments: [
            [[1, "X", 1], [1, "a", 3], [3, "X", 1]],
            [[1, "X", 2], [2, "b", 1], [1, "a", 3], [3, "X", 1]],
        ] as [[[TestValue]]])
    func cycleOfRejectedRecordsTerminates(_ records: [[TestValue]]) throws {
        try check(
            plan(("up", .reject)), records,
            "0 new, 0 changed, 0 same, 0 superseded, \(records.count) rejected", [])
    }

    /// The row returns to its old values in the cycle, and again after the cycle is rolled back.
    @Test func unchangedRowIsNotReportedAfterARollback() throws {
        let records: [[TestValue]] = [
            [1, "b"], [1, .absent, .absent, 3], [1, "a", .absent, nil], [3, "c", 4], [4, "X", 3],
        ]
        for batchSize in [1, 1000] {
            try withStore(Self.nodes) { store in
                let old = BulkPlan(entity: "Node", key: ["id"], attributes: ["id", "code"])
                try store.container.load(old, [[1, "a"], [9, "X"]])
                let outcome = try store.container.load(
                    plan(("up", .reject), ("one", .null)), records, batchSize: batchSize)
                #expect(
                    outcome.counts == "0 new, 0 changed, 1 same, 2 superseded, 2 rejected")
                #expect(outcome.changes.map(\.isEmpty) == [true])
                try store.expect(Self.rows, ["1|a|-", "9|X|-"])
            }
        }
    }
}
