import Diagnostics
import RecordStreams
import YAML

extension ReadSpec {
    /// The allowed values of `read`: files, a command, or records to generate.
    static let form = Form<ReadSpec>(
        .either([
            .mapping(ReadKeys.mapping), .mapping(ReadKeys.commandMapping),
            .mapping(GenerateKeys.mapping),
        ])
    ) { value, reader in
        guard value.isMapping, let source = value.mapping() else {
            return value.wrong("a mapping such as { files: people.csv }")
        }
        let keys = KeyedMapping(source: source, reader: reader)
        if source.has(GenerateKeys.rows.name) { return generated(keys) }
        let isCommand = source.has(CommandKeys.command.name)
        let read = isCommand ? ofCommand(keys) : ofFiles(keys)
        source.finish(
            isCommand ? ReadKeys.commandMapping : ReadKeys.mapping,
            alternatives: isCommand ? [] : [CommandKeys.command.name, GenerateKeys.rows.name])
        return read
    }

    private static func generated(_ keys: KeyedMapping) -> ReadSpec {
        var read = ReadSpec()
        let seed = keys[GenerateKeys.seed]
        read.generated = keys[GenerateKeys.rows].map { GeneratedSpec(rows: $0, seed: seed) }
        read.format = .ndjson
        keys.reject(
            ReadKeys.files, "'generate' creates the records, so 'files' has no effect",
            fix: "remove one of the two")
        keys.source.finish(GenerateKeys.mapping)
        return read
    }

    private static func ofCommand(_ keys: KeyedMapping) -> ReadSpec {
        var read = ReadSpec()
        read.command = CommandSpec(CommandKeys.command, CommandKeys.variables, in: keys)
        for key in [ReadKeys.files, ReadKeys.filesMin] as [any SpecificationKey] {
            keys.reject(
                key, "'command' supplies the input, so '\(key.name)' has no effect",
                fix: "remove one of the two")
        }
        keys.reject(
            ReadKeys.once,
            "A command's output cannot be identified in a later run, so 'once' has no effect")
        read.readContents(keys)
        return read
    }

    private static func ofFiles(_ keys: KeyedMapping) -> ReadSpec {
        var read = ReadSpec()
        read.files = keys[ReadKeys.files] ?? []
        if let files = keys.source(of: ReadKeys.files), files.isList, read.files.isEmpty {
            files.fail("type", "'files' names no file")
        }
        read.filesMin = keys[ReadKeys.filesMin]
        read.isOnce = keys[ReadKeys.once]
        if read.isOnce, read.files.contains(where: { $0.text == "-" }) {
            keys.source(of: ReadKeys.once)?.fail(
                "rule",
                "Standard input cannot be identified in a later run, so 'once' has no effect")
        }
        read.readContents(keys)
        return read
    }

    /// Reads the settings for the bytes of an input.
    private mutating func readContents(_ keys: KeyedMapping) {
        format = keys[ReadKeys.format]
        let known = knownFormat
        if let path = keys.source(of: ReadKeys.arrayPath), let known, known != .json {
            Self.failFormat(path, "json", known)
        }
        arrayPath = keys[ReadKeys.arrayPath]
        compression = keys[ReadKeys.compression]
        recordsMin = keys[ReadKeys.recordsMin]
        readTable(keys, known)
        maxRecordBytes = keys[ReadKeys.maxRecord]
        depthMax = keys[ReadKeys.maxDepth]
        if let value = keys.source(of: ReadKeys.maxDepth), let known, known.isTabular {
            Self.failFormat(value, "json and ndjson", known)
        }
        maxRatio = keys[ReadKeys.maxRatio]
        if let value = keys.source(of: ReadKeys.maxRatio), compression == .none {
            value.fail("rule", "'max-ratio' is for gzip, and `compression: none` reads none")
        }
        encoding = keys[ReadKeys.encoding]
    }

    /// Returns the format that the names of all files have in common.
    static func commonFormat(_ files: [TemplateText]) -> RecordFormat? {
        let formats = Set(files.map { RecordFormat(fileName: $0.knownEnd) })
        return formats.count == 1 ? formats.first ?? nil : nil
    }

    private static func failFormat(_ value: YAMLValue, _ wanted: String, _ format: RecordFormat) {
        value.fail(
            "rule", "'\(value.label)' is for \(wanted), and the files are \(format.rawValue)")
    }

    private mutating func readTable(_ keys: KeyedMapping, _ known: RecordFormat?) {
        for key in ReadKeys.ofTables {
            guard let value = keys.source(of: key), let known, !known.isTabular else { continue }
            Self.failFormat(value, "csv and tsv", known)
        }
        hasHeader = keys[ReadKeys.header]
        columns = keys[ReadKeys.columns]?.map(\.text)
        if !hasHeader, keys.source(of: ReadKeys.columns) == nil {
            keys.source(of: ReadKeys.header)?.fail(
                "columns", "Without a header the columns have no names",
                fix: "name them: `columns: [first, second]`")
        }
        linesSkipped = keys[ReadKeys.skip]
        delimiter = keys[ReadKeys.delimiter]
        quote = keys[ReadKeys.quote]
        comment = keys[ReadKeys.comment]
        escape = keys[ReadKeys.escape]
        rejectEqualSigns(keys, known)
        dropsTrailingDelimiter = keys[ReadKeys.trailingDelimiter]
        if keys.source.has(ReadKeys.nulls.name) {
            keys.reject(
                ReadKeys.nullText, "'null-text' is another name of 'null', which is there",
                fix: "remove one of the two")
            nulls = keys[ReadKeys.nulls]
        } else if let texts = keys[ReadKeys.nullText] {
            nulls = texts
        }
        columnNulls = keys[ReadKeys.columnNulls] ?? []
        padsShortRows = keys[ReadKeys.ragged] == .pad
    }

