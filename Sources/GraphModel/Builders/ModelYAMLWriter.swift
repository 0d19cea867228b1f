package import Diagnostics
internal import YAML

/// Writes a model as the YAML that `ModelFile` reads.
package enum ModelYAMLWriter {
    /// Returns the YAML text, with a warning for each part that its reader would reject.
    package static func text(
        of model: ManagedObjectModel
    ) -> (text: String, warnings: [Diagnostic]) {
        var entries: [(String, YAMLOutput)] = [("model", .plain("\(ModelFile.version)"))]
        switch model.versionIdentifiers.count {
        case 0: break
        case 1: entries.append(("version", .text(model.versionIdentifiers[0])))
        default: entries.append(("version", .list(model.versionIdentifiers.map { .text($0) })))
        }
        if !model.extras.isEmpty { entries.append(("xcode", texts(model.extras))) }
        if !model.composites.isEmpty {
            entries.append(
                ("composites", .block(model.composites.map { ($0.name, composite($0)) })))
        }
        entries.append(("entities", .block(model.entities.map { ($0.name, entity($0)) })))
        if !model.configurations.isEmpty {
            let sorted = model.configurations.sorted { $0.key < $1.key }
            entries.append(
                ("configurations", .block(sorted.map { ($0.key, list($0.value)) })))
        }
        if !model.fetchRequestTemplates.isEmpty {
            entries.append(
                (
                    "requests",
                    .block(model.fetchRequestTemplates.map { ($0.name, .mapping(request($0))) })
                ))
        }
        let text = YAMLWriter.text(entries)
        return (text, unreadable(text))
    }

    /// Returns the reader's errors about the text as warnings, since models of apps break some
    /// rules.
    private static func unreadable(_ text: String) -> [Diagnostic] {
        ModelFile.read(text: text, file: "the YAML").diagnostics.filter { $0.severity == .error }
            .map { problem in
                var warning = problem
                warning.severity = .warning
                return warning
            }
    }

    // MARK: Parts of a model

    private static func composite(_ composite: CompositeDescription) -> YAMLOutput {
        var entries: [(String, YAMLOutput)] = [
            ("attributes", .block(composite.attributes.map { ($0.name, attribute($0)) }))
        ]
        append(composite.extras, "xcode", to: &entries)
        return .block(entries)
    }

    private static func entity(_ entity: EntityDescription) -> YAMLOutput {
        var entries: [(String, YAMLOutput)] = []
        append(entity.superentityName, "parent", to: &entries)
        if entity.isAbstract { entries.append(("abstract", .plain("true"))) }
        append(entity.managedObjectClassName, "class", to: &entries)
        append(entity.renamingIdentifier, "renamed-from", to: &entries)
        append(entity.versionHashModifier, "hash-modifier", to: &entries)
        append(entity.userInfo, "info", to: &entries)
        append(entity.extras, "xcode", to: &entries)
        appendBlock(entity.ownAttributes.map { ($0.name, attribute($0)) }, "attributes", &entries)
        appendBlock(
            entity.ownRelationships.map { ($0.name, relationship($0)) }, "relationships", &entries)
        appendBlock(entity.fetchedProperties.map { ($0.name, fetched($0)) }, "fetched", &entries)
        if !entity.uniquenessConstraints.isEmpty {
            entries.append(("unique", .list(entity.uniquenessConstraints.map(list))))
        }
        appendIndexes(entity.indexes, &entries)
        if !entity.validationRules.isEmpty {
            let rules = entity.validationRules.map { rule in
                YAMLOutput.mapping([
                    ("rule", .text(rule.predicate)), ("message", .text(rule.message)),
                ])
            }
            entries.append(("validate", .list(rules)))
        }
        return .block(entries)
    }

    /// Adds indexes by name, or as a list if a name repeats, which a mapping does not allow.
    private static func appendIndexes(
        _ indexes: [FetchIndexDescription], _ entries: inout [(String, YAMLOutput)]
    ) {
        guard Set(indexes.map(\.name)).count < indexes.count else {
            return appendBlock(indexes.map { ($0.name, index($0)) }, "indexes", &entries)
        }
        let list = indexes.map { index -> YAMLOutput in
            var parts: [(String, YAMLOutput)] = [
                ("name", .text(index.name)), ("properties", .list(elements(of: index))),
            ]
            append(index.partialIndexPredicate, "where", to: &parts)
            return .mapping(parts)
        }
        entries.append(("indexes", .list(list)))
    }

    private static func index(_ index: FetchIndexDescription) -> YAMLOutput {
        let elements = elements(of: index)
        guard let predicate = index.partialIndexPredicate else { return .list(elements) }
        return .mapping([("properties", .list(elements)), ("where", .text(predicate))])
    }

    private static func elements(of index: FetchIndexDescription) -> [YAMLOutput] {
        index.elements.map { element -> YAMLOutput in
            let order = element.isAscending ? "" : " desc"
            guard element.isExpression || element.collation != .binary else {
                return .text(element.propertyName + order)
            }
            var entries: [(String, YAMLOutput)] = [
                (element.isExpression ? "expression" : "property", .text(element.propertyName))
            ]
            if !element.isAscending { entries.append(("order", .plain("desc"))) }
            if element.collation != .binary {
                entries.append(("collation", .plain(element.collation.rawValue)))
            }
            return .mapping(entries)
        }
    }

    private static func request(_ template: FetchRequestTemplate) -> [(String, YAMLOutput)] {
        var entries: [(String, YAMLOutput)] = [("entity", .text(template.entityName))]
        append(template.predicate, "where", to: &entries)
        if let limit = template.fetchLimit { entries.append(("limit", .plain("\(limit)"))) }
        append(template.extras, "xcode", to: &entries)
        return entries
    }

    private static func fetched(_ property: FetchedPropertyDescription) -> YAMLOutput {
        var entries = request(property.request)
        if property.request.name != FetchedPropertyDescription.requestName {
            append(property.request.name, "request", to: &entries)
        }
        if !property.isOptional { entries.append(("optional", .plain("false"))) }
        append(property.renamingIdentifier, "renamed-from", to: &entries)
        append(property.userInfo, "info", to: &entries)
        append(property.extras, "xcode-property", to: &entries)
        return .mapping(entries)
    }

    // MARK: Small parts

    static func append(
        _ value: String?, _ key: String, to entries: inout [(String, YAMLOutput)]
    ) {
        if let value { entries.append((key, .text(value))) }
    }

    static func append(
        _ values: [String: String], _ key: String, to entries: inout [(String, YAMLOutput)]
    ) {
        if !values.isEmpty { entries.append((key, texts(values))) }
    }

    private static func appendBlock(
        _ block: [(String, YAMLOutput)], _ key: String, _ entries: inout [(String, YAMLOutput)]
    ) {
        if !block.isEmpty { entries.append((key, .block(block))) }
    }

    static func texts(_ values: [String: String]) -> YAMLOutput {
        .mapping(values.sorted { $0.key < $1.key }.map { ($0.key, .text($0.value)) })
    }

    private static func list(_ names: [String]) -> YAMLOutput {
        .list(names.map { .text($0) })
    }
}
