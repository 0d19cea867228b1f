import Diagnostics
import YAML

/// Reads the declarations of a model; what spans several of them is left to the lints.
enum ModelReader {
    /// The declarations, or nil where the value is no mapping.
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
        model.notSupportedYet("composites", "requests", "history", "xcode")
        model.finish()
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

    /// A list of names with their places.
    static func names(_ value: YAMLValue) -> [PlacedName] {
        (value.list() ?? []).compactMap { item in
            item.filledText().map { PlacedName(name: $0, place: item.location) }
        }
    }

    /// The free text that an entity or a property carries for tools.
    static func userInfo(_ value: YAMLValue?) -> [String: String] {
        var info: [String: String] = [:]
        for entry in value?.mapping()?.all() ?? [] {
            info[entry.key] = entry.value.scalarText()
        }
        return info
    }
}
