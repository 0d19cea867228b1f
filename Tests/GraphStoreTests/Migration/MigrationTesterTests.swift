import AppStoreFixtures
import Foundation
import GraphModel
import Testing

@testable import GraphStore

@Suite("Testing migrations", .serialized) struct MigrationTesterTests {
    private static let first = """
        Person:
          attributes:
            name: { type: String, optional: false, length: 3..12 }
            born: { type: Date, optional: false }
            age: { type: Integer 16, range: 18..99 }
          relationships:
            tasks: { to: Task, many: true, inverse: owner }
            boss: { to: Person, inverse: staff }
            staff: { to: Person, many: true, inverse: boss }
          unique: [[name]]
        Item:
          abstract: true
          attributes: { code: { type: String, optional: false } }
          relationships: { tags: { to: Tag, many: true, inverse: items, optional: false } }
          unique: [[code]]
        Task:
          parent: Item
          attributes: { done: { type: Boolean, default: false }, picture: { type: Binary, external: true } }
          relationships: { owner: { to: Person, inverse: tasks, optional: false } }
        Note:
          parent: Item
          attributes: { weight: Float, price: Decimal, uid: UUID, page: URI, blob: Binary }
        Tag:
          attributes: { name: String, count: { type: Integer 32, derived: "items.@count" } }
          relationships: { items: { to: Item, many: true, inverse: tags } }
        """

    private static func history() throws -> ModelHistory {
        let second = first.replacing("Task:\n", with: "Todo:\n  renamed-from: Task\n")
            .replacing("to: Task", with: "to: Todo")
            .replacing("done: {", with: "level: { type: Integer 16, default: 1 }, done: {")
        let third = second.replacing("  renamed-from: Task\n", with: "")
            .replacing("born: {", with: "year: Integer 16\n    born: {")
        return ModelHistory([try model(first), try model(second), try model(third)])
    }

    private static let mappings = [
        ModelHistory.Stage(from: 1, to: 2): MappingModel([
            EntityMapping(from: "Person", to: "Person", set: ["year": "age + 1"])
        ])
    ]

