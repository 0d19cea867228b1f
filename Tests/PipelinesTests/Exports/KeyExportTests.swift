import Diagnostics
import Testing

@testable import Pipelines

/// Exports of links to objects whose key has several attributes, and imports of these exports.
@Suite("Exports of links by several attributes")
struct KeyExportTests {
    private static let model = """
        model: 1
        entities:
          Node:
            attributes:
              a: { type: Integer 64, optional: false }
              b: { type: String, optional: false }
            relationships:
              up: { to: Node, inverse: down }
              down: { to: Node, many: true, inverse: up }
              peers: { to: Node, many: true, inverse: fans }
              fans: { to: Node, many: true, inverse: peers }
              line: { to: Node, many: true, ordered: true, inverse: lines }
              lines: { to: Node, many: true, inverse: line }
            unique: [[a, b]]
        """
    private static let nodes = """
        {"a":1,"b":"x","peers":[{"a":2,"b":"x"},{"a":1,"b":"z"},{"a":1,"b":"y"}]}
        {"a":1,"b":"y","up":{"a":1,"b":"x"},"line":[{"a":2,"b":"x"},{"a":1,"b":"x"},{"a":1,"b":"z"}]}
        {"a":1,"b":"z","up":{"a":1,"b":"y"}}
        {"a":2,"b":"x","peers":[]}

        """
    private static let links = """
        up: { by: { a: up.a, b: up.b } }
            peers: { by: { a: "peers[*].a", b: "peers[*].b" } }
            line: { by: { b: "line[*].b", a: "line[*].a" } }
        """
    private static let exported = """
        {"a":1,"b":"x","line":[],"peers":[{"a":1,"b":"y"},{"a":1,"b":"z"},{"a":2,"b":"x"}],UPNULL}
        {"a":1,"b":"y","line":[{"a":2,"b":"x"},{"a":1,"b":"x"},{"a":1,"b":"z"}],"peers":[],UPX}
        {"a":1,"b":"z","line":[],"peers":[],UPY}
        {"a":2,"b":"x","line":[],"peers":[],UPNULL}

        """
    private static let table = """
        a,b,line.a,line.b,peers.a,peers.b,up.a,up.b
        1,x,,,1|1|2,y|z|x,,
        1,y,2|1|1,x|x|z,,,1,x
        1,z,,,,,1,y
        2,x,,,,,,

        """

    private static func filled() throws -> Workspace {
        let folder = try Workspace()
        try folder.write("in.ndjson", nodes)
        let run = try folder.run(
            model: model,
            """
            - import: in.ndjson
              into: Node
              link:
                \(links)
            """)
        #expect(run.text == "")
        return folder
    }

    private static func text(nested isNested: Bool) -> String {
        func up(_ a: String, _ b: String) -> String {
            isNested && a == "null"
                ? #""up":null"#
                : isNested
                    ? #""up":{"a":\#(a),"b":\#(b)}"# : #""up.a":\#(a),"up.b":\#(b)"#
        }
        return exported.replacing("UPNULL", with: up("null", "null"))
            .replacing("UPX", with: up("1", #""x""#)).replacing("UPY", with: up("1", #""y""#))
    }

    @Test(
        "exports all attributes of a key: JSON as an object, tables as parallel lists",
        arguments: ["flat.ndjson", "nested.ndjson", "flat.json", "flat.csv"])
    func roundTrip(_ file: String) throws {
        let folder = try Self.filled()
        let isTable = file.hasSuffix("csv")
        let shape = file.hasPrefix("nested") ? ", shape: nested" : ""
        let fields = "fields: [a, b, line, peers, up]"
        let out = try folder.run(
            model: Self.model, "- { export: Node, to: \(file), \(fields)\(shape) }",
            open: "existing")
        #expect(out.text == "")
        if !file.hasSuffix("json") || file.hasSuffix("ndjson") {
            #expect(
                try folder.text(file)
                    == (isTable ? Self.table : Self.text(nested: !shape.isEmpty)))
        }
        let cut = """
            up: { by: { a: up.a, b: up.b } }
                peers: { by: { a: { from: peers.a, split: "|" }, b: { from: peers.b, split: "|" } } }
                line: { by: { a: { from: line.a, split: "|" }, b: { from: line.b, split: "|" } } }
            """
        let back = try folder.run(
            model: Self.model,
            """
            - import: \(file)
              into: Node
              link:
                \(isTable ? cut : Self.links)
            - { export: Node, to: again.ndjson, \(fields) }
            """, open: "replace")
        #expect(back.text == "")
        #expect(try folder.text("again.ndjson") == Self.text(nested: false))
    }

    @Test("`each` imports nested objects of a nested export again")
    func each() throws {
        let folder = try Self.filled()
        let out = try folder.run(
            model: Self.model,
            "- { export: Node, to: out.ndjson, shape: nested, fields: [a, b, peers] }",
            open: "existing")
        #expect(out.text == "")
        let run = try folder.run(
            model: Self.model,
            "- { import: out.ndjson, into: Node, link: { peers: { each: \"peers[*]\" } } }",
            open: "existing")
        #expect(run.text == "")
        #expect(run.lines.last == "import import-out: 4 read, 4 unchanged")
    }

    @Test("JSON has all key attributes by default; named ones list the objects in the key's order")
    func fields() throws {
        let folder = try Self.filled()
        let run = try folder.run(
            model: Self.model,
            """
            - { export: Node, to: all.ndjson, where: "a == 1 AND b == 'x'" }
            - { export: some, entity: Node, to: some.ndjson, fields: [peers.b, peers.a], where: "b == 'x'" }
            """, open: "existing")
        #expect(run.text == "")
        #expect(
            try folder.text("all.ndjson")
                == #"{"a":1,"b":"x","down":[{"a":1,"b":"y"}],"fans":[],"line":[],"#
                + #""lines":[{"a":1,"b":"y"}],"peers":[{"a":1,"b":"y"},{"a":1,"b":"z"},"#
                + #"{"a":2,"b":"x"}],"up.a":null,"up.b":null}"# + "\n")
        #expect(
            try folder.text("some.ndjson")
                == #"{"peers.b":["y","z","x"],"peers.a":[1,1,2]}"# + "\n"
                + #"{"peers.b":[],"peers.a":[]}"# + "\n")
    }

    @Test("tests of specs identify linked objects by all attributes of the key")
    func tests() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            stages:
              - import: nodes
                read: { files: nodes.ndjson }
                into: Node
                link: { peers: { by: { a: "p[*].a", b: "p[*].b" } } }
            tests:
              - name: peers
                given:
                  nodes:
                    - { a: 1, b: x, p: [{ a: 2, b: z }, { a: 2, b: y }] }
                    - { a: 2, b: y }
                    - { a: 2, b: z }
                then:
                  Node:
                    - { a: 1, b: x, peers: [{ b: y, a: 2 }, { b: z, a: 2 }] }
                    - { a: 2, b: y, peers: [] }
                    - { a: 2, b: z, peers: [] }
            """)
        let outcome = SpecificationTester(
            ParameterValues.Context(now: Workspace.now, workingFolder: folder.folder)
        ).run(folder.path("spec.yaml"))
        #expect(outcome.diagnostics == [])
        #expect(outcome.passed == 1)
    }
}
