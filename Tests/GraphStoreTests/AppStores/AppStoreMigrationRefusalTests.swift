import AppStoreFixtures
import GraphModel
import SQLite
import Testing

@testable import GraphStore

@Suite("Rejected migrations of apps' stores") struct AppStoreMigrationRefusalTests {
    private let store: AppStoreFile

    init() throws {
        store = try AppStoreFile()
    }

    private func obstacles(
        _ changes: KeyValuePairs<String, String>, allowsCloudKit: Bool = false
    ) throws -> [String] {
        var manager = MigrationManager(
            storeAt: store.path, to: try LaterShelf.model(changes))
        manager.allowsCloudKit = allowsCloudKit
        let plan = try manager.plan()
        let error = storeError { try manager.migrate() }
        #expect((error?.code == .migrationRefused) == !plan.isPossible)
        return plan.obstacles
    }

    @Test func rejectsChangesThatNeedTheAppsFramework() throws {
        let digest = try folderDigest(store.folder.path)
        #expect(
            try obstacles([
                "      rating: Decimal\n": "",
                "    indexes:\n      byRating: [rating desc]\n": "",
            ]) == [
                "Author has derived or composite attributes and differs, and how its hash is made"
                    + " only the app's framework knows, so that the app would not open the store"
            ])
        // The triggers count books by their entity number, and omit the new entity.
        let found = try obstacles([
            "  Film:\n": "  Comic:\n    parent: Book\n    attributes: { hero: String }\n  Film:\n"
        ])
        #expect(
            found
                == ["DELETE", "SOURCE_INSERT", "UPDATE"].map {
                    "the trigger Z_DA_ZAUTHOR_Author_bookCount_\($0) refers to parts that have"
                        + " changed, and only the app's framework can create the new one"
                })
        #expect(try folderDigest(store.folder.path) == digest)
    }

    @Test func rejectsTriggersWithNumbersIfEntityNumbersChange() throws {
        try store.run(
            "CREATE TRIGGER ZT_KIND AFTER UPDATE OF ZNAME ON ZTAG WHEN NEW.ZISHIDDEN = 8 BEGIN"
                + " UPDATE ZTAG SET ZISHIDDEN = 0 WHERE Z_PK = NEW.Z_PK; END")
        #expect(
            try obstacles(LaterShelf.second) == [
                "the trigger ZT_KIND refers to parts that have changed, and only the app's"
                    + " framework can create the new one"
            ])
        // If no entity number changes, the trigger is unchanged.
        let trigger = try store.rows("SELECT sql FROM sqlite_master WHERE name = 'ZT_KIND'")
        #expect(try obstacles(["weight: Float }": "nickname: String }"]) == [])
        try store.expect("SELECT sql FROM sqlite_master WHERE name = 'ZT_KIND'", trigger)
    }

    /// SQLite compiles a trigger only when a statement runs it; the plan fails earlier.
    @Test func planRejectsTriggersThatCannotRunInTheNewStore() throws {
        try store.run(
            """
            CREATE TABLE ZSEEN (ZKEY INTEGER);
            CREATE TRIGGER ZT_SEEN AFTER UPDATE OF ZISHIDDEN ON ZTAG BEGIN
                INSERT INTO ZSEEN VALUES (NEW.Z_PK); END;
            CREATE TRIGGER ZT_SHOW AFTER INSERT ON ZTAG BEGIN
                UPDATE ZTAG SET ZISHIDDEN = 0 WHERE Z_PK = NEW.Z_PK; END;
            """)
        // The app's own table is migrated, too, with the trigger that fills it.
        let digest = try folderDigest(store.folder.path)
        let found = try obstacles([
            "isHidden: { type: Boolean, default: false }":
                "hidden: { type: Boolean, default: false, renamed-from: isHidden }"
        ])
        #expect(
            found == [
                "the trigger ZT_SEEN depends on ZTAG.ZISHIDDEN, which the new store does not have,"
                    + " and only the app's framework can create a replacement",
                "the trigger ZT_SHOW cannot be run in the new store (no such column: ZISHIDDEN), and"
                    + " only the app's framework can make another",
            ])
        #expect(try folderDigest(store.folder.path) == digest)
        #expect(try obstacles(["weight: Float }": "nickname: String }"]) == [])
        try store.run("UPDATE ZTAG SET ZISHIDDEN = 0 WHERE Z_PK = 2")
        try store.expect("SELECT * FROM ZSEEN", ["2"])
    }

    /// Entity numbers after `=` and `IN` are migrated; other comparisons of `Z_ENT` are rejected.
    @Test(arguments: ["NEW.Z_ENT <> 1", "1 = NEW.Z_ENT", "NEW.\"Z_ENT\" = 1"])
    func rejectsTriggersWithUnsupportedEntityComparisons(condition: String) throws {
        try store.run(
            "CREATE TRIGGER ZT_KIND AFTER UPDATE OF ZNAME ON ZTAG WHEN \(condition) BEGIN"
                + " UPDATE ZTAG SET ZISHIDDEN = 0 WHERE Z_PK = NEW.Z_PK; END")
        #expect(
            try obstacles(LaterShelf.second) == [
                "the trigger ZT_KIND refers to parts that have changed, and only the app's"
                    + " framework can create the new one"
            ])
        #expect(try obstacles(["weight: Float }": "nickname: String }"]) == [])
    }

    /// A fraction is no entity number; `99` is the number of no entity, and `Z99_OWNER` may contain
    /// one.
    @Test(
        arguments: [
            ("NEW.ZISHIDDEN > 0.5", true), ("NEW.Z_ENT = 99", false),
            ("NEW.Z_ENT = 8 AND Z99_OWNER(NEW.Z_PK) > 0.5", false),
        ])
    func translatesOnlyKnownNumbersOfTriggers(condition: String, isPossible: Bool) throws {
        let trigger =
            "CREATE TRIGGER ZT_KIND AFTER UPDATE OF ZNAME ON ZTAG WHEN \(condition) BEGIN"
            + " UPDATE ZTAG SET ZISHIDDEN = 0 WHERE Z_PK = NEW.Z_PK; END"
        try store.run(trigger)
        let refusal =
            "the trigger ZT_KIND refers to parts that have changed, and only the app's framework can"
            + " create the new one"
        #expect(try obstacles(LaterShelf.second) == (isPossible ? [] : [refusal]))
        try store.expect("SELECT sql FROM sqlite_master WHERE name = 'ZT_KIND'", [trigger])
    }

    @Test func copiesNoTriggersOfRemovedDerivedAttributes() throws {
        let manager = MigrationManager(
            storeAt: store.path,
            to: try LaterShelf.model([
                "      bookCount: { type: Integer 64, optional: false, default: 0,"
                    + " derived: \"books.@count\" }\n": ""
            ]))
        let plan = try manager.plan()
        let notes = ["DELETE", "SOURCE_INSERT", "UPDATE"].map {
            "the trigger Z_DA_ZAUTHOR_Author_bookCount_\($0) is not copied, and neither are its"
                + " derived values"
        }
        #expect(plan.notes.filter { $0.contains("trigger") }.sorted() == notes)
        #expect(plan.obstacles == [])
    }

    @Test func rejectsTriggersOfChangedDerivedAttributes() throws {
        let found = try obstacles(["derived: \"books.@count\"": "derived: \"books.@sum.pages\""])
        for event in ["DELETE", "SOURCE_INSERT", "UPDATE"] {
            #expect(
                found.contains(
                    "the trigger Z_DA_ZAUTHOR_Author_bookCount_\(event) derives values that have"
                        + " changed, and only the app's framework can create the new one"),
                "\(found)")
        }
    }

    /// `ZAUTHOR` is both the authors' table and the column of a book's author.
    @Test func rejectsTriggersWithAmbiguousNames() throws {
        let found = try obstacles([
            "author: { to: Author, inverse: books }":
                "writer: { to: Author, inverse: books, renamed-from: author }",
            "inverse: author, delete": "inverse: writer, delete",
        ])
        for event in ["DELETE", "SOURCE_INSERT", "UPDATE"] {
            #expect(
                found.contains(
                    "the trigger Z_DA_ZAUTHOR_Author_bookCount_\(event) refers to parts that have"
                        + " changed, and only the app's framework can create the new one"),
                "\(found)")
        }
    }

    @Test func migratesMirroredStoreOnlyIfAllowedAndNumbersAreStable() throws {
        try store.run(
            """
            CREATE TABLE ANSCKRECORD (Z_PK INTEGER PRIMARY KEY, ZENTITYID INTEGER);
            INSERT INTO ANSCKRECORD VALUES (1, 8)
            """)
        let change: KeyValuePairs = ["weight: Float }": "nickname: String }"]
        #expect(
            try obstacles(change) == [
                "the app mirrors the store to CloudKit, which is not informed of the migration; "
                    + "it is not allowed without `--allow-cloudkit` or"
                    + " `MigrationManager.allowsCloudKit`"
            ])
        #expect(
            try obstacles(LaterShelf.second, allowsCloudKit: true) == [
                "the app mirrors the store to CloudKit, whose notes name objects by numbers that"
                    + " change; migrate it with the app"
            ])
        #expect(try obstacles(change, allowsCloudKit: true) == [])
        try store.expect("SELECT * FROM ANSCKRECORD", ["1|8"])
    }
}
