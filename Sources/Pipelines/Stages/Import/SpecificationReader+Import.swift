import Diagnostics
import YAML
import RecordStreams

/// Import stages.
extension SpecificationReader {
    func readImport(_ mapping: YAMLMapping) -> ReadStage {
        let value = mapping.required("import")
        var stage: ReadStage
        var read = ReadSpec()
        if let found = mapping.optional("read") {
            stage = namedStage("import", value)
            read = readInput(found)
        } else {
            let pattern = value.flatMap(template)
            stage = ReadStage(name: pattern.map(Self.importName) ?? "import")
            read.files = pattern.map { [$0] } ?? []
        }
        let into = mapping.required("into").flatMap(placed)
        let key = readKey(mapping)
        let set = mapping.optional("set")?.mapping()?.all().map(readAttribute) ?? []
        let isSetOnly = mapping.optional("set-only")?.boolean() ?? false
        let link = mapping.optional("link")?.mapping()?.all().map(readLink) ?? []
        let duplicates = mapping.optional("duplicates")?.choice(ImportSpec.Duplicates.self)
        let keepIf = mapping.optional("keep-if").flatMap { value in
            expressionText(value).map { PredicateText(text: $0, location: value.location) }
        }
        let whenFound = mapping.optional("when-found")?.choice(ImportSpec.WhenFound.self)
        let whenSame = mapping.optional("when-same")?.choice(ImportSpec.WhenSame.self)
        let extra = mapping.optional("extra")?.choice(ImportSpec.Extra.self)
        let unmet = mapping.optional("unmet")?.choice(ImportSpec.Unmet.self)
        let mirror = mapping.optional("mirror").flatMap(readMirror)
        refuseMerge(mapping)
        let rules = mapping.optional("on")
        // Read in any case, so that what is wrong in it is told.
        var spec = ImportSpec(
            read: read, into: into ?? Self.unread(mapping.location), key: key, set: set,
            isSetOnly: isSetOnly, link: link, duplicates: duplicates ?? .last,
            whenFound: whenFound ?? .update, whenSame: whenSame ?? .skip, extra: extra ?? .ignore,
            mirror: mirror, keepIf: keepIf, location: mapping.location)
        spec.unmet = unmet ?? .warn
        if let rules { readRejectRules(rules, &spec) }
        stage.kind = .import(spec)
        return stage
    }

    /// The attributes that tell objects apart, each once.
    func readKey(_ mapping: YAMLMapping) -> [PlacedText] {
        var seen: Set<String> = []
        return (mapping.optional("key")?.listOrOne() ?? []).compactMap { item in
            guard let name = placed(item) else { return nil }
            if !seen.insert(name.text).inserted {
                item.fail("duplicate-name", "'\(name.text)' is in the key already")
            }
            return name
        }
    }

    private func readMirror(_ value: YAMLValue) -> MirrorSpec? {
        guard let mapping = value.mapping() else { return nil }
        var mirror = MirrorSpec(location: value.location)
        if let found = mapping.required(
            "where", fix: "write `where: ALL` if the input is about every object"
        ).map(selection) {
            mirror.selection = found
        }
        if let most = mapping.optional("at-most").flatMap(limit) { mirror.atMost = most }
        mapping.finish(.mirror)
        return mirror
    }

    /// `import-tasks` for `${inbox}/tasks-*.ndjson.gz`.
    private static func importName(_ pattern: TemplateText) -> String {
        let last = PathText.lastComponent(pattern.knownEnd)
        let stem = slug(String(last.unicodeScalars.prefix { !".*?{[".unicodeScalars.contains($0) }))
        return stem.isEmpty ? "import" : "import-\(String(stem.prefix(50)))"
    }

