import Diagnostics
import GraphStore
import Testing

@testable import Pipelines

@Suite("Composites that must have a value")
struct RequiredCompositeTests {
    private static let model = """
        model: 1
        composites:
          Scale: { attributes: { richter: Double, agency: String } }
          Magnitude:
            attributes:
              first: { type: Composite, composite: Scale, optional: false }
              felt: Boolean
          Place: { attributes: { latitude: Double, longitude: Double } }
        entities:
          Quake:
            attributes:
              code: { type: String, optional: false }
              magnitude: { type: Composite, composite: Magnitude }
              at: { type: Composite, composite: Place, optional: false }
            relationships: { shocks: { to: Shock, many: true, inverse: quake } }
            unique: [[code]]
          Shock:
            attributes:
              number: { type: Integer 64, optional: false }
              at: { type: Composite, composite: Place, optional: false }
            relationships: { quake: { to: Quake, inverse: shocks } }
            unique: [[number]]
        """
    private static let columns =
        "SELECT ZCODE, ZMAGNITUDE_FIRST_RICHTER, ZMAGNITUDE_FELT, ZAT_LATITUDE, ZAT_LONGITUDE"
        + " FROM ZQUAKE ORDER BY ZCODE"

    private static let good = """
        {"code":"a","at":{"latitude":1},"magnitude":{"first":{"richter":5},"felt":true}}
        {"code":"f","at":{"longitude":3}}

        """

    private static func filled(_ text: String = good) throws -> Workspace {
        let folder = try Workspace()
        try folder.write("in.ndjson", text)
        let run = try folder.run(
            model: model, "- { import: in.ndjson, into: Quake }", top: "rejects: { allow: 4 }")
        #expect(run.status == .ok)
        return folder
    }

