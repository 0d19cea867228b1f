import Diagnostics
import GraphModel
import RecordStreams
import YAML

/// Writes what was inferred as YAML, with a comment beside everything that is a guess.
enum InferenceText {
    // MARK: Model

    static func model(_ entities: [InferredEntity]) -> String {
        var lines = [
            "# Nothing but a key is required: say `optional: false` of what every object must have.",
            "model: 1", "entities:",
        ]
        for entity in entities { append(entity, to: &lines) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func append(_ entity: InferredEntity, to lines: inout [String]) {
        let isEmpty = entity.attributes.isEmpty && entity.relationships.isEmpty
        lines.append("  \(YAMLWriter.scalar(entity.name)):" + (isEmpty ? " {}" : ""))
        lines += (origin(entity) + entity.notes).map { "    # \(comment($0))" }
        if !entity.attributes.isEmpty {
            lines.append("    attributes:")
            for attribute in entity.attributes {
                lines.append(noted("      " + text(of: attribute), attribute.note))
            }
        }
        if !entity.relationships.isEmpty {
            lines.append("    relationships:")
            for relationship in entity.relationships {
                let many = relationship.isMany ? "many: true, " : ""
                lines.append(
                    "      \(YAMLWriter.scalar(relationship.name)): "
                        + "{ to: \(YAMLWriter.scalar(relationship.target)), \(many)"
                        + "inverse: \(YAMLWriter.scalar(relationship.inverse)) }")
            }
        }
        if let key = entity.key {
            lines.append(noted("    unique: [[\(YAMLWriter.scalar(key))]]", entity.keyNote))
        }
    }

    /// From how much data the entity was guessed, and what all of it has.
    private static func origin(_ entity: InferredEntity) -> [String] {
        guard let stage = entity.stage else { return [] }
        let records = ReportWords.several(stage.records, "record")
        let names = entity.attributes.filter { $0.isEverywhere && !$0.isRequired }.map(\.name)
        guard !names.isEmpty else { return ["guessed from \(records)"] }
        let shown = names.prefix(namesMax).joined(separator: ", ")
        let more = names.count - namesMax
        return [
            "guessed from \(records); each has a value of \(shown)"
                + (more > 0 ? " and \(more) more" : "")
        ]
    }

    private static let namesMax = 8

    private static func text(of attribute: InferredAttribute) -> String {
        var parts: [String] = []
        if attribute.isRequired { parts.append("optional: false") }
        if attribute.type == .transformable { parts.append("transformer: json") }
        let name = YAMLWriter.scalar(attribute.name)
        guard !parts.isEmpty else { return "\(name): \(attribute.type.rawValue)" }
        return "\(name): { type: \(attribute.type.rawValue), \(parts.joined(separator: ", ")) }"
    }

    // MARK: Spec

    /// - Parameters:
    ///   - store: the path of the store; `nil` for one that is named like the spec.
    ///   - model: the lines of `store.model`.
    ///   - settings: lines of further keys.
    ///   - path: what the spec calls a file.
    static func spec(
        name: String, store: String?, model: [String], settings: [String],
        _ entities: [InferredEntity], _ joins: [InferredJoin], path: (String) -> String
    ) -> String {
        let at = store.map(file) ?? "\(name).sqlite"
        var lines = ["etl: 1", "name: import-\(name)", "store:", "  at: \(at)"]
        lines += ["  open: create"] + model.map { "  " + $0 } + settings + ["stages:"]
        for entity in entities {
            if let stage = entity.stage { append(stage, entity, path, to: &lines) }
        }
        for join in joins { append(join, path, to: &lines) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func append(
        _ stage: InferredImport, _ entity: InferredEntity, _ path: (String) -> String,
        to lines: inout [String]
    ) {
        appendInput(stage, path, to: &lines)
        lines.append("    into: \(YAMLWriter.scalar(entity.name))")
        if let key = entity.key {
            lines.append("    key: \(YAMLWriter.scalar(key))")
        } else {
            lines.append(
                noted(
                    "    when-found: append",
                    "no field tells the records apart for sure; a second run adds them again,"
                        + " unless `unique` of the model and `key` here name the fields that do"))
        }
        // Fields of an attribute's name fill it by themselves.
        append(set: entity.attributes.compactMap(mapping), to: &lines)
        append(links: stage.links, to: &lines)
    }

    /// A table of pairs adds to a relationship of objects that are there.
    private static func append(
        _ join: InferredJoin, _ path: (String) -> String, to lines: inout [String]
    ) {
        appendInput(join.stage, path, to: &lines)
        lines.append("    into: \(YAMLWriter.scalar(join.entity))")
        lines.append("    key: \(YAMLWriter.scalar(join.key))")
        lines.append("    set-only: true")
        append(set: [text(of: join.key, from: join.keySource)], to: &lines)
        append(links: join.stage.links, to: &lines)
    }

    private static func appendInput(
        _ stage: InferredImport, _ path: (String) -> String, to lines: inout [String]
    ) {
        if stage.isCut {
            lines.append("  # from the first \(stage.records) records alone")
        }
        lines.append("  - import: \(YAMLWriter.scalar(stage.name))")
        lines.append("    read:")
        let files = stage.paths.map { file(path($0)) }
        if files.count == 1 {
            lines.append("      files: \(files[0])")
        } else {
            lines.append("      files:")
            lines += files.map { "        - \($0)" }
        }
        lines.append("      as: \(stage.format.rawValue)")
        if stage.at != "$" {
            lines.append(
                noted(
                    "      at: \(YAMLWriter.scalar(stage.at))",
                    "guessed: what the documents hold beside these records is left out"))
        }
        if let byte = stage.delimiter {
            let text = String(Unicode.Scalar(byte))
            lines.append(noted("      delimiter: \(YAMLWriter.scalar(text))", "guessed"))
        }
    }

    private static func append(set mappings: [String], to lines: inout [String]) {
        guard !mappings.isEmpty else { return }
        lines.append("    set:")
        lines += mappings.map { "      " + $0 }
    }

    /// What fills an attribute, where that is not just the field of its name.
    private static func mapping(_ attribute: InferredAttribute) -> String? {
        guard let words = attribute.words else {
            guard attribute.name != attribute.source else { return nil }
            return text(of: attribute.name, from: attribute.source)
        }
        return noted(
            "\(YAMLWriter.scalar(attribute.name)): { from: \(YAMLWriter.scalar(attribute.source)), "
                + "map: { \(YAMLWriter.scalar(words.yes)): true, "
                + "\(YAMLWriter.scalar(words.no)): false } }",
            "guessed: there is no other word")
    }

    private static func text(of name: String, from source: String) -> String {
        "\(YAMLWriter.scalar(name)): \(YAMLWriter.scalar(source))"
    }

    private static func append(links: [InferredLink], to lines: inout [String]) {
        guard !links.isEmpty else { return }
        lines.append("    link:")
        for link in links {
            let policy =
                (link.creates ? ", missing: create" : "") + (link.adds ? ", many: add" : "")
            lines.append(
                noted(
                    "      \(YAMLWriter.scalar(link.relationship)): { by: "
                        + "{ \(YAMLWriter.scalar(link.by)): \(YAMLWriter.scalar(link.source)) }"
                        + "\(policy) }", link.note))
        }
    }

    // MARK: Parts

    /// A path in which no parameter stands.
    static func file(_ path: String) -> String {
        let isPlain =
            PathText.hasFolder(path)
            && path.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    && (scalar.properties.isAlphabetic
                        || "0123456789/._-".unicodeScalars.contains(scalar))
            }
        // What has a slash and no other sign can be nothing but text, unless it begins with a dash.
        if isPlain, !path.hasPrefix("-") { return path }
        return YAMLWriter.scalar(literal(path))
    }

    /// The text of a path in which no parameter stands.
    static func literal(_ path: String) -> String {
        // By scalars: a combining mark may come after the brace.
        var text = String.UnicodeScalarView()
        for scalar in path.unicodeScalars {
            if scalar == "{", text.last == "$" { text.append("$") }
            text.append(scalar)
        }
        return String(text)
    }

    private static func noted(_ line: String, _ note: String?) -> String {
        note.map { "\(line)  # \(comment($0))" } ?? line
    }

    /// A text on one line.
    private static func comment(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map {
                    $0.properties.isWhitespace || $0.value < 32 || $0.value == 127 ? " " : $0
                }))
    }
}
