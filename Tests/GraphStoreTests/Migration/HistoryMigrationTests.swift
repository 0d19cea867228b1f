import Foundation
import GraphModel
import Testing

@testable import GraphStore

@Suite("Migration of a history") struct HistoryMigrationTests {
    @Test("a history token stays valid after a migration, and changes use the new names")
    func goesOn() throws {
        let before = """
            Alpha: { attributes: { x: String } }
            Todo:
              attributes:
                uid: { type: String, preserve-on-delete: true }
                name: String
            Zebra: { attributes: { z: { type: String, preserve-on-delete: true } } }
            """
        let after = """
            Task:
              renamed-from: Todo
              attributes:
                aaa: { type: String, preserve-on-delete: true }
                key: { type: String, preserve-on-delete: true, renamed-from: uid }
                title: { type: String, renamed-from: name }
            Zebra: { attributes: { z: { type: String, preserve-on-delete: true } } }
            """
        let store = try MigratedStore(from: before, to: after, history: true) { context in
            try context.make("Alpha", ["x": "gone"])
            try context.make("Todo", ["uid": "u1", "name": "a"])
            try context.make("Todo", ["uid": "u2", "name": "b"])
        }
        var token: HistoryToken?
        do {
            let container = try PersistentContainer(model: nil, at: store.path)
            token = try container.currentHistoryToken()
            let context = container.newContext()
            let todos = try context.fetch(FetchRequest(entityName: "Todo"))
                .sorted { $0.objectID.primaryKey < $1.objectID.primaryKey }
            try todos[0].setValue("c", forKey: "name")
            context.delete(todos[1])
            try context.save()
        }
        try store.migrate()
        let container = try PersistentContainer(model: nil, at: store.path)
        #expect(container.keepsHistory)
        var lines: [String] = []
        for transaction in try container.history(after: token) {
            for change in transaction.changes {
                let entity = container.model.entities[Int(change.objectID.entityNumber) - 1].name
                lines.append(
                    "\(change.kind) \(entity) \(change.objectID.primaryKey)"
                        + " \(change.updatedProperties ?? []) \(change.tombstone)")
            }
        }
        #expect(
            lines == [
                #"update Task 1 ["title"] [:]"#,
                #"delete Task 2 [] ["key": GraphModel.StoredValue.text("u2")]"#,
            ])
        #expect(
            try store.lines("SELECT ZCHANGETYPE, ZENTITY, ZENTITYPK FROM ACHANGE ORDER BY Z_PK")
                == ["0|1|1", "0|1|2", "1|1|1", "2|1|2"])
    }
}
