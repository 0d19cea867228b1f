public import GraphModel

/// What becomes of objects where two models do not tell: a mapping for each entity that needs one.
///
/// What a mapping does not say is inferred, as a lightweight migration does.
public struct MappingModel: Sendable {
    /// The mappings, in the order in which links prefer them.
    public var entities: [EntityMapping]

    /// Makes a mapping model.
    public init(_ entities: [EntityMapping] = []) {
        self.entities = entities
    }
}

/// What becomes of the objects of one old entity; several mappings of one entity make several
/// objects of each.
///
/// ```swift
/// EntityMapping(
///     from: "Person", to: "Person", where: "isDeleted == NO",
///     set: ["firstName": "split(fullName, ' ')[0]"]
/// ) { row in
///     row["level"] = row.old("score") == .null ? .integer(0) : .integer(1)
/// }
/// ```
public struct EntityMapping: Sendable {
    /// The word for the object that another mapping makes of the same old one.
    public static let sameObject = "$source"

    /// The old entity; its sub-entities have mappings of their own.
    public var source: String
    /// The new entity.
    public var destination: String
    /// Which of the old objects it is about, as a predicate over them; nil is all.
    public var predicate: String?
    /// New values: for an attribute, an expression over the old object; for a relationship, the name
    /// of an old one, a key path of to-one relationships such as `country.continent`, or `$source`
    /// for the object that another mapping makes of the same one.
    public var values: [String: String]
    /// Links to objects that are found by a key, or made.
    public var lookups: [RelationshipLookup]
    /// Changes the rows one by one.
    public var policy: (any MigrationPolicy)?

    /// The key path that a relationship is set to, if it has more than one key.
    func path(of relationship: String) -> [String]? {
        let keys = values[relationship]?.split(separator: ".").map(String.init) ?? []
        return keys.count > 1 ? keys : nil
    }

    /// Makes a mapping of expressions, which SQLite works out.
    public init(
        from source: String, to destination: String, where predicate: String? = nil,
        set values: [String: String] = [:], lookups: [RelationshipLookup] = []
    ) {
        self.source = source
        self.destination = destination
        self.predicate = predicate
        self.values = values
        self.lookups = lookups
    }

    /// Makes a mapping with a closure that is called with each row, once the expressions are worked
    /// out.
    public init(
        from source: String, to destination: String, where predicate: String? = nil,
        set values: [String: String] = [:], lookups: [RelationshipLookup] = [],
        _ body: @escaping @Sendable (inout MigratedRow) throws -> Void
    ) {
        self.init(
            from: source, to: destination, where: predicate, set: values, lookups: lookups)
        policy = RowPolicy(body: body)
    }
}

/// Links of one relationship to objects that are told by a key: those that are there, and a new one
/// for each key that is not.
public struct RelationshipLookup: Sendable, Hashable {
    /// The new entity's relationship: a to-one, or a many-to-many.
    public var relationship: String
    /// The attribute of the other entity that is the key: a string or an integer.
    public var key: String
    /// The key as an expression over the old object; nil where a closure tells the keys.
    public var expression: String?
    /// What stands between several keys in one text; blanks around them go, and empty ones, too.
    public var separator: String?

    /// Whether attributes of a type can be the key.
    package static func canBeKey(_ type: AttributeType) -> Bool {
        [.string, .integer16, .integer32, .integer64].contains(type)
    }

    /// Makes a lookup.
    public init(
        _ relationship: String, by key: String, from expression: String? = nil,
        split separator: String? = nil
    ) {
        self.relationship = relationship
        self.key = key
        self.expression = expression
        self.separator = separator
    }
}

/// Changes rows on their way, where expressions do not suffice.
public protocol MigrationPolicy: Sendable {
    /// Called before the first row of a mapping.
    func begin(_ mapping: EntityMapping) throws
    /// Called with each row, in the order of the keys; what it throws ends the migration.
    func migrate(_ row: inout MigratedRow) throws
    /// Called behind the last row.
    func end(_ mapping: EntityMapping) throws
}

extension MigrationPolicy {
    /// Nothing.
    public func begin(_ mapping: EntityMapping) throws {}
    /// Nothing.
    public func end(_ mapping: EntityMapping) throws {}
}

private struct RowPolicy: MigrationPolicy {
    let body: @Sendable (inout MigratedRow) throws -> Void

    func migrate(_ row: inout MigratedRow) throws { try body(&row) }
}

/// An object on its way from the old store to the new one.
public struct MigratedRow {
    /// The new object's number, which no other of its hierarchy has.
    public let primaryKey: Int64
    private let oldValues: [String: StoredValue]
    private(set) var newValues: [String: StoredValue]
    private(set) var keys: [String: [String]] = [:]
    private(set) var isLeftOut = false

    init(_ primaryKey: Int64, old: [String: StoredValue], new: [String: StoredValue]) {
        self.primaryKey = primaryKey
        oldValues = old
        newValues = new
    }

    /// What the old object has in an attribute; null where it has no such attribute.
    public func old(_ attribute: String) -> StoredValue { oldValues[attribute] ?? .null }

    /// What the new object has in an attribute, as its column stores it.
    public subscript(attribute: String) -> StoredValue {
        get { newValues[attribute] ?? .null }
        set { newValues[attribute] = newValue }
    }

    /// Links to the objects with these keys, by the mapping's lookup of the relationship.
    public mutating func link(_ relationship: String, to keys: [String]) {
        self.keys[relationship] = keys
    }

    /// Leaves the object behind; links to it must not be required.
    public mutating func leaveOut() { isLeftOut = true }
}
