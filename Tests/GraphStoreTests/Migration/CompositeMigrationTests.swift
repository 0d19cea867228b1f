import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore

@Suite("Migration of composite attributes") struct CompositeMigrationTests {
    private static let before = """
        model: 1
        composites:
          Scale: { attributes: { richter: Integer 16, agency: String, note: String } }
          Magnitude:
            attributes:
              first: { type: Composite, composite: Scale }
              felt: Boolean
          Place: { attributes: { latitude: Double } }
        entities:
          Quake:
            attributes:
              code: { type: String, optional: false }
              magnitude: { type: Composite, composite: Magnitude }
              place: { type: Composite, composite: Place }
            unique: [[code]]
        """

    private static func fill(_ context: ManagedObjectContext) throws {
        try context.make(
            "Quake",
            [
                "code": "a", "place": ["latitude": 1.5],
                "magnitude": [
                    "first": ["richter": 5, "agency": "USGS", "note": "near"], "felt": true,
                ],
            ])
        try context.make("Quake", ["code": "b", "magnitude": ["felt": false]])
    }

    private func store(to after: String) throws -> MigratedStore {
        try MigratedStore(from: wholeModel(Self.before), to: wholeModel(after), Self.fill)
    }

    private func changes(to after: String) throws -> [String] {
        try ModelDiff(from: wholeModel(Self.before), to: wholeModel(after)).changes.map {
            "\($0.kind.rawValue) \($0.subject): \($0.text) [\($0.effect.rawValue)]"
        }
    }

