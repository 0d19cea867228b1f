import AppStoreFixtures
import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Writing apps' stores") struct AppStoreWritingTests {
    private let store: AppStoreFile

    init() throws {
        store = try AppStoreFile()
    }

    @Test("the history of an app's store contains what its triggers change")
    func recordsWhatTriggersChange() throws {
        try store.run(
            "CREATE TRIGGER ZT_NEW AFTER INSERT ON ZTAG BEGIN"
                + " UPDATE ZSHELF SET ZLABEL = 'seen' WHERE Z_PK = 1; END")
        let container = try store.openForWriting()
        let context = container.newContext()
        try context.insert("Tag")[.string("name")] = "new"
        try context.save()
        let changes = try #require(try container.history().last).changes
        let (tag, shelf) = (
            try #require(container.schema.entity(named: "Tag")).number,
            try #require(container.schema.entity(named: "Shelf")).number
        )
        #expect(changes.map(\.kind) == [.insert, .update])
        #expect(changes.map(\.objectID.entityNumber) == [tag, shelf])
        #expect(changes.map(\.updatedProperties) == [nil, ["label"]])
        #expect(changes.last?.objectID.primaryKey == 1)
        try store.expect("SELECT ZLABEL FROM ZSHELF WHERE Z_PK = 1", ["seen"])
    }

    @Test("an app's store without triggers keeps its history")
    func keepsHistoryWithoutTriggers() throws {
        let model = try model("A: { attributes: { x: String } }")
        let path = store.folder.file("plain.sqlite")
        func insert(_ x: String, _ options: StoreOptions) throws -> PersistentContainer {
            let container = try PersistentContainer(
                model: model, .sqlite(at: path, opening: .create, options: options))
            let context = container.newContext()
            try context.insert("A")[.string("x")] = x
            try context.save()
            return container
        }
        var options = StoreOptions()
        options.history = HistoryOptions(keeping: .untilPurged)
        _ = try insert("a", options)
        try AppStoreFixture.disown(path, model)
        options.history = nil
        options.appStores = .writing
        let container = try insert("b", options)
        #expect(container.origin.isApp)
        #expect(
            try container.history().map { $0.changes.map(\.objectID.primaryKey) } == [[1], [2]])
    }

    /// Returns everything except the objects: metadata, the model, and the SQL of tables and
    /// triggers.
    private func frame(of path: String) throws -> [String] {
        try [
            "SELECT * FROM Z_METADATA", "SELECT * FROM Z_MODELCACHE",
            "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name",
            "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY 1",
        ].flatMap { try store.rows($0, of: path) }
    }

    private func problems() throws -> [String] {
        try PersistentContainer.verify(at: store.path, .full).problems
    }

    /// The faults of the store as its app left it.
    private static let problemsBefore = [
        "Item: 1 row does not count its changes", "Item.shelf: 1 link leads nowhere",
        "Tag.items: 1 link leads nowhere",
    ]

    @Test func anUpdateWritesColumnsVersionsAndHistory() throws {
        let before = try frame(of: store.path)
        do {
            let container = try store.openForWriting()
            let context = container.newContext()
            context.transactionAuthor = "etl"
            let film = try #require(
                try context.fetch(
                    FetchRequest<ManagedObject>(
                        entityName: "Film", predicate: GraphPredicate(format: "title == 'Stalker'"))
                ).first)
            try film.setValue("Zerkalo", forKey: "title")
            let book = try #require(
                try context.fetch(
                    FetchRequest<ManagedObject>(
                        entityName: "Book", predicate: GraphPredicate(format: "title == 'Rocannon'")
                    )
                ).first)
            let author = try #require(
                try context.fetch(
                    FetchRequest<ManagedObject>(
                        entityName: "Author",
                        predicate: GraphPredicate(format: "name == 'Stanisław'"))
                ).first)
            try book.setValue(.object(author), forKey: "author")
            #expect(container.backupPath == nil)
            try context.save()
            #expect(container.backupPath == store.path + ".bak-v1")
        }
        #expect(try frame(of: store.path) == before)
        try store.expect(
            "SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE, ZAUTHOR, ZLEFTBEHIND FROM ZITEM",
            [
                "1|3|1|The Dispossessed|1|old", "2|3|5|Solaris|2|-", "3|3|2|Rocannon|2|-",
                "4|4|3|Zerkalo|-|-", "9|4|-|Lost|-|-",
            ])
        // The app's triggers have updated the counts.
        try store.expect("SELECT Z_PK, ZBOOKCOUNT FROM ZAUTHOR", ["1|1", "2|2", "3|0"])
        try store.expect(
            "SELECT ZENTITY, ZENTITYPK, ZCHANGETYPE, hex(ZCOLUMNS), ZTRANSACTIONID FROM ACHANGE"
                + " WHERE Z_PK > 12 ORDER BY 1, 2",
            [
                "1|1|1|22|104", "1|2|1|22|104", "3|3|1|8000|104", "4|4|1|02|104",
            ])
        try store.expect(
            "SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000",
            ["16001|16", "16002|104", "16003|5"])
        #expect(try problems() == Self.problemsBefore)
        let history = try store.open().history()
        #expect(history.map(\.author) == ["sync", nil, "etl"])
        #expect(
            history.last?.changes.map(\.updatedProperties)
                == [["bookCount", "books"], ["bookCount", "books"], ["author"], ["title"]])
    }

    /// The save's history contains rows that only triggers changed: once each, and only if the
    /// value differs.
    @Test func recordsTriggerChangesInTheHistory() throws {
        func changes() throws -> [String] {
            try store.rows(
                "SELECT ZTRANSACTIONID, ZENTITY, ZENTITYPK, ZCHANGETYPE, hex(ZCOLUMNS) FROM ACHANGE"
                    + " WHERE Z_PK > 12 ORDER BY Z_PK")
        }
        try store.run(
            """
            CREATE TRIGGER ZT_TAG_PINS AFTER INSERT ON ZTAG BEGIN
            UPDATE ZAUTHOR SET ZHOMEPAGE = ZHOMEPAGE, ZBOOKCOUNT = ZBOOKCOUNT; END
            """)
        do {
            let context = try store.openForWriting().newContext()
            let result = try context.execute(
                BatchDeleteRequest(
                    entityName: "Book", predicate: GraphPredicate(format: "author.name == 'Ursula'")
                ))
            #expect(result.deleted == 2)
            try context.save()
            let tag = try context.insert("Tag")
            try tag.setValue("new", forKey: "name")
            try context.save()
        }
        try store.expect("SELECT Z_PK, ZBOOKCOUNT FROM ZAUTHOR", ["1|0", "2|1", "3|0"])
        let found = try changes()
        #expect(
            found.filter { $0.hasPrefix("104|1|") || $0.hasPrefix("105|") } == [
                "104|1|1|1|22", "105|8|4|0|",
            ], "\(found)")
        #expect(found.count { $0.hasPrefix("104|3|") } == 2)
    }

    /// The backup made by the first save equals the store as its app left it.
    @Test func backupEqualsTheStoreBeforeTheFirstSave() throws {
        let before = try objectLines(of: store.open())
        for name in ["first", "second"] {
            let context = try store.openForWriting().newContext()
            let tag = try context.insert("Tag")
            try tag.setValue(.attribute(.text(name)), forKey: "name")
            try context.save()
        }
        var options = StoreOptions()
        options.isReadOnly = true
        let backup = try PersistentContainer(
            model: nil, .sqlite(at: store.path + ".bak-v1", options: options))
        let kept = try objectLines(of: backup)
        #expect(Set(kept).symmetricDifference(before).sorted() == [])
        #expect(kept.count == before.count)
        try store.expect(
            "SELECT ZNAME FROM ZTAG ORDER BY Z_PK", of: store.path + ".bak-v2",
            ["classic", "space", "zone", "first"])
        try store.expect(
            "SELECT * FROM ZTAG WHERE Z_PK > 3", ["4|8|1|0|-|first", "5|8|1|0|-|second"])
        try store.expect("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'", ["5"])
    }

    @Test("cleaning up a copy of a store removes only its own unreferenced external files")
    func releasedFiles() throws {
        func files(_ path: String) -> [String] {
            ((try? StoreFiles.names(in: StoreFiles.supportFolder(of: path) + "/_EXTERNAL_DATA"))
                ?? []).sorted()
        }
        let copy = store.path + ".etl-work"
        let unknown = "11111111-2222-3333-4444-555555555555"
        let folder = StoreFiles.supportFolder(of: store.path) + "/_EXTERNAL_DATA"
        try Data([1]).write(to: URL(fileURLWithPath: "\(folder)/\(unknown)"))
        try PersistentContainer.copyTemplate(at: store.path, to: copy)
        func removeReleased() throws {
            try ExternalFiles.removeReleased(ofCopyAt: copy, of: store.path, model: nil)
        }
        let all = [AppStoreFixture.largeValueName, unknown]
        try removeReleased()
        #expect(files(copy) == all)
        // The state that a process leaves if it is killed right after its commit.
        try AppStoreFixture.execute("UPDATE ZITEM SET ZCOVER = x'01AB' WHERE Z_PK = 2", at: copy)
        try removeReleased()
        #expect(files(copy) == [unknown])
        #expect(files(store.path) == all)
    }

    @Test("a sweep with the layout of an app's store removes no external files")
    func sweep() throws {
        let unknown = "11111111-2222-3333-4444-555555555555"
        let folder = StoreFiles.supportFolder(of: store.path) + "/_EXTERNAL_DATA"
        try Data([1]).write(to: URL(fileURLWithPath: "\(folder)/\(unknown)"))
        let container = try store.open()
        let files = container.externalFiles
        #expect(try files.sweep(container.schema, on: container.newReader()) == 0)
        #expect(try files.names().sorted() == [AppStoreFixture.largeValueName, unknown].sorted())
    }

    @Test("the first save of a container adds a backup and removes the oldest", arguments: [1, 2])
    func oldBackupsGo(_ kept: Int) throws {
        for number in 1...4 {
            let context = try store.openForWriting { $0.backupsKept = kept }.newContext()
            try context.insert("Tag").setValue(.attribute(.text("tag \(number)")), forKey: "name")
            try context.save()
        }
        #expect(try StoreBackups(of: store.path).all.map(\.number) == Array((5 - kept)...4))
    }

    @Test func appliesDeleteRulesAndRemovesExternalFiles() throws {
        do {
            let container = try store.openForWriting()
            let context = container.newContext()
            let person = try #require(
                try context.fetch(
                    FetchRequest<ManagedObject>(
                        entityName: "Person", predicate: GraphPredicate(format: "name == 'Bob'"))
                ).first)
            context.delete(person)
            try context.save()
            let result = try context.execute(
                BatchDeleteRequest(
                    entityName: "Item", predicate: GraphPredicate(format: "title == 'Solaris'")))
            try context.save()
            #expect(result.deleted == 1)
            let denied = try context.execute(BatchDeleteRequest(entityName: "Author"))
            try context.save()
            #expect(denied.denied == 1)
        }
        try store.expect("SELECT count(*) FROM ZPASSPORT", ["0"])
        try store.expect("SELECT Z_PK, ZPASSPORT FROM ZPERSON", ["1|-", "3|-", "4|-"])
        try store.expect("SELECT * FROM Z_6FRIENDS", ["3|1"])
        try store.expect("SELECT * FROM Z_6FOLLOWS", ["1|3"])
        try store.expect("SELECT * FROM Z_8ITEMS", ["1|1", "2|1", "3|4", "3|55"])
        try store.expect("SELECT Z_PK, ZBOOKCOUNT, ZFAVORITE FROM ZAUTHOR", ["1|2|4"])
        try store.expect(
            "SELECT ZENTITY, ZENTITYPK, ZTOMBSTONE0 FROM ACHANGE WHERE Z_PK > 12"
                + " AND ZCHANGETYPE = 2 ORDER BY 1, 2",
            ["1|2|-", "1|3|-", "3|2|Solaris", "5|1|-", "6|2|-"])
        #expect(try problems() == Self.problemsBefore)
        let folder = StoreFiles.supportFolder(of: store.path) + "/_EXTERNAL_DATA"
        #expect(try StoreFiles.names(in: folder) == [])
    }

    @Test func insertsWriteKeysVersionsOrdersAndBothLinkEnds() throws {
        do {
            let context = try store.openForWriting().newContext()
            let shelf = try #require(
                try context.fetch(
                    FetchRequest<ManagedObject>(
                        entityName: "Shelf", predicate: GraphPredicate(format: "label == 'Upper'"))
                ).first)
            let book = try context.insert("Book")
            try book.setValue("Eden", forKey: "title")
            try book.setValue(.object(shelf), forKey: "shelf")
            let tag = try context.insert("Tag")
            try tag.setValue("new", forKey: "name")
            try book.setValue(.objects([tag]), forKey: "tags")
            let passport = try context.insert("Passport")
            let person = try context.insert("Person")
            try passport.setValue(.object(person), forKey: "holder")
            let author = try context.insert("Author")
            try author.setValue("Kir", forKey: "name")
            try author.setValue(.object(book), forKey: "favorite")
            try book.setValue(.object(author), forKey: "author")
            try context.save()
        }
        try store.expect(
            "SELECT Z_PK, Z_ENT, Z_OPT, ZSHELF, Z_FOK_SHELF, ZPAGES, ZAUTHOR, ZTITLE"
                + " FROM ZITEM WHERE Z_PK > 9", ["10|3|1|1|4096|1|4|Eden"])
        #expect(
            try store.rows("SELECT Z_PK, Z_OPT, ZBOOKCOUNT, ZFAVORITE, Z2_FAVORITE FROM ZAUTHOR")
                .last == "4|1|1|10|3")
        try store.expect("SELECT * FROM Z_8ITEMS WHERE Z_2ITEMS = 10", ["4|10"])
        try store.expect("SELECT ZHOLDER FROM ZPASSPORT WHERE Z_PK = 2", ["5"])
        try store.expect("SELECT ZPASSPORT FROM ZPERSON WHERE Z_PK = 5", ["2"])
        try store.expect(
            "SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT < 9",
            [
                "Author|4", "Item|10", "Book|0", "Film|0", "Passport|2", "Person|5", "Shelf|2",
                "Tag|4",
            ])
        #expect(try problems() == Self.problemsBefore)
    }

    /// Old frameworks store the strings in the rows, and no tombstones.
    @Test func writesHistoryInTheFormatOfOldFrameworks() throws {
        try store.run(
            """
            DROP TABLE ATRANSACTIONSTRING;
            ALTER TABLE ATRANSACTION DROP COLUMN ZAUTHORTS;
            ALTER TABLE ATRANSACTION DROP COLUMN ZCONTEXTNAME;
            ALTER TABLE ACHANGE DROP COLUMN ZTOMBSTONE0;
            """)
        let before = try frame(of: store.path)
        do {
            let context = try store.openForWriting().newContext()
            context.transactionAuthor = "etl"
            _ = try context.execute(
                BatchDeleteRequest(
                    entityName: "Film", predicate: GraphPredicate(format: "title == 'Stalker'")))
            try context.save()
        }
        #expect(try frame(of: store.path) == before)
        try store.expect("SELECT Z_PK, ZAUTHOR FROM ATRANSACTION WHERE Z_PK > 103", ["104|etl"])
        try store.expect(
            "SELECT ZENTITY, ZENTITYPK, ZCHANGETYPE FROM ACHANGE WHERE ZTRANSACTIONID = 104"
                + " AND ZCHANGETYPE = 2", ["4|4|2"])
    }
}
