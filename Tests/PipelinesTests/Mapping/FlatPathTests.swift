import Diagnostics
import Testing

@testable import Pipelines

/// Names with dots, as in flat exports, are found by the path that has the same text.
@Suite("Fields with dots in their names")
struct FlatPathTests {
    private static let model = """
        model: 1
        composites: { Place: { attributes: { latitude: Double, longitude: Double } } }
        entities:
          Node:
            attributes:
              id: { type: Integer 64, optional: false }
              at: { type: Composite, composite: Place }
            relationships:
              up: { to: Node, inverse: down }
              down: { to: Node, many: true, inverse: up }
            unique: [[id]]
        """
    private static let rows =
        "SELECT n.ZID, n.ZAT_LATITUDE, u.ZID FROM ZNODE n LEFT JOIN ZNODE u ON u.Z_PK = n.ZUP"
        + " ORDER BY n.ZID"

    private static func filled() throws -> Workspace {
        let folder = try Workspace()
        try folder.write(
            "in.ndjson",
            """
            {"id":1,"at":{"latitude":1.5}}
            {"id":2,"up":{"id":1}}
            {"id":3,"up.id":2,"at.latitude":2.5}
            {"id":4,"up.id":9,"up":{"id":1}}

            """)
        let run = try folder.run(
            model: model, "- { import: in.ndjson, into: Node, link: { up: { by: { id: up.id } } } }"
        )
        #expect(run.text == "")
        #expect(run.warnings.map(\.message) == [])
        #expect(try folder.rows(rows) == ["1|1.5|NULL", "2|NULL|1", "3|2.5|2", "4|NULL|1"])
        return folder
    }

    @Test(
        "imports a flat export by its own field names",
        arguments: ["ndjson", "json", "csv", "tsv"])
    func roundTrip(_ format: String) throws {
        let folder = try Self.filled()
        let out = try folder.run(
            model: Self.model,
            "- { export: Node, fields: [id, at.latitude, up.id], to: out.\(format) }",
            open: "existing")
        #expect(out.text == "")
        let back = try folder.run(
            model: Self.model,
            """
            - import: out.\(format)
              into: Node
              keep-if: "up.id != 1 OR up.id == nil OR id == 2"
              set: { at.latitude: { expr: "at.latitude + 1" } }
              link: { up: { by: { id: up.id } } }
            """, open: "replace")
        #expect(back.text == "")
        #expect(try folder.rows(Self.rows) == ["1|2.5|NULL", "2|NULL|1", "3|3.5|2"])
    }

    @Test(
        "finds a name with a dot with and without a backslash, in tables and in JSON",
        arguments: ["in.ndjson", "in.csv"])
    func backslashes(_ file: String) throws {
        let folder = try Workspace()
        try folder.write(
            file,
            file == "in.csv"
                ? "id,up.id,at.latitude\n1,,1.5\n2,1,2.5\n"
                : #"""
                {"id":1,"up.id":null,"at.latitude":1.5}
                {"id":2,"up":null,"up.id":1,"at":null,"at.latitude":2.5}

                """#)
        for path in ["up.id", #"up\.id"#] {
            let run = try folder.run(
                model: Self.model,
                """
                - import: \(file)
                  into: Node
                  keep-if: "up.id == nil OR #'up.id' == 1"
                  set: { at.longitude: 'at\\.latitude' }
                  link: { up: { by: { id: '\(path)' } } }
                """, open: "replace")
            #expect(run.text == "")
            #expect(run.warnings.map(\.message) == [])
            #expect(try folder.rows(Self.rows) == ["1|1.5|NULL", "2|2.5|1"])
            #expect(try folder.rows("SELECT ZAT_LONGITUDE FROM ZNODE") == ["1.5", "2.5"])
        }
    }

    @Test("prefers a column whose name contains the backslash, also in `columns`")
    func literalColumns() throws {
        let folder = try Workspace()
        try folder.write("in.csv", #"1,7,8"# + "\n")
        func latitude(_ columns: String, _ path: String) throws -> [String] {
            let run = try folder.run(
                model: Self.model,
                """
                - import: in
                  read: { files: in.csv, header: false, columns: [\(columns)] }
                  into: Node
                  set: { at.latitude: '\(path)' }
                """, open: "replace")
            return run.text.isEmpty
                ? try folder.rows("SELECT ZAT_LATITUDE FROM ZNODE")
                : run.outcome.diagnostics.map(\.code)
        }
        #expect(try latitude(#"id, x.y, 'x\.y'"#, #"x\.y"#) == ["8.0"])
        #expect(try latitude(#"id, x.y, 'x\.y'"#, "x.y") == ["7.0"])
        #expect(try latitude("id, x.y, z", #"x\.y"#) == ["7.0"])
        #expect(try latitude("id, xy, z", #"x\.y"#) == ["spec.unknown-column"])
    }

    @Test("the warning for a similar path suggests the name with the dot")
    func hints() throws {
        let folder = try Workspace()
        try folder.write("in.ndjson", #"{"id":1,"up.id":2}"# + "\n" + #"{"id":2,"up.id":2}"# + "\n")
        let run = try folder.run(
            model: Self.model,
            "- { import: in.ndjson, into: Node, link: { up: { by: { id: up.ids } } } }")
        #expect(run.warnings.map(\.message) == ["No record has 'up.ids'. Did you mean 'up.id'?"])
    }
}
