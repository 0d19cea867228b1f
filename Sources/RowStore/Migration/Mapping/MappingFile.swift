package import Diagnostics
import FoundationEssentials
public import GraphModel
import YAML

extension MappingModel {
    /// Creates a mapping model from a YAML file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - old: The store's version of the model.
    ///   - new: The version to migrate to.
    /// - Throws: `ModelFileError` with every problem in the file; warnings alone do not throw.
    public init(
        yamlFile path: String, from old: ManagedObjectModel, to new: ManagedObjectModel
    ) throws(ModelFileError) {
        let (mapping, diagnostics) = MappingFile.read(path, from: old, to: new)
        guard let mapping else { throw ModelFileError(diagnostics) }
        self = mapping
    }
}

/// A YAML mapping file: rules for objects that two models do not match automatically.
///
/// ```yaml
/// mapping: 1
/// entities:                       # of the new model
///   Task:
///     from: Todo                  # the old entity; default: the entity that the models pair
///     where: "isDeleted == NO"    # objects that do not meet it are dropped
///     set: { priority: "ternary(priority == 'high', 2, 0)", area: project.area }
///     lookup:
///       tags: { by: name, from: tagText, split: "," }
/// ```
/// A list of mappings merges several old entities into one. If several new entities name the same
/// old entity, it is split. A `todo`, of the file or of a mapping, marks an open decision:
/// migrations fail while the file contains one.
package struct MappingFile {
    private static let version: Int64 = 1

    /// Returns the path of the mapping between two versions of a model, next to the new model.
    ///
    /// The result is `nil` if a version has no name or its name contains a folder.
    package static func path(
        nextTo modelPath: String, from old: String?, to new: String?
    ) -> String? {
        guard let old, let new, !PathText.hasFolder(old), !PathText.hasFolder(new) else {
            return nil
        }
        return PathText.join(folder(nextTo: modelPath), "\(old)-\(new).yaml")
    }

    /// Returns the path of the folder with the mappings between a model's versions.
    package static func folder(nextTo modelPath: String) -> String {
        PathText.join(
            PathText.folder(of: PathText.withoutSlashes(modelPath)), "migrations")
    }

    private let old: ManagedObjectModel
    private let new: ManagedObjectModel
    private let support: PredicateSupport
    private let pairing: ModelPairing

    private init(from old: ManagedObjectModel, to new: ManagedObjectModel) {
        self.old = old
        self.new = new
        support = PredicateSupport(old)
        pairing = ModelPairing(from: old, to: new)
    }

    /// Reads a mapping file.
    ///
    /// - Parameters:
    ///   - old: The old model.
    ///   - new: The new model.
    package static func read(
        _ path: String, from old: ManagedObjectModel, to new: ManagedObjectModel
    ) -> (mapping: MappingModel?, diagnostics: [Diagnostic]) {
        let (root, diagnostics) = YAMLParser.parse(file: path)
        guard let root else { return (nil, diagnostics) }
        let problems = YAMLProblems(file: path, area: "mapping")
        diagnostics.forEach(problems.report)
        let file = MappingFile(from: old, to: new)
        let mapping = file.read(YAMLValue(root: root, problems: problems, label: "mapping"))
        return (problems.hasErrors ? nil : mapping, problems.sorted)
    }

    private func read(_ value: YAMLValue) -> MappingModel? {
        guard let file = value.mapping() else { return nil }
        let format = file.required("mapping", fix: "begin the file with `mapping: \(Self.version)`")
        if let format, let number = format.integer(), number != Self.version {
            format.fail(
                "version",
                "The mapping is of format \(number); this program reads format \(Self.version)")
        }
        rejectTodos(file.optional("todo"), "The mapping file")
        var entities: [EntityMapping] = []
        for entry in file.required("entities")?.mapping()?.all() ?? [] {
            guard let entity = new.entity(named: entry.key) else {
                entry.value.problems.report(
                    "mapping.entity",
                    "The new model has no entity '\(entry.key)'"
                        + Suggestion.phrase(for: entry.key, among: new.entities.map(\.name)),
                    at: .source(entry.keyLocation))
                continue
            }
            for item in entry.value.listOrOne() ?? [] {
                if let mapping = read(item, of: entity) { entities.append(mapping) }
            }
        }
        file.finish()
        return MappingModel(entities)
    }

    private func rejectTodos(_ value: YAMLValue?, _ subject: String) {
        for item in value?.listOrOne() ?? [] {
            guard let text = item.filledText() else { continue }
            item.fail(
                "todo", "\(subject) has a decision to make: \(text)",
                fix: "write it with `from`, `where`, `set`, or `lookup`, then remove the `todo`")
        }
    }

    // MARK: One mapping

    private func read(_ value: YAMLValue, of entity: EntityDescription) -> EntityMapping? {
        guard let keys = value.mapping() else { return nil }
        rejectTodos(keys.optional("todo"), "The mapping of '\(entity.name)'")
        let from = keys.optional("from")
        let source = from?.filledText() ?? pairing.sourceName(of: entity.name)
        let isKnown = check(source: source, from ?? value)
        var mapping = EntityMapping(from: source, to: entity.name)
        if let condition = keys.optional("where"), let text = condition.filledText() {
            mapping.predicate = text
            if isKnown { check(predicate: text, source, condition) }
        }
        for entry in keys.optional("set")?.mapping()?.all() ?? [] {
            guard let text = entry.value.scalarText() else { continue }
            mapping.values[entry.key] = text
            if let attribute = new.attribute(entry.key, of: entity.name) {
                if isKnown { check(expression: text, source, for: attribute, entry.value) }
            } else if let relationship = new.relationship(entry.key, of: entity.name) {
                if isKnown { check(links: text, source, of: relationship, entity, entry.value) }
            } else {
                let names =
                    new.attributes(of: entity.name).map(\.name)
                    + new.relationships(of: entity.name).map(\.name)
                entry.value.problems.report(
                    "mapping.property",
                    "'\(entity.name)' has no '\(entry.key)'"
                        + Suggestion.phrase(for: entry.key, among: names),
                    at: .source(entry.keyLocation))
            }
        }
        for entry in keys.optional("lookup")?.mapping()?.all() ?? [] {
            guard let relationship = new.relationship(entry.key, of: entity.name) else {
                entry.value.problems.report(
                    "mapping.property",
                    "'\(entity.name)' has no relationship '\(entry.key)'"
                        + Suggestion.phrase(
                            for: entry.key, among: new.relationships(of: entity.name).map(\.name)),
                    at: .source(entry.keyLocation))
                continue
            }
            if let lookup = lookup(entry.value, relationship, isKnown ? source : nil) {
                mapping.lookups.append(lookup)
            }
        }
        keys.finish()
        return mapping
    }

    private func lookup(
        _ value: YAMLValue, _ relationship: RelationshipDescription, _ source: String?
    ) -> RelationshipLookup? {
        guard let words = value.mapping() else { return nil }
        let by = words.required("by")
        let from = words.required("from")
        let separator = words.optional("split")?.filledText()
        words.finish()
        guard let by, let from, let key = by.filledText(), let expression = from.filledText()
        else { return nil }
        let destination = relationship.destinationEntityName
        let attribute = new.attribute(key, of: destination)
        if let attribute, RelationshipLookup.canBeKey(attribute.type) {
            if let source { check(expression: expression, source, for: attribute, from) }
        } else if let attribute {
            by.fail(
                "lookup",
                "'\(destination).\(key)' is \(attribute.type.rawValue); a key is a string or an"
                    + " integer")
        } else {
            by.fail(
                "property",
                "'\(destination)' has no attribute '\(key)'"
                    + Suggestion.phrase(
                        for: key, among: new.attributes(of: destination).map(\.name)))
        }
        return RelationshipLookup(
            relationship.name, by: key, from: expression, split: separator)
    }

    // MARK: Checks against the old model

    /// Returns whether the old entity has objects, so that expressions over its objects can be
    /// checked.
    private func check(source: String, _ value: YAMLValue) -> Bool {
        guard let entity = old.entity(named: source) else {
            value.fail(
                "entity",
                "The old model has no entity '\(source)'"
                    + Suggestion.phrase(for: source, among: old.entities.map(\.name)),
                fix: "name the old entity with `from`")
            return false
        }
        guard !entity.isAbstract else {
            value.fail(
                "entity", "The old entity '\(source)' is abstract, so it has no objects",
                fix: "map its sub-entities")
            return false
        }
        return true
    }

    private func check(predicate text: String, _ source: String, _ value: YAMLValue) {
        let (resolved, mistakes) = FormatCheck(entityName: source, model: old).predicate(text)
        report(mistakes, resolved, value) { support, predicate throws(StoreError) in
            try support.check(predicate, entityName: source)
        }
    }

    private func check(
        expression text: String, _ source: String, for attribute: AttributeDescription,
        _ value: YAMLValue
    ) {
        let (resolved, mistakes) = FormatCheck(entityName: source, model: old).expression(
            text, assignedTo: attribute)
        report(mistakes.map { $0.offeringText(text) }, resolved, value) {
            support, expression throws(StoreError) in
            try support.check(expression, entityName: source)
        }
    }

    /// Reports errors in a format, and formats that no store can evaluate.
    private func report<Format>(
        _ mistakes: [GraphPredicateError], _ resolved: Format?, _ value: YAMLValue,
        check: (PredicateSupport, Format) throws(StoreError) -> Void
    ) {
        for mistake in mistakes {
            value.problems.report(Diagnostic(predicateError: mistake, at: value.location))
        }
        guard mistakes.isEmpty, let resolved else { return }
        do throws(StoreError) {
            try check(support, resolved)
        } catch {
            value.fail("unsupported", error.message)
        }
    }

    /// Checks that a relationship is set to an old one, to a path of to-ones, or to `$source`.
    private func check(
        links text: String, _ source: String, of relationship: RelationshipDescription,
        _ entity: EntityDescription, _ value: YAMLValue
    ) {
        guard text != EntityMapping.sameObject else { return }
        let path = text.split(separator: ".").map(String.init)
        if path.count > 1 {
            guard let problem = old.problem(withToOnePath: path, of: source) else { return }
            value.fail(
                "links", "'\(entity.name).\(relationship.name)' cannot be '\(text)': \(problem)")
        } else if old.relationship(text, of: source) == nil {
            let names = old.relationships(of: source).map(\.name)
            value.fail(
                "links",
                "The old entity '\(source)' has no relationship '\(text)'"
                    + Suggestion.phrase(for: text, among: names))
        }
    }
}
