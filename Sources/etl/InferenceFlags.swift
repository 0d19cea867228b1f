import ArgumentParser
import GraphModel
import Pipelines
import RecordStreams

/// The flags that state what is known of data before anything is inferred from it.
struct InferenceFlags: ParsableArguments {
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Identify records by this column; repeat it for a key of several columns.",
            valueName: "column"))
    var key: [String] = []

    @Option(
        help: ArgumentHelp(
            "Import into this entity; by default, the file name gives it.", valueName: "entity"))
    var entity: String?

    @Option(
        name: .customLong("type"), parsing: .singleValue,
        help: ArgumentHelp(
            "Set the type of a column, such as due=Date or size=Integer64; may be repeated.",
            valueName: "column=type"),
        transform: TypeFlag.init)
    var types: [TypeFlag] = []

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "Read the files in this format: csv, tsv, json, or ndjson.", valueName: "format"),
        transform: { text in
            guard let format = RecordFormat(rawValue: text) else {
                throw ValidationError(
                    "the formats are \(Self.list(RecordFormat.allCases.map(\.rawValue)))")
            }
            return format
        })
    var format: RecordFormat?

    @Flag(
        name: .customLong("no-header"),
        help: "Read the first line of a table as a record; the columns are column1, column2, ….")
    var hasNoHeader = false

    @Option(
        help: ArgumentHelp(
            "Decode the files by this encoding: "
                + TextEncoding.allCases.map(\.rawValue).joined(separator: ", ") + ".",
            valueName: "encoding"),
        transform: { text in
            guard let encoding = TextEncoding(rawValue: text) else {
                throw ValidationError(
                    "the encodings are \(Self.list(TextEncoding.allCases.map(\.rawValue)))")
            }
            return encoding
        })
    var encoding: TextEncoding?

    @Option(
        name: .customLong("null"), parsing: .singleValue,
        help: ArgumentHelp(
            "Read this text in a table as null; may be repeated.", valueName: "text"))
    var nulls: [String] = []

    /// What the flags state.
    var options: InferenceOptions {
        var options = InferenceOptions()
        options.key = key
        options.entity = entity
        options.types = Dictionary(types.map { ($0.column, $0.type) }) { $1 }
        options.format = format
        options.hasHeader = hasNoHeader ? false : nil
        options.encoding = encoding
        options.nullTexts = nulls
        return options
    }

    fileprivate static func list(_ names: [String]) -> String {
        names.dropLast().joined(separator: ", ") + ", and " + (names.last ?? "")
    }
}

/// A column and its type, such as `due=Date`.
struct TypeFlag {
    /// The column, as the input names it.
    var column: String
    /// The type of its attribute.
    var type: AttributeType

    private static let types = AttributeType.allCases.filter {
        $0 != .composite && $0 != .undefined
    }

    init(_ argument: String) throws {
        let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
        let name = String(parts.last ?? "")
        guard parts.count > 1, !parts[0].isEmpty,
            let type = Self.types.first(where: { Self.folded($0.rawValue) == Self.folded(name) })
        else {
            let names = Self.types.map { $0.rawValue.replacing(" ", with: "") }
            throw ValidationError(
                "write column=type, such as due=Date; the types are \(InferenceFlags.list(names))")
        }
        column = parts.dropLast().joined(separator: "=")
        self.type = type
    }

    private static func folded(_ name: String) -> String {
        name.replacing(" ", with: "").lowercased()
    }
}
