import Diagnostics
import FoundationEssentials
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

    /// Returns the names of a spec's imports, the stages that read inputs.
    static func imports(of spec: PipelineSpec) -> [String] {
        spec.stages.filter { $0.kind.pathUse == .input }.map(\.name)
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
            check(given.name, imports + entities, "neither an import of the spec nor an entity")
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
        if let fails = test.then.fails {
            check(fails, spec.stages.map(\.name), "not a stage of the spec")
        }
        for expected in test.then.objects {
            check(expected.entity, entities, "not an entity of the model")
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

/// The kind of property at the end of a property path in a test.
struct PropertyKind {
    /// The type; `nil` for a relationship, whose objects are represented by their keys.
    var type: AttributeType?
    /// Whether the value is a list whose order does not matter.
    var isSet = false

    /// Finds the property at the end of a path; `nil` if the entity does not have it.
    init?(_ path: String, of entity: String, _ model: ManagedObjectModel) {
        var entity = entity
        let parts = model.folded(path.keyPath, from: entity)
        guard let last = parts.last else { return nil }
        for part in parts.dropLast() {
            guard let relationship = model.relationship(part, of: entity) else { return nil }
            isSet = isSet || (relationship.isToMany && !relationship.isOrdered)
            entity = relationship.destinationEntityName
        }
        if let attribute = model.attribute(last, of: entity) {
            type = attribute.type
        } else if let relationship = model.relationship(last, of: entity) {
            isSet = isSet || (relationship.isToMany && !relationship.isOrdered)
        } else if model.isObjectNumber(last, of: entity) {
            type = ObjectNumber.attribute.type
        } else {
            return nil
        }
    }

    /// Returns the value in the canonical form for comparisons.
    func canonical(_ value: TestValue) -> TestValue {
        if type == .transformable { return Self.json(value) }
        switch value {
        case .list(let items):
            let items = items.map(canonical)
            return .list(isSet ? items.sorted { $0.json < $1.json } : items)
        case .object(let members) where type == nil:
            // The order of the members of a key with several attributes must not matter.
            let sorted = members.sorted { $0.name < $1.name }
            return .object(sorted.map { TestMember($0.name, canonical($0.value)) })
        case .text(let text):
            switch type {
            case .date:
                return TimeText.date(text, now: 0).map { .text(ScalarText.isoDate($0)) } ?? value
            case .uuid: return .text(text.uppercased())
            case .decimal: return Self.decimal(text) ?? value
            case .double, .float: return Double(text).map { .number("\($0)") } ?? value
            // The type of a key of an object depends on the other entity.
            case nil where UUID(uuidString: text) != nil: return .text(text.uppercased())
            default: return value
            }
        case .number(let text):
            switch type {
            case .double, .float, .undefined:
                return Double(text).map { .number("\($0)") } ?? value
            case .string: return .text(text)
            // `1.0` equals the integer 1.
            default: return Self.decimal(text) ?? value
            }
        default: return value
        }
    }

    /// Returns a canonical JSON value: members are sorted, and equal numbers are written in the
    /// same way.
    private static func json(_ value: TestValue) -> TestValue {
        switch value {
        case .list(let items): .list(items.map(json))
        case .object(let members):
            .object(
                members.map { TestMember($0.name, json($0.value)) }.sorted { $0.name < $1.name })
        case .number(let text): decimal(text) ?? value
        default: value
        }
    }

    private static func decimal(_ text: String) -> TestValue? {
        ExactDecimal(text: text).map { .number($0.text) }
    }
}
