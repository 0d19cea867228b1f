import Foundation
package import GraphModel
import SQLite
import XcodeModel

/// A store as an app would have left it, written by plain SQL, without the code that will read it.
///
/// It has:
/// - inheritance, colliding columns of siblings, and a companion column
/// - an ordered to-many, a to-many without inverse, and a one-to-one relationship
/// - join rows whose table the other side names, and join rows of one entity with itself (own
///   inverse or not)
/// - external values, archives, and a derived attribute with its triggers
/// - dangling keys, dates with and without a fraction, and a history
package enum AppStoreFixture {
    /// The model of the app, in the format of a model file.
    package static let modelText = """
        model: 1
        version: shelf-3
        entities:
          Author:
            attributes:
              name: { type: String, optional: false }
              rating: Decimal
              homepage: URI
              bookCount: { type: Integer 64, optional: false, default: 0, derived: "books.@count" }
            relationships:
              books: { to: Book, many: true, inverse: author, delete: deny }
              favorite: { to: Item }
            unique: [[name]]
            indexes:
              byRating: [rating desc]
          Item:
            abstract: true
            attributes:
              title: { type: String, optional: false, preserve-on-delete: true }
              addedOn: Date
              cover: { type: Binary, external: true }
              settings: Transformable
              badge: { type: Integer 32, transient: true }
            relationships:
              shelf: { to: Shelf, inverse: items }
              tags: { to: Tag, many: true, inverse: items }
          Book:
            parent: Item
            attributes:
              pages: { type: Integer 32, default: 1 }
              note: String
            relationships:
              author: { to: Author, inverse: books }
          Film:
            parent: Item
            attributes: { minutes: Double, note: String }
          Passport:
            attributes: { number: UUID }
            relationships:
              holder: { to: Person, inverse: passport }
          Person:
            attributes: { name: String, weight: Float }
            relationships:
              passport: { to: Passport, inverse: holder, delete: cascade }
              friends: { to: Person, many: true, inverse: friends }
              follows: { to: Person, many: true, inverse: followers }
              followers: { to: Person, many: true, inverse: follows }
          Shelf:
            attributes: { label: { type: String, renamed-from: title } }
            relationships:
              items: { to: Item, many: true, ordered: true, inverse: shelf }
              pinned: { to: Tag, many: true }
          Tag:
            attributes:
              name: { type: String, optional: false, hash-modifier: v2 }
              isHidden: { type: Boolean, default: false }
            relationships:
              items: { to: Item, many: true, inverse: tags }
            unique: [[name]]
        """

    package static let storeUUID = "8E1B2F7C-3C1D-4E5F-9A0B-112233445566"
    package static let largeValueName = "0A0B0C0D-1111-2222-3333-444455556666"
    /// The content of the large value's file.
    package static let largeValue = [UInt8]((0..<1000).map { UInt8(truncatingIfNeeded: $0) })

    /// Creates the store, closed and without a WAL, with its large value next to it.
    ///
    /// - Parameter isEmpty: Whether the store has no objects yet, like one that an app ships to be
    /// filled.
    package static func make(
        at path: String, _ model: ManagedObjectModel, isEmpty: Bool = false
    ) throws {
        // SQLite lacks Core Data's own functions while rows are inserted, so the triggers come
        // last.
        let connection = try made(
            at: path, model, tables + (isEmpty ? counters : rows + history) + triggers)
        if isEmpty { return }
        let settings = try connection.prepare("UPDATE ZITEM SET ZSETTINGS = ? WHERE Z_PK = ?")
        for (key, archive) in [(Int64(1), plainArchive), (2, opaqueArchive)] {
            settings.bind(archive, at: 1)
            settings.bind(key, at: 2)
            try settings.run()
        }
        let stem = (path as NSString).lastPathComponent.split(separator: ".").first ?? "store"
        let folder =
            (path as NSString).deletingLastPathComponent + "/.\(stem)_SUPPORT/_EXTERNAL_DATA"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        try Data(largeValue).write(to: URL(fileURLWithPath: "\(folder)/\(largeValueName)"))
    }

    /// Creates a store of tables, rows, and triggers, which carries its model.
    ///
    /// - Parameter framework: The version of the app's framework.
    package static func make(
        at path: String, _ model: ManagedObjectModel, framework: Int = 1244, sql: String
    ) throws {
        _ = try made(at: path, model, framework: framework, sql)
    }

    private static func made(
        at path: String, _ model: ManagedObjectModel, framework: Int = 1244, _ sql: String
    ) throws -> Connection {
        let connection = try Connection(path: path, mode: .create)
        try connection.execute("PRAGMA auto_vacuum = 2; PRAGMA journal_mode = WAL;")
        try connection.execute(sql)
        let metadata = try connection.prepare("INSERT INTO Z_METADATA VALUES (1, ?, ?)")
        metadata.bind(storeUUID, at: 1)
        metadata.bind(plist(model, framework), at: 2)
        try metadata.run()
        let cache = try connection.prepare("INSERT INTO Z_MODELCACHE VALUES (?)")
        cache.bind(try cachedModel(model), at: 1)
        try cache.run()
        return connection
    }

    /// Turns one of our stores into an app's store: it carries its model as an archive, and none of
    /// our tables.
    package static func disown(_ path: String, _ model: ManagedObjectModel) throws {
        let connection = try Connection(path: path, mode: .readWrite)
        try connection.execute("DROP TABLE ETL_MODEL; DROP TABLE ETL_PENDING")
        let cache = try connection.prepare("UPDATE Z_MODELCACHE SET Z_CONTENT = ?")
        cache.bind(try cachedModel(model), at: 1)
        try cache.run()
    }

    /// Changes a store as another program might.
    package static func execute(_ sql: String, at path: String) throws {
        try Connection(path: path, mode: .readWrite).execute(sql)
    }

    /// Drops a to-one relationship's column with its companion and its indexes, as in stores that
    /// keep one-to-one relationships on one side only.
    ///
    /// - Parameter column: The column, such as `ZPERSON.ZPASSPORT`.
    package static func drop(_ column: String, at path: String) throws {
        let parts = column.split(separator: ".").map(String.init)
        let (table, name) = (parts[0], parts[1])
        let connection = try Connection(path: path, mode: .readWrite)
        func names(_ sql: String) throws -> [String] {
            let rows = try connection.prepare(sql)
            var names: [String] = []
            while try rows.step() { names.append(rows.string(0)) }
            return names
        }
        let columns = try names(
            "SELECT name FROM pragma_table_info('\(table)') WHERE name = '\(name)'"
                + " OR name GLOB 'Z[0-9]*_\(name.dropFirst())'")
        for column in columns {
            let indexes = try names(
                "SELECT l.name FROM pragma_index_list('\(table)') l, pragma_index_info(l.name) i"
                    + " WHERE i.name = '\(column)'")
            for index in indexes { try connection.execute("DROP INDEX \(index)") }
            try connection.execute("ALTER TABLE \(table) DROP COLUMN \(column)")
        }
    }

    /// Returns the content of `Z_MODELCACHE` for a model.
    package static func cachedModel(_ model: ManagedObjectModel) throws -> [UInt8] {
        Deflation.deflate(try archivedModel(model)) ?? []
    }

    /// Returns the model as a `.mom` file holds it, without compression.
    package static func archivedModel(_ model: ManagedObjectModel) throws -> [UInt8] {
        try CachedModelWriter.archive(of: model)
    }

    /// Returns the archived model, deflated with zlib's header.
    package static func zlibModel(_ model: ManagedObjectModel) throws -> [UInt8] {
        Deflation.deflate(try archivedModel(model), windowBits: 15) ?? []
    }

    private static func plist(_ model: ManagedObjectModel, _ framework: Int) -> [UInt8] {
        // The hash of derived attributes in Core Data is unknown.
        let unknown = Set(model.entityNamesWithOwnHashes)
        let hashes = model.versionHashes.map { name, hash in
            (name, BinaryPlist.data(unknown.contains(name) ? Array(repeating: 7, count: 32) : hash))
        }
        return BinaryPlist.dictionary([
            ("NSStoreType", .text("SQLite")),
            ("NSPersistenceFrameworkVersion", .integer(framework)),
            ("NSStoreModelVersionHashesVersion", .integer(3)),
            ("NSStoreModelVersionIdentifiers", .array(model.versionIdentifiers.map { .text($0) })),
            ("NSStoreModelVersionHashes", .dictionary(hashes)),
            ("_NSAutoVacuumLevel", .text("2")),
            ("LastOpenedByUser", .dictionary([("name", .text("Zoë")), ("at", .date(12.5))])),
        ]).bytes
    }

    /// An archived dictionary of plain values.
    private static var plainArchive: [UInt8] {
        let writer = ArchiveWriter()
        let root = writer.dictionary([
            (writer.text("size"), writer.add(.integer(12))),
            (
                writer.text("fonts"),
                writer.list([
                    writer.text("Söhne"),
                    writer.object("NSMutableString", [("NS.string", .text("Mono"))]),
                ])
            ),
            (writer.text("since"), writer.object("NSDate", [("NS.time", .real(0.5))])),
        ])
        return writer.archive(root: root)
    }

    /// An archived object of a class that only the app has.
    private static var opaqueArchive: [UInt8] {
        let writer = ArchiveWriter()
        return writer.archive(root: writer.object("ShelfColor", [("red", .real(0.25))]))
    }

    // MARK: SQL

    /// The tables that every store has.
    package static let bookkeeping = """
        CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
        CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
            Z_MAX INTEGER);

        """

    private static let tables =
        bookkeeping + """
            CREATE TABLE ZAUTHOR ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZBOOKCOUNT INTEGER, ZFAVORITE INTEGER, Z2_FAVORITE INTEGER, ZRATING DECIMAL,
                ZNAME VARCHAR, ZHOMEPAGE VARCHAR );
            CREATE TABLE ZITEM ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZSHELF INTEGER, Z_FOK_SHELF INTEGER, ZPAGES INTEGER, ZAUTHOR INTEGER,
                ZADDEDON TIMESTAMP, ZMINUTES FLOAT, ZTITLE VARCHAR, ZNOTE VARCHAR, ZNOTE1 VARCHAR,
                ZSETTINGS BLOB, ZCOVER BLOB, ZLEFTBEHIND VARCHAR );
            CREATE TABLE ZPASSPORT ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZHOLDER INTEGER, ZNUMBER BLOB );
            CREATE TABLE ZPERSON ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZPASSPORT INTEGER, ZWEIGHT FLOAT, ZNAME VARCHAR );
            CREATE TABLE ZSHELF ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZLABEL VARCHAR );
            CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZISHIDDEN INTEGER, Z7PINNED INTEGER, ZNAME VARCHAR );
            CREATE TABLE Z_8ITEMS ( Z_8TAGS INTEGER, Z_2ITEMS INTEGER,
                PRIMARY KEY (Z_8TAGS, Z_2ITEMS) );
            CREATE TABLE Z_6FRIENDS ( Z_6FRIENDS INTEGER, REFLEXIVE INTEGER,
                PRIMARY KEY (Z_6FRIENDS, REFLEXIVE) );
            CREATE TABLE Z_6FOLLOWS ( Z_6FOLLOWERS INTEGER, Z_6FOLLOWS INTEGER,
                PRIMARY KEY (Z_6FOLLOWERS, Z_6FOLLOWS) );
            CREATE INDEX ZITEM_Z_ENT_INDEX ON ZITEM (Z_ENT);
            CREATE INDEX ZITEM_ZSHELF_INDEX ON ZITEM (ZSHELF);
            CREATE INDEX ZITEM_ZAUTHOR_INDEX ON ZITEM (ZAUTHOR);
            CREATE INDEX ZPASSPORT_ZHOLDER_INDEX ON ZPASSPORT (ZHOLDER);
            CREATE INDEX ZPERSON_ZPASSPORT_INDEX ON ZPERSON (ZPASSPORT);
            CREATE INDEX Z_8ITEMS_Z_2ITEMS_INDEX ON Z_8ITEMS (Z_2ITEMS, Z_8TAGS);
            CREATE INDEX Z_Author_byRating ON ZAUTHOR (ZRATING COLLATE BINARY DESC);
            CREATE UNIQUE INDEX Z_Author_UNIQUE_name ON ZAUTHOR (ZNAME COLLATE BINARY ASC);
            CREATE UNIQUE INDEX Z_Tag_UNIQUE_name ON ZTAG (ZNAME COLLATE BINARY ASC);
            CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER,
                ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB );
            CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER,
                ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR,
                ZPROCESSID VARCHAR, ZQUERYGEN BLOB );
            CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZNAME VARCHAR );

            """

    private static let counters = """
        INSERT INTO Z_PRIMARYKEY VALUES (1, 'Author', 0, 0), (2, 'Item', 0, 0), (3, 'Book', 2, 0),
            (4, 'Film', 2, 0), (5, 'Passport', 0, 0), (6, 'Person', 0, 0), (7, 'Shelf', 0, 0),
            (8, 'Tag', 0, 0), (16001, 'CHANGE', 0, 0), (16002, 'TRANSACTION', 0, 0),
            (16003, 'TRANSACTIONSTRING', 0, 0);

        """

    private static let rows = """
        INSERT INTO Z_PRIMARYKEY VALUES (1, 'Author', 0, 3), (2, 'Item', 0, 9), (3, 'Book', 2, 0),
            (4, 'Film', 2, 0), (5, 'Passport', 0, 1), (6, 'Person', 0, 4), (7, 'Shelf', 0, 2),
            (8, 'Tag', 0, 3), (16001, 'CHANGE', 0, 12), (16002, 'TRANSACTION', 0, 103),
            (16003, 'TRANSACTIONSTRING', 0, 2);
        INSERT INTO ZAUTHOR (Z_PK, Z_ENT, Z_OPT, ZBOOKCOUNT, ZFAVORITE, Z2_FAVORITE, ZRATING,
            ZNAME, ZHOMEPAGE) VALUES
            (1, 1, 3, 2, 4, 4, 4.5, 'Ursula', 'https://example.org/u'),
            (2, 1, 1, 1, 2, 3, 3.3333333332999993, 'Stanisław', NULL),
            (3, 1, 1, 0, NULL, NULL, NULL, 'Nobody', NULL);
        INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZSHELF, Z_FOK_SHELF, ZPAGES, ZAUTHOR, ZADDEDON,
            ZMINUTES, ZTITLE, ZNOTE, ZNOTE1, ZCOVER, ZLEFTBEHIND) VALUES
            (1, 3, 1, 1, 3072, 341, 1, 700000000, NULL, 'The Dispossessed', 'b1', NULL,
                x'01CAFE', 'old'),
            (2, 3, 5, 1, 2048, 204, 2, 700000000.25, NULL, 'Solaris', NULL, NULL,
                CAST(x'02' || '0A0B0C0D-1111-2222-3333-444455556666' || x'00' AS BLOB), NULL),
            (3, 3, 1, 2, 1024, 200, 1, -31536000, NULL, 'Rocannon', NULL, NULL, NULL, NULL),
            (4, 4, 2, 1, 1024, NULL, NULL, NULL, 163.5, 'Stalker', NULL, 'f4', NULL, NULL),
            (9, 4, NULL, 77, 1024, NULL, NULL, NULL, 90, 'Lost', NULL, NULL, NULL, NULL);
        INSERT INTO ZPASSPORT VALUES (1, 5, 1, 2, x'00112233445566778899AABBCCDDEEFF');
        INSERT INTO ZPERSON VALUES (1, 6, 1, NULL, 61.5, 'Ann'), (2, 6, 1, 1, NULL, 'Bob'),
            (3, 6, 1, NULL, NULL, 'Cid'), (4, 6, 1, NULL, NULL, NULL);
        INSERT INTO ZSHELF VALUES (1, 7, 4, 'Upper'), (2, 7, 1, 'Lower');
        INSERT INTO ZTAG VALUES (1, 8, 1, 0, 2, 'classic'), (2, 8, 1, 1, NULL, 'space'),
            (3, 8, 1, NULL, 2, 'zone');
        INSERT INTO Z_8ITEMS VALUES (1, 1), (1, 2), (2, 1), (2, 2), (3, 4), (3, 55);
        INSERT INTO Z_6FRIENDS VALUES (1, 2), (3, 1);
        INSERT INTO Z_6FOLLOWS VALUES (1, 2), (1, 3), (2, 3);

        """

    /// An update of a book's author and pages, a deletion of a film, and an insertion of a tag.
    private static let history = """
        INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, NULL, 'sync'), (2, 16003, NULL, 'org.shelf');
        INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZTIMESTAMP, ZQUERYGEN)
            VALUES (101, 16002, 1, 2, 700000100.5, x'00'), (103, 16002, NULL, 2, 700000200, x'00');
        INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS,
            ZTOMBSTONE0) VALUES
            (10, 16001, 1, 3, 1, 101, x'84', NULL), (11, 16001, 2, 4, 8, 101, NULL, 'Gone'),
            (12, 16001, 0, 8, 3, 103, NULL, NULL);

        """

    private static let triggers = """
        CREATE TRIGGER Z_DA_ZAUTHOR_Author_bookCount_SOURCE_INSERT AFTER INSERT ON ZITEM
            WHEN NEW.ZAUTHOR IS NOT NULL AND NEW.Z_ENT IN (3)
            BEGIN UPDATE ZAUTHOR SET ZBOOKCOUNT = ifnull(ZBOOKCOUNT, 0) + 1 WHERE Z_PK = NEW.ZAUTHOR;
            SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZAUTHOR', 1, NEW.ZAUTHOR,
                'bookCount', 1); END;
        CREATE TRIGGER Z_DA_ZAUTHOR_Author_bookCount_DELETE AFTER DELETE ON ZITEM
            WHEN OLD.ZAUTHOR IS NOT NULL AND OLD.Z_ENT IN (3)
            BEGIN UPDATE ZAUTHOR SET ZBOOKCOUNT = ifnull(ZBOOKCOUNT, 0) - 1 WHERE Z_PK = OLD.ZAUTHOR;
            SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZAUTHOR', 1, OLD.ZAUTHOR,
                'bookCount', 1); END;
        CREATE TRIGGER Z_DA_ZAUTHOR_Author_bookCount_UPDATE AFTER UPDATE OF ZAUTHOR ON ZITEM
            WHEN NEW.ZAUTHOR IS NOT OLD.ZAUTHOR AND NEW.Z_ENT IN (3)
            BEGIN UPDATE ZAUTHOR SET ZBOOKCOUNT = ifnull(ZBOOKCOUNT, 0) - 1 WHERE Z_PK = OLD.ZAUTHOR;
            UPDATE ZAUTHOR SET ZBOOKCOUNT = ifnull(ZBOOKCOUNT, 0) + 1 WHERE Z_PK = NEW.ZAUTHOR;
            SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZAUTHOR', 1, NEW.ZAUTHOR,
                'bookCount', 1); END;
        """
}