    @Test("rejects a record without a required composite")
    func rejects() throws {
        let folder = try Self.filled(
            Self.good + """
                {"code":"b","at":{"longitude":2},"magnitude":{"felt":true}}
                {"code":"c","at":{"latitude":null}}
                {"code":"d"}
                {"code":"e","at":null}

                """)
        #expect(
            try folder.reasons() == [
                "required magnitude.first: 'magnitude.first' is required where 'magnitude' has a"
                    + " value",
                "required at: 'at' is required", "required at: 'at' is required",
                "required at: 'at' is required",
            ])
        #expect(try folder.rows(Self.columns) == ["a|5.0|1|1.0|NULL", "f|NULL|NULL|NULL|3.0"])
    }

    @Test("the reason names the required composite that is null, not its elements")
    func nullAsAWhole() throws {
        let folder = try Workspace()
        try folder.write(
            "in.ndjson",
            """
            {"id":1,"mag":null}
            {"id":2,"mag":{"scale":null}}
            {"id":3,"mag":{"scale":{"richter":null}}}
            {"id":4}
            {"id":5,"mag":{"scale":{"richter":5}},"shocks":[{"no":1,"mag":null}]}
            """)
        let run = try folder.run(
            model: """
                model: 1
                composites:
                  Scale: { attributes: { richter: { type: Double, optional: false } } }
                  Magnitude:
                    attributes: { scale: { type: Composite, composite: Scale, optional: false } }
                entities:
                  Quake:
                    attributes:
                      id: { type: Integer 64, optional: false }
                      size: { type: Composite, composite: Magnitude, optional: false }
                    relationships: { shocks: { to: Shock, many: true, inverse: quake } }
                    unique: [[id]]
                  Shock:
                    attributes:
                      no: { type: Integer 64, optional: false }
                      size: { type: Composite, composite: Magnitude, optional: false }
                    relationships: { quake: { to: Quake, inverse: shocks } }
                    unique: [[no]]
                """,
            """
            - import: in.ndjson
              into: Quake
              set: { size: mag }
              link: { shocks: { each: "shocks[*]", set: { size: mag } } }
            """, top: "rejects: { allow: 5 }")
        #expect(run.text == "")
        #expect(
            try folder.reasons() == [
                "required mag: 'size.scale.richter' is required, and 'mag' is null in the record",
                "required mag.scale: 'size.scale.richter' is required, and 'mag.scale' is null in"
                    + " the record",
                "required mag.scale.richter: 'size.scale.richter' is required, and"
                    + " 'mag.scale.richter' is null in the record",
                "required shocks[0].mag: 'size.scale.richter' is required, and 'mag' is null in the record",
                "required mag.scale.richter: 'size.scale.richter' is required and the record lacks it"
                    + " (for 'size.scale.richter')",
            ])
    }

    @Test(
        "a record must not clear the last element of a required composite")
    func updates() throws {
        let folder = try Self.filled()
        try folder.write(
            "more.ndjson",
            """
            {"code":"a","magnitude":null}
            {"code":"f","at":{"latitude":4,"longitude":null}}
            {"code":"a","at":null}
            {"code":"f","shocks":[{"number":1,"at":{"latitude":7}}]}
            {"code":"f","shocks":[{"number":2}]}
            """)
        let run = try folder.run(
            model: Self.model,
            "- { import: more.ndjson, into: Quake, link: { shocks: { each: \"shocks[*]\" } } }",
            top: "rejects: { allow: 2 }", open: "existing")
        #expect(run.status == .ok)
        #expect(try folder.rows(Self.columns) == ["a|NULL|NULL|1.0|NULL", "f|NULL|NULL|4.0|NULL"])
        #expect(try folder.rows("SELECT ZNUMBER FROM ZSHOCK") == ["1"])
        #expect(
            try folder.reasons() == [
                "required at: 'at' is required", "required shocks[0].at: 'at' is required",
            ])
    }

    @Test("an update must not clear a required composite, even with rules: ignore")
    func changes() throws {
        let folder = try Self.filled()
        for rules in ["enforce", "ignore"] {
            let run = try folder.run(
                model: Self.model,
                "- { update: up, entity: Quake, where: ALL, rules: \(rules),"
                    + " set: { at.latitude: \"ternary(code == 'f', nil, 1)\", at.longitude: null } }",
                open: "existing")
            #expect(run.status == .dataError)
            #expect(
                run.text.contains("1 object would lack a value: 'at' is required"), "\(run.text)")
        }
        #expect(try folder.rows(Self.columns).count == 2)
    }

    @Test("check reports null for a required composite")
    func check() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        #expect(
            try folder.check(
                """
                etl: 1
                store: { at: store.sqlite, model: model.yaml, open: create }
                stages:
                  - { import: a.ndjson, into: Quake, set: { at: { const: null }, magnitude: { const: null } } }
                  - { update: up, entity: Quake, where: ALL, set: { at: null, magnitude: null } }
                  - { update: on, entity: Quake, where: ALL, set: { at: null, at.latitude: 1 } }
                """) == """
                    spec.yaml:4:58: error: 'at' is not optional, so it cannot be null \
                    [spec.constant]
                      in: stages[0].set.at.const
                    spec.yaml:5:57: error: 'at' is not optional, so it cannot be null \
                    [spec.constant]
                      in: stages[1].set.at
                    """)
    }

    @Test("verification finds objects of other programs that lack a required composite")
    func verification() throws {
        let folder = try Self.filled()
        #expect(
            try folder.rows(
                "UPDATE ZQUAKE SET ZAT_LONGITUDE = NULL, ZMAGNITUDE_FIRST_RICHTER = NULL") == [])
        let found = try PersistentContainer.verify(at: folder.path("store.sqlite"), .full)
        #expect(
            found.findings.map { "\($0.kind) \($0.property ?? ""): \($0.message)" } == [
                "required magnitude.first: Quake.magnitude.first: 1 object lacks a value, which is"
                    + " required where 'magnitude' has one",
                "required at: Quake.at: 1 object lacks a value, which is required",
            ])
    }
}
