import AppStoreFixtures
import Files
import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

/// An app's store in its own folder.
struct AppStoreFile {
    let folder: TemporaryFolder
    let model: ManagedObjectModel
    var path: String { folder.file("Shelf.sqlite") }

    init() throws {
        folder = try TemporaryFolder()
        let (read, diagnostics) = ModelFile.read(text: AppStoreFixture.modelText)
        model = try #require(read, "\(diagnostics)")
        try AppStoreFixture.make(at: path, model)
    }

    /// Opens the store for writing.
    func openForWriting(
        _ configure: (inout AppStoreAccess) -> Void = { _ in }
    ) throws -> PersistentContainer {
        var options = StoreOptions()
        options.appStores = .writing
        configure(&options.appStores)
        return try PersistentContainer(model: nil, .sqlite(at: path, options: options))
    }

    /// Opens the store for reading.
    func open(_ model: ManagedObjectModel? = nil) throws -> PersistentContainer {
        var options = StoreOptions()
        options.isReadOnly = true
        return try PersistentContainer(model: model, .sqlite(at: path, options: options))
    }

    /// Changes the store as another program might.
    func run(_ sql: String) throws {
        try Connection(path: path, mode: .readWrite).execute(sql)
    }

    /// Returns rows of this file, or of another one, as text.
    func rows(_ sql: String, of other: String? = nil) throws -> [String] {
        try lines(sql, on: Connection(path: other ?? path, mode: .readOnly))
    }

    func expect(
        _ sql: String, of other: String? = nil, _ expected: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try rows(sql, of: other)
        #expect(found == expected, sourceLocation: sourceLocation)
    }
}

@Suite("Reading apps' stores") struct AppStoreReadingTests {
    private let store: AppStoreFile

    init() throws {
        store = try AppStoreFile()
    }

    @Test("the inputs of an app's store are known from the file of this store next to it")
    func knowsInputs() throws {
        let work = store.folder.file("work.sqlite")
        try FileManager.default.copyItem(atPath: store.path, toPath: work)
        let input = KnownInput(
            path: FileName(bytes: Array("a.csv".utf8)), byteCount: 7, digest: [1, 2])
        func write(_ inputs: [KnownInput]) throws {
            try KnownInputs.write(
                inputs, "load", "first", on: Connection(path: work, mode: .readWrite))
        }
        func known() throws -> [FileName: KnownInput] {
            try store.open().knownInputs(pipeline: "load", stage: "first")
        }
        try write([input])
        #expect(try known() == [:])
        try InputMemory.keep(of: work, nextToStoreAt: store.path)
        // The run may still fail.
        #expect(try known() == [:])
        for _ in 0..<2 {
            try InputMemory.confirm(ofStoreAt: store.path)
            #expect(try known() == [input.path: input])
        }
        try Connection(path: store.path + ".etl", mode: .readWrite)
            .execute("UPDATE ETL_STORE SET UUID = 'of another store'")
        #expect(try known() == [:])
    }

