import GraphModel
import GraphStore
import Testing

/// Records that other records name by an attribute that takes its default.
@Suite("Bulk links to objects by the default of an attribute") struct BulkDefaultNameTests {
    private func entities(_ code: String) -> String {
        """
        Task:
          attributes: { id: { type: Integer 32, optional: false }, code: \(code) }
          relationships:
            parent: { to: Task, inverse: children }
            children: { to: Task, many: true, inverse: parent }
          unique: [[id]]
        """
    }

    private func plan(_ attributes: [String]) -> BulkPlan {
        BulkPlan(
            entity: "Task", key: ["id"], attributes: attributes,
            links: [.init(relationship: "parent", destination: "Task", attribute: "code")])
    }

    private let parents =
        "SELECT t.ZID, p.ZID FROM ZTASK t LEFT JOIN ZTASK p ON p.Z_PK = t.ZPARENT ORDER BY 1"

    private static let codes: [(code: String, value: TestValue)] = [
        ("{ type: Integer 32, default: 7 }", 7), ("{ type: Double, default: 2.5 }", 2.5),
        ("{ type: String, default: std }", "std"), ("{ type: Boolean, default: true }", 1),
    ]

    @Test("a record waits for one that leaves the attribute out", arguments: codes)
    func omitted(code: String, value: TestValue) throws {
        try withStore(entities(code)) { store in
            let other: TestValue = value == 1 ? 0 : value == "std" ? "x" : 1
            let outcome = try store.container.load(
                plan(["id", "code"]), [[1, other, value], [2, .absent, nil]])
            #expect(outcome.counts == "2 new, 0 changed, 0 same, 0 superseded, 0 rejected")
            try store.expect(parents, ["1|2", "2|-"])
        }
    }

    @Test("a record of a load without the attribute names itself", arguments: codes)
    func unmapped(code: String, value: TestValue) throws {
        try withStore(entities(code)) { store in
            let outcome = try store.container.load(plan(["id"]), [[1, value]])
            #expect(outcome.counts == "1 new, 0 changed, 0 same, 0 superseded, 0 rejected")
            try store.expect(parents, ["1|1"])
        }
    }

    @Test("a record without the attribute and without a default has no name")
    func nameless() throws {
        try withStore(entities("String")) { store in
            let outcome = try store.container.load(
                plan(["id", "code"]), [[1, "x", "y"], [2, .absent, nil]])
            #expect(outcome.rejectedCodes == ["1 link"])
            try store.expect(parents, ["2|-"])
        }
    }
}
