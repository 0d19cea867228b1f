import Diagnostics
import GraphModel

/// The entity and the properties that one import of files fills in a store.
struct FittedImport {
    /// The entity of the objects.
    var entity: String
    /// The names of the files, without folders.
    var files: [String]
    /// The name of the stage.
    var stage = ""
    /// The attributes, or to-one relationships, that identify an object.
    var key: [String] = []
    /// The attributes that it fills, in the order of the input.
    var attributes: [AttributeDescription] = []
    /// The relationships that it fills.
    var links: [RelationshipDescription] = []
    /// The columns without a property in the store's model.
    var skipped: [String] = []
    /// The attributes of the store that hold the keys of another entity, and that entity.
    var unlinked: [(attribute: String, entity: String)] = []
    /// The columns of objects that lack the key by which the store identifies them.
    var withoutKey: [String] = []
    /// Whether the key consists of all fields of a record.
    var hasRowKey = false
    /// Whether the file has columns that the key does not include.
    var hasOtherColumns = false
    /// The attribute that is computed from all columns and that no column fills.
    var computed: String?
    /// Whether it fills a relationship between objects that other imports create.
    var isJoin = false
    /// Whether the import names paths only to clear properties, because objects in earlier files
    /// had fields that these records lack.
    ///
    /// No record need have such a path.
    var clearsParts = false

    /// The texts, such as `NA`, that this import reads as null and that no earlier import of the
    /// column has read as null.
    var nulls: [NullMarkers.Use] = []

    /// The keys in the files that no object has.
    ///
    /// They are so few that their links stay empty instead of the records being rejected.
    var unknownKeys: [DanglingKeys] = []

    /// For columns with numbers such as `1.125`, how they are read and why.
    var decimalDoubts: [DecimalDoubt] = []

    private static let shownMax = 4

    /// A summary, such as `Album from Album.csv: key albumId; title String; artist → Artist`.
    var line: String {
        let source = Self.listed(files, max: 2)
        if isJoin {
            let names = links.map { "\(entity).\($0.name) → \($0.destinationEntityName)" }
            return "\(names.joined(separator: ", ")) from \(source)"
        }
        let others = attributes.filter { !key.contains($0.name) }
            .map { "\($0.name) \($0.type.rawValue)" }
        let parts = [
            key.isEmpty
                ? ""
                : hasRowKey
                    ? "no key found, so identified by "
                        + (hasOtherColumns ? "the columns of the first import" : "all columns")
                    : "key \(key.joined(separator: " + "))",
            Self.listed(others, max: Self.shownMax),
            links.map { "\($0.name) → \($0.destinationEntityName)" }.joined(separator: ", "),
        ].filter { !$0.isEmpty }
        return "\(entity) from \(source): \(parts.joined(separator: "; "))"
    }

    /// The files, as the place of a warning.
    var place: Diagnostic.Place { Self.place(of: files) }

    /// Returns several files as the place of a warning.
    static func place(of files: [String]) -> Diagnostic.Place { .file(listed(files, max: 2)) }

    /// Returns the first of several names, and the number of the others.
    static func listed(_ names: [String], max: Int) -> String {
        // One more name takes no more space than the number.
        guard names.count > max + 1 else { return names.joined(separator: ", ") }
        return names.prefix(max).joined(separator: ", ") + ", and \(names.count - max) more"
    }
}
