import GraphModel
import SQLite
import Testing

@testable import GraphStore

/// Stores of our older versions, whose join tables do not have the framework's names.
///
/// Older versions let the alphabetically earlier relationship name the join table of an entity with
/// itself, and gave the columns of different join tables the same name.
@Suite("Join tables of older versions") struct OldJoinTableTests {
    private static func entities(_ attributes: String = "id: Integer 32") -> String {
        """
        Bookmark:
          attributes: { \(attributes) }
          relationships:
            favorites: { to: Bookmark, many: true, inverse: favoriteFolders, ordered: true }
            favoriteFolders: { to: Bookmark, many: true, inverse: favorites }
            readers: { to: Reader, many: true, inverse: bookmarks }
          unique: [[id]]
        Reader:
          attributes: { name: String }
          relationships:
            bookmarks: { to: Bookmark, many: true, inverse: readers }
            videos: { to: Video, many: true, inverse: readers }
          unique: [[name]]
        Video:
          attributes: { id: Integer 32 }
          relationships: { readers: { to: Reader, many: true, inverse: videos } }
          unique: [[id]]
        """
    }

    /// The join tables of an empty store, as an older version created them.
    private static let older = """
        DROP TABLE Z_1FAVORITES;
        CREATE TABLE Z_1FAVORITEFOLDERS ( Z_1FAVORITES INTEGER, Z_1FAVORITEFOLDERS INTEGER, \
        Z_FOK_1FAVORITES INTEGER, PRIMARY KEY (Z_1FAVORITES, Z_1FAVORITEFOLDERS) );
        CREATE INDEX Z_1FAVORITEFOLDERS_Z_1FAVORITEFOLDERS_INDEX
        ON Z_1FAVORITEFOLDERS (Z_1FAVORITEFOLDERS, Z_1FAVORITES);
        ALTER TABLE Z_2VIDEOS RENAME COLUMN Z_2READERS1 TO Z_2READERS;
        """

    /// A query for everything in a file that belongs to join tables.
    private static let parts = """
        SELECT sql FROM sqlite_master WHERE tbl_name IN
        ('Z_1FAVORITES', 'Z_1FAVORITEFOLDERS', 'Z_1READERS', 'Z_2VIDEOS') AND sql NOT NULL
        ORDER BY name
        """

    private func open(_ store: TestStore) throws -> PersistentContainer {
        try PersistentContainer(model: model(Self.entities()), .sqlite(at: store.path))
    }

    private func link(
        _ name: String, _ destination: String, _ attribute: String,
        missing: BulkPlan.MissingPolicy = .reject
    ) -> BulkPlan.Link {
        BulkPlan.Link(
            relationship: name, destination: destination, attribute: attribute, missing: missing)
    }

    private func load(_ records: [[TestValue]], into store: TestStore) throws {
        try open(store).load(
            BulkPlan(
                entity: "Bookmark", key: ["id"], attributes: ["id"],
                links: [
                    link("favorites", "Bookmark", "id"),
                    link("readers", "Reader", "name", missing: .create),
                ]), records)
    }

    /// Loads links, changes some in a context, deletes an object, and loads again.
    private func change(_ store: TestStore) throws {
        try load(
            [[1, [3, 2], ["Ada", "Bob"]], [2, [1, 2, 3], ["Ada"]], [3, [], []]], into: store)
        try open(store).load(
            BulkPlan(
                entity: "Video", key: ["id"], attributes: ["id"],
                links: [link("readers", "Reader", "name")]),
            [[1, ["Bob", "Ada"]], [2, ["Bob"]]])
        let context = try open(store).newContext()
        let objects = try [1, 2, 3].map { number in
            var request = FetchRequest<ManagedObject>(entityName: "Bookmark")
            request.predicate = try GraphPredicate(format: "id == %d", number)
            return try #require(context.fetch(request).first)
        }
        try objects[2].setValue(.objects([objects[1], objects[0]]), forKey: "favorites")
        try objects[0].setValue(.objects([objects[2]]), forKey: "favoriteFolders")
        try objects[1].setValue(.objects([]), forKey: "readers")
        try context.save()
        context.delete(objects[1])
        try context.save()
        try load([[4, [1, 3], ["Bob", "Cyd"]], [1, [4, 1], ["Cyd"]]], into: store)
    }

    @Test("join tables of older versions are read and written under their old names")
    func oldNames() throws {
        let (new, old) = (try TestStore(Self.entities()), try TestStore(Self.entities()))
        try old.foreign().execute(Self.older)
        let parts = try old.lines(Self.parts)
        #expect(parts != (try new.lines(Self.parts)))
        for store in [new, old] { try change(store) }

        let lines = try objectLines(of: open(new))
        #expect(try objectLines(of: open(old)) == lines)
        try old.expect(
            "SELECT a.ZID, b.ZID FROM Z_1FAVORITEFOLDERS JOIN ZBOOKMARK a"
                + " ON a.Z_PK = Z_1FAVORITEFOLDERS JOIN ZBOOKMARK b ON b.Z_PK = Z_1FAVORITES"
                + " ORDER BY 1, Z_FOK_1FAVORITES",
            ["1|4", "1|1", "3|1", "4|1", "4|3"])
        try old.expect(
            "SELECT v.ZID, r.ZNAME FROM Z_2VIDEOS JOIN ZVIDEO v ON v.Z_PK = Z_3VIDEOS"
                + " JOIN ZREADER r ON r.Z_PK = Z_2READERS ORDER BY 1, 2",
            ["1|Ada", "1|Bob", "2|Bob"])
        try old.expect(Self.parts, parts)
        let found = try PersistentContainer.verify(at: old.path, .full)
        #expect(found.findings == [])
        #expect(found.remarks == [])
        try old.checkIntegrity()
    }

    @Test("repair and migration give join tables of older versions their current names")
    func newNames() throws {
        let (new, old) = (try TestStore(Self.entities()), try TestStore(Self.entities()))
        try old.foreign().execute(Self.older)
        for store in [new, old] { try change(store) }
        let parts = try new.lines(Self.parts)
        let lines = try objectLines(of: open(new))

        let repaired = old.folder.file("repaired.sqlite")
        let salvage = try PersistentContainer.salvage(at: old.path, to: repaired)
        #expect(salvage.losses == [] && salvage.remaining == [])
        let container = try PersistentContainer(model: nil, .sqlite(at: repaired))
        #expect(try objectLines(of: container) == lines)
        #expect(
            try GraphStoreTests.lines(
                Self.parts, on: Connection(path: repaired, mode: .readOnly)) == parts)

        let later = try model(Self.entities("id: Integer 32, note: String"))
        let migrated = old.folder.file("migrated.sqlite")
        try old.foreign().execute("VACUUM INTO '\(migrated)'")
        try MigrationManager(storeAt: migrated, to: later).migrate()
        let found = try objectLines(of: PersistentContainer(model: nil, .sqlite(at: migrated)))
        #expect(found.filter { !$0.contains("|note|") } == lines)
        #expect(
            try GraphStoreTests.lines(
                Self.parts, on: Connection(path: migrated, mode: .readOnly)) == parts)
    }
}