    private func readInput(_ value: YAMLValue) -> ReadSpec {
        var read = ReadSpec()
        guard value.isMapping, let mapping = value.mapping() else {
            return value.wrong("a mapping such as { files: people.csv }") ?? read
        }
        if let rows = mapping.optional("generate") {
            read.generated = readGenerated(rows, seed: mapping.optional("seed"))
            read.format = .ndjson
            mapping.refuse(
                "files", "'generate' creates the records, so 'files' has no effect",
                fix: "remove one of the two")
            mapping.finish(.generate)
            return read
        }
        let command = mapping.optional("command")
        read.command = command.flatMap { readCommand($0, in: mapping) }
        if command != nil {
            for key in ["files", "min-files"] {
                mapping.refuse(
                    key, "'command' supplies the input, so '\(key)' has no effect",
                    fix: "remove one of the two")
            }
        }
        let files = command == nil ? mapping.required("files") : nil
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
        if command == nil, let count = mapping.optional("min-files")?.integer(in: 0...1_000_000_000)
        {
            read.filesMin = Int(count)
        }
        if let count = mapping.optional("min-records")?.integer(in: 0...1_000_000_000) {
            read.recordsMin = Int(count)
        }
        if command != nil {
            mapping.refuse(
                "once",
                "A command's output cannot be identified in a later run, so 'once' has no effect")
        } else if let once = mapping.optional("once") {
            read.isOnce = once.boolean() ?? false
            if read.isOnce, read.files.contains(where: { $0.text == "-" }) {
                once.fail(
                    "rule",
                    "Standard input cannot be identified in a later run, so 'once' has no effect")
            }
        }
        readLimits(mapping, &read)
        mapping.finish(
            command == nil ? .read : .command,
            alternatives: command == nil ? ["command", "generate"] : [])
        return read
    }

    /// A number, or a parameter that holds one.
    private func readGenerated(_ rows: YAMLValue, seed: YAMLValue?) -> GeneratedSpec? {
        let number = seed?.integer(in: .min ... .max) ?? 0
        return count(
            rows, in: 0...Int64(GeneratedSpec.rowsMax), of: "records", parameter: "rows"
        ).map { GeneratedSpec(rows: $0, seed: number) }
    }

    /// The format that the names of all the files tell.
    static func commonFormat(_ files: [TemplateText]) -> RecordFormat? {
        let formats = Set(files.map { RecordFormat(fileName: $0.knownEnd) })
        return formats.count == 1 ? formats.first ?? nil : nil
    }

    private static func failFormat(_ value: YAMLValue, _ wanted: String, _ format: RecordFormat) {
        value.fail(
            "rule", "'\(value.label)' is for \(wanted), and the files are \(format.rawValue)")
    }

    private func readArrayPath(_ value: YAMLValue) -> String {
        guard let path = value.filledText() else { return "$" }
        do throws(FieldPathError) {
            _ = try FieldPath.documentSteps(path)
        } catch {
            problems.report(
                Diagnostic(
                    pathError: error, at: value.location,
                    fix: "begin with $, then a dot before each name, and [*] for every element of "
                        + "a list: $.data.items[*]"))
        }
        return path
    }

