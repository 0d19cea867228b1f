import Foundation
import GraphModel
import Testing

@testable import GraphStore

/// Chains of model versions; the `etl migrate` command uses the same stages.
@Suite("Chains of versions") struct ModelHistoryTests {
    typealias Stage = ModelHistory.Stage

    private static func version(_ attributes: String) throws -> ManagedObjectModel {
        try model("Task:\n  attributes: { \(attributes) }")
    }

    /// Returns versions with a rename in each of the first two steps and a new attribute in the
    /// third.
    private static func history() throws -> ModelHistory {
        ModelHistory([
            try version("title: String"),
            try version("name: { type: String, renamed-from: title }"),
            try version("text: { type: String, renamed-from: name }"),
            try version("text: String, level: { type: Integer 16, default: 3 }"),
        ])
    }

    private static func store(of model: ManagedObjectModel, in folder: TemporaryFolder) throws
        -> String
    {
        let path = folder.file("store.sqlite")
        let context = try PersistentContainer(model: model, at: path, opening: .create)
            .newContext()
        try context.make("Task", ["title": "a"])
        try context.make("Task", ["title": "b"])
        try context.save()
        return path
    }

    private static func texts(_ path: String) throws -> [String] {
        let container = try PersistentContainer(model: nil, at: path)
        let context = container.newContext()
        return try context.fetch(FetchRequest(entityName: "Task"))
            .sorted { $0.objectID.primaryKey < $1.objectID.primaryKey }
            .map { "\(try $0.value(forKey: "text")) \(try $0.value(forKey: "level"))" }
    }

    @Test func mergesStagesWithoutMappingsOrStops() throws {
        let history = try Self.history()
        #expect(history.stages(from: 0) == [Stage(from: 0, to: 3)])
        #expect(history.stages(from: 2) == [Stage(from: 2, to: 3)])
        #expect(history.stages(from: 3) == [])
        let second = Stage(from: 1, to: 2)
        #expect(
            history.stages(from: 0, mapped: [second])
                == [Stage(from: 0, to: 1), second, Stage(from: 2, to: 3)])
        #expect(
            history.stages(from: 0, stoppingAt: [1])
                == [Stage(from: 0, to: 1), Stage(from: 1, to: 3)])
        // A mapping can skip versions, but not a version that is a stop.
        let leap = Stage(from: 0, to: 2)
        #expect(history.stages(from: 0, mapped: [leap]) == [leap, Stage(from: 2, to: 3)])
        #expect(
            history.stages(from: 0, mapped: [leap], stoppingAt: [1])
                == [Stage(from: 0, to: 1), Stage(from: 1, to: 3)])
    }

    /// A default that one step adds and the next one changes would get another value in one stage.
    @Test func keepsStagesSeparateIfMergingChangesTheResult() throws {
        let history = ModelHistory([
            try Self.version("title: String"),
            try Self.version("title: String, level: { type: Integer 16, default: 3 }"),
            try Self.version("title: String, level: { type: Integer 32, default: 4 }"),
        ])
        #expect(history.stages(from: 0) == [Stage(from: 0, to: 1), Stage(from: 1, to: 2)])
    }

    @Test func migratesAllVersionsInOneStage() throws {
        let folder = try TemporaryFolder()
        let history = try Self.history()
        let path = try Self.store(of: history.versions[0], in: folder)
        var stages: [Stage] = []
        let backup = try history.migrate(storeAt: path, didMigrate: { stages.append($0) })
        #expect(stages == [Stage(from: 0, to: 3)])
        #expect(backup == path + ".bak-v1")
        let wanted = [
            "attribute(GraphModel.StoredValue.text(\"a\"))"
                + " attribute(GraphModel.StoredValue.integer(3))",
            "attribute(GraphModel.StoredValue.text(\"b\"))"
                + " attribute(GraphModel.StoredValue.integer(3))",
        ]
        #expect(try Self.texts(path) == wanted)
        #expect(try history.isCurrent(storeAt: path))

        // A migration stage by stage has the same result.
        let other = try TemporaryFolder()
        let slow = try Self.store(of: history.versions[0], in: other)
        stages = []
        try history.migrate(
            storeAt: slow, stoppingAt: [1, 2], didMigrate: { stages.append($0) })
        #expect(
            stages == [Stage(from: 0, to: 1), Stage(from: 1, to: 2), Stage(from: 2, to: 3)])
        #expect(try Self.texts(slow) == wanted)
    }

    /// Two versions with the same hashes, of which the second has more than the first.
    @Test func migratesToAVersionWithEqualHashes() throws {
        let folder = try TemporaryFolder()
        let versions = [
            try Self.version("title: String"),
            try Self.version("text: { type: String, renamed-from: title }"),
            try model(
                """
                Task:
                  attributes: { text: String }
                  indexes: { byText: [text] }
                """),
        ]
        let path = try Self.store(of: versions[0], in: folder)
        var stages: [Stage] = []
        let backup = try ModelHistory(versions).migrate(
            storeAt: path, stoppingAt: [1], didMigrate: { stages.append($0) })
        #expect(stages == [Stage(from: 0, to: 1), Stage(from: 1, to: 2)])
        #expect(backup == path + ".bak-v1")
        #expect(try PersistentContainer.model(ofStoreAt: path) == versions[2])
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(left == ["store.sqlite", "store.sqlite.bak-v1"])
    }

    @Test func resumesAfterAFailedStage() throws {
        let folder = try TemporaryFolder()
        let history = try Self.history()
        let path = try Self.store(of: history.versions[0], in: folder)
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try history.migrate(
                storeAt: path, stoppingAt: [2],
                willMigrate: { if $0.from == 2 { throw Stop() } })
        }
        #expect(try history.versionIndex(ofStoreAt: path) == 2)
        var stages: [Stage] = []
        try history.migrate(storeAt: path, didMigrate: { stages.append($0) })
        #expect(stages == [Stage(from: 2, to: 3)])
    }
}