    private static func leftovers() throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            atPath: FileManager.default.temporaryDirectory.path
        ).filter { $0.hasPrefix("migration-trial-") }
    }

    @Test func triesEveryVersionWithEverySeed() throws {
        let tester = MigrationTester(
            try Self.history(), mappings: Self.mappings, objectsPerEntity: 12, seeds: 3...4)
        let trials = tester.trials()
        #expect(trials.map(\.version) == [0, 0, 1, 1, 2, 2])
        #expect(trials.map(\.seed) == [3, 4, 3, 4, 3, 4])
        for trial in trials {
            #expect(trial.problems == [], "\(trial)")
            #expect(
                trial.after.mapValues(\.count) == [
                    "Note": 12, "Person": 12, "Tag": 12, "Todo": 12,
                ],
                "\(trial)")
            // Tags and notes are unchanged; people got a year.
            #expect(trial.after["Note"] == trial.before["Note"], "\(trial)")
            #expect((trial.after["Person"] == trial.before["Person"]) == (trial.version == 2))
        }
        typealias Stage = ModelHistory.Stage
        #expect(
            trials.map(\.stages) == [
                [Stage(from: 0, to: 1), Stage(from: 1, to: 2)],
                [Stage(from: 0, to: 1), Stage(from: 1, to: 2)], [Stage(from: 1, to: 2)],
                [Stage(from: 1, to: 2)], [], [],
            ])
        // Another seed creates other objects; the same seed creates the same objects.
        #expect(trials[0].before["Note"] != trials[1].before["Note"])
        #expect(tester.trials() == trials)
        #expect(try Self.leftovers() == [])
    }

    @Test func describesATrialAsReproducibleText() throws {
        var tester = MigrationTester(
            try Self.history(), mappings: Self.mappings, objectsPerEntity: 5)
        tester.counts = ["Tag": 2]
        #expect(
            tester.trial(from: 0, seed: 1).description == """
                version 1 to version 3, seed 1
                - Note 5 b171f1a8be6b4777
                - Person 5 f93facd77f276826
                - Tag 2 806621bb49b079a2
                - Task 5 ddc4a73ba9daefc9
                + Note 5 b171f1a8be6b4777
                + Person 5 48e2245dc165aad3
                + Tag 2 806621bb49b079a2
                + Todo 5 2136e0c63d4ec829
                """)
    }

    @Test func generatesObjectsThatAreValidForTheModel() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        var tester = MigrationTester(try Self.history(), objectsPerEntity: 60)
        tester.counts = ["Person": 9]
        try tester.makeStore(at: path, version: 0, seed: 11)
        let found = try PersistentContainer.verify(at: path, .full)
        #expect(found.problems == [])
        func count(_ entity: String, _ format: String) throws -> Int {
            let container = try PersistentContainer(model: nil, at: path)
            return try container.newContext().count(
                for: FetchRequest<ManagedObject>(
                    entityName: entity, predicate: try GraphPredicate(format: format)))
        }
        // Every required link and every kind of value exists, and some optional links are missing.
        #expect(try count("Task", "owner == nil OR tags.@count == 0") == 0)
        #expect(try count("Person", "tasks.@count > 0") == 9)
        #expect(try count("Person", "boss != nil") > 0)
        #expect(try count("Note", "tags.@count > 1") > 0)
        for key in ["weight", "price", "uid", "page", "blob"] {
            #expect((1..<60).contains(try count("Note", "\(key) == nil")), "\(key)")
        }
        #expect(
            try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
                $0.contains("_EXTERNAL_DATA/")
            }.isEmpty == false)
    }

    @Test func reportsProblemsInsteadOfThrowing() throws {
        let history = ModelHistory([
            try model("Task:\n  attributes: { title: String, level: String }"),
            try model("Task:\n  attributes: { title: String, level: Integer 16 }"),
        ])
        var tester = MigrationTester(history)
        #expect(
            tester.trial(from: 0, seed: 5).problems == [
                "store.sqlite cannot be migrated without a mapping: Task.level is Integer 16, was"
                    + " String"
            ])
        #expect(
            tester.trial(from: 2, seed: 5).problems
                == ["There is no version at 2; there are 2"])
        // The tester cannot generate values for a pattern, so `complete` must supply them.
        let ruled = ModelHistory([
            try model(
                """
                Task:
                  attributes: { code: { type: String, optional: false, pattern: "[A-Z]{2}" } }
                """)
        ])
        tester = MigrationTester(ruled, objectsPerEntity: 1)
        #expect(
            tester.trials().map(\.problems) == [
                [
                    "The objects of seed 1 break the model's rules, so `complete` must set the "
                        + "values that the model does not define: 'code' is required [1570, Task p1]"
                ]
            ])
        tester.complete = { object, _ in try object.setValue("AB", forKey: "code") }
        #expect(tester.trials().map(\.problems) == [[]])
        #expect(try Self.leftovers() == [])
    }

    @Test func migratesACopyOfAnExistingStore() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("Shelf.sqlite")
        let (read, _) = ModelFile.read(text: AppStoreFixture.modelText)
        let old = try #require(read)
        try AppStoreFixture.make(at: path, old)
        let digest = try folderDigest(folder.path)
        let tester = MigrationTester(
            ModelHistory([old, try LaterShelf.model(LaterShelf.second)]))
        let trial = tester.trial(ofCopyOf: path)
        #expect(trial.problems == [])
        #expect(trial.version == 0 && trial.seed == nil)
        #expect(trial.before.mapValues(\.count).values.reduce(0, +) == 18)
        #expect(trial.after.mapValues(\.count).values.reduce(0, +) == 18)
        #expect(try folderDigest(folder.path) == digest)
        #expect(
            MigrationTester(try Self.history()).trial(ofCopyOf: path).problems
                == ["store.sqlite was created with none of the 3 versions"])
        #expect(try Self.leftovers() == [])
    }
}
