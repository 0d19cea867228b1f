import ArgumentParser
import GraphModel
import Pipelines
import RecordStreams

/// The flags by which the user states facts about the data that are otherwise inferred.
struct InferenceFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The fields that identify a record, separated by commas.", valueName: "fields"))
    var key: String?

    @Option(
        help: ArgumentHelp("The entity of the records; one for all files.", valueName: "name"))
    var entity: String?

    @Option(
        name: .customLong("type"),
        help: ArgumentHelp(
            "The type of a field, such as day=Date or 'day=Date dd/MM/yyyy'; may be repeated.",
            valueName: "field=type"),
        transform: FieldType.init)
    var types: [FieldType] = []

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "The format of the files; by default, by name and first byte.", valueName: "format"))
    var format: RecordFormat?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether the first row of a table names its columns; by default, by its values.")
    var header: Bool?

    @Option(
        help: ArgumentHelp("The encoding of the files.", valueName: "encoding"))
    var encoding: TextEncoding?

    @Option(
        name: .customLong("null"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            A string that means null in tables, instead of the guessed strings; may be repeated. \
            '' means only empty fields.
            """, valueName: "text"))
    var nullTexts: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            The escape character of tables, such as a backslash. A store keeps it for the entities \
            that the import creates; '' is for none.
            """,
            valueName: "character"))
    var escape: String?

    private var keys: [String] {
        (key ?? "").split(separator: ",").map { $0.trimmingPrefix { $0 == " " } }.map { name in
            String(name.reversed().drop { $0 == " " }.reversed())
        }
    }

    mutating func validate() throws {
        guard Set(keys).count == keys.count else {
            throw ValidationError("--key names a field twice")
        }
        if let escape, !escape.isEmpty {
            let bytes = Array(escape.utf8)
            guard bytes.count == 1, bytes[0] < 128, ![0, 10, 13].contains(bytes[0]) else {
                throw ValidationError("--escape is one ASCII character other than a line end")
            }
            guard escape != "\"" else {
                throw ValidationError("--escape is another character than the quote")
            }
        }
    }

    /// The options for the inference that these flags state.
    var options: InferenceOptions {
        var options = InferenceOptions()
        options.key = keys
        options.entity = entity
        options.types = Dictionary(types.map { ($0.field, $0.type) }) { $1 }
        options.dates = Dictionary(
            types.compactMap { type in type.date.map { (type.field, $0) } }
        ) { $1 }
        options.format = format
        options.hasHeader = header
        options.encoding = encoding
        options.nullTexts = nullTexts
        options.escape = escape?.utf8.first
        options.isEscapeSet = escape != nil
        return options
    }
}

/// A field and its type, such as `day=Date`.
struct FieldType {
    /// The field, as the input names it.
    var field: String
    /// The type of its attribute.
    var type: AttributeType
    /// The pattern of its dates.
    var date: String?

    init(_ argument: String) throws {
        guard let place = argument.lastIndex(of: "="), place > argument.startIndex else {
            throw ValidationError("write FIELD=TYPE, such as day=Date")
        }
        var name = String(argument[argument.index(after: place)...])
        if name.lowercased().hasPrefix("date ") {
            let pattern = String(name.dropFirst("date ".count).drop { $0 == " " })
            guard InferenceOptions.isDatePattern(pattern) else {
                throw ValidationError(
                    "'\(pattern)' is not a pattern of dates, such as dd/MM/yyyy")
            }
            date = pattern
            name = "Date"
        }
        guard let type = InferenceOptions.type(named: name) else {
            let names = InferenceOptions.typeNames.joined(separator: ", ")
            throw ValidationError("'\(name)' is not a type; types are \(names)")
        }
        field = String(argument[..<place])
        self.type = type
    }
}

extension RecordFormat: ExpressibleByArgument {}
extension TextEncoding: ExpressibleByArgument {}
