import GraphModel
import Testing

@testable import GraphStore

private let items = """
    Item:
      attributes: { id: Integer 32 }
      unique: [[id]]
    Task:
      parent: Item
      relationships: { project: { to: Project, inverse: tasks } }
    Project:
      parent: Item
      relationships: { tasks: { to: Task, many: true, inverse: project } }
    """

private let orders = """
    Order:
      attributes: { number: { type: Integer 32, optional: false } }
      relationships: { lines: { to: Line, many: true, inverse: order } }
      unique: [[number]]
    Line:
      attributes: { sku: { type: String, optional: false } }
      relationships:
        order: { to: Order, inverse: lines }
        replaces: { to: Order }
      unique: [[sku]]
    """

/// Objects of a load's own table that are not created by its records.
@Suite("Loads whose links create objects in the loaded table") struct BulkSharedTableTests {
    @Test("rejects a key that an object of a sibling entity already has")
    func sibling() throws {
        var project = BulkPlan.Link(
            relationship: "project", destination: "Project", attribute: "id", missing: .create)
        for missing in [BulkPlan.MissingPolicy.create, .reject] {
            project.missing = missing
            let plan = BulkPlan(entity: "Task", key: ["id"], attributes: ["id"], links: [project])
            try withStore(items) { store in
                let outcome = try store.container.load(
                    plan,
                    [
                        [.integer(1), .null], [.integer(2), .integer(1)],
                        [.integer(3), .integer(9)], [.integer(9), .null],
                    ])
                try store.expect(
                    "SELECT Z_ENT, ZID FROM ZITEM ORDER BY 2",
                    missing == .create ? ["3|1", "3|3", "2|9"] : ["3|1", "3|9"])
                #expect(
                    outcome.rejects.map { "\($0.token) \($0.code)" }
                        == (missing == .create ? ["2 link", "4 unique"] : ["2 link", "3 link"]))
                _ = try PersistentContainer(model: nil, at: store.path)
            }
        }
    }

    @Test("a record finds its object if a link of a nested object created it")
    func element() throws {
        var lines = BulkPlan.Link(
            relationship: "lines", destination: "Line", attribute: "sku")
        lines.nested = BulkPlan(
            entity: "Line", key: ["sku"], attributes: ["sku"],
            links: [
                BulkPlan.Link(
                    relationship: "replaces", destination: "Order", attribute: "number",
                    missing: .create)
            ])
        lines.label = "lines"
        let plan = BulkPlan(
            entity: "Order", key: ["number"], attributes: ["number"], links: [lines])
        try withStore(orders) { store in
            let outcome = try store.container.load(
                plan,
                [
                    [.integer(1), .list([.text("a"), .integer(2)])],
                    [.integer(2), .list([.text("b"), .null])],
                ])
            #expect(outcome.rejects.map(\.message) == [])
            try store.expect("SELECT ZNUMBER FROM ZORDER ORDER BY 1", ["1", "2"])
            try store.expect(
                "SELECT l.ZSKU, o.ZNUMBER FROM ZLINE l JOIN ZORDER o ON o.Z_PK = l.ZORDER"
                    + " ORDER BY 1", ["a|1", "b|2"])
            _ = try PersistentContainer(model: nil, at: store.path)
        }
    }

    @Test("a load ignores rows of other entities in its table if they have no key")
    func noKeys() throws {
        let model = """
            Note:
              attributes: { text: String }
            Task:
              parent: Note
              attributes: { code: String }
              unique: [[code]]
            """
        try withStore(model) { store in
            let notes = BulkPlan(entity: "Note", key: [], attributes: ["text"])
            var append = notes
            append.found = .append
            try store.container.load(append, (0..<20_000).map { [.text("n\($0)")] })
            let tasks = BulkPlan(entity: "Task", key: ["code"], attributes: ["code"])
            let records = (0..<6000).map { [TestValue.text("t\($0 % 3000)")] }
            let outcome = try store.container.load(tasks, records)
            #expect(
                outcome.counts == "3000 new, 0 changed, 0 same, 3000 superseded, 0 rejected")
            try store.expect("SELECT count(*) FROM ZNOTE", ["23000"])
        }
    }

    @Test("appends objects to their owner's list and keeps their positions until the owner changes")
    func places() throws {
        let model = """
            Owner:
              attributes: { name: String }
              relationships: { parts: { to: Part, many: true, inverse: owner, ordered: true } }
              unique: [[name]]
            Part:
              attributes: { id: Integer 32, size: Integer 32 }
              relationships: { owner: { to: Owner, inverse: parts } }
              unique: [[id], [size]]
            """
        let plan = BulkPlan(
            entity: "Part", key: ["id"], attributes: ["id", "size"],
            links: [
                BulkPlan.Link(
                    relationship: "owner", destination: "Owner", attribute: "name",
                    missing: .create)
            ])
        func record(_ id: Int64, _ size: Int64, _ owner: String?) -> [TestValue] {
            [.integer(id), .integer(size), owner.map { .text($0) } ?? .null]
        }
        let places =
            "SELECT ZID, ZNAME, Z_FOK_OWNER FROM ZPART p LEFT JOIN ZOWNER o ON o.Z_PK = ZOWNER"
            + " ORDER BY 1"
        try withStore(model) { store in
            let outcome = try store.container.load(
                plan,
                [
                    record(1, 1, "a"), record(2, 2, "a"), record(3, 3, "b"),
                    // Rejected for its size: the position is free for the next one.
                    record(4, 1, "a"), record(5, 5, "a"),
                    // Leaves the last position of one owner for another owner.
                    record(5, 6, "b"), record(6, 7, "a"), record(1, 8, "a"), record(2, 9, nil),
                ])
            #expect(outcome.rejects.map { "\($0.token) \($0.code)" } == ["4 unique"])
            try store.expect(
                places,
                ["1|a|1024", "2|-|-", "3|b|1024", "5|b|2048", "6|a|3072"])
            try store.container.load(plan, [record(7, 10, "a"), record(6, 11, "a")])
            try store.expect(
                places,
                [
                    "1|a|1024", "2|-|-", "3|b|1024", "5|b|2048", "6|a|3072", "7|a|4096",
                ])
        }
    }

    @Test("a list of thousands of keys links each object once, even if keys repeat")
    func longList() throws {
        let model = """
            Task:
              attributes: { id: Integer 32 }
              relationships: { tags: { to: Tag, many: true, inverse: tasks } }
              unique: [[id]]
            Tag:
              attributes: { name: Integer 32 }
              relationships: { tasks: { to: Task, many: true, inverse: tags } }
              unique: [[name]]
            """
        let plan = BulkPlan(
            entity: "Task", key: ["id"], attributes: ["id"],
            links: [
                BulkPlan.Link(
                    relationship: "tags", destination: "Tag", attribute: "name", missing: .create)
            ])
        try withStore(model) { store in
            let names = (0..<9000).map { TestValue.integer(Int64($0 * 7919 % 5000)) }
            try store.container.load(plan, [[.integer(1), .list(names)]])
            try store.expect("SELECT count(*) FROM ZTAG", ["5000"])
            try store.expect("SELECT count(*) FROM Z_1TASKS", ["5000"])
        }
    }
}
