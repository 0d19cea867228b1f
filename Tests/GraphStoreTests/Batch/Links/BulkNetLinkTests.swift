import GraphModel
import Testing

@testable import GraphStore

/// The changes that a load reports for links that are unchanged in the end.
@Suite("Links that a load leaves unchanged") struct BulkNetLinkTests {
    private static let model = """
        Node:
          attributes: { id: Integer 32 }
          relationships:
            one: { to: Node, inverse: oneOf }
            oneOf: { to: Node, inverse: one }
            up: { to: Node, inverse: downs }
            downs: { to: Node, many: true, inverse: up }
            fans: { to: Node, many: true, inverse: idols }
            idols: { to: Node, many: true, inverse: fans }
          unique: [[id]]
        Star: { parent: Node }
        """

    private func plan(_ links: (String, BulkPlan.MissingPolicy)...) -> BulkPlan {
        BulkPlan(
            entity: "Node", key: ["id"], attributes: ["id"],
            links: links.map { name, missing in
                .init(relationship: name, destination: "Node", attribute: "id", missing: missing)
            })
    }

    /// A later record takes the object that the link names.
    @Test func deferredRowThatGainsNoLinkKeepsItsVersion() throws {
        let links = plan(("one", .null), ("downs", .reject))
        let old: [[TestValue]] = [[1], [2], [3]]
        let new: [[TestValue]] = [[1, 9, [2]], [3, .absent, [2]]]
        let rows = """
            SELECT n.ZID, n.Z_OPT, u.ZID FROM ZNODE n LEFT JOIN ZNODE u ON u.Z_PK = n.ZUP ORDER BY 1
            """
        for batchSize in [1, 1000] {
            try withStore(Self.model) { store in
                try store.container.load(plan(), old)
                let outcome = try store.container.load(links, new, batchSize: batchSize)
                #expect(outcome.counts == "0 new, 1 changed, 1 same, 0 superseded, 0 rejected")
                try store.expect(rows, ["1|1|-", "2|2|3", "3|2|-"])
            }
            try withStore(Self.model) { store in
                let records = old.map { $0 + [.absent, .absent] } + new
                let outcome = try store.container.load(links, records, batchSize: batchSize)
                #expect(outcome.counts == "3 new, 0 changed, 0 same, 2 superseded, 0 rejected")
                try store.expect(rows, ["1|1|-", "2|1|3", "3|1|-"])
            }
        }
    }

    /// The link is reported first, by a record that does not know the object's entity.
    @Test func subentityObjectThatGainsAndLosesALinkIsNotReported() throws {
        for batchSize in [1, 1000] {
            try withStore(Self.model) { store in
                var stars = plan()
                stars.entity = "Star"
                try store.container.load(stars, [[2]])
                try store.container.load(plan(), [[1]])
                let outcome = try store.container.load(
                    plan(("fans", .reject), ("idols", .reject)),
                    [[1, [2], .absent], [2, .absent, []]], batchSize: batchSize)
                #expect(
                    outcome.counts == "0 new, 0 changed, 2 same, 0 superseded, 0 rejected")
                #expect(outcome.changes.flatMap { $0.updated.ids.map(\.primaryKey) } == [])
                try store.expect("SELECT ZID, Z_OPT FROM ZNODE ORDER BY 1", ["1|1", "2|1"])
            }
        }
    }

    /// If objects leave an owner and return, neither side is reported, whatever their entity.
    @Test func subentityObjectsThatReturnToTheirOwnerAreNotReported() throws {
        for batchSize in [1, 1000] {
            try withStore(Self.model) { store in
                var stars = plan()
                stars.entity = "Star"
                try store.container.load(stars, [[2]])
                try store.container.load(plan(("downs", .reject)), [[3, []], [1, [2]]])
                let versions = try store.lines("SELECT ZID, Z_OPT FROM ZNODE ORDER BY 1")
                let outcome = try store.container.load(
                    plan(("downs", .reject)), [[3, [2]], [1, [2]]], batchSize: batchSize)
                #expect(
                    outcome.counts == "0 new, 0 changed, 2 same, 0 superseded, 0 rejected")
                #expect(outcome.changes.flatMap { $0.updated.ids.map(\.primaryKey) } == [])
                try store.expect("SELECT ZID, Z_OPT FROM ZNODE ORDER BY 1", versions)
            }
        }
    }
}
