package import GraphModel
package import RecordStreams

/// What is known of data before anything is guessed from it.
package struct InferenceOptions: Sendable {
    /// The fields that tell records apart, as the input names them; empty to find them.
    package var key: [String] = []
    /// The entity that records become; nil for one that is named like the file.
    package var entity: String?
    /// Types, by the fields that have them, as the input names them.
    package var types: [String: AttributeType] = [:]
    /// Patterns of dates, by the fields that have them.
    package var dates: [String: String] = [:]
    /// The format of every file; nil to tell it from the name or the first byte.
    package var format: RecordFormat?
    /// Whether the first row of a table names its columns; nil to find out.
    package var hasHeader: Bool?
    /// How the bytes of every file stand for text; nil to find out.
    package var encoding: TextEncoding?
    /// Texts of a table that stand for null, beside the empty one; empty to find them.
    package var nullTexts: [String] = []
    /// The character of tables after which the next one is literal; `nil` for none.
    package var escape: UInt8?
    /// The model of the store that the records go to; its keys identify objects inside records.
    var storeModel: ManagedObjectModel?
    /// The path of that store, if new entities may refer to its objects.
    var store: String?
    /// Entities that the store has get properties for columns that these lack.
    var addsColumns = false
    /// The command line that reads standard input, for messages.
    var command = "etl infer -"
    /// What is inferred is imported at once.
    var isOfImport = false
    /// The command line that reads a file's records from standard input, with what is known of them.
    func command(of path: String) -> String {
        var words: [String] = []
        if !key.isEmpty { words += ["--key", key.joined(separator: ",")] }
        if let name = entity ?? (path == "-" ? nil : InferredNames.entity(ofFile: path)) {
            words += ["--entity", name]
        }
        for (field, type) in types.sorted(by: { $0.key < $1.key }) {
            let pattern = dates[field].map { " \($0)" } ?? ""
            words += ["--type", "\(field)=\(type.rawValue)\(pattern)"]
        }
        if let hasHeader { words.append(hasHeader ? "--header" : "--no-header") }
        if let encoding { words += ["--encoding", encoding.rawValue] }
        for text in nullTexts { words += ["--null", text] }
        if let escape { words += ["--escape", String(Unicode.Scalar(escape))] }
        return ([command] + words.map(CommandExample.shell)).joined(separator: " ")
    }

    /// So many records of each form of input are read at most.
    package var limit: Int?
    /// So many values are remembered, to see what is unique and what refers to what.
    package var valuesMax = DistinctRoom.countMax
    /// Whether `Inference.page` shows what the values look like.
    package var hasProfiles = false

    /// Nothing is known.
    package init() {}

    /// The types that a field of the input may have.
    private static let fieldTypes: [AttributeType] = [
        .string, .integer64, .integer32, .integer16, .decimal, .double, .float, .boolean, .date,
        .uuid, .uri, .binary,
    ]

    /// Whether a text says how dates are written.
    package static func isDatePattern(_ text: String) -> Bool {
        (try? DatePattern(parsing: text)) != nil
    }

    /// Their names, as models write them.
    package static var typeNames: [String] { fieldTypes.map(\.rawValue) }

    /// A type by its name, whatever its case and blanks: `Integer 64` or `integer64`.
    package static func type(named name: String) -> AttributeType? {
        func plain(_ text: String) -> String { text.lowercased().filter { $0 != " " } }
        return fieldTypes.first { plain($0.rawValue) == plain(name) }
            ?? (plain(name) == "integer" ? .integer64 : nil)
    }
}
