import GraphModel
import GraphStore
import Testing

/// Nested objects that are rejected, or that their owner alone identifies.
@Suite("Nested objects with unusual keys") struct BulkElementFaultTests {
    private func entities(maker: String = "") -> String {
        """
        Order:
          attributes: { no: Integer 32 }
          relationships: { lines: { to: Line, many: true, inverse: order } }
          unique: [[no]]
        Line:
          attributes: { sku: String }
          relationships:
            order: { to: Order, inverse: lines }
            maker: { to: Maker, inverse: lines\(maker) }
            parts: { to: Part, many: true, inverse: line }
        Maker:
          attributes: { name: String }
          relationships: { lines: { to: Line, many: true, inverse: maker } }
          unique: [[name]]
        Part:
          attributes: { name: String }
          relationships: { line: { to: Line, inverse: parts } }
        """
    }

    /// Returns the plan of orders with lines.
    private func plan(_ lines: BulkPlan) -> BulkPlan {
        var link = BulkPlan.Link(
            relationship: "lines", destination: "Line", key: lines.key.map { .init($0) })
        (link.nested, link.label) = (lines, "lines")
        return BulkPlan(entity: "Order", key: ["no"], attributes: ["no"], links: [link])
    }

    private func check(
        _ lines: BulkPlan, _ record: [TestValue], maker: String = "", _ reason: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withStore(entities(maker: maker), sourceLocation: sourceLocation) { store in
            let outcome = try store.container.load(plan(lines), [record, [2, []]])
            #expect(
                outcome.rejects.map {
                    "\($0.token) \($0.code) \($0.property ?? "-"): \($0.message)"
                } == ["1 " + reason], sourceLocation: sourceLocation)
            try store.expect("SELECT ZNO FROM ZORDER", ["2"], sourceLocation: sourceLocation)
            try store.expect(
                "SELECT (SELECT count(*) FROM ZLINE), (SELECT count(*) FROM ZPART)", ["0|0"],
                sourceLocation: sourceLocation)
        }
    }

    @Test("rejects a record whose nested object lacks a required relationship")
    func requiredRelationship() throws {
        let maker = BulkPlan.Link(
            relationship: "maker", destination: "Maker", attribute: "name", missing: .null)
        try check(
            BulkPlan(entity: "Line", key: ["sku"], attributes: ["sku"], links: [maker]),
            [1, ["a", "M"]], maker: ", optional: false",
            "required lines[0].maker: 'maker' is required and null here")
    }

    @Test("rejects a record whose nested object lacks a relationship of its key")
    func relationshipInKey() throws {
        let maker = BulkPlan.Link(
            relationship: "maker", destination: "Maker", attribute: "name", missing: .null)
        try check(
            BulkPlan(entity: "Line", key: ["sku", "maker"], attributes: ["sku"], links: [maker]),
            [1, ["a", "M"]], "key lines[0].maker: 'maker' is part of the key and null here")
    }

    @Test("rejects a record whose nested object has one without a key, which belongs to it")
    func ownerInKey() throws {
        var parts = BulkPlan.Link(
            relationship: "parts", destination: "Part", key: [.init("name"), .init("line")])
        parts.nested = BulkPlan(entity: "Part", key: ["name", "line"], attributes: ["name"])
        parts.nested?.owner = "line"
        parts.label = "parts"
        try check(
            BulkPlan(entity: "Line", key: ["sku"], attributes: ["sku"], links: [parts]),
            [1, ["a", ["p"], "b", ["p", nil]]],
            "key lines[1].parts[1].name: 'name' is part of the key and null here")
    }

    @Test("an owner whose key is the complete key of its objects has one of them")
    func ownerOnly() throws {
        try withStore(entities()) { store in
            var lines = BulkPlan(entity: "Line", key: ["order"], attributes: ["sku"])
            lines.owner = "order"
            let rows = "SELECT o.ZNO, l.ZSKU FROM ZLINE l LEFT JOIN ZORDER o ON o.Z_PK = l.ZORDER"
            let first = try store.container.load(plan(lines), [[1, ["a", "b"]], [2, ["c"]]])
            #expect(first.rejects == [])
            #expect(first.tally.supersededItems == 1)
            try store.expect(rows + " ORDER BY 1", ["1|b", "2|c"])
            let second = try store.container.load(plan(lines), [[1, ["d", "e"]]])
            #expect(second.rejects == [])
            #expect(second.tally.supersededItems == 1)
            try store.expect(rows + " ORDER BY 1", ["1|e", "2|c"])
        }
    }
}
