import Diagnostics
import YAML
import RecordStreams

/// Import stages.
extension SpecificationReader {
    func readImport(_ mapping: YAMLMapping) -> ReadStage? {
        guard let value = mapping.required("import") else { return nil }
        var stage: ReadStage
        var read = ReadSpec()
        if let found = mapping.optional("read") {
            guard let name = stageName(value) else { return nil }
            stage = ReadStage(name: name, explicitName: value.location)
            read = readInput(found)
        } else {
            guard let pattern = template(value) else { return nil }
            stage = ReadStage(name: Self.importName(pattern))
            read.files = [pattern]
        }
        let into = mapping.required("into").flatMap(placed)
        let key = mapping.optional("key")?.listOrOne()?.compactMap(placed) ?? []
        let set = mapping.optional("set")?.mapping()?.all().compactMap(readAttribute) ?? []
        let isSetOnly = mapping.optional("set-only")?.boolean() ?? false
        let link = mapping.optional("link")?.mapping()?.all().compactMap(readLink) ?? []
        let duplicates = mapping.optional("duplicates")?.choice(ImportSpec.Duplicates.self)
        let keepIf = mapping.optional("keep-if").flatMap { value in
            expressionText(value).map { PredicateText(text: $0, location: value.location) }
        }
        mapping.notSupportedYet("when-found", "when-same", "merge", "mirror", "extra")
        guard let into else { return stage }
        stage.kind = .import(
            ImportSpec(
                read: read, into: into, key: key, set: set, isSetOnly: isSetOnly, link: link,
                duplicates: duplicates ?? .last, keepIf: keepIf, location: mapping.location))
        return stage
    }

    /// `import-tasks` for `${inbox}/tasks-*.ndjson.gz`.
    private static func importName(_ pattern: TemplateText) -> String {
        let last = PathText.lastComponent(pattern.knownEnd)
        let stem = slug(String(last.prefix { !".*?{[".contains($0) }))
        return stem.isEmpty ? "import" : "import-\(String(stem.prefix(50)))"
    }

    private func readInput(_ value: YAMLValue) -> ReadSpec {
        var read = ReadSpec()
        guard let mapping = value.mapping() else { return read }
        let files = mapping.required("files")
        read.files = files?.listOrOne()?.compactMap(template) ?? []
        if let files, files.isList, read.files.isEmpty {
            files.fail("type", "'files' names no file")
        }
        read.format = mapping.optional("as")?.choice(RecordFormat.self)
        let known = read.format ?? Self.commonFormat(read.files)
        if let path = mapping.optional("at") {
            if let known, known != .json { Self.failFormat(path, "json", known) }
            read.arrayPath = readArrayPath(path)
        }
        read.compression =
            mapping.optional("compression")?.choice(ReadSpec.Compression.self) ?? .auto
        readTable(mapping, known, &read)
        mapping.notSupportedYet(
            "min-files", "once", "encoding", "ragged", "max-record", "max-ratio")
        mapping.finish()
        return read
    }

    /// The format that the names of all the files tell.
    private static func commonFormat(_ files: [TemplateText]) -> RecordFormat? {
        let formats = Set(files.map { RecordFormat(fileName: $0.knownEnd) })
        return formats.count == 1 ? formats.first ?? nil : nil
    }

    private static func failFormat(_ value: YAMLValue, _ wanted: String, _ format: RecordFormat) {
        value.fail(
            "rule", "'\(value.label)' is for \(wanted), and the files are \(format.rawValue)")
    }

    private func readArrayPath(_ value: YAMLValue) -> String {
        guard let path = value.filledText() else { return "$" }
        if path != "$", !path.hasPrefix("$.") && !path.hasPrefix("$[") {
            value.fail("type", "'at' must be a path such as $.data.items[*], not '\(path)'")
        }
        return path
    }

    private func readTable(_ mapping: YAMLMapping, _ known: RecordFormat?, _ read: inout ReadSpec) {
        for key in ["header", "columns", "delimiter", "quote", "null"] {
            guard let value = mapping.optional(key), let known, !known.isTabular else { continue }
            Self.failFormat(value, "csv and tsv", known)
        }
        let header = mapping.optional("header")
        read.hasHeader = header?.boolean() ?? true
        read.columns = mapping.optional("columns").flatMap(readColumns)
        if !read.hasHeader, mapping.optional("columns") == nil {
            header?.fail(
                "columns", "Without a header the columns have no names",
                fix: "name them: `columns: [first, second]`")
        }
        read.delimiter = mapping.optional("delimiter").flatMap(byte)
        if let quote = mapping.optional("quote") {
            read.quote = quote.scalar?.text == "none" ? nil : byte(quote)
            if let delimiter = read.delimiter, delimiter == read.quote {
                quote.fail("rule", "'quote' and 'delimiter' must differ")
            }
        }
        if let nulls = mapping.optional("null") {
            read.nulls = nulls.listOrOne()?.compactMap(nullText) ?? [""]
        }
    }

    /// Also `NULL` without quotes, which YAML takes for its own null.
    private func nullText(_ value: YAMLValue) -> String? {
        guard let scalar = value.scalar, !scalar.isPlain || !scalar.text.isEmpty else {
            return value.wrong("text")
        }
        return scalar.text
    }

    private func readColumns(_ value: YAMLValue) -> [String]? {
        guard let items = value.list() else { return nil }
        var seen: Set<String> = []
        return items.compactMap { item in
            guard let name = item.scalarText() else { return nil }
            if !seen.insert(name).inserted {
                item.fail("duplicate-name", "'\(name)' is among the columns already")
            }
            return name
        }
    }

