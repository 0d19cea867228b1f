import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore

@Suite("Composite attributes in stores") struct CompositeObjectTests {
    private func withQuakes(
        _ body: (TestStore, ManagedObjectContext) throws -> Void
    ) throws {
        let store = try TestStore(wholeModel(quakeModel))
        let context = store.container.newContext()
        try body(store, context)
        #expect(try store.lines("PRAGMA integrity_check") == ["ok"])
    }

    @discardableResult
    private func quake(
        _ code: String, _ latitude: Double, _ richter: Double? = nil,
        in context: ManagedObjectContext
    ) throws -> ManagedObject {
        let quake = try context.insert("Quake")
        try quake.setValue(.attribute(.text(code)), forKey: "code")
        quake[.double("epicenter.latitude")] = latitude
        if let richter {
            try quake.setValue(
                ["first": ["richter": .attribute(.real(richter)), "agency": "USGS"]],
                forKey: "magnitude")
        }
        return quake
    }

    @Test func storesEachElementInItsOwnColumn() throws {
        try withQuakes { store, _ in
            try store.expect(
                "SELECT name || ' ' || type FROM pragma_table_info('ZQUAKE')",
                [
                    "Z_PK INTEGER", "Z_ENT INTEGER", "Z_OPT INTEGER",
                    "ZMAGNITUDE_FELT INTEGER", "ZREGION INTEGER", "ZEPICENTER_LATITUDE FLOAT",
                    "ZEPICENTER_LONGITUDE FLOAT", "ZMAGNITUDE_FIRST_RICHTER FLOAT",
                    "ZMAGNITUDE_LAST_RICHTER FLOAT", "ZCODE VARCHAR",
                    "ZMAGNITUDE_FIRST_AGENCY VARCHAR", "ZMAGNITUDE_LAST_AGENCY VARCHAR",
                ])
            try store.expect(
                "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'ZQUAKE'"
                    + " ORDER BY name",
                [
                    "CREATE INDEX ZQUAKE_ZREGION_INDEX ON ZQUAKE (ZREGION)",
                    "CREATE UNIQUE INDEX Z_Quake_UNIQUE_code ON ZQUAKE (ZCODE COLLATE BINARY ASC)",
                    "CREATE UNIQUE INDEX Z_Quake_UNIQUE_epicenter_latitude_epicenter_longitude ON"
                        + " ZQUAKE (ZEPICENTER_LATITUDE COLLATE BINARY ASC,"
                        + " ZEPICENTER_LONGITUDE COLLATE BINARY ASC)",
                    "CREATE INDEX Z_Quake_byFelt ON ZQUAKE (ZCODE COLLATE BINARY ASC) WHERE"
                        + " ZMAGNITUDE_FELT IS 1",
                    "CREATE INDEX Z_Quake_byRichter ON ZQUAKE (ZMAGNITUDE_FIRST_RICHTER COLLATE"
                        + " BINARY DESC, ZCODE COLLATE BINARY ASC)",
                ])
        }
    }

