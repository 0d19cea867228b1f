import Diagnostics
import GraphModel
import GraphStore
import XcodeModel

/// The translation of an Xcode mapping model to a mapping of etl.
///
/// Properties that it omits are inferred, as in other mappings. An old entity that no mapping names
/// has no objects in the new store, as in the app.
struct XcodeMappingTranslation {
    /// The entity mappings that can be translated.
    private(set) var entities: [EntityMapping] = []
    /// The parts that cannot be translated: the app's classes and expressions, by entity and
    /// property.
    private(set) var problems: [Diagnostic] = []
    /// The parts that the user must write, by entity, in the order of the mapping model.
    private(set) var todos: [(entity: String, text: String)] = []
    /// Whether the app's classes may create objects of any entity.
    private(set) var hasPolicyClasses = false

    private let mapping: XcodeMapping
    private let old: ManagedObjectModel
    private let new: ManagedObjectModel
    private let pairing: ModelPairing

    init(_ mapping: XcodeMapping, from old: ManagedObjectModel, to new: ManagedObjectModel) {
        self.mapping = mapping
        self.old = old
        self.new = new
        pairing = ModelPairing(from: old, to: new)
        for entity in mapping.entities { add(entity) }
        leaveOutOthers()
        dropSecondEnds()
        let needed = entities.filter { !isInferred($0) }
        entities = needed
    }

    private mutating func fail(
        _ code: String, _ message: String, _ place: SourceLocation, of entity: String,
        todo: String? = nil
    ) {
        report(
            Diagnostic(code: "mapping.\(code)", message, at: .source(place)), of: entity,
            todo: todo)
    }

    private mutating func report(
        _ problem: Diagnostic, of entity: String, todo: String? = nil
    ) {
        problems.append(problem)
        todos.append((entity, todo ?? "Not translated: \(problem.message)"))
    }

    // MARK: Entities

    private mutating func add(_ entity: XcodeMapping.Entity) {
        let subject = entity.destination ?? entity.source ?? entity.name
        if let name = entity.policyClass {
            hasPolicyClasses = true
            fail(
                "policy-class",
                "The entity '\(subject)' migrates by the app's class '\(name)', which etl cannot"
                    + " run", entity.location, of: subject,
                todo: "Write here what the app's class \(name) does.")
        }
        if let name = entity.source, old.entity(named: name) == nil {
            return fail(
                "entity",
                "The old model has no entity '\(name)'"
                    + Suggestion.phrase(for: name, among: old.entities.map(\.name)),
                entity.location, of: subject)
        }
        if let name = entity.destination, new.entity(named: name) == nil {
            return fail(
                "entity",
                "The new model has no entity '\(name)'"
                    + Suggestion.phrase(for: name, among: new.entities.map(\.name)),
                entity.location, of: subject)
        }
        guard let source = entity.source, let destination = entity.destination,
            old.entity(named: source)?.isAbstract == false
        else { return }
        var result = EntityMapping(from: source, to: destination)
        switch entity.objects {
        case .all: break
        case .matching(let text):
            result.predicate = text
            for mistake in check(source).predicate(text).mistakes {
                report(Diagnostic(predicateError: mistake, at: entity.location), of: subject)
            }
        case .untranslatable(let text):
            fail(
                "expression",
                "The objects of '\(source)' are chosen by an expression that etl cannot evaluate:"
                    + " \(text)", entity.location, of: subject)
        }
        for property in entity.properties { add(property, to: &result) }
        entities.append(result)
    }

    private func check(_ entity: String) -> FormatCheck {
        FormatCheck(entityName: entity, model: old)
    }

    /// Adds mappings without objects for old entities that no mapping names, or that are converted
    /// to another entity.
    ///
    /// The app drops their objects, and inference would keep them.
    private mutating func leaveOutOthers() {
        for entity in old.entities where !entity.isAbstract {
            guard let partner = pairing.newName(of: entity.name),
                new.entity(named: partner)?.isAbstract == false,
                !entities.contains(where: { $0.source == entity.name && $0.destination == partner })
            else { continue }
            entities.append(EntityMapping(from: entity.name, to: partner, where: "FALSEPREDICATE"))
        }
    }

    private func isInferred(_ mapping: EntityMapping) -> Bool {
        mapping.predicate == nil && mapping.values.isEmpty && mapping.lookups.isEmpty
            && pairing.newName(of: mapping.source) == mapping.destination
            && entities.filter { $0.source == mapping.source }.count == 1
    }

    // MARK: Properties

