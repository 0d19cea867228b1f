/// A fault of a store, or a loss in the salvage of a damaged store.
public struct StoreFinding: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The kind of a finding; the raw value is for programs.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// The file itself is damaged according to SQLite.
        case file
        /// A table, a column, or an index of the model is missing, or an entity has a wrong name or
        /// parent.
        case structure
        /// The metadata or the model of the store is missing or unreadable.
        case metadata
        /// The version hashes are not those of the model.
        case hash
        /// A counter for new keys is too small, or larger than any store reaches.
        case counter
        /// Rows of no entity, or of an abstract one.
        case entity
        /// Rows without a version number, which saves compare.
        case version
        /// A required property has no value.
        case required
        /// A value has another type than its attribute.
        case value
        /// A value violates the range, length, or pattern of its attribute.
        case rule
        /// Several objects have the same key.
        case unique
        /// A to-one relationship refers to an object that does not exist.
        case dangling
        /// A to-one relationship refers to an object that does not refer back.
        case inverse
        /// An object has no position in an ordered relationship, or the same one as another.
        case order
        /// A row of a join table lacks an end.
        case pair
        /// The file of a large value is missing or cannot be read.
        case externalMissing = "external-missing"
        /// A file contains a large value that no object uses.
        case externalOrphan = "external-orphan"
        /// The history is inconsistent.
        case history
        /// A load is not finished.
        case pending
        /// The folded texts, which searches use, do not match the objects.
        case folded
    }

    /// The kind of the finding.
    public let kind: Kind
    /// The affected entity.
    public let entity: String?
    /// The affected attribute or relationship.
    public let property: String?
    /// The number of affected rows or files.
    public let count: Int
    /// The primary keys of the first affected objects, each once.
    public let keys: [Int64]
    /// The message: one sentence, with the names but without the keys.
    public let message: String
    /// Whether more objects are affected than `keys` names.
    private var hasMoreKeys = false
    /// The number of affected objects, if it is known and less than `count`.
    private var objectCount: Int?

    /// The largest number of keys that a finding names.
    static let keysMax = 5

    private enum CodingKeys: String, CodingKey {
        case kind, entity, property, count, keys, message
    }

    /// Creates a finding, which names the first affected rows.
    ///
    /// - Parameter keys: the keys of the affected rows; at least one more than a finding names, if
    ///   more are affected.
    init(
        _ kind: Kind, entity: String? = nil, property: String? = nil, count: Int = 1,
        keys: [Int64] = [], _ message: String
    ) {
        self.kind = kind
        self.entity = entity
        self.property = property
        self.count = count
        // Several rows of a join table belong to one object.
        var known: Set<Int64> = []
        let distinct = keys.filter { known.insert($0).inserted }
        self.keys = Array(distinct.prefix(Self.keysMax))
        hasMoreKeys = distinct.count > Self.keysMax
        objectCount = keys.count == count && distinct.count < count ? distinct.count : nil
        self.message = message
    }

    /// The message, followed by the keys if there are any.
    public var description: String {
        guard !keys.isEmpty else { return message }
        let list = keys.map(String.init).joined(separator: ", ")
        let objects =
            objectCount.map { "in \($0.counting("object", "objects")):" }
            ?? (keys.count == 1 && !hasMoreKeys ? "object" : "objects")
        return "\(message) (\(objects) \(list)\(hasMoreKeys ? ", …" : ""))"
    }
}

extension Int {
    /// Returns the number with a phrase in singular or plural: `1 link leads`, `2 links lead`.
    func counting(_ one: String, _ many: String) -> String { "\(self) \(self == 1 ? one : many)" }
}
