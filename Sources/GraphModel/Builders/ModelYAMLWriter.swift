package import Diagnostics
internal import YAML

/// Writes a model as the YAML that `ModelFile` reads.
package enum ModelYAMLWriter {
    /// Returns the YAML text, with a warning for each part that its reader would reject.
    package static func text(
        of model: ManagedObjectModel
    ) -> (text: String, warnings: [Diagnostic]) {
        let versions = model.versionIdentifiers.map { YAMLOutput.text($0) }
        let configurations = model.configurations.sorted { $0.key < $1.key }
        let requests = model.fetchRequestTemplates.map {
            ($0.name, YAMLOutput.mapping(request($0)))
        }
        let entries = present([
            ("model", .plain("\(ModelFile.version)")),
            ("version", versions.count > 1 ? .list(versions) : versions.first),
            ("xcode", texts(model.extras)),
            ("composites", block(model.composites.map { ($0.name, composite($0)) })),
            ("entities", .block(model.entities.map { ($0.name, entity($0)) })),
            ("configurations", block(configurations.map { ($0.key, list($0.value)) })),
            ("requests", block(requests)),
        ])
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
        .block(
            present([
                ("attributes", .block(composite.attributes.map { ($0.name, attribute($0)) })),
                ("xcode", texts(composite.extras)),
            ]))
    }

    private static func entity(_ entity: EntityDescription) -> YAMLOutput {
        let rules = entity.validationRules.map { rule in
            YAMLOutput.mapping([("rule", .text(rule.predicate)), ("message", .text(rule.message))])
        }
        return .block(
            present([
                ("parent", text(entity.superentityName)), ("abstract", mark(entity.isAbstract)),
                ("class", text(entity.managedObjectClassName)),
                ("renamed-from", text(entity.renamingIdentifier)),
                ("hash-modifier", text(entity.versionHashModifier)),
                ("info", texts(entity.userInfo)), ("xcode", texts(entity.extras)),
                ("attributes", block(entity.ownAttributes.map { ($0.name, attribute($0)) })),
                (
                    "relationships",
                    block(entity.ownRelationships.map { ($0.name, relationship($0)) })
                ),
                ("fetched", block(entity.fetchedProperties.map { ($0.name, fetched($0)) })),
                ("unique", items(entity.uniquenessConstraints.map(list))),
                ("indexes", indexes(entity.indexes)), ("validate", items(rules)),
            ]))
    }

    /// Returns indexes by name, or as a list if a name repeats, which a mapping does not allow.
    private static func indexes(_ indexes: [FetchIndexDescription]) -> YAMLOutput? {
        guard Set(indexes.map(\.name)).count < indexes.count else {
            return block(indexes.map { ($0.name, index($0)) })
        }
        return .list(
            indexes.map { index in
                .mapping(
                    present([
                        ("name", .text(index.name)), ("properties", .list(elements(of: index))),
                        ("where", text(index.partialIndexPredicate)),
                    ]))
            })
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
            let collation = element.collation == .binary ? nil : element.collation.rawValue
            return .mapping(
                present([
                    (element.isExpression ? "expression" : "property", .text(element.propertyName)),
                    ("order", element.isAscending ? nil : .plain("desc")),
                    ("collation", collation.map { .plain($0) }),
                ]))
        }
    }

    private static func request(_ template: FetchRequestTemplate) -> [(String, YAMLOutput)] {
        present([
            ("entity", .text(template.entityName)), ("where", text(template.predicate)),
            ("limit", template.fetchLimit.map { .plain("\($0)") }),
            ("xcode", texts(template.extras)),
        ])
    }

    private static func fetched(_ property: FetchedPropertyDescription) -> YAMLOutput {
        let name = property.request.name
        return .mapping(
            request(property.request)
                + present([
                    ("request", name == FetchedPropertyDescription.requestName ? nil : .text(name)),
                    ("optional", mark(property.isOptional, unless: true)),
                    ("renamed-from", text(property.renamingIdentifier)),
                    ("info", texts(property.userInfo)),
                    ("xcode-property", texts(property.extras)),
                ]))
    }

    // MARK: Small parts

    /// Returns the entries that have a value.
    static func present(_ entries: [(String, YAMLOutput?)]) -> [(String, YAMLOutput)] {
        entries.compactMap { key, value in value.map { (key, $0) } }
    }

    static func text(_ value: String?) -> YAMLOutput? { value.map { .text($0) } }

    /// Returns a Boolean, or `nil` if it has the value that a reader assumes.
    static func mark(_ value: Bool, unless usual: Bool = false) -> YAMLOutput? {
        value == usual ? nil : .plain("\(value)")
    }

    static func texts(_ values: [String: String]) -> YAMLOutput? {
        guard !values.isEmpty else { return nil }
        return .mapping(values.sorted { $0.key < $1.key }.map { ($0.key, .text($0.value)) })
    }

    private static func block(_ entries: [(String, YAMLOutput)]) -> YAMLOutput? {
        entries.isEmpty ? nil : .block(entries)
    }

    private static func items(_ items: [YAMLOutput]) -> YAMLOutput? {
        items.isEmpty ? nil : .list(items)
    }

    private static func list(_ names: [String]) -> YAMLOutput {
        .list(names.map { .text($0) })
    }
}
