import AppStoreFixtures
import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

/// Names and numbers that other framework versions, or migrations, have left.
@Suite("Names in apps' stores") struct AppStoreNameTests {
    private let store: AppStoreFile
    private let before: [String]

    init() throws {
        store = try AppStoreFile()
        before = try objectLines(of: store.open())
    }

    /// Expects the same objects after a change that only renames or renumbers.
    private func expectTheSame(
        after sql: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try store.run(sql)
        #expect(try objectLines(of: store.open()) == before, sourceLocation: sourceLocation)
        if let lines = try independentLines(of: store.path) {
            #expect(lines == before, sourceLocation: sourceLocation)
        }
    }

    @Test func readsJoinTablesNamedAfterEitherSide() throws {
        try expectTheSame(
            after: """
                ALTER TABLE Z_8ITEMS RENAME TO Z_2TAGS;
                ALTER TABLE Z_6FOLLOWS RENAME TO Z_6FOLLOWERS;
                """)
    }

    /// The entity numbers in names come from another version of the model.
    @Test func readsNamesWithOldEntityNumbers() throws {
        try expectTheSame(
            after: """
                ALTER TABLE Z_8ITEMS RENAME TO Z_12ITEMS;
                ALTER TABLE Z_12ITEMS RENAME COLUMN Z_8TAGS TO Z_12TAGS;
                ALTER TABLE Z_12ITEMS RENAME COLUMN Z_2ITEMS TO Z_3ITEMS;
                ALTER TABLE ZAUTHOR RENAME COLUMN Z2_FAVORITE TO Z3_FAVORITE;
                ALTER TABLE ZTAG RENAME COLUMN Z7PINNED TO Z9PINNED;
                """)
    }

    @Test func readsClashingColumnNameWithSuffix() throws {
        try expectTheSame(
            after: """
                ALTER TABLE Z_6FOLLOWS RENAME COLUMN Z_6FOLLOWS TO Z_6FOLLOWS1;
                """)
    }

    @Test func readsReorderedAndAdditionalColumns() throws {
        try expectTheSame(
            after: """
                ALTER TABLE ZSHELF ADD COLUMN ZOLDER INTEGER;
                ALTER TABLE ZSHELF RENAME COLUMN ZLABEL TO ZX;
                ALTER TABLE ZSHELF ADD COLUMN ZLABEL VARCHAR;
                UPDATE ZSHELF SET ZLABEL = ZX;
                """)
    }

    /// The model does not say that the entity had another name, so this name is a fault.
    @Test func readsEntityUnderAnUnknownName() throws {
        try store.run("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Label' WHERE Z_NAME = 'Tag'")
        let container = try store.open()
        #expect(try objectLines(of: container) == before)
        #expect(container.origin.notes == [])
        let verification = try PersistentContainer.verify(at: store.path, .full)
        #expect(verification.remarks == [])
        #expect(
            verification.findings.filter { $0.kind == .structure }.map(\.description) == [
                "Z_PRIMARYKEY gives the entity 'Tag' the name 'Label'"
            ])
    }

    /// Entity numbers may have gaps, and may differ from those of a new store.
    @Test func usesTheEntityNumbersOfTheStore() throws {
        try expectTheSame(
            after: """
                UPDATE Z_PRIMARYKEY SET Z_ENT = 40 WHERE Z_NAME = 'Author';
                UPDATE ZAUTHOR SET Z_ENT = 40;
                UPDATE Z_PRIMARYKEY SET Z_ENT = 77 WHERE Z_NAME = 'Film';
                UPDATE ZITEM SET Z_ENT = 77 WHERE Z_ENT = 4;
                UPDATE ZAUTHOR SET Z2_FAVORITE = 77 WHERE Z2_FAVORITE = 4;
                ALTER TABLE ZITEM RENAME COLUMN ZNOTE TO ZN;
                ALTER TABLE ZITEM RENAME COLUMN ZN TO ZNOTE;
                """)
    }

    /// The entity with the larger number gets the colliding column.
    @Test func assignsCollidingColumnsByEntityNumber() throws {
        try expectTheSame(
            after: """
                UPDATE Z_PRIMARYKEY SET Z_ENT = 30 WHERE Z_NAME = 'Book';
                UPDATE ZITEM SET Z_ENT = 30 WHERE Z_ENT = 3;
                UPDATE ZAUTHOR SET Z2_FAVORITE = 30 WHERE Z2_FAVORITE = 3;
                ALTER TABLE ZITEM RENAME COLUMN ZNOTE TO ZTEMP;
                ALTER TABLE ZITEM RENAME COLUMN ZNOTE1 TO ZNOTE;
                ALTER TABLE ZITEM RENAME COLUMN ZTEMP TO ZNOTE1;
                """)
    }

    @Test func readsStoreWithoutMetadata() throws {
        try expectTheSame(after: "UPDATE Z_METADATA SET Z_PLIST = NULL")
        #expect(try store.open().metadata.isEmpty)
    }

    @Test func omitsAndReportsAttributeWithoutColumn() throws {
        try store.run("ALTER TABLE ZAUTHOR DROP COLUMN ZHOMEPAGE")
        let container = try store.open()
        #expect(
            try objectLines(of: container) == before.filter { !$0.contains("|homepage|") })
        #expect(
            container.origin.notes == [
                "Author.homepage is left out: the store has no ZAUTHOR.ZHOMEPAGE"
            ])
    }
}

