import AppStoreFixtures
import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore

@Suite("Writing apps' stores") struct AppStoreWritingTests {
    private let store: AppStoreFile
    private let model: ManagedObjectModel

    init() throws {
        store = try AppStoreFile()
        model = store.model
    }

    private func open(cloudKit: Bool = false) throws -> PersistentContainer {
        var options = StoreOptions()
        options.appStores = .writing
        options.appStores.allowsCloudKit = cloudKit
        return try PersistentContainer(model: nil, .sqlite(at: store.path, options: options))
    }

    private func rows(_ sql: String, of path: String? = nil) throws -> [String] {
        try lines(sql, on: Connection(path: path ?? store.path, mode: .readOnly))
    }

    private func expect(
        _ sql: String, of path: String? = nil, _ expected: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try rows(sql, of: path)
        #expect(found == expected, sourceLocation: sourceLocation)
    }

    /// What is not the objects': metadata, the model, statements of tables and triggers.
    private func frame(of path: String) throws -> [String] {
        try [
            "SELECT * FROM Z_METADATA", "SELECT * FROM Z_MODELCACHE",
            "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name",
            "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY 1",
        ].flatMap { try rows($0, of: path) }
    }

    private func problems() throws -> [String] {
        try PersistentContainer.verify(at: store.path, .full).problems
    }

    /// What is wrong with the store as its app left it.
    private static let problemsBefore = [
        "Item: 1 row does not count its changes", "Item.shelf: 1 link leads nowhere",
        "Tag.items: 1 link leads nowhere",
    ]

    @Test func anUpdateWritesColumnsVersionsAndHistory() throws {
        let before = try frame(of: store.path)
        do {
            let container = try open()
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
        try expect(
            "SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE, ZAUTHOR, ZLEFTBEHIND FROM ZITEM",
            [
                "1|3|1|The Dispossessed|1|old", "2|3|5|Solaris|2|-", "3|3|2|Rocannon|2|-",
                "4|4|3|Zerkalo|-|-", "9|4|-|Lost|-|-",
            ])
        // The triggers of the app have counted.
        try expect("SELECT Z_PK, ZBOOKCOUNT FROM ZAUTHOR", ["1|1", "2|2", "3|0"])
        try expect(
            "SELECT ZENTITY, ZENTITYPK, ZCHANGETYPE, hex(ZCOLUMNS), ZTRANSACTIONID FROM ACHANGE"
                + " WHERE Z_PK > 12 ORDER BY 1, 2",
            [
                "1|1|1|02|104", "1|2|1|02|104", "3|3|1|8000|104", "4|4|1|02|104",
            ])
        try expect(
            "SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000",
            ["16001|16", "16002|104", "16003|5"])
        #expect(try problems() == Self.problemsBefore)
        let history = try store.open().history()
        #expect(history.map(\.author) == ["sync", nil, "etl"])
        #expect(
            history.last?.changes.map(\.updatedProperties)
                == [["books"], ["books"], ["author"], ["title"]])
    }

