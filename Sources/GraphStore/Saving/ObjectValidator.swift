import GraphModel
import SQLite

/// An entity's validation rules, compiled once per context and applied to objects before a save.
final class ObjectValidator {
    private let layout: EntityLayout
    /// The attributes that are required or have rules, in their order; other attributes are not
    /// checked.
    private let attributes: [(slot: Int, isRequired: Bool, rules: AttributeValidator?)]
    private let rules: [(predicate: CompiledPredicate, rule: ValidationRules.Rule)]
    /// The properties that the rules read, indexed by slot of the compiled predicates.
    private let ruleProperties: [EntityLayout.Property]
    /// The slots of required to-ones.
    private let requiredToOnes: [Int]
    /// The slots of to-manys with a minimum or maximum count.
    private let countedLists: [Int]
    private let arena = ArenaBox()

    /// Whether the model limits the count of a to-many.
    var countsLists: Bool { !countedLists.isEmpty }

    init(_ layout: EntityLayout, _ model: ManagedObjectModel) throws(StoreError) {
        self.layout = layout
        attributes = layout.attributes.enumerated().compactMap { slot, attribute in
            let isRequired = !attribute.description.isOptional && !attribute.isDerived
            let validator = AttributeValidator(attribute.description)
            guard isRequired || validator.hasRules else { return nil }
            return (slot, isRequired, validator.hasRules ? validator : nil)
        }
        let compiled = try ValidationRules(of: layout.name, in: model)
        let names = compiled.properties
        ruleProperties = names.compactMap { layout.properties[$0] }
        var rules: [(CompiledPredicate, ValidationRules.Rule)] = []
        for rule in compiled.rules {
            do {
                let predicate = try CompiledPredicate(rule.predicate) { path in
                    path.count == 1 ? names.firstIndex(of: path[0]) : nil
                }
                rules.append((predicate, rule))
            } catch {
                throw StoreError(.invalidRequest, "A rule of '\(layout.name)': \(error.rendered)")
            }
        }
        self.rules = rules
        requiredToOnes = layout.toOnes.indices.filter {
            !layout.toOnes[$0].relationship.isOptional
        }
        countedLists = layout.toManys.indices.filter { slot in
            let relationship = layout.toManys[slot].relationship
            return relationship.limit(.tooFew) != nil || relationship.limit(.tooMany) != nil
        }
    }

    /// Checks one object: its attributes, its relationships, its rules, and then its own
    /// `validate`.
    func check(
        _ object: ManagedObject, _ operation: SaveOperation, into failures: inout ValidationFailures
    ) throws(StoreError) {
        for position in attributes.indices {
            check(object, attributeAt: position, into: &failures)
        }
        for slot in requiredToOnes where object.links[slot] == nil {
            let name = layout.toOnes[slot].name
            fail(object, name, .missingValue, "'\(name)' is required", into: &failures)
        }
        for slot in countedLists
        where operation == .insert || object.mask.contains(layout.bit(toMany: slot)) {
            try check(object, toMany: slot, into: &failures)
        }
        checkRules(object, into: &failures)
        object.validate(operation, into: &failures)
    }

    private func fail(
        _ object: ManagedObject, _ key: String?, _ code: ValidationCode, _ message: String,
        value: StoredValue? = nil, rule: String? = nil, into failures: inout ValidationFailures
    ) {
        failures.add(
            ValidationFailure(
                code, objectID: object.objectID, entityName: layout.name, key: key, value: value,
                rule: rule, message: message))
    }

    private func check(
        _ object: ManagedObject, attributeAt position: Int,
        into failures: inout ValidationFailures
    ) {
        let slot = attributes[position].slot
        if case .null = object.values[slot] {
            guard attributes[position].isRequired else { return }
            let name = layout.attributes[slot].name
            return fail(object, name, .missingValue, "'\(name)' is required", into: &failures)
        }
        guard let rules = attributes[position].rules else { return }
        let value = object.values[slot]
        arena.reset()
        guard let problem = rules.failure(with: arena.cell(value)) else { return }
        fail(
            object, layout.attributes[slot].name, problem.code, problem.message, value: value,
            into: &failures)
    }

    private func check(
        _ object: ManagedObject, toMany slot: Int, into failures: inout ValidationFailures
    ) throws(StoreError) {
        let relationship = layout.toManys[slot].relationship
        let count = try object.toManyIDs(slot).count
        switch relationship.problem(withCount: count) {
        case (.tooFew, let least)?:
            fail(
                object, relationship.name, .tooFewObjects,
                "'\(relationship.name)' must have \(least) objects at least, and has \(count)",
                into: &failures)
        case (.tooMany, let most)?:
            fail(
                object, relationship.name, .tooManyObjects,
                "'\(relationship.name)' may have \(most) objects at most, and has \(count)",
                into: &failures)
        case nil: break
        }
    }

    private func checkRules(_ object: ManagedObject, into failures: inout ValidationFailures) {
        guard !rules.isEmpty else { return }
        let row = RuleObject(object: object, properties: ruleProperties, arena: arena)
        for (predicate, rule) in rules {
            arena.reset()
            do {
                guard try !predicate.evaluate(row) else { continue }
                if let required = rule.required {
                    fail(object, required, .missingValue, rule.message, into: &failures)
                } else {
                    fail(
                        object, nil, .objectInvalid, rule.message,
                        rule: rule.predicate.description, into: &failures)
                }
            } catch {
                fail(
                    object, nil, .objectInvalid, "\(rule.message) (\(error))",
                    rule: rule.predicate.description, into: &failures)
            }
        }
    }
}

/// An object as a row for the evaluation of rules.
private struct RuleObject: EvaluationRow {
    let object: ManagedObject
    let properties: [EntityLayout.Property]
    let arena: ArenaBox

    func value(at slot: Int) -> EvaluatedValue {
        switch properties[slot] {
        case .attribute(let slot):
            let type = object.layout.attributes[slot].description.type
            return arena.evaluated(object.values[slot], type)
        case .toOne(let slot): return object.links[slot].map { .object($0) } ?? .null
        case .toMany: return .null
        }
    }
}
