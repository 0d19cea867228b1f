import Diagnostics
import Foundation
import GraphModel
import Testing

@testable import GraphStore
@testable import Pipelines

/// A program shows the same message for an error as the command prints.
@Suite("Public errors") struct PublicErrorTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    private static let missing =
        "/nowhere/store.sqlite does not exist; `open: create` makes it when it is missing"

    /// Returns the error that a closure throws.
    private static func error<E: Error>(
        _ type: E.Type, _ body: () throws -> Void
    ) throws -> E {
        do {
            try body()
        } catch {
            return try #require(error as? E)
        }
        throw CancellationError()
    }

    private static func storeError(_ body: () throws -> Void) throws -> StoreError {
        try error(StoreError.self, body)
    }

    /// Returns an error of each public type, and several if its cases have their own messages.
    private static func errors() throws -> [any Error] {
        let model = try ManagedObjectModel(
            yaml: """
                model: 1
                entities:
                  Task: { attributes: { id: { type: Integer 64, optional: false } }, unique: [[id]] }
                """)
        let missing = try storeError {
            _ = try PersistentContainer(model: nil, at: "/nowhere/store.sqlite")
        }
        let container = try PersistentContainer.ephemeral(model: model)
        let context = container.newContext()
        let task = try context.insert("Task")
        let invalid = try storeError { try context.save() }
        try task.setValue(.attribute(.integer(1)), forKey: "id")
        try context.save()
        let other = container.newContext()
        try other.insert("Task").setValue(.attribute(.integer(1)), forKey: "id")
        let conflict = try storeError { try other.save() }
        let token = HistoryToken(storeUUID: container.storeUUID, sequence: 7)
        let predicate = try error(GraphPredicateError.self) {
            _ = try GraphPredicate(format: "id === 1")
        }
        let modelFile = try error(ModelFileError.self) {
            _ = try ManagedObjectModel(yaml: "model: 1\nentities: { Task: { parent: Item } }")
        }
        let modelError = try error(ModelError.self) {
            _ = try ManagedObjectModel(entities: model.entities + model.entities)
        }
        return [
            missing, invalid, conflict, predicate, modelFile, modelError,
            try #require(invalid.validationError), try #require(conflict.mergeError),
            HistoryError.off, HistoryError.expired(token), HistoryError.foreign(token),
            HistoryError.store(missing), EvaluationError.overflow, EvaluationError.notADate("x"),
        ]
    }

    @Test func localizedDescriptionMatchesThePrintedMessage() throws {
        for error in try Self.errors() {
            let text = try #require((error as? any LocalizedError)?.errorDescription)
            #expect(error.localizedDescription == text)
            #expect(!text.isEmpty && !text.contains("could not be completed"), "\(error)")
            // The description of a history error contains the store, which the error itself does
            // not know.
            let failure =
                error is HistoryError
                ? RunFailure(
                    history: error, store: text.contains("this one") ? "this one" : "The store")
                : RunFailure(error)
            #expect(failure.diagnostics.map(\.message) == [text])
        }
    }

    @Test func localizedDescriptionsAreReadableMessages() throws {
        #expect(
            try Self.errors().map(\.localizedDescription) == [
                Self.missing, "'id' is required [1570, Task p1]", "Task p2 has the same id as p1",
                "A value is missing before '=='",
                """
                model:2:29: error: No entity is named 'Item' [model.unknown-entity]
                  in: entities.Task.parent
                """,
                "The entity 'Task' is declared twice", "'id' is required [1570, Task p1]",
                "Task p2 has the same id as p1", "The store keeps no history",
                "Changes after transaction 7 have been purged and not read",
                "The token is of another store, or of one that had this one's place, and not of"
                    + " this one",
                Self.missing, "The result of the arithmetic is too large", "'x' is not a date",
            ])
    }

    @Test func coversEveryPublicErrorType() throws {
        var names: Set<String> = []
        let declaration = #/public (?:struct|enum|final class) (\w+): (?:[\w, ]+, )?Error\b/#
        for module in ["GraphModel", "GraphStore", "RowStore", "XcodeModel"] {
            let folder = "\(Self.root)/Sources/\(module)"
            let files = try #require(FileManager.default.enumerator(atPath: folder))
            for case let file as String in files where file.hasSuffix(".swift") {
                let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
                for match in text.matches(of: declaration) { names.insert(String(match.1)) }
            }
        }
        #expect(names == Set(try Self.errors().map { "\(type(of: $0))" }))
    }
}
