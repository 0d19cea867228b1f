import Foundation
import GraphModel
import Testing

@testable import GraphStore

@Suite("Models of other apps") struct ForeignModelTests {
    private func model(_ text: String) throws -> ManagedObjectModel {
        let (read, diagnostics) = ModelFile.read(text: text)
        return try #require(read, "\(diagnostics)")
    }

    @Test("a migration to a model without a common entity is rejected and changes nothing")
    func foreignModel() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        do {
            let container = try PersistentContainer(
                model: model("{ model: 1, entities: { Task: { attributes: { title: String } } } }"),
                .sqlite(at: path, opening: .create))
            let context = container.newContext()
            try context.insert("Task").setValue(.attribute(.text("a")), forKey: "title")
            try context.save()
        }
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let manager = MigrationManager(
            storeAt: path,
            to: try model("{ model: 1, entities: { Book: { attributes: { title: String } } } }"))
        let error = storeError { _ = try manager.migrate() }
        #expect(error?.code == .modelMismatch)
        #expect(
            error?.message == """
                \(path): no entity of the store ('Task') continues in the new model, which has 'Book'; \
                give the model of the app that created the store, or map its entities
                """)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }
}
