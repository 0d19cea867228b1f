import Diagnostics
import Foundation
import Testing

@testable import GraphModel

@Suite("Model builder") struct ModelBuilderTests {
    /// Returns the Swift twin of `tasks-model.yaml`.
    private func tasks() throws -> ManagedObjectModel {
        try ManagedObjectModel(version: "tasks-2") {
            Entity("Item", isAbstract: true) {
                Attribute("createdAt", .date)
                Attribute("revision", .integer64, optional: false, default: 1)
            }
            task
            Entity("Milestone", parent: "Item", hashModifier: "m1") {
                Attribute("dueAt", .date, optional: false)
            }
            Entity("Category") {
                Attribute("name", .string, optional: false)
                Attribute("colorHex", .string)
                Relationship("tasks", to: "Task", .many, inverse: "category", delete: .deny)
                Unique("name")
            }
            Entity("Tag") {
                Attribute("name", .string, optional: false)
                Relationship(
                    "tasks", to: "Task", .ordered, inverse: "tags", optional: false, count: 1...)
                Unique("name")
            }
            Configuration("Local", ["Task", "Category"])
        }
    }

    @Test func searchableAttributeEqualsTheModelFile() throws {
        let built = try ManagedObjectModel {
            Entity("Task") { Attribute("title", .string, searchable: true) }
        }
        let text = """
            model: 1
            entities: { Task: { attributes: { title: { type: String, searchable: true } } } }
            """
        #expect(built == ModelFile.read(text: text).model)
    }

    private var task: [ModelPart] {
        ModelBuilder.buildExpression(
            Entity("Task", parent: "Item", class: "TaskObject", renamedFrom: "Todo") {
                Attribute("id", .uuid, optional: false)
                Attribute(
                    "title", .string, optional: false, preservedOnDeletion: true, length: 1...500)
                Attribute("notes", .string)
                Attribute("isCompleted", .boolean, default: false)
                Attribute("completedAt", .date, earliest: "2001-01-01")
                Attribute("priority", .integer16, default: 0, range: 0...2)
                Attribute("effort", .integer32)
                Attribute("estimate", .double, default: 0.5)
                Attribute("weight", .float, default: 0.1)
                Attribute("price", .decimal, default: "9.99")
                Attribute("code", .string, default: "AB1234", pattern: "[A-Z]{2}[0-9]{4}")
                Attribute("photo", .binary, external: true)
                Attribute("thumbnail", .binary, default: "aGk=", hashModifier: "v2")
                Attribute("link", .uri, default: "https://example.org/")
                Attribute("address", .transformable, transformer: "json")
                Attribute("source", .uuid, default: "00112233-4455-6677-8899-aabbccddeeff")
                Attribute(
                    "since", .date, default: "2001-01-02T00:00:00.5Z",
                    userInfo: ["owner": "ops", "order": "3"])
                Attribute("openDays", .integer32, transient: true)
                Attribute("cached", .undefined, transient: true)
                Relationship("category", to: "Category", inverse: "tasks", delete: .nullify)
                Relationship(
                    "subtasks", to: "Task", .ordered, inverse: "parent", delete: .cascade)
                Relationship("parent", to: "Task", inverse: "subtasks")
                Relationship("tags", to: "Tag", .many, inverse: "tasks", count: 0...10)
                Relationship("related", to: "Task", .many, inverse: "related")
                Relationship("twin", to: "Task", inverse: "twin", hashModifier: "t")
                Relationship("origin", to: "Item", delete: .noAction)
                Unique("id")
                Index("byState", "isCompleted", .descending("createdAt"))
                Index("byCategory", "category")
                Rule(
                    "completedAt == nil OR isCompleted == YES",
                    message: "a completion date needs a completed task")
            })
    }

    @Test("rows 1, 3–6, 10–14: Swift declarations give the same model as YAML")
    func equalsTheSameModelInYAML() throws {
        let yaml = try ManagedObjectModel(yamlFile: fixture("tasks-model.yaml"))
        let swift = try tasks()
        #expect(swift.entities == yaml.entities)
        #expect(swift == yaml)
        #expect(swift.versionHashes == yaml.versionHashes)
        #expect(swift.versionChecksum == yaml.versionChecksum)
    }

