import Diagnostics
import Testing

@testable import Pipelines

/// Composite attributes, from files into stores and back.
@Suite("Composite attributes in pipelines")
struct CompositeTests {
    static let model = """
        model: 1
        composites:
          Scale: { attributes: { richter: Double, agency: String } }
          Magnitude:
            attributes:
              first: { type: Composite, composite: Scale }
              felt: Boolean
          Place: { attributes: { latitude: Double, longitude: Double } }
        entities:
          Quake:
            attributes:
              code: { type: String, optional: false }
              magnitude: { type: Composite, composite: Magnitude }
              at: { type: Composite, composite: Place }
            relationships: { region: { to: Region, inverse: quakes } }
            unique: [[code]]
          Region:
            attributes:
              name: { type: String, optional: false }
              center: { type: Composite, composite: Place }
            relationships: { quakes: { to: Quake, many: true, inverse: region } }
            unique: [[name]]
        """
    static let quakes = """
        {"code":"a","magnitude":{"first":{"richter":5.5,"agency":"USGS"},"felt":true},"at":{"latitude":1,"longitude":2}}
        {"code":"b","magnitude":{"felt":false},"at":null}
        {"code":"c","magnitude":{"first":{"richter":4}},"other":1}

        """
    static let columns =
        "SELECT ZCODE, ZMAGNITUDE_FIRST_RICHTER, ZMAGNITUDE_FIRST_AGENCY, ZMAGNITUDE_FELT,"
        + " ZAT_LATITUDE, ZAT_LONGITUDE FROM ZQUAKE ORDER BY ZCODE"
    static let rows = [
        "a|5.5|USGS|1|1.0|2.0", "b|NULL|NULL|0|NULL|NULL", "c|4.0|NULL|NULL|NULL|NULL",
    ]

    static func filled() throws -> Workspace {
        let folder = try Workspace()
        try folder.write("quakes.ndjson", quakes)
        let run = try folder.run(model: model, "- { import: quakes.ndjson, into: Quake }")
        #expect(run.text == "")
        #expect(try folder.rows(columns) == rows)
        return folder
    }

