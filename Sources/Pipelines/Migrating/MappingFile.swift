import Diagnostics
import FoundationEssentials
import GraphModel
import GraphStore
import YAML

/// Reads a mapping that is written in YAML: what becomes of objects where two models do not tell.
///
/// ```yaml
/// mapping: 1
/// entities:                       # of the new model
///   Task:
///     from: Todo                  # the old entity; without it `renamed-from`, or the same name
///     where: "isDeleted == NO"    # objects that do not meet it are left behind
///     set: { priority: "ternary(priority == 'high', 2, 0)" }
///     lookup:
///       tags: { by: name, from: tagText, split: "," }
/// ```
/// An entity with a list of such mappings merges several old ones; an old entity that several new
/// ones come from is split.
enum MappingFile {
    private static let version: Int64 = 1

    /// The place of the mapping between two versions of a model, beside the new one's file; nil
    /// where one of them has no name.
    static func path(
        beside modelPath: String, from old: String?, to new: String?
    ) -> String? {
        guard let old, let new, !old.contains("/"), !new.contains("/") else { return nil }
        return PathText.join(folder(beside: modelPath), "\(old)-\(new).yaml")
    }

    /// The folder of the mappings between a model's versions.
    static func folder(beside modelPath: String) -> String {
        var model = modelPath[...]
        while model.count > 1, model.hasSuffix("/") { model = model.dropLast() }
        return PathText.join(PathText.folder(of: String(model)), "migrations")
    }

    /// Reads a file.
    ///
    /// - Parameter model: the new model.
    static func read(
        _ path: String, to model: ManagedObjectModel
    ) -> (mapping: MappingModel?, diagnostics: [Diagnostic]) {
        let (root, diagnostics) = YAMLParser.parse(file: path)
        guard let root else { return (nil, diagnostics) }
        let problems = YAMLProblems(file: path, area: "mapping")
        diagnostics.forEach(problems.report)
        let mapping = read(YAMLValue(root: root, problems: problems, label: "mapping"), model)
        return (problems.hasErrors ? nil : mapping, problems.sorted)
    }

    private static func read(_ value: YAMLValue, _ model: ManagedObjectModel) -> MappingModel? {
        guard let file = value.mapping() else { return nil }
        let format = file.required("mapping", fix: "begin the file with `mapping: \(version)`")
        if let format, let number = format.integer(), number != version {
            format.fail(
                "version",
                "The mapping is of format \(number); this program reads format \(version)")
        }
        var entities: [EntityMapping] = []
        for entry in file.required("entities")?.mapping()?.all() ?? [] {
            guard let entity = model.entity(named: entry.key) else {
                entry.value.fail(
                    "entity",
                    "The new model has no entity '\(entry.key)'"
                        + Suggestion.phrase(for: entry.key, among: model.entities.map(\.name)))
                continue
            }
            for item in entry.value.listOrOne() ?? [] {
                if let mapping = read(item, of: entity, model) { entities.append(mapping) }
            }
        }
        file.finish()
        return MappingModel(entities)
    }

    private static func read(
        _ value: YAMLValue, of entity: EntityDescription, _ model: ManagedObjectModel
    ) -> EntityMapping? {
        guard let keys = value.mapping() else { return nil }
        var mapping = EntityMapping(
            from: keys.optional("from")?.filledText() ?? entity.renamingIdentifier ?? entity.name,
            to: entity.name, where: keys.optional("where")?.filledText())
        for entry in keys.optional("set")?.mapping()?.all() ?? [] {
            guard
                model.attribute(entry.key, of: entity.name) != nil
                    || model.relationship(entry.key, of: entity.name) != nil
            else {
                entry.value.fail("property", "'\(entity.name)' has no '\(entry.key)'")
                continue
            }
            mapping.values[entry.key] = entry.value.scalarText()
        }
        for entry in keys.optional("lookup")?.mapping()?.all() ?? [] {
            guard model.relationship(entry.key, of: entity.name) != nil else {
                entry.value.fail(
                    "property", "'\(entity.name)' has no relationship '\(entry.key)'")
                continue
            }
            guard let words = entry.value.mapping() else { continue }
            let key = words.required("by")?.filledText()
            let expression = words.required("from")?.filledText()
            let separator = words.optional("split")?.filledText()
            words.finish()
            guard let key, let expression else { continue }
            mapping.lookups.append(
                RelationshipLookup(entry.key, by: key, from: expression, split: separator))
        }
        keys.finish()
        return mapping
    }
}