    /// Reports separators that must differ but are equal, also if one of them is a default.
    private mutating func rejectEqualSigns(_ keys: KeyedMapping, _ known: RecordFormat?) {
        let escapeValue = keys.source(of: ReadKeys.escape)
        rejectEqualQuote(keys, known)
        if let escapeValue, escape != nil, escape == quote {
            escapeValue.fail(
                "rule", "'escape' and 'quote' must differ",
                fix: "leave out `escape`: a quote inside quotes is written twice without it")
            escape = nil
        }
        let delimiter = self.delimiter ?? known.map(\.delimiter) ?? []
        for (key, sign) in [(ReadKeys.comment, comment), (ReadKeys.escape, escape)] {
            guard let value = keys.source(of: key), let sign else { continue }
            if delimiter.contains(sign) {
                value.fail("rule", "'\(value.label)' and 'delimiter' must differ")
            } else if value.label == ReadKeys.comment.name, sign == quote {
                value.fail("rule", "'comment' and 'quote' must differ")
            }
        }
        if let escapeValue, escape != nil, escape == comment {
            escapeValue.fail("rule", "'escape' and 'comment' must differ")
        }
    }

    private func rejectEqualQuote(_ keys: KeyedMapping, _ known: RecordFormat?) {
        let message = "'quote' and 'delimiter' must differ"
        let quoteValue = keys.source(of: ReadKeys.quote)
        if let value = keys.source(of: ReadKeys.delimiter) {
            guard let delimiter, let quote, delimiter.contains(quote) else { return }
            guard quoteValue == nil else {
                quoteValue?.fail("rule", message)
                return
            }
            value.fail(
                "rule", message,
                fix: "name another `quote` than \", which it is without its key, or `quote: none`")
        } else if let quoteValue, let known, known.isTabular {
            guard let quote, known.delimiter == [quote] else { return }
            quoteValue.fail(
                "rule", message,
                fix: "name the `delimiter`, which is a \(known == .tsv ? "tab" : "comma") "
                    + "without its key")
        }
    }
}

extension ReadSpec {
    static let arrayPathForm = Form<String>(
        .pattern(#"^\$"#, "a path such as `$.data.items[*]`")
    ) { value, reader in
        guard let path = value.filledText() else { return nil }
        do throws(FieldPathError) {
            _ = try FieldPath.documentSteps(path)
        } catch {
            reader.problems.report(
                Diagnostic(
                    pathError: error, at: value.location,
                    fix: "begin with $, then a dot before each name, and [*] for every element of "
                        + "a list: $.data.items[*]"))
        }
        return path
    }

    static let columnForm = Form<PlacedText>(.scalar) { value, _ in
        value.scalarText().map { PlacedText($0, value.location) }
    }

    /// The allowed values of a null text; an unquoted `NULL`, which YAML parses as null, is
    /// allowed.
    static let nullForm = Form<String>(.constant, write: { "\"\($0)\"" }) { value, _ in
        guard let scalar = value.scalar, !scalar.isPlain || !scalar.text.isEmpty else {
            return value.wrong("text")
        }
        return scalar.text
    }

    static let columnNullsForm = Form<[ColumnNulls]>.named(
        "COLUMN", Form<[String]>.oneOrMore(nullForm).shape
    ) { column, value, reader in
        Form<[String]>.oneOrMore(nullForm).read(value, reader).map {
            ColumnNulls(column: column.text, texts: $0)
        }
    }

    private static let delimiterBytesMax = 16

    /// The allowed values of `delimiter`: one byte or several.
    static let delimiterForm = Form<[UInt8]>(.text) { value, _ in
        guard let text = value.scalarText() else { return nil }
        let bytes = Array(text.utf8)
        guard !bytes.contains(0) else {
            value.fail("rule", "'\(value.label)' cannot have the character NUL")
            return nil
        }
        guard 1...delimiterBytesMax ~= bytes.count, !bytes.contains(10), !bytes.contains(13)
        else { return value.wrong("1 to \(delimiterBytesMax) bytes without a line end") }
        return bytes
    }

    static let byteForm = Form<UInt8>(.character) { value, _ in byte(value) }

    static let quoteForm = Form<UInt8?>(
        .either([.words([.init(text: "none", meaning: "No quotes.")]), .character]),
        write: { _ in "'\"'" }
    ) { value, _ in
        .some(value.scalar?.text == "none" ? nil : byte(value))
    }

    private static func byte(_ value: YAMLValue) -> UInt8? {
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
