import GraphModel
import Testing

@Suite("Chains of versions") struct ModelChainTests {
    private func model(_ entities: String) throws -> ManagedObjectModel {
        let (model, diagnostics) = ModelFile.read(text: "model: 1\nentities:\n  " + entities)
        return try #require(model, "\(diagnostics)")
    }

    private func chain(_ versions: String...) throws -> Bool {
        ModelChain(try versions.map(model)).isOneStep
    }

    @Test("follows renames through the versions in between")
    func renames() throws {
        let first = try model("Todo: { attributes: { name: String, gone: String, age: String } }")
        let second = try model(
            "Task: { renamed-from: Todo, attributes: { title: { type: String, renamed-from: name } } }"
        )
        let third = try model(
            "Job: { renamed-from: Task, attributes: { text: { type: String, renamed-from: title },"
                + " gone: String, age: String } }")
        let pairing = ModelPairing(from: first, through: [second], to: third)
        #expect(pairing.oldName(of: "Job") == "Todo")
        #expect(pairing.newName(of: "Todo") == "Job")
        // Attributes that the second version lacks are new and empty in the third.
        #expect(
            pairing.attributes(of: "Job", from: "Todo").mapValues(\.name) == ["text": "name"])
        #expect(
            ModelDiff(pairing).changes.filter { $0.kind != .changed }
                .map { "\($0.kind.rawValue) \($0.subject)" }.sorted()
                == ["+ Job.age", "+ Job.gone", "- Job.age", "- Job.gone"])
        // Without the intermediate version, the rename is unknown.
        #expect(ModelPairing(from: first, to: third).oldName(of: "Job") == nil)
    }

    @Test("versions form one step if each thing changes only once")
    func oneStep() throws {
        let plain = "Task: { attributes: { name: String } }"
        #expect(
            try chain(
                plain, "Task: { attributes: { name: String, level: Integer 16 } }",
                "Job: { renamed-from: Task, attributes: { name: String, level: Integer 16 } }"))
        // Step by step, the values would get the first default.
        #expect(
            try !chain(
                plain,
                "Task: { attributes: { name: String, level: { type: Integer 16, default: 1 } } }",
                "Task: { attributes: { name: String, level: { type: Integer 16, default: 2 } } }"))
        // Only a mapping can change this type.
        #expect(
            try !chain(
                "Task: { attributes: { name: String } }",
                "Task: { attributes: { name: Integer 16 } }",
                "Task: { attributes: { name: Integer 16, level: String } }"))
        // A store with duplicate names only reaches the first version.
        #expect(
            try !chain(plain, "Task: { attributes: { name: String }, unique: [[name]] }", plain))
        #expect(
            try chain(
                plain, "Task: { attributes: { name: String }, unique: [[name]] }",
                "Task: { attributes: { title: { type: String, renamed-from: name } }, unique: [[title]] }"
            ))
    }

    @Test("a relationship that changes its storage twice needs two steps")
    func links() throws {
        func version(_ owner: String, _ tasks: String = "many: true") -> String {
            "Task: { relationships: { owner: { to: Person, inverse: tasks\(owner) } } }\n"
                + "  Person: { relationships: { tasks: { to: Task, inverse: owner, \(tasks) } } }"
        }
        #expect(
            try chain(version(""), version("", "many: true, ordered: true"), version("")) == false)
        #expect(try chain(version(""), version(", many: true"), version(", many: true")))
        #expect(
            try !chain(
                version(""), version(", many: true"), version(", many: true, ordered: true")))
    }
}
