import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("History") struct HistoryTests {
    /// Returns the model with entity numbers Book 1, Author 2 (a parent), Editor 3, Tag 4.
    private func library() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Book") {
                Attribute("id", .integer64, preservedOnDeletion: true)
                Attribute("title", .string, preservedOnDeletion: true)
                Attribute("pages", .integer32)
                Relationship("author", to: "Writer", inverse: "books")
                Relationship("tags", to: "Tag", .many, inverse: "books")
                Unique("id")
            }
            Entity("Writer") {
                Attribute("name", .string)
                Relationship("books", to: "Book", .many, inverse: "author")
                Unique("name")
            }
            Entity("Poet", parent: "Writer")
            Entity("Tag") {
                Attribute("name", .string)
                Relationship("books", to: "Book", .many, inverse: "tags")
                Unique("name")
            }
        }
    }

    private let books = BulkPlan(
        entity: "Book", key: ["id"], attributes: ["id", "title", "pages"],
        links: [
            BulkPlan.Link(
                relationship: "author", destination: "Writer", attribute: "name",
                missing: .create)
        ])

    private func store(_ retention: HistoryOptions.Retention? = .days(7)) throws -> TestStore {
        try TestStore(library(), history: retention.map { HistoryOptions(keeping: $0) })
    }

    /// Returns `kind Entity key [properties] {tombstone}` for each change.
    private func text(_ transaction: HistoryTransaction, _ store: TestStore) -> [String] {
        transaction.changes.map { change in
            let entity = store.container.schema.entity(number: change.objectID.entityNumber)
            var line = "\(change.kind) \(entity?.name ?? "?") \(change.objectID.primaryKey)"
            if let names = change.updatedProperties { line += " \(names.joined(separator: ","))" }
            if !change.tombstone.isEmpty {
                line +=
                    " "
                    + change.tombstone.sorted { $0.key < $1.key }
                    .map { "\($0.key)=\($0.value)" }.joined(separator: ",")
            }
            return line
        }
    }

    private func save(
        _ container: PersistentContainer, author: String? = nil, name: String? = nil,
        _ records: [[TestValue]]
    ) throws -> SaveResult {
        let context = container.newContext()
        let writer = try context.bulkWriter(for: books)
        let batch = RowBatch(width: books.width)
        for record in records { batch.add(record) }
        try writer.apply(batch, firstToken: 1)
        try writer.finish()
        let session = try context.session()
        session.author = author
        session.contextName = name
        let result = try context.save()
        try container.buildPendingIndexes()
        return result
    }

    @Test("row 111: a store writes history only if it is enabled, into Core Data's three tables")
    func isOffUnlessAskedFor() throws {
        let plain = try store(nil)
        _ = try save(plain.container, [[1, "one", 10, "Ann"]])
        #expect(!plain.container.keepsHistory)
        try plain.expect("SELECT count(*) FROM sqlite_master WHERE name LIKE 'A%'", ["0"])
        try plain.expect("SELECT count(*) FROM Z_PRIMARYKEY WHERE Z_ENT > 16000", ["0"])
        let error = #expect(throws: HistoryError.self) { try plain.container.history() }
        guard case .off = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let kept = try store()
        let result = try save(
            kept.container, author: "ann", name: "import", [[1, "one", 10, "Ann"]])
        #expect(
            result.historyToken
                == HistoryToken(storeUUID: kept.container.storeUUID, sequence: 1))
        try kept.expect(
            "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000",
            ["16001|CHANGE|0|2", "16002|TRANSACTION|0|1", "16003|TRANSACTIONSTRING|0|4"])
        try kept.expect(
            "SELECT Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS"
                + " FROM ACHANGE",
            ["1|16001|-|0|1|1|1|-", "2|16001|-|0|3|1|1|-"])
        try kept.expect(
            "SELECT s.ZNAME, b.ZNAME FROM ATRANSACTION t JOIN ATRANSACTIONSTRING s"
                + " ON s.Z_PK = t.ZAUTHORTS JOIN ATRANSACTIONSTRING b ON b.Z_PK = t.ZCONTEXTNAMETS"
                + " WHERE abs(t.ZTIMESTAMP - (unixepoch() - 978307200)) < 60",
            ["ann|import"])
        try kept.checkIntegrity()
    }

    @Test("row 112: loads and batch requests record changed objects, properties, and tombstones")
    func recordsChanges() throws {
        let store = try store()
        _ = try save(store.container, [[1, "one", 10, "Ann"], [2, "two", 20, "Bob"]])
        // Changes the title of 1 and the author of 2; 3 is new.
        _ = try save(
            store.container, [[1, "uno", 10, "Ann"], [2, "two", 20, "Ann"], [3, nil, 5, nil]])
        let context = store.container.newContext()
        _ = try context.write(
            BatchUpdateRequest(
                entityName: "Book", predicate: GraphPredicate(format: "id < 3"),
                propertiesToUpdate: [
                    "pages": .constant(.integer(7)), "title": .constant(.string("x")),
                ]))
        try context.save()
        _ = try context.write(
            BatchDeleteRequest(
                entityName: "Writer", predicate: GraphPredicate(format: "name == 'Ann'")))
        try context.save()
        _ = try context.write(BatchDeleteRequest(entityName: "Book"))
        try context.save()
        let found = try store.container.history()
        #expect(found.map { $0.token.sequence } == [1, 2, 3, 4, 5])
        #expect(
            found.map { text($0, store) } == [
                ["insert Book 1", "insert Book 2", "insert Writer 1", "insert Writer 2"],
                [
                    "insert Book 3", "update Book 1 title", "update Book 2 author",
                    "update Writer 1 books", "update Writer 2 books",
                ],
                ["update Book 1 pages,title", "update Book 2 pages,title"],
                ["update Book 1 author", "update Book 2 author", "delete Writer 1"],
                [
                    "delete Book 1 id=integer(1),title=text(\"x\")",
                    "delete Book 2 id=integer(2),title=text(\"x\")",
                    "delete Book 3 id=integer(3)",
                ],
            ])
        try store.checkIntegrity()
    }

    @Test("row 112: one save of several requests records all changed properties and tombstones")
    func recordsSeveralRequests() throws {
        let store = try store()
        _ = try save(
            store.container,
            [[1, "one", 10, "Ann"], [2, "two", 20, "Bob"], [3, "three", 30, nil]])
        let context = store.container.newContext()
        func set(_ name: String, _ value: GraphValue, where format: String) throws {
            _ = try context.write(
                BatchUpdateRequest(
                    entityName: "Book", predicate: GraphPredicate(format: format),
                    propertiesToUpdate: [name: .constant(value)]))
        }
        try set("pages", .integer(7), where: "id < 3")
        try set("title", .string("x"), where: "id > 1")
        try set("pages", .integer(8), where: "id == 3")
        _ = try context.write(
            BatchDeleteRequest(
                entityName: "Book", predicate: GraphPredicate(format: "id == 2")))
        try context.save()
        // Notes for one save do not carry over to the next.
        try set("pages", .integer(9), where: "id == 1")
        try context.save()
        _ = try context.write(BatchDeleteRequest(entityName: "Book"))
        try context.save()
        #expect(
            try store.container.history().dropFirst().map { text($0, store) } == [
                [
                    "update Book 1 pages", "update Book 3 pages,title", "update Writer 2 books",
                    "delete Book 2 id=integer(2),title=text(\"x\")",
                ],
                ["update Book 1 pages"],
                [
                    "update Writer 1 books", "delete Book 1 id=integer(1),title=text(\"one\")",
                    "delete Book 3 id=integer(3),title=text(\"x\")",
                ],
            ])
        let reader = try store.container.historyReader()
        var kinds: [[HistoryChange.Kind]] = []
        while let transaction = try reader.nextTransaction(changesAfter: 7) {
            #expect(transaction.changes == [])
            kinds.append([])
            while let change = try reader.nextChange() {
                kinds[kinds.count - 1].append(change.kind)
            }
            #expect(try reader.nextChange() == nil)
        }
        #expect(
            kinds == [[], [.update, .delete], [.update], [.update, .delete, .delete]])
    }

    @Test("a deletion that is rolled back adds no tombstones to the next deletion")
    func tombstonesAfterUndoneDeletion() throws {
        struct Undone: Error {}
        let store = try store()
        _ = try save(store.container, [[1, "one", 10, "Ann"], [2, "two", 20, "Ann"]])
        try store.container.unitOfWork { context in
            let all = FetchRequest<ManagedObject>(entityName: "Book")
            for book in try context.fetch(all) where book.objectID.primaryKey == 1 {
                try book.setValue(.attribute(.integer(11)), forKey: "pages")
            }
            _ = try context.write(
                BatchUpdateRequest(
                    entityName: "Writer", propertiesToUpdate: ["name": .constant(.string("Bob"))]))
            do {
                try context.unitOfWork { context in
                    _ = try context.write(BatchDeleteRequest(entityName: "Book"))
                    throw Undone()
                }
            } catch is Undone {}
            _ = try context.write(
                BatchDeleteRequest(
                    entityName: "Book", predicate: GraphPredicate(format: "id == 2")))
        }
        let reader = try store.container.historyReader()
        var found: [String] = []
        while let transaction = try reader.next() { found += text(transaction, store) }
        #expect(
            found.filter { $0.hasPrefix("delete") } == [
                "delete Book 2 id=integer(2),title=text(\"two\")"
            ])
    }

    @Test("row 112: a change stores its properties as bits: to-ones, attributes, and to-manys")
    func writesColumnsAsBits() throws {
        let store = try store()
        _ = try save(store.container, [[1, "one", 10, "Ann"]])
        _ = try save(store.container, [[1, "uno", 10, "Bob"]])
        // Bits: author (two, because Writer has a sub-entity), id, pages, title, tags.
        try store.expect(
            "SELECT hex(ZCOLUMNS) FROM ACHANGE WHERE ZCHANGETYPE = 1 AND ZENTITY = 1", ["C8"])
        let schema = HistorySchema(store.container.schema)
        #expect(schema.entities[1]?.bits == ["author", "author", "id", "pages", "title", "tags"])
        for names in [
            ["author"], ["pages", "tags"], [], ["author", "id", "pages", "tags", "title"],
        ] {
            let mask = schema.mask(names, entity: 1)
            #expect(schema.properties(mask, entity: 1) == names)
        }
    }

    @Test("row 113: tokens can be encoded; expired and foreign tokens throw different errors")
    func distinguishesTokens() throws {
        let store = try store(.untilPurged)
        let container = store.container
        let start = try container.currentHistoryToken()
        #expect(start.sequence == 0)
        var tokens: [HistoryToken] = []
        for number in 1...4 {
            let result = try save(container, [[.integer(Int64(number)), "t", 1, nil]])
            tokens.append(try #require(result.historyToken))
        }
        let copy = try JSONDecoder().decode(
            HistoryToken.self, from: JSONEncoder().encode(tokens[1]))
        #expect(copy == tokens[1])
        #expect(try container.history(after: copy).map(\.token) == [tokens[2], tokens[3]])
        #expect(try container.history(after: tokens[3]).isEmpty)
        try container.purgeHistory(upTo: tokens[1])
        #expect(try container.history().map(\.token) == [tokens[2], tokens[3]])
        #expect(try container.history(after: tokens[1]).count == 2)
        #expect(kind { try container.history(after: tokens[0]) } == "expired 1")
        #expect(kind { try container.history(after: start) } == "expired 0")
        let stranger = HistoryToken(storeUUID: UUID().uuidString, sequence: 2)
        #expect(kind { try container.history(after: stranger) } == "foreign 2")
        #expect(kind { try container.purgeHistory(upTo: stranger) } == "foreign 2")
        let future = HistoryToken(storeUUID: container.storeUUID, sequence: 9)
        #expect(kind { try container.history(after: future) } == "foreign 9")
        try container.purgeHistory(upTo: tokens[3])
        #expect(try container.history(after: tokens[3]).isEmpty)
        #expect(kind { try container.history(after: tokens[2]) } == "expired 3")
        try store.expect("SELECT count(*) FROM ATRANSACTIONSTRING", ["0"])
        container.forkUUID()
        #expect(kind { try container.history(after: tokens[3]) } == "foreign 4")
    }

    @Test("a damaged counter of transactions does not stop the reading of the history")
    func largestCounter() throws {
        let store = try store(.untilPurged)
        let container = store.container
        let start = try container.currentHistoryToken()
        let result = try save(container, [[1, "t", 1, nil]])
        try container.purgeHistory(upTo: try #require(result.historyToken))
        try store.foreign().execute(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_ENT = 16002")
        #expect(kind { try container.history(after: start) } == "expired 0")
        let end = HistoryToken(storeUUID: container.storeUUID, sequence: .max)
        #expect(try container.history(after: end).isEmpty)
    }

    @Test("row 113: a copy that replaces the store has its own history and rejects old tokens")
    func distinguishesLineages() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        func open() throws -> PersistentContainer {
            var options = StoreOptions()
            options.history = HistoryOptions(keeping: .untilPurged)
            return try PersistentContainer(
                model: model(objectModel), .sqlite(at: path, opening: .create, options: options))
        }
        func save(_ container: PersistentContainer) throws -> HistoryToken {
            let context = container.newContext()
            _ = try context.insert("Category")
            return try #require(try context.save().historyToken)
        }
        func before() throws -> (HistoryToken, HistoryToken) {
            let container = try open()
            let first = try save(container)
            try container.copyStore(to: folder.file("copy.sqlite"))
            return (first, try save(container))
        }
        let (first, second) = try before()
        try PersistentContainer.replace(at: path, with: folder.file("copy.sqlite"))
        let container = try open()
        // Its sequence numbers continue after the copy's, so numbers alone do not distinguish the
        // stores.
        let other = try save(container)
        #expect((other.storeUUID, other.sequence) == (second.storeUUID, second.sequence))
        #expect(other != second)
        #expect(kind { try container.history(after: first) } == "foreign 1")
        #expect(kind { try container.history(after: second) } == "foreign 2")
        #expect(kind { try container.purgeHistory(upTo: second) } == "foreign 2")
        #expect(try container.history(after: other).isEmpty)
        #expect(
            try container.history().map(\.token) == [
                try #require(try container.history().first?.token), other,
            ])
    }

    private func kind<R>(_ body: () throws -> R) -> String {
        do {
            _ = try body()
            return "none"
        } catch HistoryError.expired(let token) {
            return "expired \(token.sequence)"
        } catch HistoryError.foreign(let token) {
            return "foreign \(token.sequence)"
        } catch {
            return "\(error)"
        }
    }

    @Test("row 114: history can be filtered by date, author, context, entity, and kind")
    func filters() throws {
        let store = try store()
        let container = store.container
        _ = try save(container, author: "sync", name: "a", [[1, "one", 10, "Ann"]])
        _ = try save(container, author: "me", name: "b", [[1, "uno", 10, "Ann"]])
        _ = try save(container, name: "b", [[2, "two", 10, "Bob"]])
        func sequences(_ change: (inout HistoryFilter) -> Void) throws -> [Int64] {
            var filter = HistoryFilter()
            change(&filter)
            return try container.history(matching: filter).map(\.token.sequence)
        }
        #expect(try sequences { _ in } == [1, 2, 3])
        #expect(try sequences { $0.authors = ["sync"] } == [1])
        #expect(try sequences { $0.excludedAuthors = ["sync"] } == [2, 3])
        #expect(try sequences { $0.contextNames = ["b"] } == [2, 3])
        #expect(try sequences { $0.entityNames = ["Writer"] } == [1, 3])
        #expect(try sequences { $0.entityNames = ["Poet"] } == [])
        #expect(try sequences { $0.kinds = [.update] } == [2])
        #expect(try sequences { $0.after = .distantPast } == [1, 2, 3])
        try store.foreign().execute("UPDATE ATRANSACTION SET ZTIMESTAMP = 100 WHERE Z_PK < 3")
        #expect(
            try sequences { $0.after = Date(timeIntervalSinceReferenceDate: 100) } == [3])
        #expect(kind { try sequences { $0.entityNames = ["No"] } } == "There is no entity 'No'")
        let reader = try container.historyReader()
        _ = try save(container, [[3, "three", 1, nil]])
        #expect(try reader.remaining().count == 3)
        try container.purgeHistory(before: Date(timeIntervalSinceReferenceDate: 101))
        #expect(try sequences { _ in } == [3, 4])
    }

    @Test("row 114: history is an asynchronous sequence that throws if its task is canceled")
    func streamsTransactions() async throws {
        let store = try store()
        let container = store.container
        for number in 1...4 {
            let author = number == 2 ? "sync" : "me"
            _ = try save(container, author: author, [[.integer(Int64(number)), "t", 1, nil]])
        }
        var filter = HistoryFilter()
        filter.authors = ["me"]
        let start = try #require(try container.history().first?.token)
        let transactions = container.historyTransactions(after: start, matching: filter)
        var found: [Int64] = []
        for try await transaction in transactions {
            found.append(transaction.token.sequence)
            // Changes saved during the read belong to the next read.
            if found == [3] { _ = try save(container, author: "me", [[9, "t", 1, nil]]) }
        }
        #expect(found == [3, 4])
        found.removeAll()
        for try await transaction in transactions { found.append(transaction.token.sequence) }
        #expect(found == [3, 4, 5])
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            for try await _ in transactions { Issue.record("The task was canceled") }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        let off = try self.store(nil)
        await #expect(throws: HistoryError.self) {
            for try await _ in off.container.historyTransactions() {}
        }
    }

    @Test("row 115: a save deletes transactions beyond the retention, by age or by number")
    func purgesInSaves() throws {
        let days = try store(.days(7))
        for number in Int64(1)...4 {
            _ = try save(days.container, [[.integer(number), "t", 1, nil]])
        }
        try days.foreign().execute(
            "UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP - 8 * 86400 WHERE Z_PK < 3;"
                + "UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP - 6 * 86400 WHERE Z_PK = 3")
        _ = try save(days.container, [[5, "t", 1, nil]])
        #expect(try days.container.history().map(\.token.sequence) == [3, 4, 5])
        try days.expect("SELECT min(ZTRANSACTIONID) FROM ACHANGE", ["3"])
        let count = try store(.transactions(2))
        for number in Int64(1)...5 {
            _ = try save(count.container, [[.integer(number), "t", 1, nil]])
        }
        #expect(try count.container.history().map(\.token.sequence) == [4, 5])
        // A save without changes writes no history.
        _ = try save(count.container, [[5, "t", 1, nil]])
        #expect(try count.container.currentHistoryToken().sequence == 5)
    }

    @Test("row 111: a store with a history continues it, even if opened without the option")
    func continuesHistory() throws {
        let store = try store()
        _ = try save(store.container, [[1, "one", 10, nil]])
        let other = try PersistentContainer(model: nil, at: store.path)
        #expect(other.keepsHistory)
        _ = try save(other, [[2, "two", 10, nil]])
        #expect(try store.container.history().map(\.token.sequence) == [1, 2])
        // A save that is rolled back leaves no history.
        let context = other.newContext()
        _ = try context.write(BatchDeleteRequest(entityName: "Book"))
        context.rollback()
        #expect(try store.container.currentHistoryToken().sequence == 2)
    }

    @Test("row 116: polling reports the changes of other containers, but not its own")
    func noticesOthers() throws {
        let store = try store()
        let mine = store.container
        #expect(try mine.pollRemoteChange() == nil)
        _ = try save(mine, [[1, "one", 10, nil]])
        #expect(try mine.pollRemoteChange() == nil)
        let other = try PersistentContainer(model: nil, at: store.path)
        _ = try save(other, [[2, "two", 10, nil]])
        _ = try save(mine, [[3, "three", 10, nil]])
        _ = try save(other, [[1, "uno", 10, nil]])
        let change = try #require(try mine.pollRemoteChange())
        #expect(change.historyToken?.sequence == 4)
        #expect(change.change?.inserted.ids.map(\.primaryKey) == [2])
        #expect(change.change?.updated.ids.map(\.primaryKey) == [1])
        #expect(try mine.pollRemoteChange() == nil)
        let plain = try self.store(nil)
        #expect(try plain.container.pollRemoteChange() == nil)
        _ = try save(PersistentContainer(model: nil, at: plain.path), [[1, "x", 1, nil]])
        #expect(
            try plain.container.pollRemoteChange()
                == RemoteChange(
                    storeUUID: plain.container.storeUUID, change: nil, historyToken: nil))
    }

    @Test("row 116: remote changes are an asynchronous stream")
    func streamsRemoteChanges() async throws {
        let store = try store()
        _ = try store.container.pollRemoteChange()
        let other = try PersistentContainer(model: nil, at: store.path)
        _ = try save(other, [[1, "one", 10, nil]])
        var found: RemoteChange?
        for await change in store.container.remoteChanges(every: .milliseconds(1)) {
            found = change
            break
        }
        #expect(found?.change?.inserted.count == 1)
    }
}
