package import GraphModel
package import RecordStreams

/// The known facts about the data, which need not be inferred.
package struct InferenceOptions: Sendable {
    /// The fields that identify records, as named in the input; empty to infer them.
    package var key: [String] = []
    /// The entity of the records; `nil` to name it after the file.
    package var entity: String?
    /// The types of fields, by their names in the input.
    package var types: [String: AttributeType] = [:]
    /// The date patterns of fields, by their names in the input.
    package var dates: [String: String] = [:]
    /// The format of every file; `nil` to detect it from the name or the first byte.
    package var format: RecordFormat?
    /// Whether the first row of a table names its columns; `nil` to detect it.
    package var hasHeader: Bool?
    /// The text encoding of every file; `nil` to detect it.
    package var encoding: TextEncoding?
    /// The texts of a table that mean null, besides the empty text; empty to detect them.
    package var nullTexts: [String] = []
    /// The escape character of tables, which makes the next character literal; `nil` for none.
    package var escape: UInt8?
    /// Whether `escape` is what the user states, and not the default.
    package var isEscapeSet = false
    /// The model of the target store; its keys also identify objects inside records.
    var storeModel: ManagedObjectModel?
    /// The path of the target store, if new entities may refer to its objects.
    var store: String?
    /// Whether existing entities get properties for columns that they lack.
    var addsColumns = false
    /// The command line that reads standard input, for messages.
    var command = "etl infer -"
    /// Whether the result is imported directly.
    var isOfImport = false
    /// Returns the command line that reads a file's records from standard input with these options.
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
        if isEscapeSet {
            words += ["--escape", escape.map { String(Unicode.Scalar($0)) } ?? ""]
        }
        return ([command] + words.map(CommandExample.shell)).joined(separator: " ")
    }

    /// Returns the escape character of a table: the user's, or that of the first import of its
    /// entity.
    ///
    /// - Parameter file: The name of the file.
    func escape(ofFile file: String) -> UInt8? {
        guard !isEscapeSet, let storeModel else { return escape }
        let name = InferredNames.match(
            entity ?? InferredNames.entity(ofFile: file), storeModel.entities.map(\.name))
        return name.flatMap { storeModel.entity(named: $0) }
            .flatMap { TableOrigin($0.userInfo).escape }
    }

    /// The maximum number of records to read for each entity; `nil` for all.
    package var limit: Int?
    /// The maximum number of values to remember for detecting keys and references.
    package var valuesMax = DistinctValueLimit.countMax
    /// Whether to create the HTML report in `Inference.page`.
    package var hasProfiles = false

    /// Creates options without any known facts.
    package init() {}

    /// The types that the user can specify for a field.
    private static let fieldTypes: [AttributeType] = [
        .string, .integer64, .integer32, .integer16, .decimal, .double, .float, .boolean, .date,
        .uuid, .uri, .binary,
    ]

    /// Returns whether a text is a valid date pattern.
    package static func isDatePattern(_ text: String) -> Bool {
        (try? DatePattern(parsing: text)) != nil
    }

    /// The names of the types that the user can specify, as models write them.
    package static var typeNames: [String] { fieldTypes.map(\.rawValue) }

    /// Returns the type with a name, ignoring case and spaces: `Integer 64` or `integer64`.
    package static func type(named name: String) -> AttributeType? {
        func plain(_ text: String) -> String { text.lowercased().filter { $0 != " " } }
        return fieldTypes.first { plain($0.rawValue) == plain(name) }
            ?? (plain(name) == "integer" ? .integer64 : nil)
    }
}
