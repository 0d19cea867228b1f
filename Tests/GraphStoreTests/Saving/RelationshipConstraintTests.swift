import GraphModel
import Testing

@testable import GraphStore

/// Uniqueness constraints over attributes and to-one relationships.
@Suite("Uniqueness constraints over relationships") struct RelationshipConstraintTests {
    private static let entities = """
        Artist:
          attributes: { name: String }
          relationships: { albums: { to: Album, many: true, inverse: artist } }
        Album:
          attributes: { title: String, year: Integer 16 }
          relationships: { artist: { to: Artist, inverse: albums } }
          unique: [[title, artist]]
        """
    private static let rows = "SELECT ZTITLE, ZYEAR, ZARTIST FROM ZALBUM ORDER BY Z_PK"

    /// Runs a test with a store that has two artists and the first one's album "Hits", and with an
    /// empty context.
    private func withAlbums(
        _ policy: MergePolicy,
        _ body: (TestStore, ManagedObjectContext, [ManagedObject]) throws -> Void
    ) throws {
        let store = try TestStore(Self.entities)
        let context = store.container.newContext()
        context.mergePolicy = policy
        let ann = try context.insert("Artist")
        ann[.string("name")] = "Ann"
        try context.save()
        let bob = try context.insert("Artist")
        bob[.string("name")] = "Bob"
        try Self.add("Hits", 1990, ann, to: context)
        try context.save()
        try body(store, context, [ann, bob])
        try store.checkIntegrity()
    }

    @discardableResult
    private static func add(
        _ title: String, _ year: Int, _ artist: ManagedObject?, to context: ManagedObjectContext
    ) throws -> ManagedObject {
        let album = try context.insert("Album")
        album[.string("title")] = title
        album[.integer("year")] = year
        album[.toOne("artist")] = artist
        return album
    }

    @Test("by default the save fails and names the properties of the constraint")
    func error() throws {
        try withAlbums(.error) { store, context, artists in
            try Self.add("Hits", 2000, artists[1], to: context)
            try Self.add("Hits", 2000, nil, to: context)
            try context.save()
            try Self.add("Hits", 2001, artists[0], to: context)
            let error = storeError { try context.save() }
            let conflict = try #require(error?.mergeError?.conflicts.first)
            #expect(error?.mergeError?.code == 133_021)
            #expect(conflict.constraint == ["title", "artist"])
            #expect(conflict.otherID?.primaryKey == 1)
            context.rollback()
            try store.expect(Self.rows, ["Hits|1990|1", "Hits|2000|2", "Hits|2000|-"])
        }
    }

    @Test("objectTrump writes the new object's values into the stored object")
    func objectTrump() throws {
        try withAlbums(.mergeByPropertyObjectTrump) { store, context, artists in
            try Self.add("Hits", 2001, artists[0], to: context)
            try context.save()
            try store.expect(Self.rows, ["Hits|2001|1"])
        }
    }

    @Test("storeTrump reverts a changed relationship of the constraint")
    func storeTrump() throws {
        try withAlbums(.mergeByPropertyStoreTrump) { store, context, artists in
            let other = try Self.add("Hits", 2000, artists[1], to: context)
            try context.save()
            other[.toOne("artist")] = artists[0]
            try context.save()
            try store.expect(Self.rows, ["Hits|1990|1", "Hits|2000|2"])
            #expect(other[.toOne("artist")] === artists[1])
        }
    }

    @Test("two objects exchange the relationship of a constraint")
    func exchange() throws {
        try withAlbums(.error) { store, context, artists in
            let second = try Self.add("Hits", 2000, artists[1], to: context)
            try context.save()
            let first = try #require(artists[0][.toMany("albums")].first)
            first[.toOne("artist")] = artists[1]
            second[.toOne("artist")] = artists[0]
            try context.save()
            try store.expect(Self.rows, ["Hits|1990|2", "Hits|2000|1"])
        }
    }

    @Test("two new objects of the same new artist conflict")
    func newObjects() throws {
        try withAlbums(.error) { store, context, _ in
            let new = try context.insert("Artist")
            try Self.add("Live", 2000, new, to: context)
            try Self.add("Live", 2001, new, to: context)
            #expect(storeError { try context.save() }?.code == .conflict)
            context.rollback()
        }
    }
}
