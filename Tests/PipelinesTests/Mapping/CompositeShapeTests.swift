import Testing

@testable import Pipelines

/// Values of records at the position of a composite, and names with non-ASCII characters.
@Suite("Shapes of composites in records")
struct CompositeShapeTests {
    private static let model = """
        model: 1
        composites:
          Scale: { attributes: { richter: Double, agency: String } }
          Maß: { attributes: { länge: Double, breite: Double, weg: { type: Double, transient: true } } }
        entities:
          Quake:
            attributes:
              id: { type: Integer 64, optional: false }
              magnitude: { type: Composite, composite: Scale }
              größe: { type: Composite, composite: Maß }
            relationships: { shocks: { to: Shock, many: true, inverse: quake } }
            unique: [[id]]
          Shock:
            attributes:
              number: { type: Integer 64, optional: false }
              magnitude: { type: Composite, composite: Scale }
            relationships: { quake: { to: Quake, inverse: shocks } }
            unique: [[number]]
        """
    private static let columns =
        "SELECT ZID, ZMAGNITUDE_RICHTER, ZMAGNITUDE_AGENCY FROM ZQUAKE ORDER BY ZID"

    private func imported(
        _ text: String, as name: String = "in.ndjson", _ keys: String = ""
    ) throws -> (folder: Workspace, problems: String) {
        let folder = try Workspace()
        try folder.write(name, text)
        let run = try folder.run(
            model: Self.model, "- { import: \(name), into: Quake\(keys) }")
        return (folder, run.text)
    }

    @Test("a value that is not an object can fill one element")
    func valueOfAnElement() throws {
        for mapping in ["magnitude", "{ expr: magnitude }"] {
            let (folder, problems) = try imported(
                #"{"id":1,"magnitude":5.5}"# + "\n", ", set: { magnitude.richter: \(mapping) }")
            #expect(problems == "")
            #expect(try folder.rows(Self.columns) == ["1|5.5|NULL"])
        }
    }

    @Test("a table column with the name of a composite does not fill it")
    func tables() throws {
        let (folder, problems) = try imported(
            "id,magnitude,magnitude.agency\n1,5.5,USGS\n", as: "in.csv")
        #expect(problems == "")
        #expect(try folder.rows(Self.columns) == ["1|NULL|USGS"])
    }

    @Test("with `on: { cast: null }`, a value that is not an object clears the composite")
    func nulled() throws {
        let (folder, first) = try imported(
            #"{"id":1,"magnitude":{"richter":4,"agency":"USGS"}}"# + "\n")
        #expect(first == "")
        try folder.write(
            "more.ndjson",
            """
            {"id":1,"magnitude":5.5,"shocks":[{"number":7,"magnitude":"much"}]}
            {"id":2,"magnitude":{"richter":3}}
            """)
        let run = try folder.run(
            model: Self.model,
            """
            - import: more.ndjson
              into: Quake
              on: { cast: null }
              link: { shocks: { each: "shocks[*]" } }
            """, open: "existing")
        #expect(run.text == "")
        #expect(try folder.rows(Self.columns) == ["1|NULL|NULL", "2|3.0|NULL"])
        #expect(
            try folder.rows("SELECT ZNUMBER, ZMAGNITUDE_RICHTER, ZMAGNITUDE_AGENCY FROM ZSHOCK")
                == ["7|NULL|NULL"])
    }

    @Test("imports and exports names beyond ASCII, and ignores elements that the store lacks")
    func names() throws {
        let (folder, problems) = try imported(
            #"{"id":1,"mass":{"länge":1.5,"breite":2.5}}"# + "\n", ", set: { größe: mass }")
        #expect(problems == "")
        for (file, keys, expected) in [
            ("flat.ndjson", ", fields: [größe]", #"{"größe":{"länge":1.5,"breite":2.5}}"#),
            (
                "all.ndjson", "",
                #"{"id":1,"größe":{"länge":1.5,"breite":2.5},"magnitude":null,"shocks":[]}"#
            ),
            (
                "nested.ndjson", ", shape: nested, fields: [größe]",
                #"{"größe":{"länge":1.5,"breite":2.5}}"#
            ),
        ] {
            let run = try folder.run(
                model: Self.model, "- { export: Quake, to: \(file)\(keys) }", open: "existing")
            #expect(run.text == "")
            #expect(try folder.text(file) == expected + "\n")
        }
        let run = try folder.run(
            model: Self.model,
            """
            - { update: up, entity: Quake, where: "größe != nil", set: { größe: null } }
            - { verify: counts, expect: { "Quake where größe == nil": "== 1" } }
            """, open: "existing")
        #expect(run.text == "")
    }
}
