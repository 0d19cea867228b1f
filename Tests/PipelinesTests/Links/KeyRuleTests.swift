import Testing

@testable import Pipelines

/// The rules for keys of records: unmapped keys and duplicate keys.
@Suite("Key rules")
struct KeyRuleTests {
    static let model = """
        model: 1
        entities:
          Order:
            attributes: { id: { type: String, optional: false } }
            relationships: { items: { to: Item, many: true, inverse: order } }
            unique: [[id]]
          Item:
            attributes: { sku: { type: String, optional: false }, size: Integer 16 }
            relationships:
              order: { to: Order, inverse: items }
              parts: { to: Part, many: true, inverse: items }
            unique: [[sku]]
          Part:
            attributes: { name: { type: String, optional: false } }
            relationships: { items: { to: Item, many: true, inverse: parts } }
            unique: [[name]]
        """

    private func run(_ rule: String, _ lines: String) throws -> (folder: Workspace, run: Run) {
        let folder = try Workspace()
        try folder.write("orders.ndjson", lines)
        let run = try folder.run(
            model: Self.model,
            """
            - import: orders.ndjson
              into: Order
              key: id
              \(rule)
              link: { items: { each: "items[*]", link: { parts: { each: "parts[*]" } } } }
            """, top: "rejects: { allow: 100% }")
        return (folder, run)
    }

    @Test("the reason shows the first names that nothing maps, and counts each other name once")
    func manyNames() throws {
        let names = (0..<12).map { "\"k\($0)\":0" }.joined(separator: ",")
        let many = (0..<20_000).map { "\"k\($0)\":0" }.joined(separator: ",")
        let (folder, run) = try run(
            "extra: reject",
            """
            {"id":"1",\(names),"k3":1,"k11":2}
            {"id":"2",\(many)}
            """)
        #expect(run.lines == ["import import-orders: 2 read, 2 rejected"])
        #expect(
            try folder.reasons() == [
                "extra k0: Nothing maps 'k0', 'k1', 'k2', 'k3', 'k4', and 7 more",
                "extra k0: Nothing maps 'k0', 'k1', 'k2', 'k3', 'k4', and at least 9995 more",
            ])
    }

    @Test("extra: reject applies to fields of nested objects")
    func extraInside() throws {
        let lines = """
            {"id":"1","items":[{"sku":"a"},{"sku":"b","size":1,"tint":2,"hue":3}]}
            {"id":"2","items":[{"sku":"c","parts":[{"name":"p","weight":1}]}]}
            {"id":"3","items":[{"sku":"d","parts":[{"name":"p"}]}]}
            """
        let (folder, run) = try run("extra: reject", lines)
        #expect(
            run.lines == [
                "import import-orders: 3 read, 1 inserted, 2 rejected; Item: 1 inserted; Part: 1 inserted"
            ])
        #expect(
            try folder.reasons() == [
                "extra items[1].tint: Nothing maps 'items[1].tint', 'items[1].hue'",
                "extra items[0].parts[0].weight: Nothing maps 'items[0].parts[0].weight'",
            ])
        #expect(try folder.rows("SELECT ZSKU FROM ZITEM ORDER BY 1") == ["d"])
        let (ignoring, _) = try self.run("extra: ignore", lines)
        #expect(
            try ignoring.rows("SELECT ZSKU FROM ZITEM ORDER BY 1") == ["a", "b", "c", "d"])
    }

    @Test("on.duplicate-key applies to nested objects", arguments: ["ignore", "reject"])
    func duplicateInside(_ policy: String) throws {
        let (folder, run) = try run(
            "on: { duplicate-key: \(policy) }",
            """
            {"id":"1","items":[{"sku":"a","sku":"b"}]}
            {"id":"2","items":[{"sku":"c"},{"sku":"d","parts":[{"name":"p"},{"name":"q","name":"r"}]}]}
            {"id":"3","items":[{"sku":"e","parts":[{"name":"p"}]}]}
            """)
        #expect(run.text == "")
        let message = "An object of the record has a key twice"
        #expect(
            try folder.reasons()
                == (policy == "ignore"
                    ? []
                    : [
                        "duplicate-key items[0]: \(message)",
                        "duplicate-key items[1].parts[1]: \(message)",
                    ]))
        #expect(
            try folder.rows("SELECT ZSKU FROM ZITEM ORDER BY 1")
                == (policy == "ignore" ? ["b", "c", "d", "e"] : ["e"]))
    }
}
