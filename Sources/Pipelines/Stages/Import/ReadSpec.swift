package import Files
import GraphModel
package import RecordStreams
import YAML

/// The keys of `read`.
enum ReadKeys {
    static let files = Key(
        required: "files", .oneOrMore(.path),
        """
        File patterns with `*`, `**`, `?`, and `{a,b}`, read by name; `-` is stdin. Stdin and files \
        that are not regular, such as a fifo, are read in one pass: a run that resumes an \
        interrupted run needs all of the input again.
        """, example: "\"in/tasks-*.ndjson.gz\"")
    static let format = Key(
        "as", .choice(RecordFormat.self), without: "by the name, then by the first byte",
        "The format.", example: "csv")
    static let arrayPath = Key(
        "at", ReadSpec.arrayPathForm, default: "$",
        "The path to the array of records inside a JSON document.",
        example: "\"$.data.items[*]\"")
    static let compression = Key(
        "compression", .choice(InputCompression.self), default: .auto,
        "How the files are compressed.", example: "gzip")
    static let filesMin = Key(
        "min-files", .integer(0...1_000_000_000), default: 1,
        "If there are fewer files than this, the run fails with 66.", example: "0")
    static let recordsMin = Key(
        "min-records", .integer(0...1_000_000_000), default: 0,
        """
        If all files together have fewer records than this, the run fails with 66, before `mirror` \
        deletes anything. With `once`, this counts only the files that no earlier run has finished; \
        a run without such files does not fail.
        """, example: "1000")
    static let once = Key(
        "once", .boolean, default: false,
        "Skips files that an earlier run has finished. All files must be regular.", example: "true")
    static let header = Key(
        "header", .boolean, default: true, "The first row of a table names its columns.",
        example: "true")
    static let columns = Key(
        "columns", .list(ReadSpec.columnForm).distinct("among the columns"),
        without: "the header's", "The names of a table's columns.", example: "[id, title]")
    static let skip = Key(
        "skip", .integer(0...1_000_000), default: 0,
        """
        The number of lines to skip at the start of a table, whatever they contain, before its \
        header or its first row.
        """, example: "3")
    static let comment = Key(
        "comment", ReadSpec.byteForm,
        "Skips lines of a table that begin with this character. Quotes in them have no meaning.",
        example: "\"#\"")
    static let delimiter = Key(
        "delimiter", ReadSpec.delimiterForm, without: "a comma in csv, a tab in tsv",
        "The separator between the fields of a table: one character, or several such as `||`.",
        example: "\";\"")
    static let trailingDelimiter = Key(
        "trailing-delimiter", .boolean, default: false,
        """
        A delimiter at the end of a line, including the header, ends the last field and begins no \
        other. A line without it is also allowed.
        """, example: "true")
    static let quote = Key(
        "quote", ReadSpec.quoteForm, default: UInt8(ascii: "\""),
        "The character around fields of a table.", example: "\"'\"")
    static let escape = Key(
        "escape", ReadSpec.byteForm,
        """
        The character after this one is literal: a delimiter, a quote, a line feed, or this \
        character itself. A field without quotes is compared with `null` before that, so `null: \
        "\\N"` works with it. A quote may still be written twice.
        """, example: "\"\\\\\"")
    static let nulls = Key(
        "null", .oneOrMore(ReadSpec.nullForm), default: [""],
        "Unquoted values of a table that mean null.", example: "[\"\", \"NULL\"]")
    static let nullText = Key(
        "null-text", .oneOrMore(ReadSpec.nullForm), without: "what `null` says",
        "Another name of `null`.", example: "NULL")
    static let columnNulls = Key(
        "null-in", ReadSpec.columnNullsForm, without: "none",
        """
        Further unquoted values that mean null, each only in one column, named by the header or \
        by `columns`.
        """, example: "{ price: [NA, \"-\"] }")
    static let ragged = Key(
        "ragged", .choice(ReadSpec.Ragged.self), default: .reject,
        "What to do with rows that are too short; rows that are too long are always rejected.",
        example: "pad")
    static let maxRecord = Key(
        "max-record",
        .size(
            upTo: 1 << 30, wanted: "a number of bytes such as 65536, 64KiB, or 16MiB, up to 1GiB"),
        default: 16 << 20, "Larger records are rejected; up to 1GiB.", example: "64MiB")
    static let maxDepth = Key(
        "max-depth", .integer(1...4096), default: 512,
        "Rejects JSON records with more nested objects and lists than this.", example: "64")
    static let maxRatio = Key(
        "max-ratio", .integer(1...1_000_000), default: 1000,
        "Maximum ratio of decompressed to compressed bytes of gzip data, after the first 64 MiB.",
        example: "5000")
    static let encoding = Key(
        "encoding", .choice(TextEncoding.self), default: .utf8,
        "The text encoding of the files.", example: "latin1")

