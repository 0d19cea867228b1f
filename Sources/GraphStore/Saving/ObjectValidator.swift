import GraphModel

/// An entity's rules, compiled once for a context and run over objects before a save.
final class ObjectValidator {
    private let layout: EntityLayout
    private let attributes: [AttributeValidator]
    private let rules: [(predicate: CompiledPredicate, text: String, message: String)]
    /// What the rules look at, by slot of the compiled predicates.
    private let ruleProperties: [EntityLayout.Property]
    /// To-manys with a count to keep.
    private let countedLists: [Int]
    private let arena = ArenaBox()

    /// Whether the model says how many objects a to-many must have.
    var countsLists: Bool { !countedLists.isEmpty }

    init(_ layout: EntityLayout, _ model: ManagedObjectModel) throws(StoreError) {
        self.layout = layout
        attributes = layout.attributes.map { AttributeValidator($0.description) }
        let compiled = try ValidationRules(of: layout.name, in: model)
        let names = compiled.properties
        ruleProperties = names.compactMap { layout.properties[$0] }
        var rules: [(CompiledPredicate, String, String)] = []
        for rule in compiled.rules {
            do {
                let predicate = try CompiledPredicate(rule.predicate) { path in
                    path.count == 1 ? names.firstIndex(of: path[0]) : nil
                }
                rules.append((predicate, rule.predicate.description, rule.message))
            } catch {
                throw StoreError(.invalidRequest, "A rule of '\(layout.name)': \(error.rendered)")
            }
        }
        self.rules = rules
        countedLists = layout.toManys.indices.filter { slot in
            let relationship = layout.toManys[slot].relationship
            return relationship.minimumCount > 0 || relationship.maximumCount > 0
                || !relationship.isOptional
        }
    }

    /// Checks one object: attributes, relationships, rules, then its own `validate`.
    func check(
        _ object: ManagedObject, _ operation: SaveOperation, into failures: inout ValidationFailures
    ) throws(StoreError) {
        for slot in layout.attributes.indices {
            check(object, attribute: slot, into: &failures)
        }
        for slot in layout.toOnes.indices
        where object.links[slot] == nil && !layout.toOnes[slot].relationship.isOptional {
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
        _ object: ManagedObject, attribute slot: Int, into failures: inout ValidationFailures
    ) {
        let attribute = layout.attributes[slot]
        let value = object.values[slot]
        if value == .null {
            guard !attribute.description.isOptional, !attribute.isDerived else { return }
            return fail(
                object, attribute.name, .missingValue, "'\(attribute.name)' is required",
                into: &failures)
        }
        let validator = attributes[slot]
        guard validator.hasRules else { return }
        arena.reset()
        guard let problem = validator.failure(with: arena.cell(value)) else { return }
        fail(
            object, attribute.name, problem.code, problem.message, value: value, into: &failures)
    }

    private func check(
        _ object: ManagedObject, toMany slot: Int, into failures: inout ValidationFailures
    ) throws(StoreError) {
        let relationship = layout.toManys[slot].relationship
        let count = try object.toManyIDs(slot).count
        // An optional relationship may be empty whatever its least count.
        if count == 0, relationship.isOptional { return }
        let least = max(relationship.minimumCount, relationship.isOptional ? 0 : 1)
        if count < least {
            fail(
                object, relationship.name, .tooFewObjects,
                "'\(relationship.name)' must have \(least) objects at least, and has \(count)",
                into: &failures)
        }
        if relationship.maximumCount > 0, count > relationship.maximumCount {
            fail(
                object, relationship.name, .tooManyObjects,
                "'\(relationship.name)' may have \(relationship.maximumCount) objects at most,"
                    + " and has \(count)", into: &failures)
        }
    }

    private func checkRules(_ object: ManagedObject, into failures: inout ValidationFailures) {
        guard !rules.isEmpty else { return }
        let row = RuleObject(object: object, properties: ruleProperties, arena: arena)
        for rule in rules {
            arena.reset()
            do {
                guard try !rule.predicate.evaluate(row) else { continue }
                fail(object, nil, .objectInvalid, rule.message, rule: rule.text, into: &failures)
            } catch {
                fail(
                    object, nil, .objectInvalid, "\(rule.message) (\(error))", rule: rule.text,
                    into: &failures)
            }
        }
    }
}

/// An object as rules over it see it.
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

/// Keeps the bytes of values while something looks at them.
final class ArenaBox {
    private var arena = ByteArena()

    func reset() { arena.removeAll() }

    func cell(_ value: StoredValue) -> BulkCell { arena.cell(value) }

    /// An attribute's value for predicates.
    func evaluated(_ value: StoredValue, _ type: AttributeType) -> EvaluatedValue {
        switch value {
        case .null: .null
        case .integer(let number):
            switch type {
            case .boolean: .boolean(number != 0)
            case .date: .date(Double(number))
            case .double, .float, .decimal: .double(Double(number))
            default: .integer(number)
            }
        case .real(let number): type == .date ? .date(number) : .double(number)
        case .text: .text(cell(value).bytes)
        case .blob: type == .uuid ? .uuid(cell(value).bytes) : .binary(cell(value).bytes)
        }
    }
}
