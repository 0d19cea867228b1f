import GraphModel
import GraphStore
import Testing

@Suite("Circles in a bulk load") struct BulkCircleTests {
    private static let nodes = """
        Node:
          attributes: { id: String }
          relationships:
            next: { to: Node, inverse: previous }
            previous: { to: Node, many: true, inverse: next }
            up: { to: Node, inverse: down }
            down: { to: Node, many: true, inverse: up }
          unique: [[id]]
        """
    private static let plan = BulkPlan(
        entity: "Node", key: ["id"], attributes: ["id"],
        links: [
            .init(relationship: "next", destination: "Node", attribute: "id"),
            .init(relationship: "up", destination: "Node", attribute: "id", missing: .create),
        ])
    private static let rows = """
        SELECT n.ZID, x.ZID, u.ZID FROM ZNODE n LEFT JOIN ZNODE x ON x.Z_PK = n.ZNEXT \
        LEFT JOIN ZNODE u ON u.Z_PK = n.ZUP ORDER BY 1
        """

    @Test("a row that a link made counts as updated where the last link of its circle changes it")
    func countsWhatTheLastLinkChanges() throws {
        for batchSize in [1, 3, 1000] {
            try withStore(Self.nodes) { store in
                // c comes to be written when the first circle is unwound, and makes d before its
                // record, which says nothing but a link to e that is still to come.
                let outcome = try store.container.load(
                    Self.plan,
                    [
                        ["a", "b", nil], ["b", "a", nil], ["c", "a", "d"], ["d", "e", .absent],
                        ["e", "d", nil],
                    ], batchSize: batchSize)
                #expect(
                    outcome.counts
                        == "4 new, 1 changed, 0 same, 0 superseded, 0 rejected, 1 targets")
                try store.expect(Self.rows, ["a|b|-", "b|a|-", "c|a|d", "d|e|-", "e|d|-"])
            }
        }
    }

    @Test("a later record of a row that a link made counts its change, too")
    func countsWhatLaterRecordsChange() throws {
        for batchSize in [1, 1000] {
            try withStore(Self.nodes) { store in
                let outcome = try store.container.load(
                    Self.plan,
                    [["a", nil, "b"], ["b", nil, .absent], ["b", "a", .absent]],
                    batchSize: batchSize)
                #expect(
                    outcome.counts
                        == "1 new, 1 changed, 0 same, 1 superseded, 0 rejected, 1 targets")
                try store.expect(Self.rows, ["a|-|b", "b|a|-"])
            }
        }
    }
}