/// Partial indexes on columns that a store does not have.
@Suite("Omitted indexes of apps' stores") struct LeftOutIndexTests {
    /// Without its predicate, the index would cover all rows, and so be a different index.
    @Test func omitsIndexIfItsPredicateNamesAMissingColumn() throws {
        let model = try LaterShelf.model([
            "      byRating: [rating desc]\n": """
                  byRating: [rating desc]
                  online: { properties: [name], where: "homepage != nil" }
                  rated: { properties: [name], where: "rating > 3" }

            """
        ])
        let folder = try TemporaryFolder()
        let path = folder.file("Shelf.sqlite")
        try AppStoreFixture.make(at: path, model)
        try Connection(path: path, mode: .readWrite).execute(
            "ALTER TABLE ZAUTHOR DROP COLUMN ZHOMEPAGE")
        var options = StoreOptions()
        options.isReadOnly = true
        let container = try PersistentContainer(model: nil, .sqlite(at: path, options: options))
        #expect(
            container.model.entity(named: "Author")?.indexes.map(\.name) == ["byRating", "rated"])
        #expect(
            container.schema.table(named: "ZAUTHOR")?.indexes.map(\.name).filter {
                $0.hasPrefix("Z_Author_")
            } == ["Z_Author_UNIQUE_name", "Z_Author_byRating", "Z_Author_rating", "Z_Author_rated"])
    }
}

/// Models of stores that carry no model, or that are opened with another one.
@Suite("Models of apps' stores") struct AppStoreModelTests {
    private let store: AppStoreFile

    init() throws {
        store = try AppStoreFile()
    }

    @Test func readsModelCacheWithZlibHeaderOrUncompressed() throws {
        let before = try store.open().model
        for content in [
            try AppStoreFixture.zlibModel(store.model),
            try AppStoreFixture.archivedModel(store.model),
        ] {
            let connection = try Connection(path: store.path, mode: .readWrite)
            let update = try connection.prepare("UPDATE Z_MODELCACHE SET Z_CONTENT = ?")
            update.bind(content, at: 1)
            try update.run()
            #expect(try store.open().model == before)
        }
    }

    @Test func usesGivenModelIfHashesAreEqual() throws {
        try store.run("DROP TABLE Z_MODELCACHE")
        let container = try store.open(store.model)
        #expect(container.origin == StoreOrigin(model: .given))
        let lines = try objectLines(of: container)
        #expect(lines.contains("Shelf|1|items|m[Film:4,Book:2,Book:1]"))
        #expect(lines.contains("Film|4|note|t6634"))
    }

