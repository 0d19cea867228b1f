import Diagnostics
import GraphModel

/// Checks the names in the tests of a spec: `given` refers to imports and entities, `then` to
/// entities, their properties, and stages.
struct TestNameCheck {
    private let test: SpecificationTest
    private let spec: PipelineSpec
    private let model: ManagedObjectModel
    private let entities: [String]
    private var found: [Diagnostic] = []

    static func check(_ spec: PipelineSpec, _ model: ManagedObjectModel) -> [Diagnostic] {
        spec.tests.flatMap { check($0, spec, model) }
    }

    static func check(
        _ test: SpecificationTest, _ spec: PipelineSpec, _ model: ManagedObjectModel
    ) -> [Diagnostic] {
        var check = TestNameCheck(test, spec, model)
        check.checkGiven()
        check.checkThen()
        return check.found
    }

    /// Returns the names of the imports of a spec.
    static func imports(of spec: PipelineSpec) -> [String] {
        spec.stages.filter { $0.kind is ImportSpec }.map(\.name)
    }

    private init(_ test: SpecificationTest, _ spec: PipelineSpec, _ model: ManagedObjectModel) {
        self.test = test
        self.spec = spec
        self.model = model
        entities = model.entities.map(\.name)
    }

    private mutating func checkGiven() {
        let imports = Self.imports(of: spec)
        for given in test.given where !imports.contains(given.name.text) {
            check(given.name, imports + entities, "no import of the spec and no entity")
            guard entities.contains(given.name.text) else { continue }
            for case .object(let members) in given.records {
                for member in members
                where model.attribute(member.name, of: given.name.text) == nil
                    && model.elements(of: member.name, in: given.name.text) == nil
                {
                    fail(
                        "'\(given.name.text)' has no attribute '\(member.name)'; objects before "
                            + "the run can only have attributes", given.name.location)
                }
            }
        }
    }

    private mutating func checkThen() {
        if let fails = test.fails { check(fails, spec.stages.map(\.name), "no stage of the spec") }
        for expected in test.then {
            check(expected.entity, entities, "no entity of the model")
            guard entities.contains(expected.entity.text) else { continue }
            for object in expected.objects.map({
                $0.withElements(of: expected.entity.text, model)
            }) {
                for member in object.members
                where PropertyKind(member.name, of: expected.entity.text, model) == nil {
                    fail(
                        "'\(expected.entity.text)' has no property '\(member.name)'",
                        object.location)
                }
            }
        }
    }

    private mutating func check(_ name: PlacedText, _ known: [String], _ what: String) {
        guard !known.contains(name.text) else { return }
        fail(
            "'\(name.text)' is \(what)" + Suggestion.phrase(for: name.text, among: known),
            name.location)
    }

    private mutating func fail(_ message: String, _ place: SourceLocation) {
        found.append(Diagnostic(code: "test.unknown", message, at: .source(place)))
    }
}
