import Diagnostics
import GraphModel
import RecordStreams
import YAML

/// The stages: which kind each is, and what update, delete and export say.
extension SpecificationReader {
    private static let kinds = ["import", "update", "delete", "export", "verify"]

    func readStages(_ value: YAMLValue?) -> [Stage] {
        guard let items = value?.list() else { return [] }
        if items.isEmpty { value?.fail("stages", "A spec needs at least one stage") }
        var stages: [Stage] = []
        var firstLines: [String: Int] = [:]
        for item in items {
            guard let mapping = item.mapping(), let kind = kind(of: mapping) else { continue }
            guard let read = readStage(kind, mapping) else { continue }
            var name = read.name
            if let explicit = read.explicitName {
                if let line = firstLines[name] {
                    problems.report(
                        "spec.duplicate-name",
                        "The stage on line \(line) is named '\(name)' already",
                        at: .source(explicit))
                }
            } else {
                name = Self.free(name, firstLines)
            }
            firstLines[name] = firstLines[name] ?? item.location.line
            guard let stageKind = read.kind else { continue }
            stages.append(
                Stage(
                    name: name, kind: stageKind, location: item.location, isAlways: read.isAlways))
        }
        return stages
    }

    /// A stage as read: its kind is nil where a part that it needs cannot be read.
    struct ReadStage {
        var name: String
        /// Where the name stands, when the spec gives one.
        var explicitName: SourceLocation?
        var kind: StageKind?
        var isAlways = false
    }

    private static func free(_ name: String, _ taken: [String: Int]) -> String {
        guard taken[name] != nil else { return name }
        var number = 2
        while taken["\(name)-\(number)"] != nil { number += 1 }
        return "\(name)-\(number)"
    }

    private func kind(of mapping: YAMLMapping) -> String? {
        let found = Self.kinds.filter { mapping.keys.contains($0) }
        if found.count == 1 { return found[0] }
        guard found.isEmpty else {
            mapping.value.fail(
                "stage-kind", "A stage does one thing, not \(found.joined(separator: " and "))",
                fix: "make one stage of each")
            return nil
        }
        let hint =
            mapping.keys.lazy.compactMap { Suggestion.closest(to: $0, among: Self.kinds) }.first
            .map { ". Did you mean '\($0)'?" } ?? ""
        mapping.value.fail(
            "stage-kind", "A stage begins with \(YAMLValue.listing(Self.kinds))" + hint)
        return nil
    }

    private func readStage(_ kind: String, _ mapping: YAMLMapping) -> ReadStage? {
        var stage: ReadStage? =
            switch kind {
            case "import": readImport(mapping)
            case "update": readUpdate(mapping)
            case "delete": readDelete(mapping)
            case "export": readExport(mapping)
            default: readVerify(mapping)
            }
        stage?.isAlways = mapping.optional("always")?.boolean() ?? false
        mapping.finish()
        return stage
    }

    /// A stage's own name; it also names files, hence the characters.
    func stageName(_ value: YAMLValue) -> String? {
        guard let name = value.filledText() else { return nil }
        let isPlain = name.unicodeScalars.allSatisfy {
            $0.isASCII
                && ($0.properties.isAlphabetic || ("0"..."9").contains($0)
                    || "._-".contains(Character($0)))
        }
        if !isPlain || name.utf8.count > 64 || name.hasPrefix(".") {
            value.fail(
                "name", "'\(name)' is no stage name",
                fix: "use 1 to 64 letters, digits, hyphens, underscores and dots")
        }
        return name
    }

    /// `delete: Task`, or `delete: old-done` beside `entity: Task`.
    private func nameAndEntity(
        _ kind: String, _ mapping: YAMLMapping
    ) -> (stage: ReadStage, entity: PlacedText?)? {
        guard let value = mapping.required(kind) else { return nil }
        if let entity = mapping.optional("entity") {
            guard let name = stageName(value) else { return nil }
            return (ReadStage(name: name, explicitName: value.location), placed(entity))
        }
        guard let entity = placed(value) else { return nil }
        return (ReadStage(name: "\(kind)-\(Self.slug(entity.text))"), entity)
    }

    private func readUpdate(_ mapping: YAMLMapping) -> ReadStage? {
        guard let value = mapping.required("update"), let name = stageName(value) else {
            return nil
        }
        var stage = ReadStage(name: name, explicitName: value.location)
        let entity = mapping.required("entity").flatMap(placed)
        let selection = requiredSelection(mapping)
        var assignments: [UpdateSpec.Assignment] = []
        let set = mapping.required("set")?.mapping()?.all()
        if let set, set.isEmpty { mapping.value.fail("set", "'set' names no attribute") }
        for entry in set ?? [] {
            guard let newValue = newValue(entry.value) else { continue }
            assignments.append(
                .init(
                    attribute: PlacedText(entry.key, entry.keyLocation), value: newValue,
                    location: entry.value.location))
        }
        let atMost = mapping.optional("at-most").flatMap(limit)
        let (limit, isCompacting) = readExtent(mapping)
        guard let entity, let selection else { return stage }
        stage.kind = .update(
            UpdateSpec(
                entity: entity, selection: selection, set: assignments, atMost: atMost,
                limit: limit, isCompacting: isCompacting))
        return stage
    }