    @Test("nested objects fill composites of the same name; null clears them, absence does not")
    func byName() throws {
        let folder = try Self.filled()
        try folder.write(
            "more.ndjson",
            """
            {"code":"a","magnitude":{"first":{"richter":6}},"at":null}
            {"code":"c","magnitude":null}
            """)
        let run = try folder.run(
            model: Self.model, "- { import: more.ndjson, into: Quake }", open: "existing")
        #expect(run.text == "")
        #expect(
            try folder.rows(Self.columns) == [
                "a|6.0|USGS|1|NULL|NULL", "b|NULL|NULL|0|NULL|NULL",
                "c|NULL|NULL|NULL|NULL|NULL",
            ])
    }

    @Test("set maps single elements, or a whole composite from an object of another name")
    func set() throws {
        let folder = try Workspace()
        try folder.write(
            "in.ndjson",
            """
            {"id":"a","mag":{"first":{"richter":5.5,"agency":" usgs "},"felt":true},"pos":"1/2"}
            {"id":"b","mag":null}
            """)
        let run = try folder.run(
            model: Self.model,
            """
            - import: in.ndjson
              into: Quake
              set:
                code: id
                magnitude: mag
                magnitude.first.agency: { from: mag.first.agency, clean: [trim, upper] }
                at.latitude: { const: 7.5 }
                at.longitude: { expr: "mag.first.richter + 1" }
            """)
        #expect(run.text == "")
        #expect(
            try folder.rows(Self.columns) == ["a|5.5|USGS|1|7.5|6.5", "b|NULL|NULL|NULL|7.5|NULL"])
    }

    @Test("warns once about a composite whose mapping matches no record")
    func unseen() throws {
        let folder = try Workspace()
        try folder.write("in.ndjson", "{\"code\":\"a\",\"mag\":{\"felt\":true}}\n")
        let stage = "- { import: in.ndjson, into: Quake, set: { magnitude: MAG } }"
        #expect(
            try folder.run(model: Self.model, stage.replacing("MAG", with: "mag")).warnings.map(
                \.message) == [])
        #expect(
            try folder.run(model: Self.model, stage.replacing("MAG", with: "mga"), open: "replace")
                .warnings.map(\.message).count == 1)
    }

    static let exports: [(String, String, String)] = [
        (
            "out.ndjson", "",
            """
            {"code":"a","at":{"latitude":1.0,"longitude":2.0},"magnitude":{"first":{"richter":5.5,"agency":"USGS"},"felt":true},"region.name":null}
            {"code":"b","at":null,"magnitude":{"first":null,"felt":false},"region.name":null}
            {"code":"c","at":null,"magnitude":{"first":{"richter":4.0,"agency":null},"felt":null},"region.name":null}

            """
        ),
        (
            "out.csv", "",
            """
            code,at.latitude,at.longitude,magnitude.felt,magnitude.first.agency,magnitude.first.richter,region.name
            a,1.0,2.0,true,USGS,5.5,
            b,,,false,,,
            c,,,,,4.0,

            """
        ),
        (
            "some.ndjson",
            "fields: [code, magnitude.first.richter, magnitude.first], order: [magnitude.first.richter]",
            """
            {"code":"b","magnitude.first.richter":null,"magnitude.first":null}
            {"code":"c","magnitude.first.richter":4.0,"magnitude.first":{"richter":4.0,"agency":null}}
            {"code":"a","magnitude.first.richter":5.5,"magnitude.first":{"richter":5.5,"agency":"USGS"}}

            """
        ),
        (
            "some.csv", "fields: [code, magnitude.first], where: \"magnitude.first.richter > 5\"",
            "code,magnitude.first.richter,magnitude.first.agency\na,5.5,USGS\n"
        ),
        (
            "nested.ndjson", "shape: nested, fields: [code, magnitude.first.richter, at]",
            """
            {"code":"a","magnitude":{"first":{"richter":5.5}},"at":{"latitude":1.0,"longitude":2.0}}
            {"code":"b","magnitude":null,"at":null}
            {"code":"c","magnitude":{"first":{"richter":4.0}},"at":null}

            """
        ),
    ]

    @Test("exports elements, and in JSON also composites as objects", arguments: exports)
    func export(_ file: String, _ keys: String, _ expected: String) throws {
        let folder = try Self.filled()
        let run = try folder.run(
            model: Self.model,
            "- { export: Quake, to: \(file)\(keys.isEmpty ? "" : ", " + keys) }",
            open: "existing")
        #expect(run.text == "")
        #expect(try folder.text(file) == expected)
    }

    @Test(
        "an export imported again restores the composites",
        arguments: ["ndjson", "json", "csv", "tsv"])
    func roundTrip(_ format: String) throws {
        let folder = try Self.filled()
        let out = try folder.run(
            model: Self.model, "- { export: Quake, to: out.\(format) }", open: "existing")
        #expect(out.text == "")
        let back = try folder.run(
            model: Self.model, "- { import: out.\(format), into: Quake }", open: "replace")
        #expect(back.text == "")
        #expect(try folder.rows(Self.columns) == Self.rows)
    }

    @Test("updates, deletes, and expectations can use elements; an update can clear a composite")
    func changes() throws {
        let folder = try Self.filled()
        let run = try folder.run(
            model: Self.model,
            """
            - update: up
              entity: Quake
              where: "magnitude.first.richter > 5"
              set: { at: null, magnitude.first.richter: "magnitude.first.richter + 1" }
            - { delete: Quake, where: "magnitude.felt == NO" }
            - verify: counts
              expect: { "Quake where at == nil": "== 2", "Quake": "== 2" }
            """, open: "existing")
        #expect(run.text == "")
        #expect(
            try folder.rows(Self.columns) == [
                "a|6.5|USGS|1|NULL|NULL", "c|4.0|NULL|NULL|NULL|NULL",
            ])
    }

    @Test("check reports each invalid use of a composite at its position")
    func mistakes() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        #expect(
            try folder.check(
                """
                etl: 1
                store: { at: store.sqlite, model: model.yaml, open: create }
                stages:
                  - import: a.ndjson
                    into: Quake
                    set: { magnitude: { expr: "1" }, at.latitud: x, at: { const: 5 } }
                  - update: up
                    entity: Quake
                    where: "magnitude > 5"
                    set: { magnitude: "1" }
                  - export: Quake
                    fields: [magnitude.first.richtr, magnitude]
                    order: [at]
                    to: out.ndjson
                """) == """
                    spec.yaml:6:12: error: 'magnitude' is a composite, which only a path to an \
                    object, or null, fills as a whole [spec.rule]
                      in: stages[0].set.magnitude
                      fix: set its elements, such as 'magnitude.first.richter'
                    spec.yaml:6:38: error: 'Quake' has no attribute 'at.latitud'. Did you mean \
                    'at.latitude'? [spec.unknown-attribute]
                      in: stages[0].set["at.latitud"]
                    spec.yaml:6:53: error: 'at' is a composite, which only a path to an object, or \
                    null, fills as a whole [spec.rule]
                      in: stages[0].set.at
                      fix: set its elements, such as 'at.latitude'
                    spec.yaml:9:12: error: 'magnitude' of 'Quake' is a composite; name an element, \
                    such as 'magnitude.first.richter', or compare it with nil [predicate.type]
                      magnitude > 5
                      ^
                      in: stages[1].where
                    spec.yaml:10:12: error: 'Quake.magnitude' is a composite, which has no single \
                    value [spec.unknown-attribute]
                      in: stages[1].set.magnitude
                      fix: name an element, such as 'magnitude.first.richter'
                    spec.yaml:12:14: error: 'Quake' has no property 'magnitude.first.richtr'. Did \
                    you mean 'magnitude.first.richter'? [spec.unknown-property]
                      in: stages[2].fields[0]
                    spec.yaml:13:13: error: 'at' is a composite, so 'at' has no single value \
                    [spec.path]
                      in: stages[2].order[0]
                      fix: name an element, such as 'at.latitude'
                    """)
    }

    @Test("check reports a mapping of a composite once, and suggests the paths of its elements")
    func mappings() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        #expect(
            try folder.check(
                """
                etl: 1
                store: { at: store.sqlite, model: model.yaml, open: create }
                stages:
                  - { import: a.ndjson, into: Quake, set: { at: { latitude: lat, longitude: lon } } }
                  - { import: b.ndjson, into: Quake, set: { code: { form: id } } }
                  - { update: up, entity: Quake, where: ALL, set: { at: { latitude: 1 } } }
                  - { update: on, entity: Quake, where: ALL, set: { code: { expr: "1" } } }
                """) == """
                    spec.yaml:4:49: error: 'at' must be the path of a field, not a mapping \
                    [spec.type]
                      in: stages[0].set.at
                      fix: name an element of a composite by its path: `at.latitude: …`
                    spec.yaml:5:53: error: The key 'form' is unknown here. Did you mean 'from'? \
                    [spec.unknown-key]
                      in: stages[1].set.code.form
                    spec.yaml:6:57: error: 'at' must be an expression or a constant, not a mapping \
                    [spec.type]
                      in: stages[2].set.at
                      fix: name an element of a composite by its path: `at.latitude: …`
                    spec.yaml:7:59: error: 'code' must be an expression or a constant, not a \
                    mapping [spec.type]
                      in: stages[3].set.code
                      fix: write the expression itself: "priority + 1"
                    """)
    }

    @Test("a reject with unknown elements names their paths")
    func extra() throws {
        let folder = try Workspace()
        try folder.write(
            "in.ndjson",
            #"{"code":"a","magnitude":{"first":{"size":1,"a.b":2},"shape":3},"x.y":4}"# + "\n")
        let run = try folder.run(
            model: Self.model, "- { import: in.ndjson, into: Quake, extra: reject }",
            top: "rejects: { allow: 1 }")
        #expect(run.status == .ok)
        #expect(
            try folder.reasons() == [
                "extra magnitude.first.size: Nothing maps 'magnitude.first.size',"
                    + #" 'magnitude.first.a\.b', 'magnitude.shape', 'x.y'"#
            ])
    }

    @Test("a record with a value that is not an object for a composite is rejected")
    func shapes() throws {
        let folder = try Workspace()
        try folder.write(
            "in.ndjson",
            """
            {"code":"a","magnitude":5}
            {"code":"b","magnitude":{"first":[1]}}
            {"code":"c","magnitude":{"first":{"richter":"much"}}}
            {"code":"d","pos":"here"}
            {"code":"e","pos":{"latitude":1,"longitude":null}}
            """)
        let run = try folder.run(
            model: Self.model,
            "- { import: in.ndjson, into: Quake, set: { at: pos } }",
            top: "rejects: { allow: 4 }")
        #expect(run.status == .ok)
        #expect(
            try folder.reasons() == [
                "cast magnitude: 'magnitude' is a composite and takes an object, not 5",
                "cast magnitude.first: 'magnitude.first' is a composite and takes an object, not"
                    + " [1]",
                "cast magnitude.first.richter: 'magnitude.first.richter' takes a number, not 'much'",
                "cast pos: 'pos' is a composite and takes an object, not 'here'",
            ])
        #expect(try folder.rows(Self.columns) == ["e|NULL|NULL|NULL|1.0|NULL"])
    }

    @Test("a query selects and shows elements, and explains its plan")
    func query() throws {
        let folder = try Self.filled()
        func answer(
            _ fields: String?, _ format: QueryFormat, explained isExplained: Bool = false
        ) throws -> String {
            var query = Query(
                store: folder.path("store.sqlite"), entity: "Quake", now: Workspace.now)
            query.predicate = "magnitude.first.richter > 4.5"
            query.order = "magnitude.first.richter desc"
            query.fields = fields
            query.isExplained = isExplained
            let outcome = QueryRunner(format: format, to: folder.path("answer")).run(query)
            #expect(outcome.errors == [])
            return try folder.text("answer")
        }
        #expect(
            try answer("code,magnitude", .ndjson)
                == #"{"code":"a","magnitude":{"first":{"richter":5.5,"agency":"USGS"},"felt":true}}"#
                + "\n")
        #expect(
            try answer("code,magnitude.first", .csv)
                == "code,magnitude.first.richter,magnitude.first.agency\na,5.5,USGS\n")
        #expect(
            try answer("code", .csv, explained: true).split(separator: "\n").prefix(4) == [
                "scans all 3 Quake objects",
                "sorts the result because no index gives that order",
                "  fix: an index on Quake.magnitude.first.richter would serve it",
                "  fix: an index on Quake.magnitude.first.richter would give the order",
            ])
    }

    @Test("tests of specs can give and expect composites")
    func testsOfSpecs() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            stages:
              - { import: quakes, read: { files: quakes.ndjson }, into: Quake }
            tests:
              - name: composites
                given:
                  Quake: [{ code: z, at.latitude: 1.5 }]
                  quakes: [{ code: a, magnitude: { first: { richter: 5 } } }]
                then:
                  Quake:
                    - { code: a, magnitude: { first: { richter: 5 } }, at: null }
                    - { code: z, at.latitude: 1.5, at: { longitude: null } }
            """)
        let outcome = SpecificationTester(
            ParameterValues.Context(now: Workspace.now, workingFolder: folder.folder)
        ).run(
            folder.path("spec.yaml"))
        #expect(outcome.diagnostics.map(\.message) == [])
        #expect(outcome.passed == 1)
    }
}
