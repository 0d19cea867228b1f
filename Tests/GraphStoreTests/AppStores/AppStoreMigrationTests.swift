import AppStoreFixtures
import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Migrating apps' stores") struct AppStoreMigrationTests {
    private let store: AppStoreFile

    init() throws {
        store = try AppStoreFile()
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: store.folder.path).sorted()
            // A reader leaves an empty WAL.
            .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
    }

    // MARK: Lightweight

    /// Returns the lines that the objects have after migration to the second version.
    private static func renamed(_ lines: [String]) -> [String] {
        var result: [String] = []
        for line in lines where !line.contains("|weight|") {
            var line = line.replacing("Film|", with: "Movie|").replacing("Film:", with: "Movie:")
            if line.hasPrefix("Shelf|") { line = line.replacing("|label|", with: "|title|") }
            result.append(line)
            let parts = line.split(separator: "|").map(String.init)
            guard parts.count > 2 else { continue }
            let object = "\(parts[0])|\(parts[1])"
            if parts[2] == "addedOn" { result.append("\(object)|rank|i5") }
            if parts[2] == "friends" { result.append("\(object)|nickname|t6e6f6e65") }
        }
        return result.sorted()
    }

    /// Compares every value and link, as read by GraphStore and by an independent reader.
    private func expectObjects(
        _ expected: [String], _ model: ManagedObjectModel,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try objectLines(of: store.open(model)).sorted()
        #expect(
            Set(found).symmetricDifference(expected).sorted() == [],
            sourceLocation: sourceLocation)
        #expect(found.count == expected.count, sourceLocation: sourceLocation)
        // The other reader knows only the model that the store carries.
        let copy = store.folder.file("carrying.sqlite")
        try FileManager.default.copyItem(atPath: store.path, toPath: copy)
        do {
            let connection = try Connection(path: copy, mode: .readWrite)
            let cache = try connection.prepare("UPDATE Z_MODELCACHE SET Z_CONTENT = ?")
            cache.bind(try AppStoreFixture.cachedModel(model), at: 1)
            try cache.run()
        }
        let support = store.folder.file(".Shelf_SUPPORT")
        let copied = store.folder.file(".carrying_SUPPORT")
        try FileManager.default.copyItem(atPath: support, toPath: copied)
        if let lines = try independentLines(of: copy) {
            #expect(lines.sorted() == found, sourceLocation: sourceLocation)
        }
        for path in [copy, copied] { try FileManager.default.removeItem(atPath: path) }
    }

    @Test func migratesEveryObjectToNewEntityNumbers() throws {
        let before = try objectLines(of: store.open())
        let model = try LaterShelf.model(LaterShelf.second)
        let plan = try MigrationManager(storeAt: store.path, to: model).plan()
        #expect(
            plan.notes == [
                "the column ZITEM.ZLEFTBEHIND, which the model does not name, is not copied"
            ])
        #expect(plan.isPossible, "\(plan.text)")
        #expect(try objectLines(of: store.open()) == before)
        let result = try MigrationManager(storeAt: store.path, to: model).migrate()
        #expect(result.backupPath == store.path + ".bak-v1")
        #expect(result.plan == plan)
        try expectObjects(Self.renamed(before), model)
        try store.expect(
            "SELECT * FROM Z_PRIMARYKEY ORDER BY 1",
            [
                "1|Album|0|0", "2|Author|0|3", "3|Item|0|9", "4|Book|3|0", "5|Movie|3|0",
                "6|Passport|0|1", "7|Person|0|4", "8|Shelf|0|2", "9|Tag|0|3",
                "16001|CHANGE|0|12", "16002|TRANSACTION|0|103",
                "16003|TRANSACTIONSTRING|0|2",
            ])
        try store.expect(
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1",
            [
                "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING", "ZALBUM", "ZAUTHOR", "ZITEM",
                "ZPASSPORT", "ZPERSON", "ZSHELF", "ZTAG", "Z_7FOLLOWS", "Z_7FRIENDS", "Z_9ITEMS",
                "Z_METADATA", "Z_MODELCACHE", "Z_PRIMARYKEY",
            ])
        try store.expect(
            "SELECT Z_PK, Z_ENT, Z_OPT, Z3_FAVORITE FROM ZAUTHOR",
            [
                "1|2|3|5", "2|2|1|4", "3|2|1|-",
            ])
        try store.expect(
            "SELECT Z_9TAGS, Z_3ITEMS FROM Z_9ITEMS WHERE Z_9TAGS = 3", ["3|4", "3|55"])
        try store.expect("SELECT Z_7FOLLOWERS, Z_7FOLLOWS FROM Z_7FOLLOWS", ["1|2", "1|3", "2|3"])
        try store.expect("SELECT count(*), count(Z_CONTENT) FROM Z_MODELCACHE", ["1|1"])
        #expect(
            try PersistentContainer.verify(at: store.path, .full, model: model).problems == [
                "Item.shelf: 1 link leads nowhere", "Tag.items: 1 link leads nowhere",
            ])
        #expect(try store.rows("PRAGMA journal_mode") == ["wal"])
        // The backup is complete and has the old model.
        #expect(
            try PersistentContainer.model(ofStoreAt: store.path + ".bak-v1")?.versionHashes
                == store.model.versionHashes)
        // A second migration has an empty plan.
        var again = MigrationManager(storeAt: store.path, to: model)
        again.versions = [store.model, model]
        #expect(try again.migrate().plan.isEmpty)
        #expect(try names().filter { $0.contains("bak-v2") } == [])
    }

    @Test func keepsAppMetadataAndUpdatesModelHashes() throws {
        try addMetadata(["NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey"])
        let before = try PersistentContainer.metadata(at: store.path)
        let model = try LaterShelf.model(LaterShelf.second)
        try MigrationManager(storeAt: store.path, to: model).migrate()
        let after = try PersistentContainer.metadata(at: store.path)
        #expect(after.storeUUID == before.storeUUID)
        var hashes = model.versionHashes
        // GraphStore cannot compute this hash; it belongs to an entity that does not change.
        hashes["Author"] = Array(repeating: 7, count: 32)
        var expected = before.metadata
        expected["NSStoreModelVersionHashes"] = .dictionary(hashes.mapValues { .data(Data($0)) })
        expected["NSStoreModelVersionIdentifiers"] = .array([.string("shelf-4")])
        expected["NSStoreModelVersionHashesDigest"] =
            .string(ManagedObjectModel.digest(of: hashes))
        expected["NSStoreModelVersionChecksumKey"] =
            .string(ManagedObjectModel.checksum(of: hashes))
        #expect(after.metadata == expected)
        #expect(after.metadata["LastOpenedByUser"] != nil)
    }

    private func addMetadata(_ keys: [String]) throws {
        let connection = try Connection(path: store.path, mode: .readWrite)
        var metadata = try #require(try StoreMetadata(readingFrom: connection))
        for key in keys { metadata.propertyList[key] = .string("old") }
        try metadata.write(to: connection)
    }

    @Test func migratesHistoryAndTriggers() throws {
        let model = try LaterShelf.model(LaterShelf.second)
        try MigrationManager(storeAt: store.path, to: model).migrate()
        // The new property `rank` comes before the bits that no change has set.
        try store.expect(
            "SELECT Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID,"
                + " hex(ZCOLUMNS), ZTOMBSTONE0 FROM ACHANGE",
            [
                "10|16001|-|1|4|1|101|8400|-", "11|16001|-|2|5|8|101||Gone",
                "12|16001|-|0|9|3|103||-",
            ])
        try store.expect("SELECT Z_PK, ZNAME FROM ATRANSACTIONSTRING", ["1|sync", "2|org.shelf"])
        let triggers = try store.rows(
            "SELECT sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
        #expect(triggers.count == 3)
        for trigger in triggers {
            #expect(trigger.contains("Z_ENT IN (4)"))
            #expect(trigger.contains("('ZAUTHOR', 2, "))
        }
        var options = StoreOptions()
        options.appStores = .writing
        let container = try PersistentContainer(
            model: model, .sqlite(at: store.path, options: options))
        let context = container.newContext()
        let author = try #require(
            try context.fetch(
                FetchRequest<ManagedObject>(
                    entityName: "Author", predicate: GraphPredicate(format: "name == 'Nobody'"))
            ).first)
        let book = try context.insert("Book")
        try book.setValue(.attribute(.text("New")), forKey: "title")
        try book.setValue(.object(author), forKey: "author")
        try context.save()
        try store.expect("SELECT ZBOOKCOUNT FROM ZAUTHOR ORDER BY Z_PK", ["2", "1", "1"])
        try store.expect("SELECT Z_PK, Z_ENT, ZRANK FROM ZITEM WHERE ZTITLE = 'New'", ["10|4|5"])
        #expect(try container.history().map(\.author) == ["sync", nil, nil])
    }

    // MARK: Chains

    @Test func migratesThroughLightweightAndMappedStages() throws {
        let before = try objectLines(of: store.open())
        let second = try LaterShelf.model(LaterShelf.second)
        var text = AppStoreFixture.modelText
        for (old, new) in LaterShelf.second where !old.hasPrefix("label") {
            text = text.replacing(old, with: new)
        }
        text =
            text
            .replacing("shelf-4", with: "shelf-5")
            .replacing("    renamed-from: Film\n", with: "")
            .replacing("      cover: { type: Binary, external: true }\n", with: "")
            .replacing(
                "label: { type: String, renamed-from: title }",
                with: "title: String, size: Integer 16"
            )
            .replacing("Shelf:\n", with: "Rack:\n    renamed-from: Shelf\n")
            .replacing("to: Shelf", with: "to: Rack")
        let (read, diagnostics) = ModelFile.read(text: text)
        let third = try #require(read, "\(diagnostics)")
        let history = ModelHistory([store.model, second, third])
        #expect(try history.versionIndex(ofStoreAt: store.path) == 0)
        var stages: [String] = []
        let backup = try history.migrate(
            storeAt: store.path,
            mappings: [
                ModelHistory.Stage(from: 1, to: 2): MappingModel([
                    EntityMapping(from: "Shelf", to: "Rack", set: ["size": "length(title)"])
                ])
            ],
            willMigrate: { stages.append("will \($0.from)-\($0.to)") },
            didMigrate: { stages.append("did \($0.from)-\($0.to)") })
        #expect(stages == ["will 0-1", "did 0-1", "will 1-2", "did 1-2"])
        #expect(backup == store.path + ".bak-v1")
        #expect(try history.versionIndex(ofStoreAt: store.path) == 2)
        let sizes = ["1": "i5", "2": "i5"]
        var expected = Self.renamed(before).filter { !$0.contains("|cover|") }
            .map { $0.replacing("Shelf", with: "Rack") }
        for (key, size) in sizes { expected.append("Rack|\(key)|size|\(size)") }
        let found = try objectLines(of: store.open(third))
        #expect(Set(found).symmetricDifference(expected).sorted() == [])
        try store.expect(
            "SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN 7 AND 9 ORDER BY 1",
            ["7|Person", "8|Rack", "9|Tag"])
        try store.expect("SELECT count(*) FROM ACHANGE", ["3"])
        // Values without references are deleted, but only in the store.
        let value = "_EXTERNAL_DATA/\(AppStoreFixture.largeValueName)"
        let files = FileManager.default
        #expect(!files.fileExists(atPath: store.folder.file(".Shelf_SUPPORT/\(value)")))
        #expect(
            files.fileExists(
                atPath: store.folder.file(".Shelf.sqlite.bak-v1_SUPPORT/\(value)")))
        #expect(
            try names() == [
                ".Shelf.sqlite.bak-v1_SUPPORT", ".Shelf_SUPPORT", "Shelf.sqlite",
                "Shelf.sqlite.bak-v1",
            ])
        #expect(
            try PersistentContainer.verify(at: backup ?? "", .full).problems == [
                "Item: 1 row does not count its changes", "Item.shelf: 1 link leads nowhere",
                "Tag.items: 1 link leads nowhere",
            ])
    }

    /// A store of an old framework carries no model; the versions identify it.
    @Test func identifiesStoreWithoutModelByKnownVersions() throws {
        try store.run("DROP TABLE Z_MODELCACHE")
        let model = try LaterShelf.model(LaterShelf.second)
        let error = storeError { try MigrationManager(storeAt: store.path, to: model).migrate() }
        #expect(
            error?.message
                == "\(store.path) contains no readable model, and was created with none of the"
                + " known versions of the model, so its contents are unknown; pass the older"
                + " versions")
        var knowing = MigrationManager(storeAt: store.path, to: model)
        knowing.versions = [store.model, model]
        try knowing.migrate()
        try store.expect("SELECT count(*) FROM sqlite_master WHERE name = 'Z_MODELCACHE'", ["0"])
        #expect(try ModelHistory([store.model, model]).isCurrent(storeAt: store.path))
    }

    @Test func mappingThatOmitsObjectsDropsTheHistory() throws {
        let model = try LaterShelf.model(["  Film:\n": "  Movie:\n    renamed-from: Film\n"])
        let mapping = MappingModel([
            EntityMapping(from: "Book", to: "Book", where: "pages > 200")
        ])
        let manager = MigrationManager(storeAt: store.path, to: model, mapping: mapping)
        let result = try manager.migrate()
        #expect(
            result.plan.notes.last
                == "the history is dropped, because keys change; its readers must start over")
        try store.expect("SELECT Z_PK FROM ZITEM ORDER BY 1", ["1", "2", "4", "9"])
        // The triggers' counts are right for the remaining objects.
        try store.expect("SELECT ZBOOKCOUNT FROM ZAUTHOR ORDER BY Z_PK", ["1", "1", "0"])
        try store.expect("SELECT count(*) FROM ACHANGE", ["0"])
        try store.expect("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002", ["103"])
    }

    @Test func reportsIndexesThatAreNotBuilt() throws {
        try store.run("CREATE INDEX ZTAG_MINE ON ZTAG (ZISHIDDEN, ZNAME)")
        let model = try LaterShelf.model([
            "weight: Float }": "nickname: String }",
            "    indexes:\n      byRating: [rating desc]\n":
                "    indexes:\n      byRating: [rating desc]\n"
                + "      near: [{ property: rating, collation: RTree }]\n"
                + "      long: [{ expression: \"length(name)\" }]\n",
        ])
        let result = try MigrationManager(storeAt: store.path, to: model).migrate()
        #expect(
            result.plan.notes == [
                "the index 'near' of Author is an R-tree, and is not built",
                "the index 'long' of Author is over an expression, and is not built",
                "the index ZTAG_MINE of ZTAG, over ZISHIDDEN, ZNAME, is not copied, because the "
                    + "model does not name it",
                "the column ZITEM.ZLEFTBEHIND, which the model does not name, is not copied",
                "in the model that the store carries: The index 'long' of 'Author' is left out: the"
                    + " form of an index over an expression is not known",
            ])
        try store.expect(
            "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'ZAUTHOR'"
                + " AND name LIKE 'Z\\_%' ESCAPE '\\' ORDER BY 1",
            ["Z_Author_UNIQUE_name", "Z_Author_byRating", "Z_Author_rating"])
    }

    @Test func reportsSameAndLightweightCompatibility() throws {
        #expect(try store.model.compatibility(withStoreAt: store.path) == .same)
        let model = try LaterShelf.model(LaterShelf.second)
        guard case .lightweight(let plan) = try model.compatibility(withStoreAt: store.path) else {
            Issue.record("It is not lightweight")
            return
        }
        #expect(plan.objectCount == 18)
    }
}
