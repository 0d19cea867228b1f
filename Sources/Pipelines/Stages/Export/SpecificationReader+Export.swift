import Diagnostics
import Files
import GraphModel
import RecordStreams
import YAML

/// Export stages.
extension SpecificationReader {
    func readExport(_ mapping: YAMLMapping) -> ReadStage {
        let named = nameAndEntity("export", mapping)
        var stage = named.stage
        let selection = mapping.optional("where").map(selection) ?? .all
        let fields = mapping.optional("fields").flatMap(readFields)
        let order = mapping.optional("order")?.listOrOne()?.flatMap(readOrder) ?? []
        let to = mapping.required("to")
        let target = to.flatMap(readTarget)
        let path = target?.path
        let (isCompressed, level) = readCompression(mapping, path)
        let hasManifest = readManifest(mapping, path, target?.command)
        let parts = readParts(mapping, path, target?.command)
        let format = readFormat(mapping, to, path)
        let shapeValue = mapping.optional("shape")
        let shape = shapeValue?.choice(ExportSpec.Shape.self)
        if shape == .nested, let format, format.isTabular {
            shapeValue?.fail(
                "rule", "`shape: nested` is for json and ndjson, and the file is \(format.rawValue)"
            )
        }
        let missingFiles = mapping.optional("missing-files")?.choice(ExportSpec.MissingFiles.self)
        stage.kind = .export(
            ExportSpec(
                entity: named.entity, selection: selection, fields: fields, order: order,
                format: format ?? .ndjson,
                to: path ?? TemplateText(literal: "", at: to?.location ?? mapping.location),
                command: target?.command, isCompressed: isCompressed, level: level,
                shape: shape ?? .flat,
                hasManifest: hasManifest, parts: parts, missingFiles: missingFiles ?? .fail))
        return stage
    }

    /// The format that `as` says or the file's name tells; nil where neither does.
    private func readFormat(
        _ mapping: YAMLMapping, _ to: YAMLValue?, _ path: TemplateText?
    ) -> RecordFormat? {
        let said = mapping.optional("as")
        if let said { return said.choice(RecordFormat.self) }
        guard let path else {
            if let to, to.isMapping {
                to.fail(
                    "format", "The format of the command's input is not set",
                    fix: "add `as:` with csv, tsv, json, or ndjson next to `to`")
            }
            return nil
        }
        let end = FileName(path.knownEnd)
        // `FileUseCheck` refuses such a name.
        if ForeignFormat(fileName: end) != nil {
            return RecordFormat(fileName: ForeignFormat.inner(end))
        }
        let known = RecordFormat(fileName: end)
        // A parameter that nobody declares says nothing about the name.
        if known == nil, path.parameterNames.allSatisfy(templateNames.contains) {
            to?.fail(
                "format", "The name '\(path.text)' does not identify the format",
                fix: "add `as:` with csv, tsv, json or ndjson")
        }
        return known
    }

    private func readCompression(
        _ mapping: YAMLMapping, _ path: TemplateText?
    ) -> (isCompressed: Bool, level: Int) {
        let said = mapping.optional("compression")
        let compression = said?.choice(ReadSpec.Compression.self)
        let isCompressed =
            compression == .gzip
            || (compression != ReadSpec.Compression.none
                && path?.knownEnd.hasSuffix(".gz") ?? false)
        guard let value = mapping.optional("level") else { return (isCompressed, 6) }
        let level = value.integer(in: 1...9)
        if let path, !isCompressed, said == nil || compression != nil {
            value.fail(
                "rule",
                compression == nil
                    ? "'level' is for files named .gz, not for '\(path.text)'"
                    : "'level' is for gzip, and this file is not compressed")
        }
        return (isCompressed, level.map { Int($0) } ?? 6)
    }

    /// A file, or a command that reads what is exported.
    private func readTarget(_ value: YAMLValue) -> (path: TemplateText?, command: CommandSpec?)? {
        guard value.isMapping, let mapping = value.mapping() else {
            return (template(value), nil)
        }
        let command = mapping.required("command").flatMap { readCommand($0, in: mapping) }
        mapping.finish(.output)
        return (nil, command)
    }

    private func readManifest(
        _ mapping: YAMLMapping, _ path: TemplateText?, _ command: CommandSpec?
    ) -> Bool {
        guard let value = mapping.optional("manifest"), value.boolean() == true else {
            return false
        }
        if command != nil {
            value.fail(
                "rule", "A manifest is written next to a file, but a command reads this export")
        } else if path?.text == "-" {
            value.fail("rule", "A manifest is written next to a file, but '-' is standard output")
        }
        return true
    }

    private func readParts(
        _ mapping: YAMLMapping, _ path: TemplateText?, _ command: CommandSpec?
    ) -> Int? {
        guard let value = mapping.optional("parts") else { return nil }
        if command != nil {
            value.fail("rule", "Parts are files, but a command reads this export")
        } else if path?.text == "-" {
            value.fail("rule", "Parts are files, but '-' is standard output")
        }
        return value.integer(in: 1...Int64(ExportParts.countMax)).map { Int($0) }
    }

    private func readFields(_ value: YAMLValue) -> [PlacedText]? {
        guard let items = value.list() else { return nil }
        if items.isEmpty { value.fail("type", "'fields' names no field") }
        var seen: Set<String> = []
        return items.compactMap { item in
            guard let field = placed(item) else { return nil }
            if !seen.insert(field.text).inserted {
                item.fail("duplicate-name", "'\(field.text)' is among the fields already")
            }
            return field
        }
    }

    /// A key of the order, or several between commas.
    private func readOrder(_ value: YAMLValue) -> [ExportSpec.OrderTerm] {
        guard let text = value.filledText() else { return [] }
        do {
            return try ParsedSortOrder(format: text).descriptors.map {
                .init(key: $0, location: value.location)
            }
        } catch {
            problems.report(Diagnostic(predicateError: error, at: value.location))
            return []
        }
    }
}
