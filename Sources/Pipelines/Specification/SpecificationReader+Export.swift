import Diagnostics
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
        let path = to.flatMap(template)
        let (isCompressed, level) = readCompression(mapping, path)
        let hasManifest = readManifest(mapping, path)
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
                to: path ?? TemplateText(literal: "", at: mapping.location),
                isCompressed: isCompressed, level: level, shape: shape ?? .flat,
                hasManifest: hasManifest, missingFiles: missingFiles ?? .fail))
        return stage
    }

    /// The format that `as` says or the file's name tells; nil where neither does.
    private func readFormat(
        _ mapping: YAMLMapping, _ to: YAMLValue?, _ path: TemplateText?
    ) -> RecordFormat? {
        let said = mapping.optional("as")
        if let said { return said.choice(RecordFormat.self) }
        guard let path else { return nil }
        let known = RecordFormat(fileName: path.knownEnd)
        // A parameter that nobody declares says nothing about the name.
        if known == nil, path.parameterNames.allSatisfy(templateNames.contains) {
            to?.fail(
                "format", "The name '\(path.text)' does not tell the format",
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

    private func readManifest(_ mapping: YAMLMapping, _ path: TemplateText?) -> Bool {
        guard let value = mapping.optional("manifest"), value.boolean() == true else {
            return false
        }
        if path?.text == "-" {
            value.fail("rule", "A manifest stands beside a file, and '-' is standard output")
        }
        return true
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
