import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("First loads and other users of the store") struct LoadOwnerTests {
    private static let entities = """
        Row:
          attributes: { key: { type: String, optional: false } }
          relationships: { tags: { to: Tag, many: true, inverse: rows } }
          unique: [[key]]
        Tag:
          attributes:
            name: String
            count: { type: Integer 64, derived: "rows.@count" }
          relationships: { rows: { to: Row, many: true, inverse: tags } }
          unique: [[name]]
        """
    private static let plan = BulkPlan(
        entity: "Row", key: ["key"], attributes: ["key"],
        links: [
            .init(
                relationship: "tags", destination: "Tag", attribute: "name", missing: .create)
        ])
    private static let indexes =
        "SELECT count(*) FROM sqlite_master WHERE name = 'Z_Row_UNIQUE_key'"
    private static let pending = "SELECT count(*) FROM ETL_PENDING"

    private static func refusal(_ store: TestStore) -> String {
        "\(store.path) lacks indexes and links until process \(getpid()) finishes its first load or "
            + "large deletion; wait for it, or if it was killed, run etl again, which completes the "
            + "work"
    }

    private func links(_ store: TestStore) -> String {
        "SELECT count(*) FROM \(store.container.schema.joinTables[0].name)"
    }

    private static func records(_ range: Range<Int>) -> [[TestValue]] {
        range.map { [.text("k\($0)"), .list([.text("t\($0 % 3)")])] }
    }

    @Test("during a first load, saves and read-only opens by other containers fail as busy")
    func isLeftAlone() throws {
        try withStore(Self.entities) { store in
            var refused: [StoreError?] = []
            try store.container.load(
                Self.plan, Self.records(0..<40), batchSize: 10, saveEvery: 10
            ) { _ in
                let other = try PersistentContainer(model: nil, at: store.path, opening: .existing)
                try store.expect(Self.indexes, ["0"])
                let context = other.newContext()
                _ = try context.insert("Tag")
                refused.append(storeError { _ = try context.save() })
                refused.append(
                    storeError {
                        var options = StoreOptions()
                        options.isReadOnly = true
                        _ = try PersistentContainer(
                            model: nil, .sqlite(at: store.path, options: options))
                    })
            }
            let text = Self.refusal(store)
            #expect(refused.map { $0?.code } == Array(repeating: .busy, count: 8))
            #expect(Set(refused.compactMap { $0?.message }) == [text])
            try store.expect("SELECT count(*) FROM ZROW", ["40"])
            try store.expect(links(store), ["40"])
            try store.expect(Self.indexes, ["1"])
            try store.expect(Self.pending, ["0"])
            // After the load, the same containers can save.
            let other = try PersistentContainer(model: nil, at: store.path, opening: .existing)
            let context = other.newContext()
            _ = try context.insert("Tag")
            try context.save()
        }
    }

    @Test("during a first load, fetches by other containers find the rows saved so far")
    func fetches() throws {
        try withStore(Self.entities) { store in
            let early = try PersistentContainer(model: nil, at: store.path, opening: .existing)
            var seen: [String] = []
            try store.container.load(
                Self.plan, Self.records(0..<30), batchSize: 10, saveEvery: 10
            ) { _ in
                let late = try PersistentContainer(model: nil, at: store.path, opening: .existing)
                for container in [early, late] {
                    let context = container.newContext()
                    var request = FetchRequest<ManagedObject>(entityName: "Row")
                    let rows = try context.fetch(request)
                    let keys = Set(rows.compactMap { $0[.string("key")] })
                    request.predicate = try GraphPredicate(format: "key == 'k7'")
                    let one = try context.fetch(request)
                    seen.append("\(rows.count) \(keys.count) \(one.count)")
                }
            }
            #expect(seen == ["10 10 1", "10 10 1", "20 20 1", "20 20 1", "30 30 1", "30 30 1"])
        }
    }

    /// Reads the links of the store's rows and tags in each way; returns the results, and the
    /// errors.
    private func readLinks(
        _ container: PersistentContainer
    ) throws -> (results: [String], errors: [StoreError]) {
        let rows = FetchRequest<ManagedObject>(entityName: "Row")
        let tags = FetchRequest<ManagedObject>(entityName: "Tag")
        let ways: [(ManagedObjectContext) throws -> Int] = [
            { try $0.fetch(rows).first?.objectIDs(for: "tags").count ?? -1 },
            { try $0.fetch(tags).first?.objectIDs(for: "rows").count ?? -1 },
            {
                var request = rows
                request.relationshipKeyPathsForPrefetching = ["tags"]
                return try $0.fetch(request).count
            },
            {
                var request = rows
                request.predicate = try GraphPredicate(format: "ANY tags.name == 't1'")
                return try $0.fetch(request).count
            },
            {
                var request = tags
                request.predicate = try GraphPredicate(format: "rows.@count > 0")
                return try $0.count(for: request)
            },
            {
                let cursor = try $0.cursor(
                    RowRequest(entityName: "Row", fields: [["key"], ["tags", "name"]]))
                let batch = cursor.makeBatch()
                var links = 0
                while try cursor.next(batch) {
                    for row in 0..<batch.count { links += batch.items(of: batch[row, 1]).count }
                }
                return links
            },
        ]
        var results: [String] = []
        var errors: [StoreError] = []
        for way in ways {
            do {
                results.append("\(try way(container.newContext()))")
            } catch let error as StoreError {
                errors.append(error)
            }
        }
        return (results, errors)
    }

    @Test("during a first load, reading its links fails as busy, also in the loading container")
    func linksCannotBeRead() throws {
        try withStore(Self.entities) { store in
            let early = try PersistentContainer(model: nil, at: store.path, opening: .existing)
            let text = Self.refusal(store)
            try store.container.load(
                Self.plan, Self.records(0..<20), batchSize: 10, saveEvery: 10
            ) { _ in
                for container in [early, store.container] {
                    let (results, errors) = try readLinks(container)
                    #expect(results == [])
                    #expect(errors.map(\.code) == Array(repeating: .busy, count: 6))
                    #expect(Set(errors.map(\.message)) == [text])
                    // A subscript cannot throw, so the next save throws its error.
                    let context = container.newContext()
                    let row = try #require(
                        try context.fetch(FetchRequest<ManagedObject>(entityName: "Row")).first)
                    #expect(row[.toMany("tags")].isEmpty)
                    row[.string("key")] = "other"
                    let later = storeError { _ = try context.save() }
                    #expect(later?.message == text)
                }
            }
            for container in [early, store.container] {
                let (results, errors) = try readLinks(container)
                #expect(results == ["1", "7", "20", "7", "3", "20"])
                #expect(errors.isEmpty)
            }
        }
    }

    @Test("the links of a dead load cannot be read until a save completes it")
    func linksOfADeadLoad() throws {
        try withStore(Self.entities) { store in
            let other = try PersistentContainer(model: nil, at: store.path, opening: .existing)
            try store.container.load(Self.plan, Self.records(0..<20), buildsIndexes: false)
            try store.foreign().execute(
                "UPDATE ETL_PENDING SET SQL = '-- 1 1 x 1 1:1' WHERE NAME = 'ETL_LOADER'")
            let (results, errors) = try readLinks(other)
            #expect(results == [] && errors.count == 6)
            #expect(errors.filter { !$0.isUnfinishedLoad }.isEmpty)
            let context = other.newContext()
            try context.insert("Tag")[.string("name")] = "z"
            try context.save()
            let completed = try readLinks(other).results
            #expect(completed == ["1", "7", "20", "7", "3", "20"])
        }
    }

    @Test("during a first load, a comparison with the store fails as busy, from either store")
    func comparisons() throws {
        let copies = try TemporaryFolder()
        let path = copies.file("copy.sqlite")
        try withStore(Self.entities) { store in
            try store.container.copyStore(to: path)
            let copy = try PersistentContainer(model: nil, at: path, opening: .existing)
            var errors: [StoreError?] = []
            try store.container.load(
                Self.plan, Self.records(0..<20), batchSize: 10, saveEvery: 10
            ) { _ in
                errors.append(storeError { _ = try copy.difference(from: store.path) })
                errors.append(storeError { _ = try store.container.difference(from: path) })
            }
            let text = Self.refusal(store)
            #expect(errors.map { $0?.message } == Array(repeating: text, count: 4))
            #expect(errors.map { $0?.code } == Array(repeating: .busy, count: 4))
            let found = try store.container.difference(from: path)
            #expect(found.entities.map { "\($0.name) \($0.inserted)" } == ["Row 20", "Tag 3"])
        }
    }

    @Test("a comparison with a store of a dead load fails until the load is completed")
    func comparisonWithADeadLoad() throws {
        let copies = try TemporaryFolder()
        let path = copies.file("copy.sqlite")
        try withStore(Self.entities) { store in
            try store.container.load(Self.plan, Self.records(0..<20), buildsIndexes: false)
            try store.foreign().execute(
                "UPDATE ETL_PENDING SET SQL = '-- 1 1 x 1 1:1' WHERE NAME = 'ETL_LOADER'")
            try store.container.copyStore(to: path)
            // Opening it for writing completes the load of the copy.
            let copy = try PersistentContainer(model: nil, at: path, opening: .existing)
            let error = storeError { _ = try copy.difference(from: store.path) }
            #expect(error?.isUnfinishedLoad == true)
            #expect(error?.message.hasPrefix(store.path) == true)
            try store.container.buildPendingIndexes()
            #expect(try copy.difference(from: store.path).isEmpty)
        }
    }

    @Test("a pinned context keeps reading the links of its generation during a first load")
    func pinnedLinks() throws {
        try withStore(Self.entities) { store in
            let other = try PersistentContainer(model: nil, at: store.path, opening: .existing)
            let early = other.newContext()
            let tag = try early.insert("Tag")
            tag[.string("name")] = "t1"
            try early.save()
            let context = other.newContext()
            try context.pinQueryGeneration()
            var seen: [Int] = []
            try store.container.load(
                Self.plan, Self.records(0..<20), batchSize: 10, saveEvery: 10
            ) { _ in
                let found = try context.existingObject(with: tag.objectID)
                try context.refresh(found, mergeChanges: false)
                seen.append(try found.objectIDs(for: "rows").count)
            }
            #expect(seen == [0, 0])
        }
    }

    @Test(
        "opening a store completes the load of a dead process, an earlier boot, or a copied file",
        arguments: [0, 1, 2, 3, 4])
    func isCompleted(_ field: Int) throws {
        try withStore(Self.entities) { store in
            try store.container.load(Self.plan, Self.records(0..<10), buildsIndexes: false)
            let note = "SELECT SQL FROM ETL_PENDING WHERE NAME = 'ETL_LOADER'"
            var parts = try #require(try store.lines(note).first).split(separator: " ").map {
                String($0)
            }
            #expect(parts.count == 6 && parts[1] == "\(getpid())")
            // The fields: process, its start, the system's start, connection, and file.
            parts[field + 1] = ["1", "1", "x", "1000000", "1:1"][field]
            try store.foreign().execute(
                "UPDATE ETL_PENDING SET SQL = '\(parts.joined(separator: " "))'"
                    + " WHERE NAME = 'ETL_LOADER'")
            var options = StoreOptions()
            options.isReadOnly = true
            let reading = storeError {
                _ = try PersistentContainer(
                    model: nil, .sqlite(at: store.path, options: options))
            }
            #expect(reading?.isUnfinishedLoad == true)
            _ = try PersistentContainer(model: nil, at: store.path, opening: .existing)
            try store.expect(Self.indexes, ["1"])
            try store.expect(Self.pending, ["0"])
            try store.expect(links(store), ["10"])
            try store.expect("SELECT ZCOUNT FROM ZTAG ORDER BY ZNAME", ["4", "3", "3"])
        }
    }

    @Test(
        "a save completes the load of a dead process and computes its derived counts",
        arguments: ["objects", "request", "load", "nothing"])
    func aSaveCompletes(_ way: String) throws {
        let store = try TestStore(
            model(Self.entities), history: HistoryOptions(keeping: .untilPurged))
        let other = try PersistentContainer(model: nil, at: store.path, opening: .existing)
        try store.container.load(Self.plan, Self.records(0..<10), buildsIndexes: false)
        try store.foreign().execute(
            "UPDATE ETL_PENDING SET SQL = '-- 1 1 x 1 1:1' WHERE NAME = 'ETL_LOADER'")
        // A load defers counts over links to its end.
        try store.expect("SELECT ZCOUNT FROM ZTAG ORDER BY ZNAME", ["-", "-", "-"])
        let token = try other.currentHistoryToken()
        let context = other.newContext()
        // None of these writes sets a count itself.
        switch way {
        case "objects": try context.insert("Tag")[.string("name")] = "z"
        case "request":
            _ = try context.write(
                BatchUpdateRequest(
                    entityName: "Tag",
                    predicate: try GraphPredicate(format: "name == 't2'"),
                    propertiesToUpdate: ["name": try GraphExpression(format: "'z'")]))
        case "load":
            let plan = BulkPlan(entity: "Tag", key: ["name"], attributes: ["name"])
            let writer = try context.bulkWriter(for: plan)
            let batch = RowBatch(width: plan.width)
            batch.add(["z"])
            try writer.apply(batch, firstToken: 1)
            try writer.finish()
        default:
            _ = try context.write(
                BatchDeleteRequest(
                    entityName: "Tag", predicate: try GraphPredicate(format: "name == 'z'")))
        }
        let change = try context.save().change
        try store.expect(Self.indexes, ["1"])
        try store.expect(links(store), ["10"])
        let last = way == "request" || way == "nothing" ? [] : ["0"]
        try store.expect("SELECT ZCOUNT FROM ZTAG ORDER BY ZNAME", ["4", "3", "3"] + last)
        #expect(change.updated.ids.map(\.primaryKey).sorted() == [1, 2, 3])
        let derived = try other.history(after: token).flatMap(\.changes)
            .filter { $0.updatedProperties?.contains("count") == true }
        #expect(derived.map(\.objectID.primaryKey).sorted() == [1, 2, 3])
        try store.checkIntegrity()
    }

    @Test(
        "a build commits deferred links and indexes in parts and resumes after an error")
    func resumesAfterBuiltIndexes() throws {
        try withStore(Self.entities) { store in
            try store.container.load(Self.plan, Self.records(0..<10), buildsIndexes: false)
            let names = "SELECT NAME FROM ETL_PENDING ORDER BY NAME"
            let links = DeferredJoinRows.name(of: store.container.schema.joinTables[0].name)
            let before = try store.lines(names)
            #expect(before.first == "ETL_LINKS_\(store.container.schema.joinTables[0].name)")
            let key = "NAME = 'Z_Row_UNIQUE_key'"
            let statement = try #require(
                try store.lines("SELECT SQL FROM ETL_PENDING WHERE \(key)").first)
            let other = try store.foreign()
            try other.execute("UPDATE ETL_PENDING SET SQL = 'CREATE' WHERE \(key)")
            let schema = store.container.schema
            let build = { () throws(StoreError) -> Void in
                _ = try PendingIndexes.build(on: other, schema, folding: [:], pagesAtOnce: -1) {}
            }
            // For other processes, the load appears to be running.
            try build()
            try store.expect(self.links(store), ["0"])
            try other.execute("UPDATE ETL_PENDING SET SQL = '-- 1' WHERE NAME = 'ETL_LOADER'")
            let failure = storeError { try build() }
            #expect(failure != nil)
            let left = try store.lines(names)
            #expect(left.contains("ETL_LOADER") && left.contains("Z_Row_UNIQUE_key"))
            #expect(!left.contains(links))
            try store.expect(self.links(store), ["10"])
            try store.foreign().execute("UPDATE ETL_PENDING SET SQL = '\(statement)' WHERE \(key)")
            try store.container.buildPendingIndexes()
            try store.expect(Self.indexes, ["1"])
            try store.expect(Self.pending, ["0"])
            try store.expect("SELECT ZCOUNT FROM ZTAG ORDER BY ZNAME", ["4", "3", "3"])
        }
    }
}
