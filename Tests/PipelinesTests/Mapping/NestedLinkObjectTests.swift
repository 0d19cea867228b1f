import Testing

@testable import Pipelines

/// Nested objects whose entity has no attributes.
@Suite("Nested objects without attributes")
struct NestedLinkObjectTests {
    private static let model = """
        model: 1
        entities:
          Order:
            attributes: { id: { type: Integer 32, optional: false } }
            relationships:
              items: { to: Item, many: true, inverse: order }
              marks: { to: Mark, many: true, inverse: order }
              seal: { to: Seal, inverse: order }
            unique: [[id]]
          Item:
            relationships:
              order: { to: Order, inverse: items }
              product: { to: Product, inverse: items }
            unique: [[order, product]]
          Product:
            attributes: { id: { type: Integer 32, optional: false } }
            relationships: { items: { to: Item, many: true, inverse: product } }
            unique: [[id]]
          Mark:
            relationships:
              order: { to: Order, inverse: marks }
              dots: { to: Dot, many: true, inverse: mark }
          Dot:
            relationships: { mark: { to: Mark, inverse: dots } }
          Seal:
            relationships: { order: { to: Order, inverse: seal } }
        """

    private static func objects(_ run: Run) -> [String] {
        run.outcome.stages[0].objects.map { "\($0.entity) \($0.inserted)+\($0.updated)" }.sorted()
    }

    @Test("objects that have only links are imported, and a second run changes nothing")
    func onlyLinks() throws {
        let folder = try Workspace()
        try folder.write(
            "orders.ndjson",
            """
            {"id":5,"items":[{"sku":1},{"sku":2},{"sku":1}]}
            {"id":6,"items":[{"sku":2}]}
            """)
        let stage = """
            - import: orders.ndjson
              into: Order
              link:
                items:
                  each: "items[*]"
                  key: [order, product]
                  link: { product: { by: { id: sku }, missing: create } }
            """
        let run = try folder.run(model: Self.model, stage)
        #expect(run.text == "")
        #expect(
            run.lines == [
                "import import-orders: 2 read, 2 inserted, 2 link targets created, "
                    + "1 nested object superseded; Item: 3 inserted"
            ])
        let items = """
            SELECT o.ZID, p.ZID FROM ZITEM i JOIN ZORDER o ON o.Z_PK = i.ZORDER
            JOIN ZPRODUCT p ON p.Z_PK = i.ZPRODUCT ORDER BY 1, 2
            """
        #expect(try folder.rows(items) == ["5|1", "5|2", "6|2"])
        #expect(Self.objects(run) == ["Item 3+0", "Order 2+0", "Product 2+0"])
        let again = try folder.run(model: Self.model, stage)
        #expect(
            again.lines == ["import import-orders: 2 read, 2 unchanged, 1 nested object superseded"]
        )
        #expect(try folder.rows(items) == ["5|1", "5|2", "6|2"])
    }

    @Test("objects of which no field is read are imported at every level")
    func noFields() throws {
        let folder = try Workspace()
        try folder.write(
            "orders.ndjson",
            """
            {"id":5,"marks":[{"dots":[{},{"x":1}]},{}],"seal":{"by":"x"}}
            {"id":6,"marks":[],"seal":null}
            """)
        let run = try folder.run(
            model: Self.model,
            """
            - import: orders.ndjson
              into: Order
              link:
                marks:
                  each: "marks[*]"
                  when-found: append
                  link: { dots: { each: "dots[*]", when-found: append } }
                seal: { each: seal, when-found: append }
            """)
        #expect(run.text == "")
        #expect(Self.objects(run) == ["Dot 2+0", "Mark 2+0", "Order 2+0", "Seal 1+0"])
        #expect(
            try folder.rows(
                """
                SELECT m.Z_PK, o.ZID, (SELECT count(*) FROM ZDOT d WHERE d.ZMARK = m.Z_PK)
                FROM ZMARK m LEFT JOIN ZORDER o ON o.Z_PK = m.ZORDER ORDER BY 1
                """) == ["1|5|2", "2|5|0"])
        #expect(
            try folder.rows(
                "SELECT o.ZID, s.Z_PK FROM ZORDER o LEFT JOIN ZSEAL s ON s.Z_PK = o.ZSEAL ORDER BY 1"
            ) == ["5|1", "6|NULL"])
    }
}