    /// The keys that apply only to tables.
    static let ofTables: [any SpecificationKey] = [
        header, columns, skip, comment, delimiter, trailingDelimiter, quote, escape, nulls,
        nullText, columnNulls, ragged,
    ]
    private static let limits: [any SpecificationKey] = [maxRecord, maxDepth, maxRatio, encoding]

    static let mapping = DescribedMapping(
        "read", "The input files, and how to read them.",
        keys: [files, format, arrayPath, compression, filesMin, recordsMin, once] + ofTables
            + limits)
    static let commandMapping = DescribedMapping(
        "command", title: "read with command",
        """
        The output of a command is read in one pass, like a pipe. A run that resumes an \
        interrupted run starts the command again. With `update` or `replace`, it imports all of it again. Otherwise, \
        it compares what was already read, and exits with 65 if it differs. `etl plan` and \
        `etl preview` also start it; `etl check` and `etl test` do not.
        """,
        keys: [
            CommandKeys.command, CommandKeys.variables, format, arrayPath, compression, recordsMin,
        ] + ofTables + limits)
}

/// The keys of `read` with `generate`.
enum GenerateKeys {
    static let rows = Key(
        required: "generate",
        .count(0...Int64(GeneratedSpec.rowsMax), of: "records", parameter: "rows"),
        """
        The number of records to generate. Expressions fill them from `$row`, which is 0 in the \
        first record, `random(a, b)`, `pick({…})`, and `lorem(words)`.
        """, example: "1000")
    static let seed = Key(
        "seed", Form<Int64>(.integer(.min ... .max)) { value, _ in value.integer() }, default: 0,
        "Equal seeds make equal records.", example: "7")
    static let mapping = DescribedMapping(
        "generate", title: "read with generate", "Generates records instead of reading files.",
        keys: [rows, seed])
}

/// Generated records: each has a `row`, starting at 0, and expressions fill the other fields.
package struct GeneratedSpec: Sendable, Hashable {
    /// The number of records.
    package var rows: TemplateText
    /// The seed; equal seeds produce equal records.
    package var seed = GenerateKeys.seed.default

    static let rowsMax = 1_000_000_000

    /// The name of the row number: a field of generated records, and `$row` in expressions.
    static let rowName = "row"

    /// Returns the source of random values for an expression that fills a property.
    func drawing(_ entity: String, _ property: String) -> Drawing {
        Drawing(name: "\(entity).\(property)", seed: seed, rowPath: [Self.rowName])
    }
}

extension InputCompression: ExplainedChoice {
    /// The compression or its detection, as in the generated reference.
    package var meaning: String {
        switch self {
        case .auto:
            "By the file name. If the name does not determine it, by the first bytes of an input."
        case .gzip: "With gzip."
        case .none: "Not compressed."
        }
    }
}