    private func byte(_ value: YAMLValue) -> UInt8? {
        guard let text = value.scalarText() else { return nil }
        let bytes = Array(text.utf8)
        guard bytes.count == 1, bytes[0] < 128, !bytes.starts(with: [10]), bytes[0] != 13 else {
            return value.wrong("one ASCII character other than a line end")
        }
        return bytes[0]
    }
}

/// What fills attributes and relationships.
extension SpecificationReader {
    typealias Entry = (key: String, keyLocation: SourceLocation, value: YAMLValue)

    private func readAttribute(_ entry: Entry) -> AttributeMapping? {
        let attribute = PlacedText(entry.key, entry.keyLocation)
        guard entry.value.isMapping, let mapping = entry.value.mapping() else {
            return sourcePath(entry.value).map {
                AttributeMapping(attribute: attribute, origin: .field(FieldMapping(source: $0)))
            }
        }
        let const = mapping.optional("const")
        let others = ["from", "need", "date", "split", "map"].filter { mapping.keys.contains($0) }
        let field = readField(mapping, defaultSource: attribute)
        mapping.notSupportedYet("expr", "default", "clean", "zone", "number", "cast")
        mapping.finish()
        guard let const else {
            return field.map { AttributeMapping(attribute: attribute, origin: .field($0)) }
        }
        if let other = others.first {
            const.fail("rule", "'const' is the whole value, so '\(other)' has no meaning beside it")
        }
        return constant(const).map {
            AttributeMapping(attribute: attribute, origin: .constant($0, const.location))
        }
    }

    private func sourcePath(_ value: YAMLValue) -> PlacedText? {
        guard let scalar = value.scalar, !value.isNull, scalar.value != .text else {
            return placed(value)
        }
        value.fail(
            "type", "'\(value.label)' must be the name of a field, not \(value.kind)",
            fix: "write `{ const: \(scalar.text) }` for the value itself")
        return nil
    }

    private func readField(_ mapping: YAMLMapping, defaultSource: PlacedText?) -> FieldMapping? {
        let from = mapping.optional("from")
        var source = defaultSource
        if let from {
            source = placed(from)
        } else if source == nil {
            _ = mapping.required("from")
        }
        let isNeeded = mapping.optional("need")?.boolean() ?? false
        let date = mapping.optional("date")
        if let date { checkDatePattern(date) }
        let split = mapping.optional("split").flatMap(placed)
        let map = mapping.optional("map").flatMap(readMap)
        return source.map {
            FieldMapping(
                source: $0, isNeeded: isNeeded, datePattern: date.flatMap(placedQuietly),
                separator: split, map: map)
        }
    }

    private func placedQuietly(_ value: YAMLValue) -> PlacedText? {
        guard let scalar = value.scalar, scalar.value == .text, !scalar.text.isEmpty else {
            return nil
        }
        return PlacedText(scalar.text, value.location)
    }

    private func checkDatePattern(_ value: YAMLValue) {
        guard let pattern = value.filledText() else { return }
        if let problem = SpecificationChecker.problem(withDatePattern: pattern) {
            value.fail("date-pattern", problem)
        }
    }

    private func readMap(_ value: YAMLValue) -> [MapEntry]? {
        value.mapping()?.all().compactMap { entry in
            constant(entry.value).map {
                MapEntry(from: entry.key, to: $0, location: entry.value.location)
            }
        }
    }

    func constant(_ value: YAMLValue) -> ConstantValue? {
        guard let scalar = value.scalar else { return value.wrong("a single value") }
        switch scalar.value {
        case .null: return .null
        case .boolean(let flag): return .boolean(flag)
        case .integer(let number): return .integer(number)
        case .real(let number): return .real(number, text: scalar.text)
        case .text: return template(scalar.text, value).map { .text($0) }
        }
    }

    private func readLink(_ entry: Entry) -> LinkMapping? {
        guard let mapping = entry.value.mapping() else { return nil }
        let to = mapping.optional("to").flatMap(placed)
        let by = mapping.required("by").flatMap(readBy)
        let missing = mapping.optional("missing")
        let rule = missing?.choice(LinkMapping.Missing.self)
        let many = mapping.optional("many")?.choice(LinkMapping.Many.self)
        mapping.notSupportedYet("each", "into", "key", "set")
        mapping.finish()
        guard let by else { return nil }
        return LinkMapping(
            relationship: PlacedText(entry.key, entry.keyLocation), to: to, by: by.attribute,
            field: by.field, missing: rule ?? .reject,
            missingLocation: missing?.location ?? entry.keyLocation, many: many)
    }

    private func readBy(_ value: YAMLValue) -> (attribute: PlacedText, field: FieldMapping)? {
        guard value.isMapping, let entries = value.mapping()?.all() else {
            return value.wrong("a mapping such as { email: owner.email }")
        }
        guard entries.count == 1, let entry = entries.first else {
            value.fail("by", "'by' must name exactly one attribute")
            return nil
        }
        let attribute = PlacedText(entry.key, entry.keyLocation)
        guard entry.value.isMapping, let mapping = entry.value.mapping() else {
            return sourcePath(entry.value).map { (attribute, FieldMapping(source: $0)) }
        }
        let field = readField(mapping, defaultSource: nil)
        mapping.notSupportedYet("expr", "default", "clean", "zone", "number", "cast")
        mapping.finish()
        return field.map { (attribute, $0) }
    }
}
