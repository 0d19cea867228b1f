import AppStoreFixtures
import GraphModel
import SQLite
import Testing

@testable import GraphStore

/// Relationships and attributes with the same name in several entities.
///
/// If one entity lacks a property, it is not taken from another entity.
@Suite("Equal names in several entities") struct EqualNameTests {
    private static let modelText = """
        model: 1
        entities:
          Base: { abstract: true, attributes: { k: String } }
          A: { parent: Base, attributes: { title: String } }
          B: { parent: Base, attributes: { title: String } }
          P: { attributes: { n: String }, relationships: { items: { to: Item, many: true } } }
          Q: { attributes: { n: String }, relationships: { items: { to: Item, many: true } } }
          Item: { attributes: { n: String } }
          Photo: { relationships: { tags: { to: Tag, many: true, inverse: photos } } }
          Post: { relationships: { tags: { to: Tag, many: true, inverse: posts } } }
          Tag:
            relationships:
              photos: { to: Photo, many: true, inverse: tags }
              posts: { to: Post, many: true, inverse: tags }
        """
    private let folder: TemporaryFolder
    private let model: ManagedObjectModel
    private var path: String { folder.file("store.sqlite") }

    init() throws {
        folder = try TemporaryFolder()
        let (read, diagnostics) = ModelFile.read(text: Self.modelText)
        model = try #require(read, "\(diagnostics)")
        _ = try PersistentContainer(model: model, .sqlite(at: path, opening: .create))
    }

    /// Returns the problems that `verify` finds after a change of the file.
    private func problems(after sql: String, ofApp: Bool) throws -> [String] {
        if ofApp { try AppStoreFixture.disown(path, model) }
        try Connection(path: path, mode: .readWrite).execute(sql)
        return try PersistentContainer.verify(at: path, .full).problems
    }

    @Test(
        "verify reports a missing join table if another relationship has the same name",
        arguments: [
            ("Z_6TAGS", "Photo.tags, Tag.photos"), ("Z_7TAGS", "Post.tags, Tag.posts"),
        ])
    func joinTable(_ table: String, _ properties: String) throws {
        #expect(
            try problems(after: "DROP TABLE \(table)", ofApp: true)
                == ["The table \(table), for \(properties), is missing"])
    }

    @Test("verify reports a missing join table in an etl store", arguments: ["Z_6TAGS", "Z_7TAGS"])
    func ownJoinTable(_ table: String) throws {
        #expect(
            try problems(after: "DROP TABLE \(table)", ofApp: false)
                == ["The table \(table) is missing"])
    }

    @Test("verify reports a missing column if a sibling entity has one of the same name")
    func siblingColumn() throws {
        #expect(
            try problems(after: "ALTER TABLE ZBASE DROP COLUMN ZTITLE1", ofApp: true)
                == ["The column ZBASE.ZTITLE1, for B.title, is missing"])
    }

    @Test(
        "verify reports a missing column if another relationship without an inverse has its name",
        arguments: [("Z5ITEMS", "P.items"), ("Z8ITEMS", "Q.items")])
    func columnWithoutInverse(_ column: String, _ property: String) throws {
        let drop =
            "DROP INDEX ZITEM_\(column)_INDEX; ALTER TABLE ZITEM DROP COLUMN \(column)"
        #expect(
            try problems(after: drop, ofApp: true)
                == ["The column ZITEM.\(column), for \(property), is missing"])
    }

    @Test("a repair of an etl store keeps links in join tables with an earlier version's name")
    func repairOfEarlierNames() throws {
        let (read, diagnostics) = ModelFile.read(
            text: """
                model: 1
                entities:
                  Person:
                    attributes: { name: String }
                    relationships:
                      follows: { to: Person, many: true, ordered: true, inverse: followers }
                      followers: { to: Person, many: true, inverse: follows }
                """)
        let people = try #require(read, "\(diagnostics)")
        let store = folder.file("people.sqlite")
        do {
            let container = try PersistentContainer(
                model: people, .sqlite(at: store, opening: .create))
            let context = container.newContext()
            let persons = try ["a", "b", "c"].map { name in
                let person = try context.insert("Person")
                try person.setValue(.attribute(.text(name)), forKey: "name")
                return person
            }
            for index in [2, 1] { persons[0].add(persons[index], to: .toMany("follows")) }
            try context.save()
        }
        let lines = try objectLines(of: PersistentContainer(model: people, .sqlite(at: store)))
        let connection = try Connection(path: store, mode: .readWrite)
        try connection.execute(
            "DROP INDEX Z_1FOLLOWS_Z_1FOLLOWS_INDEX;"
                + " ALTER TABLE Z_1FOLLOWS RENAME TO Z_1FOLLOWERS;"
                + " CREATE INDEX Z_1FOLLOWERS_Z_1FOLLOWS_INDEX"
                + " ON Z_1FOLLOWERS (Z_1FOLLOWS, Z_1FOLLOWERS)")
        let repaired = folder.file("repaired.sqlite")
        let salvage = try PersistentContainer.salvage(at: store, to: repaired)
        #expect(salvage.losses == [] && salvage.remaining == [])
        #expect(
            try objectLines(of: PersistentContainer(model: people, .sqlite(at: repaired))) == lines)
    }
}