    private mutating func add(_ property: XcodeMapping.Property, to result: inout EntityMapping) {
        let subject = "'\(result.destination).\(property.name)'"
        if new.attribute(property.name, of: result.destination) == nil,
            new.relationship(property.name, of: result.destination) == nil
        {
            // An explicit value for a missing property would be lost.
            guard property.value != .inferred else { return }
            return fail(
                "property", "The new model has no property \(subject)", property.location,
                of: result.destination)
        }
        switch property.value {
        case .inferred: break
        case .untranslatable(let text):
            fail(
                "expression",
                "\(subject) has a value that etl cannot evaluate: \(text)", property.location,
                of: result.destination)
        case .expression(let text):
            guard let attribute = new.attribute(property.name, of: result.destination) else {
                return fail(
                    "expression",
                    "\(subject) is a relationship, and '\(text)' does not name the objects that a"
                        + " mapping creates", property.location, of: result.destination)
            }
            let (_, mistakes) = check(result.source).expression(text, assignedTo: attribute)
            for mistake in mistakes {
                report(
                    Diagnostic(predicateError: mistake, at: property.location),
                    of: result.destination)
            }
            if let partner = pairing.attributes(of: result.destination, from: result.source)[
                property.name], partner.name == text
            {
                return
            }
            result.values[property.name] = text
        case .links(let path, let name): link(property, path, name, to: &result)
        }
    }

    private mutating func link(
        _ property: XcodeMapping.Property, _ path: [String], _ name: String?,
        to result: inout EntityMapping
    ) {
        let subject = "'\(result.destination).\(property.name)'"
        guard let relationship = new.relationship(property.name, of: result.destination) else {
            return fail(
                "expression", "\(subject) is not a relationship, and its value is objects",
                property.location, of: result.destination)
        }
        var end = result.source
        for key in path {
            guard let next = old.relationship(key, of: end) else {
                return fail(
                    "expression",
                    "\(subject) is set to '\(path.joined(separator: "."))', but the old entity"
                        + " '\(end)' has no relationship '\(key)'", property.location,
                    of: result.destination)
            }
            end = next.destinationEntityName
        }
        if let name {
            guard let other = mapping.entities.first(where: { $0.name == name }) else {
                return fail(
                    "expression",
                    "\(subject) names the mapping '\(name)', which does not exist"
                        + Suggestion.phrase(for: name, among: mapping.entities.map(\.name)),
                    property.location, of: result.destination)
            }
            guard let destination = other.destination,
                new.lineage(of: destination).contains(where: {
                    $0.name == relationship.destinationEntityName
                })
            else {
                return fail(
                    "expression",
                    "\(subject) leads to '\(relationship.destinationEntityName)', and the mapping"
                        + " '\(name)' creates '\(other.destination ?? "nothing")'",
                    property.location, of: result.destination)
            }
        }
        let partners = pairing.relationships(of: result.destination, from: result.source)
        if path.count == 1, partners[property.name]?.name == path[0] { return }
        result.values[property.name] =
            path.isEmpty ? EntityMapping.sameObject : path.joined(separator: ".")
    }

    /// Drops a path of several relationships if the inverse relationship is set to the reverse
    /// path.
    ///
    /// Links are stored once, so one of the two paths is enough.
    ///
    /// A path that only one of the ends has is a problem.
    private mutating func dropSecondEnds() {
        for place in entities.indices {
            for (name, value) in entities[place].values.sorted(by: { $0.key < $1.key }) {
                let path = value.split(separator: ".").map(String.init)
                let entity = entities[place]
                guard path.count > 1,
                    let relationship = new.relationship(name, of: entity.destination),
                    old.problem(withToOnePath: path, of: entity.source) != nil
                else { continue }
                entities[place].values[name] = nil
                if isSaidByInverse(relationship, path, entity) { continue }
                let property = mapping.entities.first {
                    $0.source == entity.source && $0.destination == entity.destination
                }
                let written = property?.properties.first { $0.name == name }
                fail(
                    "expression",
                    "'\(entity.destination).\(name)' is set to '\(value)', which leads over a to-many"
                        + " relationship, and its inverse is not set to the same links",
                    written?.location ?? SourceLocation(file: mapping.file, line: 1, column: 1),
                    of: entity.destination)
            }
        }
    }

    private func isSaidByInverse(
        _ relationship: RelationshipDescription, _ path: [String], _ entity: EntityMapping
    ) -> Bool {
        guard let inverse = relationship.inverseName else { return false }
        var backwards: [String] = []
        var here = entity.source
        for key in path {
            guard let step = old.relationship(key, of: here), let back = step.inverseName else {
                return false
            }
            backwards.insert(back, at: 0)
            here = step.destinationEntityName
        }
        return entities.contains {
            $0.source == here && $0.values[inverse] == backwards.joined(separator: ".")
        }
    }
}
