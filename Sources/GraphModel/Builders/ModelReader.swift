import Diagnostics
import YAML

/// Reads the declarations of a model; the lints check what spans several declarations.
enum ModelReader {
    /// Returns the declarations, or `nil` if the value is not a mapping.
    static func read(_ value: YAMLValue, isInline: Bool) -> ModelDeclarations? {
        guard let model = value.mapping() else { return nil }
        readVersion(model, isInline: isInline)
        var declared = ModelDeclarations()
        declared.versionIdentifiers =
            model.optional("version")?.listOrOne()?.compactMap { $0.scalarText() } ?? []
        for entry in model.required("entities")?.mapping()?.all() ?? [] {
            declared.entities.append(EntityReader.read(entry.key, entry.keyLocation, entry.value))
        }
        for entry in model.optional("configurations")?.mapping()?.all() ?? [] {
            let members = names(entry.value)
            declared.configurationMembers.append((entry.key, members))
        }
        for entry in model.optional("composites")?.mapping()?.all() ?? [] {
            readComposite(entry.key, entry.value, &declared)
        }
        for entry in model.optional("requests")?.mapping()?.all() ?? [] {
            readTemplate(entry.key, entry.value, &declared)
        }
        declared.extras = userInfo(model.optional("xcode"))
        declared.history = model.optional("history").map(names) ?? []
        model.finish()
        declared.misspelled = model.misspelled
        return declared
    }

    private static func readVersion(_ model: YAMLMapping, isInline: Bool) {
        let found =
            isInline
            ? model.optional("model")
            : model.required("model", fix: "begin the file with `model: \(ModelFile.version)`")
        guard let found, let version = found.integer(), version != ModelFile.version else { return }
        found.fail(
            "version",
            "The model is of format \(version); this program reads format \(ModelFile.version)")
    }

    private static func readComposite(
        _ name: String, _ value: YAMLValue, _ declared: inout ModelDeclarations
    ) {
        guard let mapping = value.mapping() else { return }
        let entries = mapping.required("attributes")?.mapping()?.all() ?? []
        declared.composites.append(
            CompositeDescription(
                name: name, attributes: entries.map { AttributeReader.read($0.key, $0.value) },
                extras: userInfo(mapping.optional("xcode"))))
        declared.compositePlaces.append(entries.map(\.keyLocation))
        mapping.finish()
    }

    private static func readTemplate(
        _ name: String, _ value: YAMLValue, _ declared: inout ModelDeclarations
    ) {
        guard let mapping = value.mapping() else { return }
        let template = template(name, mapping)
        mapping.finish()
        guard let template else { return }
        declared.fetchRequestTemplates.append(template.description)
        declared.templatePlaces.append(template.place)
    }

    /// Reads the fetch request of `entity`, `where`, and `limit`; `nil` if it names no entity.
    static func template(
        _ name: String, _ mapping: YAMLMapping
    ) -> (description: FetchRequestTemplate, place: SourceLocation)? {
        let entity = mapping.required("entity")
        let template = FetchRequestTemplate(
            name: name, entityName: entity?.filledText() ?? "",
            predicate: mapping.optional("where")?.filledText(),
            fetchLimit: mapping.optional("limit")?.integer(in: 0...Int64(Int32.max)).map(Int.init),
            extras: userInfo(mapping.optional("xcode")))
        guard let entity, !template.entityName.isEmpty else { return nil }
        return (template, entity.location)
    }

    /// Reads a list of names with their locations.
    static func names(_ value: YAMLValue) -> [PlacedName] {
        (value.list() ?? []).compactMap { item in
            item.filledText().map { PlacedName(name: $0, place: item.location) }
        }
    }

    /// Reads the user info of an entity or a property.
    static func userInfo(_ value: YAMLValue?) -> [String: String] {
        var info: [String: String] = [:]
        for entry in value?.mapping()?.all() ?? [] {
            info[entry.key] = entry.value.scalarText()
        }
        return info
    }
}