    @Test("row 11: indexes can be partial, compound, and descending in Swift and YAML")
    func declaresPartialIndexes() throws {
        let swift = try ManagedObjectModel {
            Entity("Task") {
                Attribute("done", .boolean)
                Attribute("due", .date)
                Index("open", .descending("due"), "done", where: "done == NO")
            }
        }
        let yaml = try ManagedObjectModel(
            yaml: """
                model: 1
                entities:
                  Task:
                    attributes: { done: Boolean, due: Date }
                    indexes: { open: { properties: [due desc, done], where: "done == NO" } }
                """)
        #expect(swift == yaml)
        #expect(swift.entities[0].indexes[0].partialIndexPredicate == "done == NO")
        let copy = try JSONDecoder().decode(
            ManagedObjectModel.self, from: JSONEncoder().encode(swift))
        #expect(copy == swift)
    }

    @Test("row 9: each attribute has its own threshold for external storage")
    func declaresExternalThresholds() throws {
        let swift = try ManagedObjectModel {
            Entity("Photo") {
                Attribute("data", .binary, external: true, externalThresholdBytes: 4096)
            }
        }
        let yaml = try ManagedObjectModel(
            yaml: """
                model: 1
                entities:
                  Photo:
                    attributes: { data: { type: Binary, external: true, external-threshold: 4096 } }
                """)
        #expect(swift == yaml)
        #expect(swift.attribute("data", of: "Photo")?.externalStorageThreshold == 4096)
    }

    @Test("rows 1–14: reports all problems together, with their lines in the Swift source")
    func reportsEveryProblem() {
        let first = #line + 2
        let (model, diagnostics) = ManagedObjectModel.lint(version: nil) {
            Entity("Task", parent: "Itm") {
                Attribute("a", .integer16, default: 70_000)
                Attribute("b", .integer32, default: 5, range: 0...2)
                Attribute("c", .string, external: true, range: 0...)
                Attribute("d", .undefined)
                Attribute("e", .date, earliest: "soon")
                Attribute("f", .string, pattern: "(")
                Relationship("g", to: "Tsk")
                Relationship("h", to: "Task", count: 2...3)
                Unique("z")
                Index("i", "y")
            }
            Entity("Item") {
                Attribute("x", .boolean, default: 1)
                Index("p", "x", where: "y == 1")
            }
            Configuration("Local", ["Nobody"])
        }
        #expect(model == nil)
        let found = diagnostics.map { diagnostic -> String in
            guard case .source(let place) = diagnostic.place else { return "nowhere" }
            return "\(place.line - first) \(place.keyPath) \(diagnostic.code)"
        }
        #expect(
            found == [
                "0 Task model.unknown-entity",
                "1 Task.a model.default",
                "2 Task.b model.default",
                "3 Task.c model.rule",
                "3 Task.c model.rule",
                "4 Task.d model.attribute-type",
                "5 Task.e model.range",
                "6 Task.f model.pattern",
                "7 Task.g model.unknown-entity",
                "8 Task.h model.rule",
                "8 Task.h model.no-inverse",
                "9 Task.unique(z) model.unknown-property",
                "10 Task.i model.unknown-property",
                "13 Item.x model.default",
                "14 Item.p predicate.unknown-key",
                "16 Local model.unknown-entity",
            ])
    }

    @Test("row 11: a partial index's predicate is checked against the entity")
    func checksPartialIndexes() {
        let error = #expect(throws: ModelFileError.self) {
            try ManagedObjectModel {
                Entity("A") {
                    Attribute("x", .string)
                    Attribute("t", .string, transient: true)
                    Relationship("b", to: "A", inverse: "c")
                    Relationship("c", to: "A", .many, inverse: "b")
                    Index("one", "x", where: "t == 'a'")
                    Index("two", "x", where: "b.x == 'a'")
                    Index("three", "x", where: "x BEGINSWITH 'a'")
                    Index("four", "x", where: "nope == 'a'")
                }
            }
        }
        #expect(
            error?.diagnostics.map(\.code) == [
                "predicate.unsupported", "model.index", "model.index", "predicate.unknown-key",
            ])
    }
}

extension ManagedObjectModel {
    fileprivate static func lint(
        version: String?, @ModelBuilder _ parts: () -> [ModelPart]
    ) -> (model: ManagedObjectModel?, diagnostics: [Diagnostic]) {
        lint(version: version, parts())
    }
}