    /// The copy that the first save makes is the store as its app left it.
    @Test func theBackupIsTheStoreAsItWas() throws {
        let before = try objectLines(of: store.open())
        for name in ["first", "second"] {
            let context = try open().newContext()
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
        try expect(
            "SELECT ZNAME FROM ZTAG ORDER BY Z_PK", of: store.path + ".bak-v2",
            ["classic", "space", "zone", "first"])
        try expect("SELECT * FROM ZTAG WHERE Z_PK > 3", ["4|8|1|0|-|first", "5|8|1|0|-|second"])
        try expect("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'", ["5"])
    }

    @Test func deleteRulesHoldAndFilesGo() throws {
        do {
            let container = try open()
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
        try expect("SELECT count(*) FROM ZPASSPORT", ["0"])
        try expect("SELECT Z_PK, ZPASSPORT FROM ZPERSON", ["1|-", "3|-", "4|-"])
        try expect("SELECT * FROM Z_6FRIENDS", ["3|1"])
        try expect("SELECT * FROM Z_6FOLLOWS", ["1|3"])
        try expect("SELECT * FROM Z_8ITEMS", ["1|1", "2|1", "3|4", "3|55"])
        try expect("SELECT Z_PK, ZBOOKCOUNT, ZFAVOURITE FROM ZAUTHOR", ["1|2|4"])
        try expect(
            "SELECT ZENTITY, ZENTITYPK, ZTOMBSTONE0 FROM ACHANGE WHERE Z_PK > 12"
                + " AND ZCHANGETYPE = 2 ORDER BY 1, 2",
            ["1|2|-", "1|3|-", "3|2|Solaris", "5|1|-", "6|2|-"])
        #expect(try problems() == Self.problemsBefore)
        let folder = StoreFiles.supportFolder(of: store.path) + "/_EXTERNAL_DATA"
        #expect(StoreFiles.names(in: folder) == [])
    }

    @Test func batchInsertsTakeKeysVersionsOrdersAndBothEnds() throws {
        do {
            let context = try open().newContext()
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
            try author.setValue(.object(book), forKey: "favourite")
            try book.setValue(.object(author), forKey: "author")
            try context.save()
        }
        try expect(
            "SELECT Z_PK, Z_ENT, Z_OPT, ZSHELF, Z_FOK_SHELF, ZPAGES, ZAUTHOR, ZTITLE"
                + " FROM ZITEM WHERE Z_PK > 9", ["10|3|1|1|4096|1|4|Eden"])
        #expect(
            try rows("SELECT Z_PK, Z_OPT, ZBOOKCOUNT, ZFAVOURITE, Z2_FAVOURITE FROM ZAUTHOR")
                .last == "4|1|1|10|3")
        try expect("SELECT * FROM Z_8ITEMS WHERE Z_2ITEMS = 10", ["4|10"])
        try expect("SELECT ZHOLDER FROM ZPASSPORT WHERE Z_PK = 2", ["5"])
        try expect("SELECT ZPASSPORT FROM ZPERSON WHERE Z_PK = 5", ["2"])
        try expect(
            "SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT < 9",
            [
                "Author|4", "Item|10", "Book|0", "Film|0", "Passport|2", "Person|5", "Shelf|2",
                "Tag|4",
            ])
        #expect(try problems() == Self.problemsBefore)
    }

    // MARK: Refusals

    private func refusal(
        _ model: ManagedObjectModel? = nil, _ change: (inout StoreOptions) -> Void = { _ in }
    ) -> String? {
        var options = StoreOptions()
        options.appStores = .writing
        change(&options)
        let error = storeError {
            _ = try PersistentContainer(model: model, .sqlite(at: store.path, options: options))
        }
        return error.map { "\($0.code.rawValue): \($0.message)" }
    }

    @Test func whatIsNotUnderstoodIsNotWritten() throws {
        #expect(
            refusal { $0.appStores = .reading }
                == "permission: \(store.path) was made by an app, and is only read unless"
                + " `StoreOptions.appStores` says `.writing`")
        #expect(
            refusal { $0.history = HistoryOptions() }
                == "invalid-request: \(store.path) was made by an app, which chooses whether it keeps"
                + " a history, and keeps decimals as doubles; leave out what says otherwise")
        try store.run("CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY)")
        #expect(
            refusal()
                == "invalid-request: \(store.path) is mirrored to CloudKit by its app; what is written"
                + " here may never get there, or be undone from there, so that it is refused unless"
                + " asked for by `--allow-cloudkit` or `AppStoreAccess.allowsCloudKit`")
        #expect(refusal { $0.appStores.allowsCloudKit = true } == nil)
        try store.run(
            "CREATE TRIGGER T AFTER UPDATE OF ZNAME ON ZTAG BEGIN SELECT ZTCount(1); END")
        #expect(
            refusal { $0.appStores.allowsCloudKit = true }
                == "invalid-request: \(store.path) has triggers or indexes on ZTAG that only its app"
                + " can run (no such function: ZTCount); it can be read, but not written")
        try store.run("DROP TRIGGER T; DROP TABLE ANSCKEVENT; DROP TABLE Z_MODELCACHE")
        #expect(
            refusal()
                == "no-model: \(store.path) carries no model that can be read, without which it is"
                + " only read; give its model")
        #expect(refusal(model) == nil)
    }

    @Test func aStoreThatIsInUseIsNotWritten() throws {
        let app = try Connection(path: store.path, mode: .readWrite)
        try app.execute("BEGIN; SELECT count(*) FROM ZTAG")
        #expect(
            refusal() == "busy: \(store.path) is in use by another process; try again later")
        try app.execute("COMMIT")
    }

    @Test func tablesOfOursDoNotComeIn() throws {
        let container = try open()
        let notes = storeError {
            let context = container.newContext()
            try context.beginProgressNotes()
            try context.save()
        }
        #expect(notes?.code == .invalidRequest)
        #expect(storeError { try container.renewViews() }?.code == .invalidRequest)
        #expect(storeError { try container.truncateAll() }?.code == .invalidRequest)
        try expect("SELECT name FROM sqlite_master WHERE name LIKE 'ETL%'", [])
    }
}