    private func newValue(_ value: YAMLValue) -> UpdateSpec.NewValue? {
        guard let scalar = value.scalar else { return value.wrong("an expression or a constant") }
        guard scalar.value == .text else { return constant(value).map { .constant($0) } }
        return expressionText(value).map {
            .expression(ExpressionText(text: $0, location: value.location))
        }
    }

    private func readDelete(_ mapping: YAMLMapping) -> ReadStage? {
        guard let named = nameAndEntity("delete", mapping) else { return nil }
        var stage = named.stage
        let selection = requiredSelection(mapping)
        let atMost = mapping.optional("at-most").flatMap(limit)
        let (limit, isCompacting) = readExtent(mapping)
        guard let entity = named.entity, let selection else { return stage }
        stage.kind = .delete(
            DeleteSpec(
                entity: entity, selection: selection, atMost: atMost, limit: limit,
                isCompacting: isCompacting))
        return stage
    }

    /// How many objects a change takes, and whether it tidies up.
    private func readExtent(_ mapping: YAMLMapping) -> (limit: Int?, isCompacting: Bool) {
        mapping.notSupportedYet("rules")
        return (
            mapping.optional("limit")?.integer(in: 1...1_000_000_000).map { Int($0) },
            mapping.optional("compact")?.boolean() ?? false
        )
    }

    private func requiredSelection(_ mapping: YAMLMapping) -> Selection? {
        mapping.required("where", fix: "write `where: ALL` if you mean every object")
            .flatMap(selection)
    }

    func selection(_ value: YAMLValue) -> Selection? {
        guard let text = expressionText(value) else { return nil }
        guard text != "ALL" else { return .all }
        return .matching(PredicateText(text: text, location: value.location))
    }

    /// Text in the store's language, where parameters are values and never text.
    func expressionText(_ value: YAMLValue) -> String? {
        guard let text = value.filledText() else { return nil }
        guard let start = text.firstRange(of: "${") else { return text }
        let rest = text[start.upperBound...]
        let name = rest.firstIndex(of: "}").map { String(rest[..<$0]) }
        value.fail(
            "template-in-predicate",
            "'${\(name.map { $0 + "}" } ?? "")' would put text into '\(value.label)'; "
                + "a parameter is a value there",
            fix: "write $\(name ?? "name"), without quotes")
        return nil
    }

    private func readExport(_ mapping: YAMLMapping) -> ReadStage? {
        guard let named = nameAndEntity("export", mapping) else { return nil }
        var stage = named.stage
        let selection = mapping.optional("where").map(selection) ?? .all
        let fields = mapping.optional("fields").flatMap(readFields)
        let order = mapping.optional("order")?.listOrOne()?.flatMap(readOrder) ?? []
        let asValue = mapping.optional("as")
        let format = asValue?.choice(RecordFormat.self)
        let to = mapping.required("to")
        let path = to.flatMap(template)
        let compression = mapping.optional("compression")?.choice(ReadSpec.Compression.self)
        let isCompressed =
            compression == .gzip
            || (compression != ReadSpec.Compression.none
                && path?.knownEnd.hasSuffix(".gz") ?? false)
        var level: Int64 = 6
        if let value = mapping.optional("level"), let number = value.integer(in: 1...9) {
            level = number
            if let path, !isCompressed {
                value.fail(
                    "rule",
                    compression == nil
                        ? "'level' is for files named .gz, not for '\(path.text)'"
                        : "'level' is for gzip, and this file is not compressed")
            }
        }
        let hasManifest = readManifest(mapping, path)
        let shapeValue = mapping.optional("shape")
        let shape = shapeValue?.choice(ExportSpec.Shape.self)
        guard let path else { return stage }
        let known = format ?? RecordFormat(fileName: path.knownEnd)
        if known == nil, asValue == nil {
            to?.fail(
                "format", "The name '\(path.text)' does not tell the format",
                fix: "add `as:` with csv, tsv, json or ndjson")
        }
        if shape == .nested, let known, known.isTabular {
            shapeValue?.fail(
                "rule", "`shape: nested` is for json and ndjson, and the file is \(known.rawValue)")
        }
        guard let entity = named.entity, let selection, let known else { return stage }
        stage.kind = .export(
            ExportSpec(
                entity: entity, selection: selection, fields: fields, order: order, format: known,
                to: path, isCompressed: isCompressed, level: Int(level),
                shape: shape ?? .flat, hasManifest: hasManifest))
        return stage
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
