import Testing

@testable import Pipelines

/// Exports of objects whose key has a relationship, of objects without a key, and of links to them.
@Suite("Exports of keys with relationships")
struct RelationshipKeyExportTests {
    private static let shop = """
        model: 1
        entities:
          Order:
            attributes: { id: { type: Integer 32, optional: false } }
            relationships: { lines: { to: Line, many: true, inverse: order, delete: cascade } }
            unique: [[id]]
          Product:
            attributes: { sku: { type: String, optional: false } }
            relationships: { lines: { to: Line, many: true, inverse: product } }
            unique: [[sku]]
          Box:
            attributes: { name: { type: String, optional: false } }
            relationships: { lines: { to: Line, many: true, inverse: box } }
            unique: [[name]]
          Line:
            attributes: { qty: Integer 16 }
            relationships:
              order: { to: Order, inverse: lines, optional: false }
              product: { to: Product, inverse: lines, optional: false }
              box: { to: Box, inverse: lines }
              label: { to: Label, inverse: line }
            unique: [[order, product]]
          Label:
            attributes: { text: { type: String, optional: false } }
            relationships: { line: { to: Line, inverse: label } }
            unique: [[text]]
        """

    /// Returns a workspace with the rows imported in their order.
    private static func filled(_ rows: [String]) throws -> Workspace {
        let folder = try Workspace()
        try folder.write("in.csv", (["order,product,qty,box"] + rows).joined(separator: "\n"))
        try folder.write("labels.ndjson", #"{"text":"l","o":7,"p":"B"}"#)
        let run = try folder.run(
            model: shop,
            """
            - import: in.csv
              into: Line
              link:
                order: { by: { id: order }, missing: create }
                product: { by: { sku: product }, missing: create }
                box: { by: { name: box }, missing: create }
            - import: labels.ndjson
              into: Label
              link: { line: { by: { order: { by: { id: o } }, product: { by: { sku: p } } } } }
            """)
        #expect(run.text == "")
        return folder
    }

    /// The primary keys of the orders, products, and lines depend on the order of the rows.
    private static let rows = ["7,A,1,x", "7,B,2,x", "8,A,1,x"]

    @Test(
        "equal data gives equal bytes: keys, links, and orders with ties contain no primary keys",
        arguments: [false, true])
    func equalBytes(isReversed: Bool) throws {
        let folder = try Self.filled(isReversed ? Self.rows.reversed() : Self.rows)
        let run = try folder.run(
            model: Self.shop,
            """
            - { export: Order, to: orders.ndjson }
            - { export: nested, entity: Order, shape: nested, to: nested.ndjson }
            - { export: Product, to: products.csv }
            - { export: Box, to: boxes.ndjson }
            - { export: table, entity: Box, to: boxes.csv }
            - { export: Line, to: lines.ndjson }
            - { export: Label, to: labels.csv }
            - { export: deep, entity: Order, fields: [id, lines.product.sku, lines.qty], to: deep.ndjson }
            - { export: tied, entity: Line, order: qty, fields: [qty, order, product], to: tied.csv }
            """, open: "existing")
        #expect(run.text == "")
        let expected = [
            "orders.ndjson": """
            {"id":7,"lines":["A","B"]}
            {"id":8,"lines":["A"]}

            """,
            "nested.ndjson": """
            {"id":7,"lines":[{"product":{"sku":"A"}},{"product":{"sku":"B"}}]}
            {"id":8,"lines":[{"product":{"sku":"A"}}]}

            """,
            "products.csv": "sku,lines\nA,7|8\nB,7\n",
            "boxes.ndjson": #"{"name":"x","lines":[{"order":{"id":7},"product":{"sku":"A"}},"#
                + #"{"order":{"id":7},"product":{"sku":"B"}},{"order":{"id":8},"product":{"sku":"A"}}]}"#
                + "\n",
            "boxes.csv": "name,lines.order.id,lines.product.sku\nx,7|7|8,A|B|A\n",
            "lines.ndjson": """
            {"order.id":7,"product.sku":"A","qty":1,"box.name":"x","label.text":null}
            {"order.id":7,"product.sku":"B","qty":2,"box.name":"x","label.text":"l"}
            {"order.id":8,"product.sku":"A","qty":1,"box.name":"x","label.text":null}

            """,
            "labels.csv": "text,line.order.id,line.product.sku\nl,7,B\n",
            "deep.ndjson": """
            {"id":7,"lines.product.sku":["A","B"],"lines.qty":[1,2]}
            {"id":8,"lines.product.sku":["A"],"lines.qty":[1]}

            """,
            "tied.csv": "qty,order,product\n1,7,A\n1,8,A\n2,7,B\n",
        ]
        for (name, text) in expected { #expect(try folder.text(name) == text, "\(name)") }
    }

    @Test("check reports a relationship after a to-many relationship at the end of a field")
    func lints() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.shop)
        #expect(
            try folder.check(
                """
                etl: 1
                store: { at: store.sqlite, model: model.yaml, open: create }
                stages:
                  - { export: Order, fields: [lines.product], to: a.csv }
                """
            ).hasSuffix(
                """
                spec.yaml:4:31: error: 'lines.product' ends in a relationship after the to-many \
                'lines' [spec.path]
                  in: stages[0].fields[0]
                  fix: name an attribute of 'Product', such as 'lines.product.sku'
                """))
    }

    private static let lists = """
        model: 1
        entities:
          G:
            attributes: { name: { type: String, optional: false } }
            relationships:
              ps: { to: P, many: true, inverse: g }
              qs: { to: Q, many: true, inverse: g }
            unique: [[name]]
          P:
            attributes: { a: Integer 32, b: Integer 32, c: String }
            relationships: { g: { to: G, inverse: ps } }
            unique: [[a, b]]
          Q:
            attributes: { u: Integer 32, v: String }
            relationships: { g: { to: G, inverse: qs } }
          Node:
            attributes: { name: { type: String, optional: false } }
            relationships:
              parent: { to: Node, inverse: children }
              children: { to: Node, many: true, inverse: parent }
            unique: [[parent, name]]
        """

    private static func listed() throws -> Workspace {
        let folder = try Workspace()
        try folder.write(
            "p.ndjson",
            """
            {"a":3,"b":7,"c":null,"g":"x"}
            {"a":1,"b":9,"c":"z","g":"x"}
            {"a":2,"b":8,"c":"y","g":"x"}
            """)
        try folder.write(
            "q.ndjson",
            """
            {"u":1,"v":"b","g":"x"}
            {"u":1,"v":"a","g":"x"}
            {"u":0,"v":"c","g":"x"}
            """)
        let run = try folder.run(
            model: lists,
            """
            - { import: p.ndjson, into: P, link: { g: { by: { name: g }, missing: create } } }
            - { import: q.ndjson, into: Q, when-found: append, link: { g: { by: { name: g } } } }
            """)
        #expect(run.text == "")
        return folder
    }

    @Test("all lists of an unordered relationship have one order: by the key, or by their values")
    func oneOrder() throws {
        let folder = try Self.listed()
        let run = try folder.run(
            model: Self.lists,
            """
            - { export: one, entity: G, fields: [ps.c, ps.a, ps.b], to: 1.ndjson }
            - { export: two, entity: G, fields: [qs.u, qs.v], to: 2.ndjson }
            - { export: three, entity: G, fields: [qs.v, qs.u], to: 3.ndjson }
            - { export: four, entity: G, fields: [ps.c, ps.a], order: objectID, to: 4.csv }
            """, open: "existing")
        #expect(run.text == "")
        #expect(
            try folder.text("1.ndjson")
                == #"{"ps.c":["z","y",null],"ps.a":[1,2,3],"ps.b":[9,8,7]}"# + "\n")
        #expect(
            try folder.text("2.ndjson") == #"{"qs.u":[0,1,1],"qs.v":["c","a","b"]}"# + "\n")
        #expect(
            try folder.text("3.ndjson") == #"{"qs.v":["a","b","c"],"qs.u":[1,1,0]}"# + "\n")
        #expect(try folder.text("4.csv") == "ps.c,ps.a\nz|y|,1|2|3\n")
    }

    @Test("objects without a key of their own have `objectID` if links to them are primary keys")
    func withoutKey() throws {
        let folder = try Self.listed()
        try folder.write(
            "nodes.ndjson",
            """
            {"name":"root"}
            {"name":"leaf","in":"root"}
            """)
        let run = try folder.run(
            model: Self.lists,
            """
            - { import: nodes.ndjson, into: Node, key: name, link: { parent: { by: { name: in } } } }
            - { export: G, to: g.ndjson }
            - { export: P, to: p.csv }
            - { export: Q, to: q.ndjson }
            - { export: Node, order: name, to: tree.ndjson }
            """, open: "existing")
        #expect(run.text == "")
        #expect(
            try folder.text("g.ndjson")
                == #"{"name":"x","ps":[{"a":1,"b":9},{"a":2,"b":8},{"a":3,"b":7}],"qs":[1,2,3]}"#
                + "\n")
        #expect(try folder.text("p.csv") == "a,b,c,g.name\n1,9,z,x\n2,8,y,x\n3,7,,x\n")
        #expect(
            try folder.text("q.ndjson") == """
                {"objectID":1,"u":1,"v":"b","g.name":"x"}
                {"objectID":2,"u":1,"v":"a","g.name":"x"}
                {"objectID":3,"u":0,"v":"c","g.name":"x"}

                """)
        // The key of a node leads to another node; the children of one node differ in their names.
        #expect(
            try folder.text("tree.ndjson") == """
                {"objectID":2,"parent":1,"name":"leaf","children":[]}
                {"objectID":1,"parent":null,"name":"root","children":["leaf"]}

                """)
    }
}
