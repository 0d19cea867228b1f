import GraphModel
import GraphStore

/// Writes a draft of a mapping file, with `todo` keys for undecided parts.
///
/// Comments list the differences between the models.
struct MappingDraft {
    private let old: ManagedObjectModel
    private let new: ManagedObjectModel
    private let translation: XcodeMappingTranslation?
    private let pairing: ModelPairing

    /// Creates a draft of the mapping from one model to another.
    ///
    /// - Parameter translation: The translated mapping model of Xcode; `nil` if there is none.
    init(
        from old: ManagedObjectModel, to new: ManagedObjectModel,
        _ translation: XcodeMappingTranslation?
    ) {
        self.old = old
        self.new = new
        self.translation = translation
        pairing = ModelPairing(from: old, to: new)
    }

    /// Returns the text of the file.
    ///
    /// - Parameters:
    ///   - title: the subject of the mapping.
    ///   - origin: the mapping model of Xcode that it replaces.
    func text(title: String, origin: String?) -> String {
        var lines = ["# The start of a mapping \(title)."]
        if let origin { lines.append("# It replaces \(origin) for this step.") }
        lines += [
            "# A property that is not set here continues the old one of its name, or has its default."
        ]
        if translation?.todos.isEmpty == false {
            lines.append("# etl rejects the file until each `todo` is resolved and removed.")
        }
        lines.append("mapping: 1")
        lines += Self.todo(homelessTodos())
        lines.append("entities:")
        let count = lines.count
        for entity in new.entities.sorted(by: { $0.name < $1.name }) where !entity.isAbstract {
            lines += block(entity.name)
        }
        if lines.count == count { lines[count - 1] += " {}" }
        lines += dropped().map {
            "# The old entity '\($0)' has no successor; its objects are deleted."
        }
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: Entities

    private func mappings(of entity: String) -> [EntityMapping] {
        translation?.entities.filter { $0.destination == entity } ?? []
    }

    /// Returns the old entities whose objects are converted to objects of an entity.
    private func sources(of entity: String) -> [String] {
        let told = mappings(of: entity).map(\.source)
        let isExplicit = translation?.entities.contains { $0.source == pairing.oldName(of: entity) }
        if let name = pairing.oldName(of: entity), isExplicit != true, !told.contains(name) {
            return told + [name]
        }
        return told
    }

    /// Returns the open decisions for an entity.
    private func todos(of entity: String) -> [String] {
        translation?.todos.filter { $0.entity == entity }.map(\.text) ?? []
    }

    /// Returns the open decisions for entities that have no separate block in the file.
    private func homelessTodos() -> [String] {
        let homes = Set(
            new.entities.filter { !$0.isAbstract && !sources(of: $0.name).isEmpty }.map(\.name))
        return translation?.todos.filter { !homes.contains($0.entity) }.map {
            "\($0.entity): \($0.text)"
        } ?? []
    }

    /// Returns the `todo` key with one or several texts; empty without texts.
    private static func todo(_ texts: [String]) -> [String] {
        guard texts.count != 1 else { return ["todo: \(scalar(texts[0]))"] }
        return texts.isEmpty ? [] : ["todo:"] + texts.map { "  - \(scalar($0))" }
    }

    private func dropped() -> [String] {
        let kept = new.entities.filter { !$0.isAbstract }.flatMap { sources(of: $0.name) }
        return old.entities.filter { !$0.isAbstract && !kept.contains($0.name) }.map(\.name)
            .sorted()
    }

    private func block(_ entity: String) -> [String] {
        var comments = comments(on: entity)
        let mappings = mappings(of: entity)
        guard !sources(of: entity).isEmpty else {
            comments.append("Fill it with `lookup` in another entity, or map an old entity:")
            return comments.map { "  # " + $0 } + ["  # \(entity): { from: OLD-ENTITY }"]
        }
        let todo = Self.todo(todos(of: entity))
        if comments.isEmpty && mappings.isEmpty && todo.isEmpty { return [] }
        var lines = comments.map { "  # " + $0 }
        var blocks = mappings.map { keys(of: $0, isAlone: mappings.count == 1) }
        if blocks.isEmpty { blocks = [[]] }
        blocks[0] = todo + blocks[0]
        if blocks.count == 1, !blocks[0].isEmpty {
            lines.append("  \(entity):")
            lines += blocks[0].map { "    " + $0 }
        } else if blocks.count > 1 {
            lines.append("  \(entity):")
            for block in blocks {
                lines += block.enumerated().map { ($0 == 0 ? "    - " : "      ") + $1 }
            }
        } else {
            lines.append("  \(entity): {}")
        }
        return lines
    }

    private func keys(of mapping: EntityMapping, isAlone: Bool) -> [String] {
        var lines: [String] = []
        if !isAlone || mapping.source != pairing.sourceName(of: mapping.destination) {
            lines.append("from: \(Self.scalar(mapping.source))")
        }
        if let predicate = mapping.predicate { lines.append("where: \(Self.scalar(predicate))") }
        if !mapping.values.isEmpty {
            lines.append("set:")
            for (name, value) in mapping.values.sorted(by: { $0.key < $1.key }) {
                lines.append("  \(name): \(Self.scalar(value))")
            }
        }
        return lines
    }

    /// Returns one comment per difference between an entity and its sources in the old model.
    private func comments(on entity: String) -> [String] {
        var comments: [String] = []
        let sources = sources(of: entity)
        if sources.isEmpty {
            let policy = translation?.hasPolicyClasses == true
            comments.append(
                "\(entity) is a new entity"
                    + (policy ? ", which a class of the app may fill." : "."))
        }
        for source in sources {
            let set = Set(
                mappings(of: entity).filter { $0.source == source }.flatMap(\.values.keys))
            let fresh = newProperties(of: entity, from: source).filter { !set.contains($0.name) }
            if !fresh.isEmpty { comments.append("New in \(entity): \(Self.list(fresh))") }
            let unused = oldProperties(of: source, to: entity)
            if !unused.isEmpty {
                comments.append(
                    "No longer in \(entity), from the old \(source): \(Self.list(unused))")
            }
        }
        return comments
    }

    // MARK: Properties

    private typealias Property = (name: String, kind: String)

    private func newProperties(of entity: String, from source: String) -> [Property] {
        let attributes = pairing.attributes(of: entity, from: source)
        let links = pairing.relationships(of: entity, from: source)
        return new.attributes(of: entity).filter { attributes[$0.name] == nil && !$0.isTransient }
            .map { ($0.name, $0.type.rawValue) }
            + new.relationships(of: entity).filter { links[$0.name] == nil }
            .map { ($0.name, "to \($0.destinationEntityName)") }
    }

    private func oldProperties(of source: String, to entity: String) -> [Property] {
        let attributes = Set(pairing.attributes(of: entity, from: source).values.map(\.name))
        let links = Set(pairing.relationships(of: entity, from: source).values.map(\.name))
        return old.attributes(of: source).filter {
            !attributes.contains($0.name) && !$0.isTransient
        }
        .map { ($0.name, $0.type.rawValue) }
            + old.relationships(of: source).filter { !links.contains($0.name) }
            .map { ($0.name, "to \($0.destinationEntityName)") }
    }

    private static func list(_ properties: [Property]) -> String {
        properties.sorted { $0.name < $1.name }.map { "\($0.name) (\($0.kind))" }
            .joined(separator: ", ")
    }

    /// Returns a YAML scalar: plain if it is a name or a key path, otherwise quoted.
    private static func scalar(_ text: String) -> String {
        let isPlain =
            text.first?.isLetter == true
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._".contains($0)) }
            && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(
                text.lowercased())
        if isPlain { return text }
        return "\""
            + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n") + "\""
    }
}
