import Diagnostics
import Foundation
import GraphModel
import Testing

@Suite("Model file") struct ModelFileTests {
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(yamlFile: fixture("tasks-model.yaml"))
    }

    @Test func readsEveryKeyOfTheFormat() throws {
        let (model, diagnostics) = ModelFile.read(file: fixture("tasks-model.yaml"))
        #expect(
            diagnostics.map(\.message) == [
                "'Task.origin' has no inverse, so no delete rule of 'Item' applies to it"
            ])
        let found = try #require(model)
        #expect(found.versionIdentifiers == ["tasks-2"])
        #expect(found.configurations == ["Local": ["Task", "Category"]])
        #expect(found.entities.map(\.name) == ["Category", "Item", "Milestone", "Task", "Tag"])
        let task = try #require(found.entity(named: "Task"))
        #expect(task.superentityName == "Item")
        #expect(task.managedObjectClassName == "TaskObject")
        #expect(task.renamingIdentifier == "Todo")
        #expect(task.uniquenessConstraints == [["id"]])
        #expect(
            task.indexes == [
                FetchIndexDescription(
                    name: "byState",
                    elements: [
                        .init(propertyName: "isCompleted"),
                        .init(propertyName: "createdAt", isAscending: false),
                    ]),
                FetchIndexDescription(
                    name: "byCategory", elements: [.init(propertyName: "category")]),
            ])
        #expect(
            task.validationRules == [
                ValidationRule(
                    predicate: "completedAt == nil OR isCompleted == YES",
                    message: "a completion date needs a completed task")
            ])
        #expect(found.entity(named: "Item")?.isAbstract == true)
        #expect(found.entity(named: "Milestone")?.versionHashModifier == "m1")
    }

    @Test(arguments: [
        ("revision", StoredValue.integer(1)), ("isCompleted", .integer(0)),
        ("priority", .integer(0)), ("estimate", .real(0.5)),
        ("weight", .real(Double(Float(0.1)))), ("price", .real(9.99)), ("code", .text("AB1234")),
        ("thumbnail", .blob([0x68, 0x69])), ("link", .text("https://example.org/")),
        (
            "source",
            .blob([
                0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd,
                0xee, 0xff,
            ])
        ),
        ("since", .real(86_400.5)),
    ])
    func convertsDefaultsToColumnValues(attribute: String, expected: StoredValue) throws {
        #expect(try model().attribute(attribute, of: "Task")?.defaultValue == expected)
    }

    @Test func keepsRulesAndFlags() throws {
        let found = try model()
        let title = found.attribute("title", of: "Task")
        #expect(title?.isOptional == false)
        #expect(title?.length == NumberRange(minimum: 1, maximum: 500))
        #expect(title?.preservesValueInHistoryOnDeletion == true)
        #expect(found.attribute("completedAt", of: "Task")?.range == NumberRange(minimum: 0))
        #expect(found.attribute("photo", of: "Task")?.allowsExternalBinaryDataStorage == true)
        #expect(found.attribute("address", of: "Task")?.transformerName == "json")
        #expect(found.attribute("since", of: "Task")?.userInfo == ["owner": "ops", "order": "3"])
        #expect(found.attribute("cached", of: "Task")?.type == .undefined)
        let tags = found.relationship("tags", of: "Task")
        #expect(tags?.minimumCount == 0)
        #expect(tags?.maximumCount == 10)
        #expect(found.relationship("subtasks", of: "Task")?.deleteRule == .cascade)
        #expect(found.relationship("subtasks", of: "Task")?.isOrdered == true)
        #expect(found.relationship("category", of: "Task")?.maximumCount == 1)
        #expect(found.relationship("tasks", of: "Tag")?.minimumCount == 1)
        #expect(found.relationship("tasks", of: "Tag")?.maximumCount == 0)
    }

    @Test func survivesEncodingAndDecoding() throws {
        let found = try model()
        let copy = try JSONDecoder().decode(
            ManagedObjectModel.self, from: JSONEncoder().encode(found))
        #expect(copy == found)
        #expect(copy.versionHashes == found.versionHashes)
    }

    @Test func throwsAllErrorsAtOnce() {
        let error = #expect(throws: ModelFileError.self) {
            try ManagedObjectModel(yaml: "model: 2\nentities: { a b: {} }\n", name: "m.yaml")
        }
        #expect(
            error?.description == """
                m.yaml:1:8: error: The model is of format 2; this program reads format 1 \
                [model.version]
                  in: model
                m.yaml:2:13: error: 'a b' is not a valid entity name [model.name]
                  in: entities["a b"]
                  fix: begin with a letter; then letters, digits, and underscores
                """)
    }

    @Test func throwsIfTheFileIsMissing() {
        let error = #expect(throws: ModelFileError.self) {
            try ManagedObjectModel(yamlFile: "/nowhere/model.yaml")
        }
        #expect(
            error?.description
                == "/nowhere/model.yaml: error: The file does not exist [file.missing]")
    }
}
