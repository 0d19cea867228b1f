import Diagnostics
import GraphModel
import RecordStreams
import YAML

/// Writes inferred models and specs as YAML, with a comment after each guess.
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
                        + "inverse: \(YAMLWriter.scalar(relationship.inverse))"
                        + "\(info(relationship.origin?.entries).map { ", \($0)" } ?? "") }")
            }
        }
        if let info = info(entity.origin?.entries) { lines.append("    \(info)") }
        if !entity.key.isEmpty {
            lines.append(noted("    unique: [\(list(entity.key))]", entity.keyNote))
        }
    }

    /// Returns the number of records from which the entity was inferred, and their common
    /// attributes.
    private static func origin(_ entity: InferredEntity) -> [String] {
        guard let count = entity.records, count > 0 else { return [] }
        let records = ReportNumbers.several(count, entity.stages.isEmpty ? "object" : "record")
        let names = entity.attributes.filter { $0.isEverywhere && !$0.isRequired }.map(\.name)
        guard !names.isEmpty else { return ["guessed from \(records)"] }
        let shown = names.prefix(namesMax).joined(separator: ", ")
        let more = names.count - namesMax
        return [
            "guessed from \(records); each has a value of \(shown)"
                + (more > 0 ? ", and \(more) more" : "")
        ]
    }

    private static let namesMax = 8

    private static func text(of attribute: InferredAttribute) -> String {
        var parts: [String] = []
        if attribute.isRequired { parts.append("optional: false") }
        if attribute.type == .transformable { parts.append("transformer: json") }
        if let info = info(attribute.origin?.entries) { parts.append(info) }
        let name = YAMLWriter.scalar(attribute.name)
        guard !parts.isEmpty else { return "\(name): \(attribute.type.rawValue)" }
        return "\(name): { type: \(attribute.type.rawValue), \(parts.joined(separator: ", ")) }"
    }

    private static func info(_ entries: [(key: String, value: String)]?) -> String? {
        guard let entries, !entries.isEmpty else { return nil }
        let texts = entries.map { "\($0.key): \(YAMLWriter.scalar($0.value))" }
        return "info: { \(texts.joined(separator: ", ")) }"
    }

    // MARK: Spec

    /// Returns the text of a spec.
    ///
    /// - Parameters:
    ///   - store: The path of the store; `nil` to name it after the spec.
    ///   - model: The lines of `store.model`.
    ///   - settings: The lines of further keys.
    ///   - empty: The files without a record.
    ///   - path: Returns the name of a file in the spec.
    static func spec(
        name: String, store: String? = nil, model: [String], settings: [String] = [],
        _ entities: [InferredEntity], _ joins: [InferredJoin], empty: [EmptyInput] = [],
        rejects: Int, path: (String) -> String
    ) -> String {
        let at = store.map(file) ?? "\(name).sqlite"
        var lines = ["etl: 1", "name: import-\(name)", "store:", "  at: \(at)"]
        lines += ["  open: create"] + model.map { "  " + $0 } + settings
        if rejects > 0 {
            lines.append("rejects:")
            lines.append(
                noted(
                    "  allow: \(rejects)", "number of rejected records when this file was written"
                ))
        }
        lines.append("stages:")
        let byName = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0) })
        for entity in entities {
            for stage in entity.stages { append(stage, entity, byName, path, to: &lines) }
        }
        for join in joins {
            for stage in join.stages { append(stage, of: join, path, to: &lines) }
        }
        var names = TakenNames()
        for input in empty {
            append(
                input, as: names.claim(InferredNames.stage(ofEntity: input.entity)), path,
                to: &lines)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func append(
        _ stage: InferredImport, _ entity: InferredEntity, _ all: [String: InferredEntity],
        _ path: (String) -> String, to lines: inout [String]
    ) {
        appendInput(stage, path, to: &lines)
        lines.append("    into: \(YAMLWriter.scalar(entity.name))")
        append(key: entity.key, indent: "    ", to: &lines)
        // A field with the name of an attribute needs no mapping.
        append(
            set: entity.attributes.compactMap { attribute in
                attribute.seen(in: stage.form).flatMap(mapping)
            }, indent: "    ", to: &lines)
        append(
            links: entity.links.compactMap { $0.seen(in: stage.form) }, of: all, indent: "    ",
            to: &lines)
    }

    /// Adds the import of a file without a record, so that the run has a report.
    private static func append(
        _ input: EmptyInput, as name: String, _ path: (String) -> String, to lines: inout [String]
    ) {
        let stage = InferredImport(
            name: name, paths: [input.file], form: input.form, nulls: [], nullMarkers: [],
            records: 0, isTruncated: false)
        appendInput(stage, path, to: &lines)
        lines.append("    into: \(YAMLWriter.scalar(input.entity))")
        // A record that is written to the file after this is left to the next import.
        lines.append("    keep-if: FALSEPREDICATE")
    }

    private static func append(key: [String], indent: String, to lines: inout [String]) {
        lines.append("\(indent)key: \(key.count == 1 ? YAMLWriter.scalar(key[0]) : list(key))")
    }

    /// Returns a list of names on one line.
    private static func list(_ names: [String]) -> String {
        "[\(names.map { YAMLWriter.scalar($0) }.joined(separator: ", "))]"
    }

    /// Adds the import of a join table, which links existing objects.
    private static func append(
        _ stage: InferredImport, of join: InferredJoin, _ path: (String) -> String,
        to lines: inout [String]
    ) {
        appendInput(stage, path, to: &lines)
        lines.append("    into: \(YAMLWriter.scalar(join.entity))")
        lines.append("    key: \(YAMLWriter.scalar(join.key))")
        if join.hasUnknownOwners { lines.append("    when-missing: reject") }
        lines.append("    set-only: true")
        append(set: [text(of: join.key, from: join.keySource)], indent: "    ", to: &lines)
        append(links: [join.link], of: [:], indent: "    ", to: &lines)
    }

    private static func appendInput(
        _ stage: InferredImport, _ path: (String) -> String, to lines: inout [String]
    ) {
        if stage.isTruncated {
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
        func add(_ key: String, _ value: String, _ note: String? = nil) {
            lines.append(noted("      \(key): \(value)", note))
        }
        func add(_ key: String, sign: String, _ note: String? = nil) {
            add(key, YAMLWriter.scalar(sign), note)
        }
        let form = stage.form
        add("as", form.format.rawValue)
        if form.encoding != .utf8 {
            add("encoding", form.encoding.rawValue, form.isEncodingSet ? nil : "guessed")
        }
        if form.at != "$" {
            add("at", sign: form.at, "guessed: values outside these records are not imported")
        }
        if let bytes = form.delimiter {
            add("delimiter", sign: String(decoding: bytes, as: UTF8.self), "guessed")
        }
        if form.hasTitle, form.linesSkipped > 0 {
            add("skip", "\(form.linesSkipped)", "guessed: lines above the header")
        } else if form.linesSkipped > 0 {
            add("skip", "\(form.linesSkipped)", "the first line names the delimiter")
        }
        if let byte = form.comment { add("comment", sign: String(Unicode.Scalar(byte)), "guessed") }
        if let byte = form.escape { add("escape", sign: String(Unicode.Scalar(byte))) }
        let columns = list(form.columns ?? [])
        if !form.hasHeader {
            add("header", "false", form.isHeaderSet ? nil : "guessed: the first row holds values")
            add("columns", columns)
        } else if form.header != nil {
            add("columns", columns, "the header does not give each column a different name")
        }
        if !stage.nulls.isEmpty { add("null", list([""] + stage.nulls)) }
        if !stage.nullMarkers.isEmpty {
            let columns = stage.nullMarkers.map(\.column)
            let texts = columns.indices.filter { columns.firstIndex(of: columns[$0]) == $0 }.map {
                place in
                let texts = stage.nullMarkers.filter { $0.column == columns[place] }.map(\.text)
                return "\(YAMLWriter.scalar(columns[place])): \(list(texts))"
            }
            add("null-in", "{ \(texts.joined(separator: ", ")) }", "guessed")
        }
    }

    private static func append(set mappings: [String], indent: String, to lines: inout [String]) {
        guard !mappings.isEmpty else { return }
        lines.append("\(indent)set:")
        lines += mappings.map { "\(indent)  \($0)" }
    }

    /// Returns the mapping that fills an attribute; `nil` if it is just the field of the same name.
    static func mapping(_ attribute: InferredAttribute) -> String? {
        let name = YAMLWriter.scalar(attribute.name)
        if attribute.isRowKey {
            let expression = attribute.origin?.rowKey.map { YAMLWriter.scalar($0.expression) }
            return "\(name): { expr: \(expression ?? "\"rowkey()\"") }"
        }
        var parts = ["from: \(YAMLWriter.scalar(attribute.source))"]
        var note: String?
        if let words = attribute.words {
            parts.append(
                "map: { \(YAMLWriter.scalar(words.yes)): true, "
                    + "\(YAMLWriter.scalar(words.no)): false }")
            note = "guessed: there is no other word"
        }
        if let date = attribute.date { parts.append("date: \(YAMLWriter.scalar(date))") }
        switch attribute.number {
        case .seconds: parts.append("number: seconds")
        case .milliseconds: parts.append("number: milliseconds")
        case .text(let form):
            var keys: [String] = []
            if form.decimal != "." {
                keys.append("decimal: \(YAMLWriter.scalar(String(form.decimal)))")
            }
            if let mark = form.thousands {
                keys.append("thousands: \(YAMLWriter.scalar(String(mark)))")
            }
            parts.append("number: { \(keys.joined(separator: ", ")) }")
        case nil: break
        }
        guard parts.count > 1 else {
            guard attribute.name != attribute.source else { return nil }
            return text(of: attribute.name, from: attribute.source)
        }
        return noted("\(name): { \(parts.joined(separator: ", ")) }", note)
    }

    private static func text(of name: String, from source: String) -> String {
        "\(YAMLWriter.scalar(name)): \(YAMLWriter.scalar(source))"
    }

    private static func append(
        links: [InferredLink], of all: [String: InferredEntity], indent: String,
        to lines: inout [String]
    ) {
        guard !links.isEmpty else { return }
        lines.append("\(indent)link:")
        for link in links {
            let name = YAMLWriter.scalar(link.relationship)
            if let nested = link.nested {
                guard let entity = all[nested] else { continue }
                let inner = indent + "    "
                lines.append(noted("\(indent)  \(name):", link.note))
                lines.append("\(inner)each: \(YAMLWriter.scalar(link.source))")
                append(key: entity.key, indent: inner, to: &lines)
                append(set: entity.attributes.compactMap(mapping), indent: inner, to: &lines)
                append(links: entity.links, of: all, indent: inner, to: &lines)
                continue
            }
            let field = YAMLWriter.scalar(link.source)
            let parts =
                (link.isSplit ? [", split: \"\(RecordEncoder.listSplit)\""] : [])
                + (link.isNeeded ? [", need: true"] : [])
            let source = parts.isEmpty ? field : "{ from: \(field)\(parts.joined()) }"
            let policy =
                (link.creates ? ", missing: create" : link.isReported ? ", missing: report" : "")
                + (link.adds ? ", many: add" : "")
            lines.append(
                noted(
                    "\(indent)  \(name): { by: "
                        + "{ \(YAMLWriter.scalar(link.by)): \(source) }"
                        + "\(policy) }", link.note))
        }
    }

    // MARK: Parts

    /// Returns a path as YAML text in which no parameter is expanded.
    static func file(_ path: String) -> String {
        let isPlain =
            PathText.hasFolder(path)
            && path.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    && (scalar.properties.isAlphabetic
                        || "0123456789/._-".unicodeScalars.contains(scalar))
            }
        // A path with a slash and only these characters is always a string, unless it begins with a
        // dash.
        if isPlain, !path.hasPrefix("-") { return path }
        return YAMLWriter.scalar(literal(path))
    }

    /// Returns a path with escaped parameters.
    static func literal(_ path: String) -> String {
        // Compares scalars, because a combining mark may follow the brace.
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

    /// Returns a text on one line.
    private static func comment(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map {
                    $0.properties.isWhitespace || $0.value < 32 || $0.value == 127 ? " " : $0
                }))
    }
}