    private func readTable(_ mapping: YAMLMapping, _ known: RecordFormat?, _ read: inout ReadSpec) {
        for key in Self.tableKeys {
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
        if let count = mapping.optional("skip")?.integer(in: 0...1_000_000) {
            read.linesSkipped = Int(count)
        }
        let delimiter = mapping.optional("delimiter")
        read.delimiter = delimiter.flatMap(delimiterBytes)
        let quote = mapping.optional("quote")
        if let quote { read.quote = quote.scalar?.text == "none" ? nil : byte(quote) }
        refuseEqual(delimiter, quote, known, read)
        let comment = mapping.optional("comment")
        read.comment = comment.flatMap(byte)
        let escape = mapping.optional("escape")
        read.escape = escape.flatMap(byte)
        if let escape, read.escape != nil, read.escape == read.quote {
            escape.fail(
                "rule", "'escape' and 'quote' must differ",
                fix: "leave out `escape`: a quote inside quotes is written twice without it")
            read.escape = nil
        }
        refuseSign(comment, read.comment, known, read)
        refuseSign(escape, read.escape, known, read)
        if let escape, read.escape != nil, read.escape == read.comment {
            escape.fail("rule", "'escape' and 'comment' must differ")
        }
        read.dropsTrailingDelimiter =
            mapping.optional("trailing-delimiter")?.boolean() ?? false
        let nulls = mapping.optional("null")
        if nulls != nil {
            mapping.refuse(
                "null-text", "'null-text' is another name of 'null', which is there",
                fix: "remove one of the two")
        }
        if let nulls = nulls ?? mapping.optional("null-text") {
            read.nulls = nulls.listOrOne()?.compactMap(nullText) ?? [""]
        }
        read.padsShortRows = mapping.optional("ragged")?.choice(ReadSpec.Ragged.self) == .pad
    }

    private static let tableKeys = [
        "header", "columns", "skip", "comment", "delimiter", "trailing-delimiter", "quote",
        "escape", "null", "null-text", "ragged",
    ]

    /// Refuses a sign that another one has, also where that is what it is without its key.
    private func refuseSign(
        _ value: YAMLValue?, _ sign: UInt8?, _ known: RecordFormat?, _ read: ReadSpec
    ) {
        guard let value, let sign else { return }
        let delimiter = read.delimiter ?? known.map(\.delimiter) ?? []
        if delimiter.contains(sign) {
            value.fail("rule", "'\(value.label)' and 'delimiter' must differ")
        } else if value.label == "comment", sign == read.quote {
            value.fail("rule", "'comment' and 'quote' must differ")
        }
    }

    /// Also where one of the two is what it is without its key.
    private func refuseEqual(
        _ delimiter: YAMLValue?, _ quote: YAMLValue?, _ known: RecordFormat?, _ read: ReadSpec
    ) {
        let message = "'quote' and 'delimiter' must differ"
        if let delimiter {
            guard let bytes = read.delimiter, let byte = read.quote, bytes.contains(byte) else {
                return
            }
            guard quote == nil else {
                quote?.fail("rule", message)
                return
            }
            delimiter.fail(
                "rule", message,
                fix: "name another `quote` than \", which it is without its key, or `quote: none`")
        } else if let quote, let known, known.isTabular {
            guard let byte = read.quote, known.delimiter == [byte] else { return }
            quote.fail(
                "rule", message,
                fix: "name the `delimiter`, which is a \(known == .tsv ? "tab" : "comma") "
                    + "without its key")
        }
    }

    private func readLimits(_ mapping: YAMLMapping, _ read: inout ReadSpec) {
        if let value = mapping.optional("max-record"), let bytes = byteCount(value) {
            read.maxRecordBytes = bytes
        }
        if let value = mapping.optional("max-depth") {
            if let depth = value.integer(in: 1...4096) { read.depthMax = Int(depth) }
            if let format = read.knownFormat, format.isTabular {
                Self.failFormat(value, "json and ndjson", format)
            }
        }
        if let value = mapping.optional("max-ratio") {
            if let ratio = value.integer(in: 1...1_000_000) { read.maxRatio = Int(ratio) }
            if read.compression == .none {
                value.fail("rule", "'max-ratio' is for gzip, and `compression: none` reads none")
            }
        }
        if let value = mapping.optional("encoding") {
            read.encoding = value.choice(TextEncoding.self) ?? .utf8
        }
    }

    /// A number of bytes, such as 65536 or 16MiB.
    private func byteCount(_ value: YAMLValue) -> Int? {
        let wanted = "a number of bytes such as 65536, 64KiB or 16MiB, up to 1GiB"
        guard let text = value.scalar?.text else { return value.wrong(wanted) }
        let units = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]
        let unit = units.first { text.hasSuffix($0.0) }
        let digits = unit == nil ? Substring(text) : text.dropLast(3)
        guard let count = Int(digits), count > 0, count <= 1 << 30,
            count * (unit?.1 ?? 1) <= 1 << 30
        else { return value.wrong(wanted) }
        return count * (unit?.1 ?? 1)
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

    /// The bytes between fields: one character, or more.
    private func delimiterBytes(_ value: YAMLValue) -> [UInt8]? {
        guard let text = value.scalarText() else { return nil }
        let bytes = Array(text.utf8)
        guard !bytes.contains(0) else {
            value.fail("rule", "'\(value.label)' cannot have the character NUL")
            return nil
        }
        guard 1...Self.delimiterBytesMax ~= bytes.count, !bytes.contains(10), !bytes.contains(13)
        else { return value.wrong("1 to \(Self.delimiterBytesMax) bytes without a line end") }
        return bytes
    }

    private static let delimiterBytesMax = 16

    private func byte(_ value: YAMLValue) -> UInt8? {
        guard let text = value.scalarText() else { return nil }
        let bytes = Array(text.utf8)
        guard bytes != [0] else {
            value.fail("rule", "'\(value.label)' cannot be the character NUL")
            return nil
        }
        guard bytes.count == 1, bytes[0] < 128, !bytes.starts(with: [10]), bytes[0] != 13 else {
            return value.wrong(
                "one ASCII character other than a line end",
                fix: value.label == "quote" && bytes.isEmpty ? "write `none` for no quotes" : nil)
        }
        return bytes[0]
    }
}