/// The files of an import and how to read them.
package struct ReadSpec: Sendable, Hashable {
    /// The policy for rows of a table that have fewer fields than columns.
    package enum Ragged: String, ExplainedChoice {
        case reject, pad

        /// The effect on a row that is too short, as in the generated reference.
        package var meaning: String {
            switch self {
            case .reject: "Rejects the row."
            case .pad: "Sets the missing fields to null."
            }
        }
    }

    /// File patterns; `-` is standard input.
    package var files: [TemplateText] = []
    /// The command whose output is read instead of files.
    package var command: CommandSpec?
    /// The records that are generated instead of reading files.
    package var generated: GeneratedSpec?
    /// The format; `nil` to detect it by the extension, then by the first byte.
    package var format: RecordFormat?
    /// The path to the array of records inside a JSON document.
    package var arrayPath = ReadKeys.arrayPath.default
    /// The compression of the files.
    package var compression = ReadKeys.compression.default
    /// Whether the first row contains the column names.
    package var hasHeader = ReadKeys.header.default
    /// The names of the columns; they replace the names in the header.
    package var columns: [String]?
    /// The bytes between fields; `nil` for the default of the format.
    package var delimiter: [UInt8]?
    /// The number of lines to skip before the header or first row of a table.
    package var linesSkipped = ReadKeys.skip.default
    /// The first byte of comment lines in a table.
    package var comment: UInt8?
    /// The escape byte of a table, which makes the next byte literal.
    package var escape: UInt8?
    /// Whether a delimiter at the end of a line starts no further field.
    package var dropsTrailingDelimiter = ReadKeys.trailingDelimiter.default
    /// The byte around quoted fields; `nil` for no quotes.
    package var quote = ReadKeys.quote.default
    /// The unquoted texts that mean null.
    package var nulls = ReadKeys.nulls.default
    /// Further unquoted texts that mean null in single columns.
    package var columnNulls: [ColumnNulls] = []
    /// The minimum number of input files; with fewer, the run exits with 66.
    package var filesMin = ReadKeys.filesMin.default
    /// The minimum number of records; with fewer, the run exits with 66.
    package var recordsMin = ReadKeys.recordsMin.default
    /// Whether files that an earlier run has imported are skipped.
    package var isOnce = ReadKeys.once.default
    /// Whether short rows of a table are padded with null instead of rejected.
    package var padsShortRows = false
    /// The maximum size of a record in bytes; a larger record is rejected.
    package var maxRecordBytes = ReadKeys.maxRecord.default
    /// The maximum nesting depth of JSON.
    package var depthMax = ReadKeys.maxDepth.default
    /// The maximum ratio of decompressed to compressed size for gzip.
    package var maxRatio = ReadKeys.maxRatio.default
    /// The text encoding of the files.
    package var encoding = ReadKeys.encoding.default
    /// Whether the files are reject files, with files of reasons and row keys next to them.
    package var areRejects = false
    /// The forms of reject files, by their names.
    package var rejectForms: [FileName: RejectForm] = [:]
}

extension ReadSpec {
    /// The format of all files, if the spec determines it.
    var knownFormat: RecordFormat? { format ?? Self.commonFormat(files) }

    /// Whether the files are tables, if the spec determines it.
    var isTable: Bool {
        knownFormat?.isTabular
            ?? (columns != nil || !hasHeader || delimiter != nil || linesSkipped > 0
                || comment != nil || escape != nil || dropsTrailingDelimiter)
    }
}

extension RecordFormat: ExplainedChoice {
    /// The structure of a file in this format, as in the generated reference.
    package var meaning: String {
        switch self {
        case .csv: "A table with commas."
        case .tsv: "A table with tabs."
        case .json: "A JSON document."
        case .ndjson: "One JSON object on each line."
        }
    }

    /// Whether records are rows of fields by position instead of objects with names.
    package var isTabular: Bool { self == .csv || self == .tsv }
}

extension TextEncoding: ExplainedChoice {
    /// The encoding with its treatment of byte-order marks, as in the generated reference.
    package var meaning: String {
        switch self {
        case .utf8: "UTF-8, with or without a byte-order mark."
        case .utf16: "UTF-16, in the order of its byte-order mark, or little-endian without one."
        case .latin1: "ISO 8859-1."
        case .windows1252:
            "Western European text of Windows programs. Records with bytes that it does not define "
                + "are rejected."
        }
    }
}
