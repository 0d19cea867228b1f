import AppStoreFixtures
import Foundation
import Testing

/// `etl migrate` of stores that apps wrote, through the versions of their models.
///
/// It uses the mapping models of the apps or our mapping files.
@Suite(
    "Migrating specimens",
    .enabled(if: CoreDataSpecimens.arePresent, "../shared/specimens is absent"))
struct AppMappingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    // MARK: Moody

    @Test("each migration step of Moody yields the values and links of the app's own store")
    func moody() throws {
        let app = try copy("objcio-core-data/Migrations")
        let bundle = "Migrations/Moody.xcdatamodeld"
        let store = "MigrationsTests/Moody.moody"
        for version in 2...5 {
            let done = try migrate(store, "\(bundle)/Moody \(version).xcdatamodel", in: app)
            #expect(done.status == 0, "\(done.standardOutput)\(done.standardError)")
            #expect(
                done.standardOutput.contains("Moody \(version - 1)-Moody \(version).xcmappingmodel")
                    == (version > 2))
            try expectSound(store, model: "\(bundle)/Moody \(version).xcdatamodel", in: app)
            for query in Self.moodyQueries(version) {
                let expected = try rows("MigrationsTests/Moody \(version).moody", query, in: app)
                #expect(try rows(store, query, in: app) == expected, "\(query)")
                #expect(!expected.isEmpty)
            }
        }
    }

    /// Queries for every value and every link by keys, since the primary keys may differ.
    private static func moodyQueries(_ version: Int) -> [String] {
        let mood =
            "m.ZMARKEDFORREMOTEDELETION, m.ZRATING, m.ZDATE, m.ZLATITUDE, m.ZLONGITUDE,"
            + " m.ZMARKEDFORDELETIONDATE, m.ZCREATORID, m.ZREMOTEID, hex(m.ZCOLORS)"
        let region =
            "NUMBEROFMOODS NUMERICISO3166CODE UNIQUENESSDUMMY MARKEDFORDELETIONDATE UPDATEDAT"
            .split(separator: " ")
        func values(_ alias: String) -> String {
            region.map { "\(alias).Z\($0)" }.joined(separator: ", ")
        }
        let (country, continent) =
            version < 4 ? ("ZGEOGRAPHICREGION", "ZGEOGRAPHICREGION") : ("ZCOUNTRY", "ZCONTINENT")
        var queries = [
            "SELECT \(mood), c.ZNUMERICISO3166CODE FROM ZMOOD m JOIN \(country) c"
                + " ON c.Z_PK = m.ZCOUNTRY ORDER BY m.ZREMOTEID"
        ]
        guard version < 5 else {
            return queries + [
                "SELECT \(values("c")), c.ZISOCONTINENT FROM ZCOUNTRY c ORDER BY 2"
            ]
        }
        queries.append(
            "SELECT \(values("c")), n.ZNUMERICISO3166CODE FROM \(country) c JOIN \(continent) n"
                + " ON n.Z_PK = c.ZCONTINENT ORDER BY 2")
        queries.append(
            "SELECT \(values("n")), n.ZNUMBEROFCOUNTRIES FROM \(continent) n"
                + " WHERE n.Z_PK IN (SELECT ZCONTINENT FROM \(country)) ORDER BY 2")
        if version > 2 {
            queries.append(
                "SELECT m.ZREMOTEID, n.ZNUMERICISO3166CODE FROM ZMOOD m JOIN \(continent) n"
                    + " ON n.Z_PK = m.ZCONTINENT ORDER BY 1")
        }
        return queries
    }

    @Test("Moody's chain stops at the app's policy class until our mapping file replaces the step")
    func moodyChain() throws {
        let app = try copy("objcio-core-data/Migrations")
        let bundle = "Migrations/Moody.xcdatamodeld"
        let store = "MigrationsTests/Moody.moody"
        let digest = try folderDigest(app + "/MigrationsTests")
        let stopped = try migrate(store, bundle, in: app)
        #expect(stopped.status == 78)
        #expect(stopped.standardOutput == "")
        #expect(
            stopped.standardError == """
                Migrations/Moody 5-Moody 6.xcmappingmodel/xcmapping.xml:79:5: error: The entity \
                'Country' migrates by the app's class 'Migrations.Country5ToCountry6Policy', which \
                etl cannot run [mapping.policy-class]
                  fix: write Migrations/migrations/5-6.yaml; `etl migrate MigrationsTests/Moody.moody \
                --to Migrations/Moody.xcdatamodeld --write-mapping Migrations/migrations/5-6.yaml` \
                writes the start of it; it replaces the mapping model

                """)
        let planned = try migrate(store, bundle, "--dry-run", in: app)
        #expect(planned.status == 78 && planned.standardOutput == "")
        #expect(planned.standardError == stopped.standardError)
        #expect(try folderDigest(app + "/MigrationsTests") == digest)
        let file = "Migrations/migrations/5-6.yaml"
        let drafted = try migrate(store, bundle, "--write-mapping", file, in: app)
        #expect(drafted.status == 0, "\(drafted.standardError)")
        #expect(
            drafted.standardOutput
                == "Wrote \(file), the start of the mapping from version '5' to version '6'\n")
        #expect(
            try String(contentsOfFile: "\(app)/\(file)", encoding: .utf8) == """
                # The start of a mapping from version '5' to version '6'.
                # It replaces Moody 5-Moody 6.xcmappingmodel for this step.
                # A property that is not set here continues the old one of its name, or has its default.
                # etl rejects the file until each `todo` is resolved and removed.
                mapping: 1
                entities:
                  # Continent is a new entity, which a class of the app may fill.
                  # Fill it with `lookup` in another entity, or map an old entity:
                  # Continent: { from: OLD-ENTITY }
                  # New in Country: continent (to Continent)
                  # No longer in Country, from the old Country: isoContinent (Integer 16)
                  Country:
                    todo: "Write here what the app's class Migrations.Country5ToCountry6Policy does."

                """)
        for flags in [[], ["--dry-run"]] {
            let undecided = try Tool.etl(["migrate", store, "--to", bundle] + flags, in: app)
            #expect(undecided.status == 78 && undecided.standardOutput == "")
            #expect(
                undecided.standardError == """
                    \(file):13:11: error: The mapping of 'Country' has a decision to make: Write here \
                    what the app's class Migrations.Country5ToCountry6Policy does. [mapping.todo]
                      in: entities.Country.todo
                      fix: write it with `from`, `where`, `set`, or `lookup`, then remove the `todo`

                    """)
        }
        #expect(try folderDigest(app + "/MigrationsTests") == digest)
        let again = try migrate(store, bundle, "--write-mapping", file, in: app)
        #expect(again.status == 73)
        try """
        mapping: 1
        entities:
          Country:
            lookup: { continent: { by: numericISO3166Code, from: isoContinent } }
        """.write(toFile: "\(app)/\(file)", atomically: true, encoding: .utf8)
        let countries = try rows(
            store,
            "SELECT c.ZNUMERICISO3166CODE, n.ZNUMERICISO3166CODE FROM ZGEOGRAPHICREGION c JOIN"
                + " ZGEOGRAPHICREGION n ON n.Z_PK = c.ZCONTINENT ORDER BY 1", in: app)
        let moods = try rows(
            store, "SELECT ZREMOTEIDENTIFIER, ZDATE, hex(ZCOLORS) FROM ZMOOD ORDER BY 1", in: app)
        let whole = try folderDigest(app)
        let tried = try migrate(store, bundle, "--dry-run", in: app)
        #expect(tried.status == 0, "\(tried.standardError)")
        #expect(
            tried.standardOutput.hasSuffix(
                "\nContinent: 2 objects\nCountry: 3 objects\nMood: 4 objects\n"))
        #expect(try folderDigest(app) == whole)
        let done = try migrate(store, bundle, in: app)
        #expect(done.status == 0, "\(done.standardOutput)\(done.standardError)")
        #expect(done.standardOutput == tried.standardOutput + "The old store is \(store).bak-v1\n")
        try expectSound(store, model: bundle, in: app)
        #expect(countries.count == 3)
        #expect(
            try rows(
                store,
                "SELECT c.ZNUMERICISO3166CODE, n.ZNUMERICISO3166CODE FROM ZCOUNTRY c JOIN"
                    + " ZCONTINENT n ON n.Z_PK = c.ZCONTINENT ORDER BY 1", in: app) == countries)
        #expect(
            try rows(store, "SELECT ZNUMERICISO3166CODE FROM ZCONTINENT ORDER BY 1", in: app)
                == ["10004", "10005"])
        #expect(
            try rows(
                store, "SELECT ZREMOTEID, ZDATE, hex(ZCOLORS) FROM ZMOOD ORDER BY 1", in: app)
                == moods)
        // The migration back.
        let back = try migrate(store, "\(bundle)/Moody 2.xcdatamodel", in: app)
        #expect(back.status == 78)
        #expect(
            back.standardOutput.hasPrefix("To version '2', back from version '6' of the store:\n"))
        #expect(
            back.standardError == """
                error: \(store) has version '6', which is later than version '2', and cannot be \
                migrated back without a mapping: GeographicRegion would have the objects of Continent \
                and Country, whose keys are not apart [store.needs-mapping]
                  fix: write Migrations/migrations/6-2.yaml; `etl migrate \(store) --to \
                '\(bundle)/Moody 2.xcdatamodel' --write-mapping Migrations/migrations/6-2.yaml` writes \
                the start of it

                """)
        let earlier = try migrate(store, "\(bundle)/Moody 5.xcdatamodel", "--dry-run", in: app)
        #expect(earlier.status == 0, "\(earlier.standardError)")
        #expect(
            earlier.standardOutput.hasPrefix(
                "To version '5', back from version '6' of the store:\n"))
    }

    @Test("a draft lists problems without an entity as a `todo` of the mapping file")
    func todosOfTheFile() throws {
        let app = try copy("objcio-core-data/Migrations")
        let xml = "\(app)/Migrations/Moody 5-Moody 6.xcmappingmodel/xcmapping.xml"
        func attribute(_ name: String, _ value: String) -> String {
            "<attribute name=\"\(name)\" type=\"string\">\(value)</attribute>"
        }
        let text = try String(contentsOfFile: xml, encoding: .utf8)
        let (mood, continent) = (
            attribute("destinationname", "Mood"), attribute("destinationname", "Continent")
        )
        try #require(text.contains(mood) && text.contains(continent))
        try text.replacing(mood, with: attribute("destinationname", "Moods"))
            .replacing(
                continent,
                with: continent + attribute("migrationpolicyclassname", "Migrations.Make")
            ).write(toFile: xml, atomically: true, encoding: .utf8)
        let (store, bundle) = ("MigrationsTests/Moody 5.moody", "Migrations/Moody.xcdatamodeld")
        let file = "Migrations/migrations/5-6.yaml"
        let drafted = try migrate(store, bundle, "--write-mapping", file, in: app)
        #expect(drafted.status == 0, "\(drafted.standardError)")
        let draft = try String(contentsOfFile: "\(app)/\(file)", encoding: .utf8)
        let todos = [
            "\"Moods: Not translated: The new model has no entity 'Moods'. Did you mean 'Mood'?\"",
            "\"Continent: Write here what the app's class Migrations.Make does.\"",
        ]
        for todo in todos {
            #expect(
                draft.contains("mapping: 1\ntodo:\n") && draft.contains("\n  - \(todo)\n"),
                "\(draft)")
        }
        let stopped = try migrate(store, bundle, in: app)
        #expect(stopped.status == 78)
        #expect(
            stopped.standardError.contains(
                "\(file):7:5: error: The mapping file has a decision to make: "),
            "\(stopped.standardError)")
    }

    // MARK: CoreDataPlus

    @Test("CoreDataPlus 1 to 2 yields the values and links of the app's own store")
    func coreDataPlus() throws {
        let app = try copy("alemar11-CoreDataPlus/Tests/Resources/SampleModel")
        let store = "Fixtures/SampleModel_V1.sqlite"
        // The bundle's current version is the first one.
        let second = try migrate(
            store, "SampleModel.xcdatamodeld/SampleModel2.xcdatamodel", in: app)
        #expect(second.status == 0, "\(second.standardOutput)\(second.standardError)")
        try expectSound(store, model: "SampleModel.xcdatamodeld/SampleModel2.xcdatamodel", in: app)
        let cars = """
            SELECT c.Z_ENT, c.ZISLIMITEDEDITION, c.ZMARKEDFORDELETIONASOF, c.ZMAKER, c.ZMODEL, \
            c.ZNUMBERPLATE, p.ZFIRSTNAME, p.ZLASTNAME \
            FROM ZCAR c LEFT JOIN ZPERSON p ON p.Z_PK = c.ZOWNER ORDER BY c.ZNUMBERPLATE
            """
        let people = "SELECT ZUPDATEDAT, ZFIRSTNAME, ZLASTNAME FROM ZPERSON ORDER BY 2, 3"
        for (query, count) in [(cars, 125), (people, 20)] {
            let expected = try rows("Fixtures/SampleModel_V2.sqlite", query, in: app)
            #expect(expected.count == count)
            #expect(try rows(store, query, in: app) == expected)
        }
    }

    @Test("CoreDataPlus migrates from version 1 to 3 with our mapping for the app's class")
    func coreDataPlusChain() throws {
        let app = try copy("alemar11-CoreDataPlus/Tests/Resources/SampleModel")
        let store = "Fixtures/SampleModel_V1.sqlite"
        let target = "SampleModel.xcdatamodeld/SampleModel3.xcdatamodel"
        let stopped = try migrate(store, target, in: app)
        #expect(stopped.status == 78 && stopped.standardOutput == "")
        for entity in ["Car", "LuxuryCar", "SportCar"] {
            #expect(
                stopped.standardError.contains(
                    "The entity '\(entity)' migrates by the app's class"
                        + " 'REPLACE_AT_RUNTIME.V2to3MakerPolicy', which etl cannot run"))
        }
        let drafted = try migrate(
            store, target, "--write-mapping", "migrations/2-3.yaml", in: app)
        #expect(drafted.status == 0, "\(drafted.standardError)")
        let file = app + "/migrations/2-3.yaml"
        let draft = try String(contentsOfFile: file, encoding: .utf8)
        for line in [
            "  # New in Car: createdBy (to Maker)",
            "  # No longer in Car, from the old Car: maker (String)",
            "      previousOwners: owner", "      previousCars: cars",
        ] {
            #expect(draft.contains(line + "\n"), "\(draft)")
        }
        let todo =
            "    todo: \"Write here what the app's class REPLACE_AT_RUNTIME.V2to3MakerPolicy does.\"\n"
        #expect(draft.components(separatedBy: todo).count == 4)
        let undecided = try migrate(store, target, in: app)
        #expect(undecided.status == 78 && undecided.standardOutput == "")
        #expect(undecided.standardError.components(separatedBy: "[mapping.todo]").count == 4)
        let maker = "    lookup: { createdBy: { by: name, from: maker } }\n    set:\n"
        try draft.replacing(todo, with: "")
            .replacing("    set:\n      previousOwners", with: maker + "      previousOwners")
            .write(toFile: file, atomically: true, encoding: .utf8)
        let query = """
            SELECT c.ZNUMBERPLATE, %@, c.ZMODEL, p.ZFIRSTNAME, p.ZLASTNAME FROM ZCAR c %@ \
            LEFT JOIN ZPERSON p ON p.Z_PK = c.ZOWNER ORDER BY 1
            """
        let before = try rows(
            store, query.replacing("%@, ", with: "c.ZMAKER, ").replacing("%@ ", with: ""), in: app)
        let done = try migrate(store, target, in: app)
        #expect(done.status == 0, "\(done.standardOutput)\(done.standardError)")
        try expectSound(store, model: target, in: app)
        #expect(before.count == 125)
        #expect(
            try rows(
                store,
                query.replacing("%@, ", with: "m.ZNAME, ").replacing(
                    "%@ ", with: "LEFT JOIN ZMAKER m ON m.Z_PK = c.ZCREATEDBY "), in: app) == before
        )
        // The owner of a car is also its previous owner, as the mapping model states.
        let tables = try rows(
            store, "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'",
            in: app)
        let table = try #require(tables.first)
        let columns = try rows(
            store, "SELECT name FROM pragma_table_info('\(table)') ORDER BY name", in: app)
        let car = try #require(columns.first { $0.hasSuffix("PREVIOUSCARS") })
        let person = try #require(columns.first { $0.hasSuffix("PREVIOUSOWNERS") })
        let previous = "SELECT \(car), \(person) FROM \(table) ORDER BY 1"
        let owners = "SELECT Z_PK, ZOWNER FROM ZCAR WHERE ZOWNER NOT NULL ORDER BY 1"
        #expect(try rows(store, previous, in: app) == (try rows(store, owners, in: app)))
    }

    // MARK: wibosco

    @Test("the wibosco chain migrates with our mapping for the app's class")
    func wibosco() throws {
        let app = try copy("wibosco-CoreDataMigrationRevised-Example")
        let bundle =
            "CoreDataMigration-Example/CoreData/Model/CoreDataMigration_Example.xcdatamodeld"
        let stores = "CoreDataMigration-ExampleTests/Resources/SQLite/CoreDataMigration_Example"
        let store = stores + "_1.sqlite"
        let name = "CoreDataMigration_Example"
        let query = "SELECT ZDATE, ZPOSTID, ZHEXCOLOR, ZCONTENT FROM ZPOST ORDER BY 1"
        // The mapping model is in a folder next to the one of the bundle.
        let stopped = try migrate(store, bundle, in: app)
        #expect(stopped.status == 78)
        #expect(
            stopped.standardError.contains(
                "The entity 'Post' migrates by the app's class"
                    + " 'CoreDataMigration_Example.Post2ToPost3MigrationPolicy', which etl cannot run"
            ),
            "\(stopped.standardError)")
        let second = try migrate(store, "\(bundle)/\(name) 2.xcdatamodel", in: app)
        #expect(second.status == 0, "\(second.standardOutput)\(second.standardError)")
        let posts = try rows(store, query, in: app)
        #expect(posts == (try rows(stores + "_2.sqlite", query, in: app)))
        let folder = PathComponents.folder(of: "\(app)/\(bundle)") + "/migrations"
        let drafted = try migrate(
            store, bundle, "--write-mapping", "\(folder)/\(name) 2-\(name) 3.yaml", in: app)
        #expect(drafted.status == 0, "\(drafted.standardError)")
        #expect(try migrate(store, bundle, in: app).standardError.contains("[mapping.todo]"))
        // A decision that omits a value that the new model requires is rejected, and nothing is
        // written.
        try "mapping: 1\nentities: { Post: {} }\n".write(
            toFile: "\(folder)/\(name) 2-\(name) 3.yaml", atomically: true, encoding: .utf8)
        let digest = try folderDigest(app)
        let planned = try migrate(store, bundle, "--dry-run", in: app)
        #expect(planned.status == 65)
        #expect(planned.standardOutput.contains("To version '\(name) 3':\n"))
        #expect(
            planned.standardError == """
                error: \(store) cannot be migrated: Post.sections is required, and 10 objects have \
                none; link them in a mapping [store.migration-refused]

                """)
        #expect(try folderDigest(app) == digest)
        try """
        mapping: 1
        entities:
          Post: {}
          Section:
            from: Post
            set: { body: content, index: "0", post: $source }
        """.write(
            toFile: "\(folder)/\(name) 2-\(name) 3.yaml", atomically: true, encoding: .utf8)
        let done = try migrate(store, bundle, in: app)
        #expect(done.status == 0, "\(done.standardOutput)\(done.standardError)")
        try expectSound(store, model: bundle, in: app)
        #expect(
            try rows(
                store,
                "SELECT p.ZDATE, p.ZPOSTID, p.ZHEXCOLOR, s.ZBODY FROM ZPOST p JOIN ZSECTION s"
                    + " ON s.ZPOST = p.Z_PK ORDER BY 1", in: app) == posts)
        #expect(
            try rows(store, "SELECT DISTINCT ZSOFTDELETED FROM ZPOST", in: app) == ["0"])
    }

    // MARK: Bookmarks

    @Test("each migration step of Bookmarks keeps every value and link")
    func bookmarks() throws {
        let app = try copy("duckduckgo-BrowserServicesKit")
        let bundle = "Sources/Bookmarks/BookmarksModel.xcdatamodeld"
        let store = "Tests/BookmarksTests/Resources/Bookmarks_V1.sqlite"
        let values =
            "SELECT b.ZUUID, b.ZTITLE, b.ZURL, b.ZISFOLDER, p.ZUUID FROM ZBOOKMARKENTITY b"
            + " LEFT JOIN ZBOOKMARKENTITY p ON p.Z_PK = b.ZPARENT ORDER BY 1"
        let before = try rows(store, values, in: app)
        #expect(before.count == 10)
        let favorites = try rows(
            store,
            "SELECT b.ZUUID, f.ZUUID FROM ZBOOKMARKENTITY b JOIN ZBOOKMARKENTITY f"
                + " ON f.Z_PK = b.ZFAVORITEFOLDER ORDER BY 1", in: app)
        #expect(!favorites.isEmpty)
        for version in 2...5 {
            let target = "\(bundle)/BookmarksModel \(version).xcdatamodel"
            let done = try migrate(store, target, in: app)
            #expect(done.status == 0, "\(done.standardOutput)\(done.standardError)")
            try expectSound(store, model: target, in: app)
            #expect(try rows(store, values, in: app) == before)
            // This test does not depend on the side that names the join table.
            let table = try rows(
                store,
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_1FAVORITE*'",
                in: app
            ).first
            let links =
                version < 4
                ? "ZBOOKMARKENTITY f ON f.Z_PK = b.ZFAVORITEFOLDER"
                : "\(table ?? "") j ON j.Z_1FAVORITES = b.Z_PK JOIN ZBOOKMARKENTITY f"
                    + " ON f.Z_PK = j.Z_1FAVORITEFOLDERS"
            #expect(
                try rows(
                    store,
                    "SELECT b.ZUUID, f.ZUUID FROM ZBOOKMARKENTITY b JOIN \(links) ORDER BY 1",
                    in: app) == favorites)
        }
    }

    // MARK: Mapping models that do not fit

    @Test("reports two mapping models for one step, and the line at which one is damaged")
    func ambiguous() throws {
        let app = try copy("objcio-core-data/Migrations")
        let bundle = "Migrations/Moody.xcdatamodeld/Moody 5.xcdatamodel"
        let store = "MigrationsTests/Moody 4.moody"
        let model = "Migrations/Moody 4-Moody 5.xcmappingmodel"
        try FileManager.default.copyItem(
            atPath: "\(app)/\(model)", toPath: "\(app)/Migrations/Copy.xcmappingmodel")
        let several = try migrate(store, bundle, in: app)
        #expect(several.status == 78)
        #expect(
            several.standardError == """
                error: Several mapping models are from 'Moody 4' to 'Moody 5': \
                'Migrations/Copy.xcmappingmodel' and '\(model)' [mapping.ambiguous]
                  fix: remove the ones that the app does not use

                """)
        for name in ["Copy", "Moody 4-Moody 5"] {
            try "<database>\n  <object".write(
                toFile: "\(app)/Migrations/\(name).xcmappingmodel/xcmapping.xml", atomically: true,
                encoding: .utf8)
        }
        let damaged = try migrate(store, bundle, in: app)
        #expect(damaged.status == 78)
        #expect(damaged.standardError.contains("xcmapping.xml:2:"), "\(damaged.standardError)")
    }

    // MARK: Helpers

    private func copy(_ path: String) throws -> String {
        let target = folder.path + "/app"
        let result = try Tool.run(
            "cp", ["-r", "\(CoreDataSpecimens.root)/coredata/\(path)", target])
        try #require(result.status == 0, "\(result.standardError)")
        _ = try Tool.run("chmod", ["-R", "u+w", target])
        return target
    }

    private func migrate(
        _ store: String, _ model: String, _ flags: String..., in app: String
    ) throws -> ToolResult {
        try Tool.etl(["migrate", store, "--to", model] + flags, in: app)
    }

    private func rows(_ store: String, _ query: String, in app: String) throws -> [String] {
        try Tool.sqlite("\(app)/\(store)", query)
    }

    /// Checks that `verify` finds nothing, with the model and with the model in the store.
    ///
    /// Before the migration, `verify` found nothing in any specimen.
    private func expectSound(_ store: String, model: String, in app: String) throws {
        #expect(
            try rows(store, "SELECT length(Z_CONTENT) > 0 FROM Z_MODELCACHE", in: app) == ["1"])
        for flags in [["--model", model], []] {
            let verified = try Tool.etl(["verify", store] + flags, in: app)
            #expect(verified.status == 0, "\(verified.standardOutput)\(verified.standardError)")
        }
    }
}

private enum PathComponents {
    static func folder(of path: String) -> String {
        URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
    }
}
