import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("External files") struct ExternalFileTests {
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Photo",
                ownAttributes: [
                    AttributeDescription(
                        name: "data", type: .binary, allowsExternalBinaryDataStorage: true),
                    AttributeDescription(name: "key", type: .string),
                ], uniquenessConstraints: [["key"]])
        ])
    }

    private func files(_ store: TestStore) throws -> [String] {
        try store.container.externalFiles.names()
    }

    @Test("row 9: large values are stored in files; deletions and failed saves remove the files")
    func files() throws {
        try withStore(model()) { store in
            let context = store.context()
            let small = [UInt8](repeating: 7, count: 10)
            let large = [UInt8](repeating: 8, count: 200_000)
            let photo = try context.insert("Photo")
            photo[.binary("data")] = large
            photo[.string("key")] = "k"
            let other = try context.insert("Photo")
            other[.binary("data")] = small
            try context.save()
            let names = try files(store)
            #expect(names.count == 1)
            try store.expect(
                "SELECT hex(substr(ZDATA, 1, 1)), length(ZDATA) FROM ZPHOTO", ["02|38", "01|11"])
            #expect(
                FileManager.default.fileExists(
                    atPath: store.folder.file(".store_SUPPORT/_EXTERNAL_DATA/\(names[0])")))
            let second = store.context()
            let again = try second.existingObject(with: photo.objectID)
            #expect(again[.binary("data")] == large)
            // A save that fails leaves no file.
            let double = try second.insert("Photo")
            double[.string("key")] = "k"
            double[.binary("data")] = large
            #expect(storeError { try second.save() }?.code == .conflict)
            #expect(try files(store) == names)
            second.rollback()
            again[.binary("data")] = large + [1]
            try second.save()
            #expect(try files(store).count == 1 && files(store) != names)
            second.delete(again)
            try second.save()
            #expect(try files(store) == [])
        }
    }

    @Test("a large value is null if its file is missing, but an error if it cannot be read")
    func unreadable() throws {
        try withStore(model()) { store in
            let context = store.context()
            let photo = try context.insert("Photo")
            photo[.binary("data")] = [UInt8](repeating: 8, count: 200_000)
            try context.save()
            let name = try #require(files(store).first)
            let path = store.folder.file(".store_SUPPORT/_EXTERNAL_DATA/\(name)")
            try FileManager.default.moveItem(atPath: path, toPath: path + "-kept")
            let container = try PersistentContainer(model: nil, at: store.path)
            let missing = try container.newContext().existingObject(with: photo.objectID)
            #expect(missing[.binary("data")] == nil)
            // Reading a folder fails even for the superuser.
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false)
            let other = try PersistentContainer(model: nil, at: store.path)
            let error = storeError {
                _ = try other.newContext().existingObject(with: photo.objectID)
            }
            #expect(error?.code == .inputOutput)
            #expect(
                error?.message.hasSuffix("/\(name) cannot be read: Is a directory") == true,
                "\(String(describing: error))")
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: path + "-kept", toPath: path)
        }
    }

    @Test("a salvage copies external files and fails next to a store with the same stem")
    func salvage() throws {
        try withStore(model()) { store in
            let context = store.context()
            try context.insert("Photo")[.binary("data")] = [UInt8](repeating: 1, count: 200_000)
            try context.save()
            let names = try files(store)
            let twin = store.folder.file("store.db")
            #expect(
                storeError { _ = try PersistentContainer.salvage(at: store.path, to: twin) }?.code
                    == .exists)
            #expect(try files(store) == names)
            // An empty folder does not block the copy.
            try FileManager.default.createDirectory(
                atPath: store.folder.file(".new_SUPPORT"), withIntermediateDirectories: true)
            let new = store.folder.file("new.sqlite")
            #expect(try PersistentContainer.salvage(at: store.path, to: new).isComplete)
            #expect(
                ExternalFiles(storePath: new).folder.map { folder in
                    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
                } == names)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: store.folder.path)
                    .filter { $0.contains("etl-part") } == [])
        }
    }

    @Test("row 9: a sweep deletes external files that no row refers to")
    func sweeping() throws {
        try withStore(model()) { store in
            let context = store.context()
            for _ in 0..<2 {
                try context.insert("Photo")[.binary("data")] = [UInt8](
                    repeating: 1, count: 200_000)
            }
            try context.save()
            try store.foreign().execute("DELETE FROM ZPHOTO WHERE Z_PK = 1")
            #expect(try files(store).count == 2)
            #expect(try store.container.sweepExternalFiles() == 1)
            #expect(try files(store).count == 1)
            #expect(try store.container.sweepExternalFiles() == 0)
        }
    }

    @Test("an import that rolls back a cycle keeps the files that its rows name")
    func cycles() throws {
        let nodes = """
            Node:
              attributes:
                id: String
                code: String
                data: { type: Binary, external: true }
              relationships:
                next: { to: Node, inverse: previous }
                previous: { to: Node, many: true, inverse: next }
              unique: [[id], [code]]
            """
        let plan = BulkPlan(
            entity: "Node", key: ["id"], attributes: ["id", "code", "data"],
            links: [.init(relationship: "next", destination: "Node", attribute: "id")])
        let records: [[TestValue]] = [
            ["1", .absent, .blob([1]), "2"], ["2", "b", .absent, "3"], ["3", "x", .absent, "2"],
        ]
        for order in [[0, 1, 2], [1, 2, 0], [0, 2, 1]] {
            try withStore(nodes) { store in
                let context = store.context()
                let node = try context.insert("Node")
                node[.string("id")] = "1"
                node[.binary("data")] = [UInt8](repeating: 8, count: 200_000)
                let other = try context.insert("Node")
                other[.string("id")] = "9"
                other[.string("code")] = "x"
                try context.save()
                let names = try files(store)
                #expect(names.count == 1)
                let outcome = try store.container.load(plan, order.map { records[$0] })
                #expect(outcome.rejects.count == 3, "\(order)")
                #expect(try files(store) == names, "\(order)")
                try store.expect("SELECT ZID, length(ZDATA) FROM ZNODE", ["1|38", "9|-"])
            }
        }
    }
}
