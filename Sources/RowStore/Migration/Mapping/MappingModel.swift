public import GraphModel

/// Mappings for the entities that two models do not match automatically.
///
/// Properties that a mapping does not set are inferred, as in a lightweight migration.
public struct MappingModel: Sendable {
    /// The mappings; links prefer earlier ones.
    public var entities: [EntityMapping]

    /// Creates a mapping model.
    public init(_ entities: [EntityMapping] = []) {
        self.entities = entities
    }
}

/// A mapping of the objects of one old entity.
///
/// Several mappings of one old entity create several objects from each old object.
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
    /// The value for the object that another mapping creates from the same old object.
    public static let sameObject = "$source"

    /// The old entity; its sub-entities need separate mappings.
    public var source: String
    /// The new entity.
    public var destination: String
    /// A predicate over the old objects that selects those to map; `nil` maps all.
    public var predicate: String?
    /// New values by property.
    ///
    /// - For an attribute: an expression over the old object.
    /// - For a relationship: the name of an old relationship, or a key path of to-one relationships
    ///   such as `country.continent`. `$source` is the object that another mapping creates from the
    ///   same old object.
    public var values: [String: String]
    /// Lookups that link objects by key, creating missing objects.
    public var lookups: [RelationshipLookup]
    /// A policy that changes each row.
    public var policy: (any MigrationPolicy)?

    /// Returns the key path that a relationship is set to, if it has more than one key.
    func path(of relationship: String) -> [String]? {
        let keys = values[relationship]?.split(separator: ".").map(String.init) ?? []
        return keys.count > 1 ? keys : nil
    }

    /// Creates a mapping of expressions, which SQLite evaluates.
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

    /// Creates a mapping with a closure, which is called for each row after the expressions.
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

/// A lookup that links one relationship to objects by key.
///
/// Objects are created for keys that do not exist.
public struct RelationshipLookup: Sendable, Hashable {
    /// The new entity's relationship: a to-one, or a many-to-many.
    public var relationship: String
    /// The destination entity's attribute that is the key: a string or an integer.
    public var key: String
    /// The key as an expression over the old object; `nil` if a closure provides the keys.
    public var expression: String?
    /// The separator between several keys in one string; whitespace and empty keys are dropped.
    public var separator: String?

    /// Returns whether attributes of a type can be the key.
    package static func canBeKey(_ type: AttributeType) -> Bool {
        [.string, .integer16, .integer32, .integer64].contains(type)
    }

    /// Creates a lookup.
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

/// A policy that changes rows during a migration, for cases that expressions do not cover.
public protocol MigrationPolicy: Sendable {
    /// Prepares for a mapping; called before its first row.
    func begin(_ mapping: EntityMapping) throws
    /// Changes a row; called in the order of the old keys. Errors stop the migration.
    func migrate(_ row: inout MigratedRow) throws
    /// Finishes a mapping; called after its last row.
    func end(_ mapping: EntityMapping) throws
}

extension MigrationPolicy {
    /// Does nothing.
    public func begin(_ mapping: EntityMapping) throws {}
    /// Does nothing.
    public func end(_ mapping: EntityMapping) throws {}
}

private struct RowPolicy: MigrationPolicy {
    let body: @Sendable (inout MigratedRow) throws -> Void

    func migrate(_ row: inout MigratedRow) throws { try body(&row) }
}

/// An object that is being migrated.
public struct MigratedRow {
    /// The new object's primary key, which is unique in its hierarchy.
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

    /// Returns the old value of an attribute; null if the old object has no such attribute.
    public func old(_ attribute: String) -> StoredValue { oldValues[attribute] ?? .null }

    /// The new value of an attribute, as its column stores it.
    public subscript(attribute: String) -> StoredValue {
        get { newValues[attribute] ?? .null }
        set { newValues[attribute] = newValue }
    }

    /// Links the object to the objects with these keys, using the relationship's lookup.
    public mutating func link(_ relationship: String, to keys: [String]) {
        self.keys[relationship] = keys
    }

    /// Drops the object; no required relationship may link to it.
    public mutating func leaveOut() { isLeftOut = true }
}