    @Test func readsAndWritesCompositesAsDictionaries() throws {
        try withQuakes { store, context in
            let quake = try quake("a", 1, in: context)
            #expect(try quake.value(forKey: "magnitude").text == "{felt: 0}")
            try quake.setValue(
                ["first": ["richter": 5.5, "agency": "USGS"], "felt": true], forKey: "magnitude")
            #expect(
                try quake.value(forKey: "magnitude").text
                    == "{felt: 1, first: {agency: USGS, richter: 5.5}}")
            #expect(try quake.value(forKey: "magnitude.last").text == "-")
            #expect(try quake.value(forKey: "magnitude.first.richter").text == "5.5")
            #expect(
                quake.changedKeys.filter { $0.hasPrefix("magnitude") }
                    == Set([
                        "magnitude.first.richter", "magnitude.first.agency", "magnitude.felt",
                    ]))
            try context.save()
            try store.expect(
                "SELECT ZMAGNITUDE_FELT, ZMAGNITUDE_FIRST_RICHTER, ZMAGNITUDE_FIRST_AGENCY,"
                    + " ZMAGNITUDE_LAST_RICHTER, ZEPICENTER_LATITUDE FROM ZQUAKE",
                ["1|5.5|USGS|-|1.0"])
            // Elements that the dictionary omits are cleared.
            try quake.setValue(["last": ["agency": "EMSC"]], forKey: "magnitude")
            #expect(
                try quake.committedValues(forKeys: ["magnitude"])["magnitude"]?.text
                    == "{felt: 1, first: {agency: USGS, richter: 5.5}}")
            try context.save()
            let other = store.container.newContext()
            let found = try #require(try other.fetch(FetchRequest(entityName: "Quake")).first)
            #expect(try found.value(forKey: "magnitude").text == "{last: {agency: EMSC}}")
            try found.setValue(nil, forKey: "magnitude")
            #expect(try found.value(forKey: "magnitude").text == "-")
            try other.save()
            try store.expect(
                "SELECT ZMAGNITUDE_FELT, ZMAGNITUDE_LAST_AGENCY FROM ZQUAKE", ["-|-"])
        }
    }

    @Test func failsOnValuesThatDoNotFitTheComposite() throws {
        try withQuakes { _, context in
            let quake = try quake("a", 1, in: context)
            func message(_ value: PropertyValue, _ key: String = "magnitude") -> String? {
                storeError { try quake.setValue(value, forKey: key) }?.message
            }
            #expect(message(["size": 1]) == "'Quake' has no property 'magnitude.size'")
            #expect(message(5) == "'Quake.magnitude' cannot hold a value of that kind")
            #expect(
                message(["first": 5]) == "'Quake.magnitude.first' cannot hold a value of that kind")
            #expect(
                message(["felt": ["x": 1]])
                    == "'Quake.magnitude.felt' cannot hold a value of that kind")
            #expect(try quake.value(forKey: "magnitude").text == "{felt: 0}")
        }
    }

    @Test func requiresAnElementIfItsCompositeHasAValue() throws {
        try withQuakes { store, context in
            let quake = try quake("a", 1, in: context)
            quake[.double("magnitude.first.richter")] = 3
            #expect(
                "'magnitude.first.agency' is required where 'magnitude.first' has a value [1570, Quake p1]"
                    == storeError { try context.save() }?.message)
            quake[.string("magnitude.first.agency")] = "USGS"
            try context.save()
            quake[.double("epicenter.latitude")] = nil
            #expect(
                "'epicenter.latitude' is required [1570, Quake p1]"
                    == storeError { try context.save() }?.message)
            context.rollback()
            try store.foreign().execute("UPDATE ZQUAKE SET ZMAGNITUDE_FIRST_AGENCY = NULL")
            let findings = try PersistentContainer.verify(at: store.path, .full).findings
            #expect(
                findings.map(\.message) == [
                    "Quake.magnitude.first.agency: 1 object lacks a value, which is required where"
                        + " 'magnitude.first' has one"
                ])
        }
    }

    @Test func requiresAValueForANonOptionalComposite() throws {
        let store = try TestStore(
            wholeModel(
                """
                model: 1
                composites:
                  Scale: { attributes: { richter: Double, agency: String } }
                  Magnitude:
                    attributes:
                      first: { type: Composite, composite: Scale, optional: false }
                      last: { type: Composite, composite: Scale }
                entities:
                  Item:
                    attributes: { size: { type: Composite, composite: Scale, optional: false } }
                  Quake:
                    parent: Item
                    attributes: { magnitude: { type: Composite, composite: Magnitude } }
                """))
        let context = store.container.newContext()
        let quake = try context.insert("Quake")
        func failures() -> [String] {
            let problem = storeError { _ = try context.save() }?.validationError
            return problem?.failures.map { "\($0.key ?? "") \($0)" } ?? []
        }
        #expect(failures() == ["size 'size' is required [1570, Quake p1]"])
        try quake.setValue(["agency": "USGS"], forKey: "size")
        #expect(failures() == [])
        try quake.setValue(["last": ["richter": 5.5]], forKey: "magnitude")
        #expect(
            failures() == [
                "magnitude.first 'magnitude.first' is required where 'magnitude' has a value"
                    + " [1570, Quake p1]"
            ])
        try quake.setValue(["first": ["richter": 5.5]], forKey: "magnitude")
        #expect(failures() == [])
        try quake.setValue(nil, forKey: "size")
        #expect(failures() == ["size 'size' is required [1570, Quake p1]"])
    }

    @Test func fetchesAndSortsByElements() throws {
        try withQuakes { store, context in
            let region = try context.insert("Region")
            try region.setValue("north", forKey: "name")
            try region.setValue(["latitude": 70.0], forKey: "center")
            for (code, richter) in [("a", 4.5), ("b", 6.5), ("c", nil), ("d", 5.5)] {
                let quake = try quake(code, Double(code.utf8.first ?? 0), richter, in: context)
                if code != "c" { try quake.setValue(.object(region), forKey: "region") }
            }
            func codes(_ format: String, by path: [String] = ["code"]) throws -> [String] {
                var lines: [String] = []
                // The saved objects, and the objects in memory.
                for includesPendingChanges in [true, false] {
                    var request = FetchRequest<ManagedObject>(
                        entityName: "Quake",
                        predicate: try ParsedPredicate(format: format).predicate,
                        sortDescriptors: [GraphSortDescriptor(path, ascending: false)])
                    request.includesPendingChanges = includesPendingChanges
                    let found = try context.fetch(request).map {
                        try $0.value(forKey: "code").text
                    }
                    lines.append(found.joined())
                }
                return lines
            }
            #expect(try codes("magnitude.first.richter > 5") == ["db", ""])
            try context.save()
            #expect(try codes("magnitude.first.richter > 5") == ["db", "db"])
            #expect(
                try codes("TRUEPREDICATE", by: ["magnitude", "first", "richter"])
                    == ["bdac", "bdac"])
            #expect(
                try codes("region.center.latitude == 70 AND magnitude.first != nil")
                    == ["dba", "dba"])
            #expect(try codes("magnitude.first == nil") == ["c", "c"])
            #expect(
                try codes(
                    "region.quakes.@max.magnitude.first.richter == 6.5",
                    by: ["region", "center", "latitude"])
                    == ["abd", "abd"])
            let controller = FetchRequest<ManagedObject>(
                entityName: "Quake",
                sortDescriptors: [GraphSortDescriptor(["magnitude", "first", "agency"])])
            let sections = try context.sections(controller, by: "magnitude.first.agency").sections
            #expect(sections.map { "\($0.name) \($0.objects.count)" } == [" 1", "USGS 3"])
        }
    }

    @Test func fetchesElementValuesAndGroupsByThem() throws {
        try withQuakes { store, context in
            for (code, richter) in [("a", 4.5), ("b", 6.5), ("c", 6.5)] {
                try quake(code, Double(code.utf8.first ?? 0), richter, in: context)
            }
            try context.save()
            var request = FetchRequest<ManagedObject>(entityName: "Quake")
            request.propertiesToFetch = [ExpressionDescription("magnitude.first.richter")]
            let objects = try context.fetch(request)
            #expect(
                try objects.map { try $0.value(forKey: "magnitude.first.richter").text }.sorted()
                    == ["4.5", "6.5", "6.5"])
            request.propertiesToFetch = [ExpressionDescription("magnitude")]
            #expect(try context.fetch(request).count == 3)
            request.propertiesToFetch = []
            request.propertiesToGroupBy = ["magnitude.first.richter"]
            request.havingPredicate = try ParsedPredicate(format: "magnitude.first.richter > 5")
                .predicate
            request.sortDescriptors = [GraphSortDescriptor(["magnitude", "first", "richter"])]
            let rows = try context.rows(request)
            #expect(rows.count == 1)
        }
    }

    @Test func batchUpdateChangesElements() throws {
        try withQuakes { store, context in
            try quake("a", 1, 4.5, in: context)
            try quake("b", 2, 6.5, in: context)
            try context.save()
            let update = BatchUpdateRequest(
                entityName: "Quake",
                predicate: try ParsedPredicate(format: "magnitude.first.richter > 5").predicate,
                propertiesToUpdate: [
                    "magnitude.last.richter": try ParsedExpression(
                        format: "magnitude.first.richter + 1"
                    ).expression,
                    "magnitude.last.agency": .constant(.string("EMSC")),
                ])
            _ = try context.write(update)
            try context.save()
            try store.expect(
                "SELECT ZMAGNITUDE_LAST_RICHTER, ZMAGNITUDE_LAST_AGENCY FROM ZQUAKE ORDER BY 1",
                ["-|-", "7.5|EMSC"])
            #expect(throws: (any Error).self) {
                try context.write(
                    BatchUpdateRequest(
                        entityName: "Quake",
                        propertiesToUpdate: ["magnitude.first.agency": .constant(.null)]))
            }
        }
    }

    @Test func supportsNonASCIINamesAndTransientElements() throws {
        let store = try TestStore(
            wholeModel(
                """
                model: 1
                composites:
                  Maß:
                    attributes:
                      länge: Double
                      breite: Double
                      weg: { type: Double, transient: true }
                entities:
                  Ding: { attributes: { größe: { type: Composite, composite: Maß } } }
                """))
        let context = store.container.newContext()
        let thing = try context.insert("Ding")
        try thing.setValue(["länge": 1.5, "breite": 2.5, "weg": 3.5], forKey: "größe")
        #expect(try thing.value(forKey: "größe").text == "{breite: 2.5, länge: 1.5, weg: 3.5}")
        try context.save()
        let other = store.container.newContext()
        var request = FetchRequest<ManagedObject>(
            entityName: "Ding", predicate: try ParsedPredicate(format: "größe != nil").predicate)
        request.includesPendingChanges = false
        request.propertiesToFetch = [ExpressionDescription("größe")]
        let found = try #require(try other.fetch(request).first)
        #expect(try found.value(forKey: "größe").text == "{breite: 2.5, länge: 1.5}")
    }
}
