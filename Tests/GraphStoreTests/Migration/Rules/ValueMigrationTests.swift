import Foundation
import GraphModel
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Migration of values") struct ValueMigrationTests {
    @Test("a URI becomes a string, and a UUID becomes its text")
    func texts() throws {
        let store = try MigratedStore(
            from: "Page: { attributes: { address: URI, code: UUID } }",
            to: "Page: { attributes: { address: String, code: String } }"
        ) { context in
            try context.make(
                "Page",
                [
                    "address": "https://example.com/a",
                    "code": .attribute(.blob([UInt8](repeating: 0x1a, count: 16))),
                ])
            try context.make("Page")
        }
        try store.migrate()
        #expect(
            try store.objects("Page", "address", "code") == [
                "address=https://example.com/a code=1A1A1A1A-1A1A-1A1A-1A1A-1A1A1A1A1A1A",
                "address=- code=-",
            ])
    }

    @Test("a migration folds the texts of all searchable attributes")
    func searchable() throws {
        let before = """
            Task:
              attributes:
                name: { type: String, searchable: true }
                note: { type: String, searchable: true }
            """
        let store = try MigratedStore(
            from: before, to: before.replacing("    note:", with: "    rank: Integer 16\n    note:")
        ) { context in
            try context.make("Task", ["name": "Été", "note": "Über"])
            try context.make("Task", ["name": "Hiver"])
        }
        try store.migrate()
        let context = try PersistentContainer(model: nil, at: store.path).newContext()
        for (format, count) in [
            ("name CONTAINS[cd] 'ete'", 1), ("note CONTAINS[cd] 'uber'", 1),
            ("note CONTAINS[cd] 'ete'", 0),
        ] {
            let request = FetchRequest<ManagedObject>(
                entityName: "Task", predicate: try GraphPredicate(format: format))
            #expect(try context.count(for: request) == count, "\(format)")
        }
    }

    @Test(
        "a migration that moves a large value into its row fails if the value's file is unreadable",
        arguments: [
            (isFolder: false, reason: "The file of a large value is missing"),
            (isFolder: true, reason: "cannot be read"),
        ])
    func lostFile(isFolder: Bool, reason: String) throws {
        let before = "Page: { attributes: { photo: { type: Binary, external: true } } }"
        let store = try MigratedStore(
            from: before, to: "Page: { attributes: { photo: Binary } }"
        ) { context in
            let large = [UInt8](repeating: 7, count: 200_000)
            try context.make("Page", ["photo": .attribute(.blob(large))])
        }
        let folder = store.folder.file(".store_SUPPORT/_EXTERNAL_DATA")
        let names = try StoreFiles.names(in: folder)
        #expect(names.count == 1)
        let file = "\(folder)/\(try #require(names.first))"
        try FileManager.default.removeItem(atPath: file)
        if isFolder {
            try FileManager.default.createDirectory(
                atPath: file, withIntermediateDirectories: false)
        }
        let error = try #require(throws: StoreError.self) { try store.manager.migrate() }
        #expect(error.message.contains(reason), "\(error)")
        #expect(try PersistentContainer.model(ofStoreAt: store.path) == store.old)
        #expect(try store.lines("SELECT count(*) FROM ZPAGE WHERE ZPHOTO NOT NULL") == ["1"])
    }
}