    @Test("a large value without a mark is itself, and a mark without a file's name is nil")
    func readsValuesWithoutMarks() throws {
        try store.run(
            "UPDATE ZITEM SET ZCOVER = x'4142' WHERE Z_PK = 1;"
                + " UPDATE ZITEM SET ZCOVER = x'026E6F00' WHERE Z_PK = 3")
        let books = try store.open().newContext().fetch(
            FetchRequest<ManagedObject>(
                entityName: "Book", sortDescriptors: [GraphSortDescriptor(["objectID"])]))
        #expect(
            books.map { $0[.binary("cover")] } == [
                [0x41, 0x42], AppStoreFixture.largeValue, nil,
            ])
    }

    @Test(
        "a store without a readable model is read by its tables if they list its entities",
        arguments: [
            ("UPDATE Z_MODELCACHE SET Z_CONTENT = x''", nil),
            ("CREATE TABLE Z_9ODD (Z_1A INTEGER, Z_99B INTEGER)", nil),
            ("DELETE FROM Z_PRIMARYKEY", "does not list its entities"),
            (
                "UPDATE Z_PRIMARYKEY SET Z_NAME = 'a;b' WHERE Z_ENT = 1",
                "does not list its entities"
            ),
            ("UPDATE Z_PRIMARYKEY SET Z_SUPER = Z_ENT", "none can be inferred from its tables"),
        ] as [(String, String?)])
    func readsByTables(sql: String, problem: String?) throws {
        try store.run(sql)
        if !sql.contains("MODELCACHE") { try store.run("DROP TABLE Z_MODELCACHE") }
        let error = storeError {
            let container = try store.open()
            #expect(container.origin.model == .columns)
            #expect(container.model.entity(named: "Tag") != nil)
        }
        if let problem {
            #expect(error?.code == .noModel)
            #expect(error?.message.contains(problem) == true, "\(error as Any)")
        } else {
            #expect(error == nil)
        }
    }

    @Test func readsModelAndMetadataFromTheStore() throws {
        let container = try store.open()
        #expect(container.origin == StoreOrigin(model: .cached))
        // The archive lists properties by name.
        let sortedModel = try sorted(store.model)
        #expect(
            ModelText.text(of: container.model, hashes: false)
                == ModelText.text(of: sortedModel, hashes: false))
        #expect(container.model.versionHashes == store.model.versionHashes)
        #expect(container.storeUUID == AppStoreFixture.storeUUID)
        #expect(
            container.metadata["LastOpenedByUser"]
                == .dictionary([
                    "name": .string("Zoë"),
                    "at": .date(Date(timeIntervalSinceReferenceDate: 12.5)),
                ]))
    }

    private func sorted(_ model: ManagedObjectModel) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: model.entities.map { entity in
                var entity = entity
                entity.ownAttributes.sort { $0.name < $1.name }
                entity.ownRelationships.sort { $0.name < $1.name }
                return entity
            }, versionIdentifiers: model.versionIdentifiers)
    }

    @Test func readsValuesAndLinks() throws {
        let lines = try objectLines(of: store.open())
        let settings = [try setting(1), try setting(2)]
        #expect(
            lines.filter { $0.hasPrefix("Book|") || $0.hasPrefix("Film|9") } == [
                "Book|1|addedOn|r41c4dc9380000000", "Book|1|author|oAuthor:1",
                "Book|1|cover|b2:\(checksum([0xCA, 0xFE]))", "Book|1|note|t6231",
                "Book|1|pages|i341", "Book|1|settings|\(settings[0])", "Book|1|shelf|oShelf:1",
                "Book|1|tags|m[Tag:1,Tag:2]", "Book|1|title|t\(hex("The Dispossessed"))",
                "Book|2|addedOn|r41c4dc9380200000", "Book|2|author|oAuthor:2",
                "Book|2|cover|b1000:\(checksum(AppStoreFixture.largeValue))", "Book|2|note|-",
                "Book|2|pages|i204", "Book|2|settings|\(settings[1])", "Book|2|shelf|oShelf:1",
                "Book|2|tags|m[Tag:1,Tag:2]", "Book|2|title|t\(hex("Solaris"))",
                "Book|3|addedOn|rc17e133800000000", "Book|3|author|oAuthor:1", "Book|3|cover|-",
                "Book|3|note|-", "Book|3|pages|i200", "Book|3|settings|-", "Book|3|shelf|oShelf:2",
                "Book|3|tags|m[]", "Book|3|title|t\(hex("Rocannon"))",
                "Film|9|addedOn|-", "Film|9|cover|-", "Film|9|minutes|r4056800000000000",
                "Film|9|note|-", "Film|9|settings|-", "Film|9|shelf|-", "Film|9|tags|m[]",
                "Film|9|title|t\(hex("Lost"))",
            ])
        let others = [
            "Author|1|favorite|oFilm:4", "Author|2|favorite|oBook:2",
            "Author|2|rating|r400aaaaaaaa98575",
            "Film|4|note|t6634", "Passport|1|holder|oPerson:2", "Person|2|passport|oPassport:1",
            "Person|1|friends|m[Person:2,Person:3]", "Person|2|friends|m[Person:1]",
            "Person|2|follows|m[Person:3]", "Person|3|followers|m[Person:1,Person:2]",
            "Shelf|1|items|m[Film:4,Book:2,Book:1]", "Shelf|2|pinned|m[Tag:1,Tag:3]",
            "Tag|1|items|m[Book:1,Book:2]", "Tag|3|items|m[Film:4]", "Tag|3|isHidden|-",
        ]
        for line in others { #expect(lines.contains(line), "\(line)") }
    }

    private func setting(_ key: Int) throws -> String {
        let connection = try Connection(path: store.path, mode: .readOnly)
        let row = try connection.prepare("SELECT ZSETTINGS FROM ZITEM WHERE Z_PK = \(key)")
        _ = try row.step()
        let bytes = Array(row.bytes(0))
        return "b\(bytes.count):\(checksum(bytes))"
    }

    private func hex(_ text: String) -> String {
        text.utf8.map { String(format: "%02x", $0) }.joined()
    }

    @Test(.enabled(if: IndependentReader.canRun, "there is no python3"))
    func agreesWithAnIndependentReader() throws {
        let lines = try independentLines(of: store.path)
        #expect(try objectLines(of: store.open()) == lines)
    }

    @Test func readingChangesNothingInTheFolder() throws {
        let before = try folderDigest(store.folder.path)
        _ = try objectLines(of: store.open())
        _ = try store.open().newContext().cursor(
            RowRequest(entityName: "Item", fields: [["title"]])
        ).matchCount()
        _ = try PersistentContainer.model(ofStoreAt: store.path)
        _ = try PersistentContainer.metadata(at: store.path)
        _ = try PersistentContainer.verify(at: store.path, .full)
        _ = try ModelHistory([store.model]).versionIndex(ofStoreAt: store.path)
        #expect(try folderDigest(store.folder.path) == before)
    }

    /// Changes that the app has not checkpointed yet are in the WAL next to the file.
    @Test func readsTheWriteAheadLogInACopy() throws {
        let app = try Connection(path: store.path, mode: .readWrite)
        try app.execute("PRAGMA wal_autocheckpoint = 0; UPDATE ZSHELF SET ZLABEL = 'Middle'")
        try #require(StoreFiles.size(store.path + "-wal") > 0)
        let links = try TemporaryFolder()
        let link = links.file("link.sqlite")
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: store.path)
        let before = try folderDigest(store.folder.path)
        do {
            let container = try store.open()
            let lines = try objectLines(of: container)
            #expect(lines.contains("Shelf|2|label|t\(hex("Middle"))"))
            var options = StoreOptions()
            options.isReadOnly = true
            let linked = try PersistentContainer(model: nil, .sqlite(at: link, options: options))
            #expect(try objectLines(of: linked) == lines)
            // Large values are not copied.
            #expect(lines.contains("Book|2|cover|b1000:\(checksum(AppStoreFixture.largeValue))"))
            _ = try PersistentContainer.verify(at: store.path, .full)
            _ = try PersistentContainer.model(ofStoreAt: store.path)
        }
        #expect(try folderDigest(store.folder.path) == before)
        let left = try StoreFiles.names(in: FileManager.default.temporaryDirectory.path).filter {
            $0.hasPrefix("etl-look-\(ProcessInfo.processInfo.processIdentifier)-")
        }
        #expect(
            left.filter {
                FileSystem.exists(
                    "\(FileManager.default.temporaryDirectory.path)/\($0)/Shelf.sqlite")
            } == [])
        withExtendedLifetime(app) {}
    }

    /// Only root can write a file without the owner's write permission.
    @Test func copiesReadOnlyFilesAsWritableOnes() throws {
        try Data("log".utf8).write(to: URL(fileURLWithPath: store.path + "-wal"))
        for suffix in ["", "-wal"] {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o444], ofItemAtPath: store.path + suffix)
        }
        let copy = try #require(try SnapshotFolder.copy(store.path))
        for suffix in ["", "-wal"] {
            #expect(try FileStatus(of: copy.path + suffix).mode & 0o777 == 0o644)
            #expect(try FileStatus(of: store.path + suffix).mode & 0o777 == 0o444)
        }
        withExtendedLifetime(copy.folder) {}
    }

    @Test func readsTransactionsAndChangesFromTheHistory() throws {
        let container = try store.open()
        let transactions = try container.history()
        #expect(transactions.map(\.author) == ["sync", nil])
        #expect(transactions.map(\.bundleID) == ["org.shelf", "org.shelf"])
        #expect(transactions.map(\.token.sequence) == [101, 103])
        let changes = transactions.flatMap(\.changes)
        #expect(changes.map(\.kind) == [.update, .delete, .insert])
        #expect(changes[0].updatedProperties == ["author", "pages"])
        #expect(changes[1].tombstone == ["title": .text("Gone")])
        #expect(
            changes.map { container.schema.entity(number: $0.objectID.entityNumber)?.name }
                == ["Book", "Film", "Tag"])
    }

    /// Old frameworks stored the strings in the rows, and no tombstones.
    @Test func readsHistoryOfOldFrameworks() throws {
        try store.run(
            """
            DROP TABLE ATRANSACTIONSTRING;
            ALTER TABLE ATRANSACTION DROP COLUMN ZAUTHORTS;
            ALTER TABLE ATRANSACTION DROP COLUMN ZCONTEXTNAME;
            ALTER TABLE ACHANGE DROP COLUMN ZTOMBSTONE0;
            UPDATE ATRANSACTION SET ZAUTHOR = 'old';
            """)
        let transactions = try store.open().history()
        #expect(transactions.map(\.author) == ["old", "old"])
        #expect(transactions.flatMap(\.changes).map(\.tombstone) == [[:], [:], [:]])
    }

    @Test func savingToAReadOnlyStoreFails() throws {
        let before = try folderDigest(store.folder.path)
        let container = try store.open()
        let error = storeError {
            let context = container.newContext()
            let tag = try context.insert("Tag")
            try tag.setValue("new", forKey: "name")
            try context.save()
        }
        #expect(error?.code == .permission)
        #expect(try folderDigest(store.folder.path) == before)
    }
}
