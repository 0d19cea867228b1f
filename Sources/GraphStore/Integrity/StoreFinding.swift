/// One thing that is wrong with a store, or that could not be saved out of a damaged one.
public struct StoreFinding: Sendable, Hashable, Codable, CustomStringConvertible {
    /// What kind of thing it is; the raw value is for programs.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// The file itself is damaged: SQLite says so.
        case file
        /// A table, a column or an index of the model is not there.
        case structure
        /// The store does not say what it is, or what it says cannot be read.
        case metadata
        /// The version hashes are not those of the model.
        case hash
        /// A number that new keys are taken from is too small.
        case counter
        /// Rows of no entity, or of an abstract one.
        case entity
        /// Rows that do not count their changes, which saves compare.
        case version
        /// A required property has no value.
        case required
        /// A value is of another kind than the attribute's.
        case value
        /// A value that its attribute's range, length or pattern forbids.
        case rule
        /// Two objects have one key.
        case unique
        /// A to-one leads to no object.
        case dangling
        /// A to-one leads to an object that does not lead back.
        case inverse
        /// An object has no place in an ordered relationship, or that of another.
        case order
        /// A pair of a many-to-many relationship lacks an end.
        case pair
        /// The file of a large value is missing.
        case externalMissing = "external-missing"
        /// A file holds a large value of no object.
        case externalOrphan = "external-orphan"
        /// The history is not in order.
        case history
        /// A load was not finished.
        case pending
        /// Folded texts, in which searches look, are not those of the objects.
        case folded
    }

    /// What kind of thing it is.
    public let kind: Kind
    /// The entity that it is about.
    public let entity: String?
    /// The attribute, or the relationship.
    public let property: String?
    /// How many rows, or files, there are.
    public let count: Int
    /// The object numbers of the first few.
    public let keys: [Int64]
    /// One sentence, with the names but without the keys.
    public let message: String

    init(
        _ kind: Kind, entity: String? = nil, property: String? = nil, count: Int = 1,
        keys: [Int64] = [], _ message: String
    ) {
        self.kind = kind
        self.entity = entity
        self.property = property
        self.count = count
        self.keys = keys
        self.message = message
    }

    /// The sentence, and the keys where there are some.
    public var description: String {
        guard !keys.isEmpty else { return message }
        let list = keys.map(String.init).joined(separator: ", ")
        let more = count > keys.count ? ", …" : ""
        return "\(message) (\(keys.count == 1 ? "object" : "objects") \(list)\(more))"
    }
}

extension Int {
    /// The number with what is said of it: `1 link leads`, `2 links lead`.
    func counting(_ one: String, _ many: String) -> String { "\(self) \(self == 1 ? one : many)" }
}
