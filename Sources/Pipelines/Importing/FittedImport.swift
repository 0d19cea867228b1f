import GraphModel

/// What one import of files fills in a store.
struct FittedImport {
    /// The entity of the objects.
    var entity: String
    /// The names of the files, without folders.
    var files: [String]
    /// The attributes, or to-one relationships, that identify an object.
    var key: [String] = []
    /// The attributes that it fills, in the order of the input.
    var attributes: [AttributeDescription] = []
    /// The relationships that it fills.
    var links: [RelationshipDescription] = []
    /// The columns that the store's model has no property for.
    var skipped: [String] = []
    /// The columns of objects that lack the key by which the store identifies them.
    var withoutKey: [String] = []
    /// The key is made of all that a record holds.
    var hasRowKey = false
    /// The file has columns that the key does not cover.
    var hasOtherColumns = false
    /// The attribute that is made of all columns, which no column fills.
    var computed: String?
    /// It fills a relationship of objects that other imports create.
    var isJoin = false
    /// Some paths of the import only clear properties, so no record may have them.
    var clearsParts = false

    /// The texts that this import takes for null, and no other did before.
    var nulls: [NullMarkers.Use] = []

    private static let shownMax = 4

    /// What it fills, such as `Album from Album.csv: key albumId; title String; artist → Artist`.
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

    /// The first of several names, and how many more there are.
    static func listed(_ names: [String], max: Int) -> String {
        // One more name takes no more space than the number.
        guard names.count > max + 1 else { return names.joined(separator: ", ") }
        return names.prefix(max).joined(separator: ", ") + " and \(names.count - max) more"
    }
}