    @Test("a migration adds, removes, and renames composites and elements, and widens types")
    func everything() throws {
        let after = """
            model: 1
            composites:
              Measure:
                attributes:
                  value: { type: Double, renamed-from: richter }
                  agency: String
                  unit: { type: String, default: mw }
              Size:
                attributes:
                  initial: { type: Composite, composite: Measure, renamed-from: first }
                  felt: Boolean
              Spot: { attributes: { depth: Double, floor: { type: Double, optional: false } } }
            entities:
              Quake:
                attributes:
                  code: { type: String, optional: false }
                  size: { type: Composite, composite: Size, renamed-from: magnitude }
                  spot: { type: Composite, composite: Spot }
                unique: [[code]]
                indexes: { byValue: [size.initial.value] }
            """
        let store = try store(to: after)
        let changes = try changes(to: after)
        #expect(
            changes == [
                "~ Quake.size.initial.value: renamed from 'magnitude.first.richter' [lightweight]",
                "~ Quake.size.initial.value: type is Double, was Integer 16 [lightweight]",
                "~ Quake.size.initial.agency: renamed from 'magnitude.first.agency' [lightweight]",
                "+ Quake.size.initial.unit: new attribute String, default mw [lightweight]",
                "~ Quake.size.felt: renamed from 'magnitude.felt' [lightweight]",
                "+ Quake.spot.depth: new attribute Double [lightweight]",
                "+ Quake.spot.floor: new attribute Double [lightweight]",
                "- Quake.magnitude.first.note: is removed, with its values [lightweight]",
                "- Quake.place.latitude: is removed, with its values [lightweight]",
                "~ Quake: indexes differ [none]",
                "~ : composites differ [none]",
            ])
        let plan = try store.manager.plan()
        #expect(plan.unclear == [])
        #expect(
            plan.steps.compactMap { step in step.count.map { "\(step.change.subject): \($0)" } }
                == [
                    "Quake.size.initial.unit: 2", "Quake.magnitude.first.note: 1",
                    "Quake.place.latitude: 1",
                ])
        try store.migrate()
        #expect(
            try store.objects("Quake", "code", "size", "spot") == [
                "code=a size={felt: 1, initial: {agency: USGS, unit: mw, value: 5.0}} spot=-",
                "code=b size={felt: 0, initial: {unit: mw}} spot=-",
            ])
    }

    @Test("renaming a composite with the same elements does not change the model version")
    func names() throws {
        let after = Self.before.replacing("Scale", with: "Measure")
        #expect(try changes(to: after) == ["~ : composites differ [none]"])
        let store = try store(to: after)
        _ = try PersistentContainer(model: store.new, at: store.path)
    }

    @Test("another element of a composite, or another element type, requires a migration")
    func otherContents() throws {
        for (old, new) in [
            ("richter: Integer 16", "richter: Integer 32"), ("note: String", "remark: String"),
            (", note: String", ""), ("latitude: Double", "latitude: Double, longitude: Double"),
        ] {
            let store = try store(to: Self.before.replacing(old, with: new))
            let error = storeError { _ = try PersistentContainer(model: store.new, at: store.path) }
            #expect(error?.code == .modelMismatch, "\(new)")
            try store.migrate()
        }
    }

    @Test("a mapping moves attributes into composite elements, and elements into attributes")
    func mapping() throws {
        let store = try store(
            to: """
                model: 1
                composites: { Name: { attributes: { code: String, felt: Boolean } } }
                entities:
                  Quake:
                    attributes:
                      name: { type: Composite, composite: Name }
                      richter: Double
                """)
        var mapping = EntityMapping(from: "Quake", to: "Quake")
        mapping.values = [
            "name.code": "uppercase:(code)", "name.felt": "magnitude.felt",
            "richter": "magnitude.first.richter * 10",
        ]
        let manager = MigrationManager(
            storeAt: store.path, to: store.new, mapping: MappingModel([mapping]))
        _ = try manager.migrate()
        #expect(
            try store.objects("Quake", "name", "richter") == [
                "name={code: A, felt: 1} richter=50.0", "name={code: B, felt: 0} richter=-",
            ])
    }

    @Test("an element that becomes required needs a value only if its composite has one")
    func required() throws {
        let after = Self.before.replacing(
            "agency: String", with: "agency: { type: String, optional: false }")
        #expect(
            try changes(to: after) == [
                "~ Quake.magnitude.first.agency: is required now where 'magnitude.first' has a"
                    + " value [mapping]", "~ : composites differ [none]",
            ])
        let store = try store(to: after)
        try store.run("UPDATE ZQUAKE SET ZMAGNITUDE_FIRST_AGENCY = NULL")
        #expect(
            try store.manager.plan().obstacles == [
                "Quake.magnitude.first.agency is required, and 1 object has none; set it in a"
                    + " mapping"
            ])
        try store.run("UPDATE ZQUAKE SET ZMAGNITUDE_FIRST_AGENCY = 'x' WHERE Z_PK = 1")
        try store.migrate()
    }

    @Test("a composite that becomes required needs a value in some element")
    func requiredComposite() throws {
        let after = Self.before.replacing(
            "composite: Place }", with: "composite: Place, optional: false }"
        ).replacing("unique: [[code]]", with: "NEW\n    unique: [[code]]").replacing(
            "NEW", with: "  from: { type: Composite, composite: Place, optional: false }")
        #expect(
            try changes(to: after) == [
                "~ Quake.place: is required now [mapping]", "+ Quake.from: needs a value [mapping]",
                "+ Quake.from.latitude: new attribute Double [lightweight]",
            ])
        let store = try store(to: after)
        #expect(
            try store.manager.plan().obstacles == [
                "Quake.place is required, and 1 object has none; set it in a mapping",
                "Quake.from is required, and 2 objects have none; set it in a mapping",
            ])
        var mapping = EntityMapping(from: "Quake", to: "Quake")
        mapping.values = ["from.latitude": "1", "place.latitude": "2"]
        let manager = MigrationManager(
            storeAt: store.path, to: store.new, mapping: MappingModel([mapping]))
        _ = try manager.migrate()
    }

    @Test("a migration does not check a composite that was already required")
    func requiredBefore() throws {
        let before = Self.before.replacing(
            "composite: Place }", with: "composite: Place, optional: false }")
        let after = before.replacing(
            "latitude: Double",
            with: "north: { type: Double, renamed-from: latitude }, east: Double")
        let store = try MigratedStore(from: wholeModel(before), to: wholeModel(after)) {
            try $0.make("Quake", ["code": "a", "place": ["latitude": 1.5]])
        }
        try store.run("UPDATE ZQUAKE SET ZPLACE_LATITUDE = NULL")
        #expect(try store.manager.plan().obstacles == [])
    }

    @Test("a new element's default is not set in an empty composite with a required element")
    func defaults() throws {
        let before = Self.before.replacing(
            "agency: String", with: "agency: { type: String, optional: false }")
        let after = before.replacing(
            "note: String",
            with: "note: String, unit: { type: String, default: mw }"
        ).replacing(
            "latitude: Double",
            with:
                "latitude: Double, datum: { type: String, optional: false, default: wgs }"
        )
        let store = try MigratedStore(from: wholeModel(before), to: wholeModel(after), Self.fill)
        #expect(try store.manager.plan().obstacles == [])
        try store.migrate()
        #expect(
            try store.objects("Quake", "code", "magnitude", "place") == [
                "code=a magnitude={felt: 1, first: {agency: USGS, note: near, richter: 5,"
                    + " unit: mw}} place={datum: wgs, latitude: 1.5}",
                "code=b magnitude={felt: 0} place=-",
            ])
    }

    @Test("a new composite stays empty although one of its elements has a default")
    func newComposite() throws {
        let after = Self.before.replacing(
            "  Place: {",
            with: """
                  Spot:
                    attributes:
                      floor: { type: Double, optional: false }
                      unit: { type: String, default: m }
                  Place: {
                """
        ).replacing(
            "composite: Place }",
            with: "composite: Place }\n      spot: { type: Composite, composite: Spot }")
        let store = try store(to: after)
        #expect(try store.manager.plan().obstacles == [])
        try store.migrate()
        #expect(try store.objects("Quake", "code", "spot") == ["code=a spot=-", "code=b spot=-"])
    }

    @Test(
        "the only element of a composite can become required, because it has a value or is absent")
    func onlyElement() throws {
        let after = Self.before.replacing(
            "latitude: Double", with: "latitude: { type: Double, optional: false }")
        let store = try store(to: after)
        #expect(try store.manager.plan().obstacles == [])
        try store.migrate()
        #expect(
            try store.objects("Quake", "code", "place")
                == ["code=a place={latitude: 1.5}", "code=b place=-"])
    }

    @Test("the default of a nested element depends on the innermost composite")
    func nestedDefault() throws {
        let after = Self.before
            .replacing(
                "agency: String",
                with:
                    "agency: { type: String, optional: false }, unit: { type: String, default: mw }"
            ).replacing("felt: Boolean", with: "felt: { type: Boolean, optional: false }")
        let store = try store(to: after)
        #expect(try store.manager.plan().obstacles == [])
        try store.migrate()
        #expect(
            try store.objects("Quake", "code", "magnitude") == [
                "code=a magnitude={felt: 1, first: {agency: USGS, note: near, richter: 5, unit: mw}}",
                "code=b magnitude={felt: 0}",
            ])
    }

    @Test("a nested composite that becomes required needs a value if the outer composite has one")
    func requiredNested() throws {
        let after = Self.before.replacing(
            "first: { type: Composite, composite: Scale }",
            with: "first: { type: Composite, composite: Scale, optional: false }")
        let store = try store(to: after)
        #expect(
            try store.manager.plan().obstacles
                == ["Quake.magnitude.first is required, and 1 object has none; set it in a mapping"]
        )
        try store.run("UPDATE ZQUAKE SET ZMAGNITUDE_FELT = NULL WHERE Z_PK = 2")
        try store.migrate()
        #expect(
            try store.objects("Quake", "code", "magnitude") == [
                "code=a magnitude={felt: 1, first: {agency: USGS, note: near, richter: 5}}",
                "code=b magnitude=-",
            ])
    }
}
