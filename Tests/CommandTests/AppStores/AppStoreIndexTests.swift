import AppStoreFixtures
import Foundation
import GraphModel
import Testing

/// Apps' stores with indexes of other kinds or from early versions of Core Data.
@Suite("Indexes and constraints of apps' stores") struct AppStoreIndexTests {
    private let folder: FailureFolder

    init() throws { folder = try FailureFolder() }

    private func make(_ modelText: String, framework: Int = 1244, _ sql: String) throws {
        try folder.write("model.yaml", modelText)
        let model = try #require(ModelFile.read(text: modelText).model)
        try AppStoreFixture.make(
            at: folder.path + "/app.sqlite", model, framework: framework, sql: sql)
    }

    private func run(_ stages: String) throws -> FailureFolder.Result {
        try folder.write(
            "spec.yaml", "etl: 1\nstore: { at: app.sqlite }\nstages:\n\(stages)\n")
        return try folder.run()
    }

    private func rows(_ query: String) throws -> String {
        try folder.shell("sqlite3 app.sqlite \"\(query)\"").output
    }

    // MARK: R-trees

    private static let places = """
          - update: move
            entity: Place
            where: "name == 'Berlin'"
            set: { latitude: "53.5", longitude: "10" }
          - delete: sydney
            entity: Place
            where: "name == 'Sydney'"
          - import: more
            read: { files: places.ndjson }
            into: Place
        """

    @Test("fetch ignores an R-tree, and its triggers update it during an import")
    func spatial() throws {
        try make(SpatialAppStore.modelText, SpatialAppStore.sql)
        let fetched = try folder.shell(
            "exec \"$E\" fetch app.sqlite Place --where 'latitude > 0' --fields name,latitude"
                + " --format csv")
        #expect(fetched.output == "name,latitude\nBerlin,52.5\n", "\(fetched.errors)")
        #expect(try folder.shell("exec \"$E\" verify app.sqlite").output == "")
        try folder.write(
            "places.ndjson",
            """
            {"name":"Oslo","latitude":60,"longitude":10.75}
            {"name":"Nowhere","latitude":0.5,"longitude":0.25}

            """)
        let done = try run(Self.places)
        #expect(done.status == 0, "\(done.errors)")
        #expect(
            try rows("SELECT Z_PK, ZNAME, ZLATITUDE FROM ZPLACE ORDER BY 1")
                == "1|Berlin|53.5\n3|Nowhere|0.5\n4|Oslo|60.0\n")
        #expect(
            try rows("SELECT * FROM Z_RT_Place_byPosition ORDER BY 1")
                == "1|53.5|53.5|10.0|10.0\n3|0.5|0.5|0.25|0.25\n4|60.0|60.0|10.75|10.75\n")
        #expect(try rows("SELECT rtreecheck('Z_RT_Place_byPosition')") == "ok\n")
        #expect(try folder.shell("exec \"$E\" verify app.sqlite").output == "")
    }

    @Test("migrate fails and names the R-tree that it cannot rebuild")
    func spatialMigration() throws {
        try make(SpatialAppStore.modelText, SpatialAppStore.sql)
        try folder.write(
            "later.yaml",
            SpatialAppStore.modelText.replacing("places-1", with: "places-2")
                .replacing("name: String,", with: "name: String, note: String,"))
        let refused = try folder.shell(
            "exec \"$E\" migrate app.sqlite --to later.yaml --dry-run")
        #expect(refused.status == 65)
        #expect(
            refused.output == """
                + Place.note: new attribute String

                Place: 3 objects
                Note: the index 'byPosition' of Place is an R-tree, and is not built

                """)
        #expect(
            refused.errors == """
                error: app.sqlite cannot be migrated: Z_RT_Place_byPosition is a virtual table, as \
                R-trees are, which only the app's framework can make [store.migration-refused]

                """)
        let run = try folder.shell("exec \"$E\" migrate app.sqlite --to later.yaml")
        #expect(run.status == 65 && run.output == refused.output && run.errors == refused.errors)
        #expect(try rows("SELECT count(*) FROM Z_RT_Place_byPosition") == "2\n")
    }

    // MARK: Constraints of tables

    @Test("UNIQUE constraints of tables work like unique indexes")
    func constraints() throws {
        try make(EarlyAppStore.modelText, framework: EarlyAppStore.framework, EarlyAppStore.sql)
        #expect(try folder.shell("exec \"$E\" verify app.sqlite").output == "")
        try folder.write(
            "songs.ndjson",
            """
            {"title":"Plain Gold Ring","album":"Little Girl Blue","year":1959,"artist":"Nina"}
            {"title":"Waltz for Debby","album":"Waltz","year":1961,"artist":"Bill"}
            {"title":"Song for My Father","album":"Blue Note","year":1965,"artist":"Horace"}

            """)
        let done = try run(
            """
              - import: songs
                read: { files: songs.ndjson }
                into: Song
                link: { artist: { by: { name: artist }, missing: create } }
            """)
        #expect(done.status == 0, "\(done.errors)")
        #expect(
            try rows("SELECT Z_PK, Z_OPT, ZYEAR, ZARTIST, ZTITLE FROM ZSONG ORDER BY 1") == """
                1|2|1959|1|Plain Gold Ring
                2|1|1958|1|Central Park Blues
                3|3|1961|2|My Foolish Heart
                4|1|1961|2|Waltz for Debby
                5|1|1965|3|Song for My Father

                """)
        #expect(try rows("SELECT * FROM ZARTIST WHERE Z_PK = 3") == "3|1|1|Horace\n")
        // If an update breaks a constraint, the message uses the names of the model.
        let broken = try run(
            """
              - update: same
                entity: Artist
                where: ALL
                set: { name: "'Nina'" }
            """)
        #expect(broken.status == 65, "\(broken.errors)")
        #expect(
            broken.errors == """
                error: 'Artist.name' must be unique, and 3 objects would have 'Nina'; nothing was \
                done [store.unique]
                  stage: spec.yaml:4:5 update same
                  fix: narrow `where`, set a different value for each object, or change the \
                values in two stages

                """)
        #expect(try folder.shell("exec \"$E\" verify app.sqlite").output == "")
    }

    @Test("migrate turns table constraints into indexes and names the index that it drops")
    func constraintMigration() throws {
        try make(EarlyAppStore.modelText, framework: EarlyAppStore.framework, EarlyAppStore.sql)
        try folder.write(
            "later.yaml",
            EarlyAppStore.modelText.replacing("songs-1", with: "songs-2")
                .replacing("title: String,", with: "title: String, length: Double,"))
        let done = try folder.shell("exec \"$E\" migrate app.sqlite --to later.yaml")
        #expect(done.status == 0, "\(done.errors)")
        #expect(
            done.output == """
                + Song.length: new attribute Double

                Artist: 2 objects
                Song: 3 objects
                Note: the index ZSONG_ZALBUM_INDEX of ZSONG, over ZALBUM, is not copied, because \
                the model does not name it
                The old store is app.sqlite.bak-v1

                """)
        #expect(
            try rows(
                "SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'Z\\_%' ESCAPE"
                    + " '\\' ORDER BY 1")
                == "Z_Artist_UNIQUE_name\nZ_Song_UNIQUE_album_title\nZ_Song_byYear\n")
        let verified = try folder.shell("exec \"$E\" verify app.sqlite --model later.yaml")
        #expect(verified.status == 0)
        #expect(verified.output == "")
    }
}