    /// The columns decide, and the difference is reported.
    @Test func usesGivenModelOfAnotherVersionIfAllColumnsExist() throws {
        var entities = store.model.entities
        let place = try #require(entities.firstIndex { $0.name == "Tag" })
        entities[place].ownAttributes[0].isOptional = true
        let other = try ManagedObjectModel(entities: entities)
        let container = try store.open(other)
        #expect(container.origin.differingEntities == ["Tag"])
        #expect(
            container.origin.remarks == [
                "Your model is not the store's: these entities differ: Tag"
            ])
        #expect(try objectLines(of: container).contains("Tag|2|isHidden|i1"))
        entities[place].ownAttributes.append(AttributeDescription(name: "color", type: .string))
        let wrong = try ManagedObjectModel(entities: entities)
        let error = storeError { _ = try store.open(wrong) }
        #expect(error?.code == .modelMismatch)
        #expect(
            error?.message == """
                \(store.path) was created with another model; these entities differ: Tag; it has no \
                ZTAG.ZCOLOR for Tag.color
                """)
    }

    @Test func infersTheModelFromTheColumns() throws {
        try store.run("DROP TABLE Z_MODELCACHE")
        let container = try store.open()
        #expect(container.origin == StoreOrigin(model: .columns))
        #expect(
            ModelText.text(of: container.model, hashes: false)
                == ModelText.text(of: try GraphStoreTests.model(Self.columns), hashes: false))
        let lines = try objectLines(of: container)
        let expected = [
            "Author|1|favorite|oFilm:4", "Author|1|name|t557273756c61", "Book|1|shelf|oShelf:1",
            "Book|1|tags|m[Tag:1,Tag:2]", "Person|1|friends|m[Person:2,Person:3]",
            "Person|2|follows|m[Person:3]", "Passport|1|number|b16:\(checksum(Self.number))",
        ]
        for line in expected { #expect(lines.contains(line), "\(line)") }
    }

    private static let number = (0..<16).map { UInt8($0 * 17) }

    private static let columns = """
        Author:
          attributes:
            bookcount: Integer 64
            rating: Decimal
            name: String
            homepage: String
          relationships:
            favorite: { to: Item }
        Item:
          attributes:
            pages: Integer 64
            addedon: Date
            minutes: Double
            title: String
            note: String
            note1: String
            settings: Transformable
            cover: Binary
            leftbehind: String
          relationships:
            shelf: { to: Shelf }
            author: { to: Author }
            tags: { to: Tag, many: true, inverse: items }
        Book: { parent: Item }
        Film: { parent: Item }
        Passport:
          attributes:
            holder: Integer 64
            number: UUID
        Person:
          attributes:
            weight: Double
            name: String
          relationships:
            passport: { to: Passport }
            followers: { to: Person, many: true, inverse: follows }
            follows: { to: Person, many: true, inverse: followers }
            friends: { to: Person, many: true, inverse: friends }
        Shelf:
          attributes: { label: String }
        Tag:
          attributes:
            ishidden: Integer 64
            name: String
          relationships:
            items: { to: Item, many: true, inverse: tags }
        """

    @Test("an unreadable model cache is an error without a model and a note with one")
    func unreadableCacheIsReported() throws {
        try store.run("UPDATE Z_MODELCACHE SET Z_CONTENT = x'0102030405'")
        let error = #expect(throws: StoreError.self) { try store.open() }
        #expect(error?.code == .noModel)
        #expect(
            error?.message
                == "\(store.path): the model that the store carries (Z_MODELCACHE) cannot be read: it"
                + " does not inflate; give the app's model instead, such as by"
                + " `--model App.xcdatamodeld`")
        let container = try store.open(store.model)
        #expect(container.origin.model == .given)
        #expect(
            container.origin.notes == [
                "The model that the store carries (Z_MODELCACHE) cannot be read: it does not"
                    + " inflate. The given model is used"
            ])
        #expect(try ModelHistory([store.model]).versionIndex(ofStoreAt: store.path) == 0)
        try store.run("UPDATE Z_MODELCACHE SET Z_CONTENT = NULL")
        #expect(try store.open().origin == StoreOrigin(model: .columns))
    }

    @Test func verificationReportsExactlyTheFaults() throws {
        let found = try PersistentContainer.verify(at: store.path, .full)
        #expect(
            found.findings.map(\.description) == [
                "Item: 1 row does not count its changes (object 9)",
                "Item.shelf: 1 link leads nowhere (object 9)",
                "Tag.items: 1 link leads nowhere (object 3)",
            ])
        #expect(found.remarks == [])
        var entities = store.model.entities
        let place = try #require(entities.firstIndex { $0.name == "Shelf" })
        entities[place].ownAttributes[0].isOptional = false
        let other = try ManagedObjectModel(entities: entities)
        let compared = try PersistentContainer.verify(at: store.path, .quick, model: other)
        #expect(compared.problems.first == "The version hashes differ from the one given: Shelf")
    }
}
