public import GraphModel

/// The value of one property in a row of a batch insert.
public enum BatchValue: Sendable, Hashable {
    /// The value of an attribute, or the key of a to-one target.
    case value(StoredValue)
    /// The keys of to-many targets.
    case keys([StoredValue])
}

extension BatchValue: ExpressibleByNilLiteral, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral
{
    /// Creates a null value.
    public init(nilLiteral: ()) { self = .value(.null) }
    /// Creates a string.
    public init(stringLiteral value: String) { self = .value(.text(value)) }
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .value(.integer(value)) }
    /// Creates a floating-point number.
    public init(floatLiteral value: Double) { self = .value(.real(value)) }
    /// Creates a Boolean.
    public init(booleanLiteral value: Bool) { self = .value(.integer(value ? 1 : 0)) }
    /// Creates a list of string keys.
    public init(arrayLiteral elements: String...) { self = .keys(elements.map { .text($0) }) }
}

/// Inserts rows without creating managed objects.
///
/// Properties that a row does not set get their defaults.
///
/// ```swift
/// var request = BatchInsertRequest(entityName: "Task", properties: ["code", "title", "owner"]) {
///     row in
///     guard let line = lines.next() else { return true }     // no more rows
///     row = ["code": .value(.text(line.code)), "title": …, "owner": .value(.text(line.mail))]
///     return false
/// }
/// request.key = ["code"]                       // update objects with the same code
/// request.policy = .objectTrump
/// request.links = ["owner": .init(by: "email", missing: .create)]
/// let result = try context.execute(request)      // committed
/// ```
/// Each row is validated against the model; an invalid row is rejected alone.
public struct BatchInsertRequest {
    /// What to do with a row if an object with its key exists.
    public enum Policy: String, Sendable, Hashable, CaseIterable {
        /// Rejects the row.
        case error
        /// Updates the object with the values that the row sets, and leaves other properties
        /// unchanged.
        case objectTrump
        /// Leaves the object unchanged.
        case storeTrump
    }

    /// How a relationship finds its target objects.
    ///
    /// By the values of an attribute, or by primary keys:
    /// ```swift
    /// request.links = ["category": .init(by: "name", missing: .create)]
    /// row["category"] = "Home"
    /// request.links = ["category": .init(by: "objectID")]
    /// row["category"] = .value(.integer(category.objectID.primaryKey))
    /// ```
    public struct Link: Sendable, Hashable {
        /// What to do if no object has the key.
        public enum Missing: String, Sendable, Hashable, CaseIterable {
            /// Rejects the row.
            case reject
            /// Creates an object with the key.
            case create
            /// Sets no link.
            ///
            /// A to-one relationship is set to nil. A to-many relationship gets the other objects.
            case null
        }

        /// The attribute of the destination that identifies the targets, or `objectID`.
        ///
        /// With `objectID`, rows name objects by their primary keys, as in
        /// `ManagedObjectID.primaryKey`. If the destination has a property of that name, `objectID`
        /// is this property and `#objectID` is the primary key. The store assigns primary keys, so
        /// `missing` must not be `create`.
        public var attribute: String
        /// What to do if no object has the key.
        public var missing: Missing

        /// Creates a link by an attribute, or by `objectID`.
        public init(by attribute: String, missing: Missing = .reject) {
            self.attribute = attribute
            self.missing = missing
        }
    }

    /// The entity of all rows.
    public var entityName: String
    /// The properties that rows may set.
    public var properties: [String]
    /// The attributes that identify an object, usually those of a uniqueness constraint.
    ///
    /// If it is empty, every row inserts a new object.
    public var key: [String] = []
    /// What to do with a row if an object with its key exists.
    public var policy = Policy.error
    /// How the relationships among the properties find their targets.
    public var links: [String: Link] = [:]
    /// The contents of the result.
    public var resultType = BatchResultType.count

    /// Returns the handler of one execution, which fills the next row and returns true if there is
    /// none.
    package private(set) var makeHandler: () -> (inout [String: BatchValue]) throws -> Bool

    /// Creates a request whose handler fills one row at a time, so that only one row must be in
    /// memory.
    ///
    /// A second execution of the request calls the same handler again, so a handler that has
    /// returned true must start over.
    ///
    /// - Parameters:
    ///   - entityName: The entity of all rows.
    ///   - properties: The properties that rows may set.
    ///   - handler: Fills an empty row; returns true if there are no more rows.
    public init(
        entityName: String, properties: [String],
        handler: @escaping (inout [String: BatchValue]) throws -> Bool
    ) {
        self.entityName = entityName
        self.properties = properties
        makeHandler = { handler }
    }

    /// Creates a request for rows in memory; each execution starts at the first row.
    public init(entityName: String, objects: [[String: BatchValue]]) {
        self.entityName = entityName
        properties = Set(objects.flatMap(\.keys)).sorted()
        makeHandler = { Self.handler(objects) }
    }

    /// Replaces the rows of the request; the new rows must set the same properties.
    public mutating func replaceObjects(_ objects: [[String: BatchValue]]) {
        makeHandler = { Self.handler(objects) }
    }

    private static func handler(
        _ objects: [[String: BatchValue]]
    ) -> (inout [String: BatchValue]) -> Bool {
        var next = objects.makeIterator()
        return { row in
            guard let object = next.next() else { return true }
            row = object
            return false
        }
    }
}

/// A row that a batch insert rejected.
public struct BatchInsertReject: Sendable, Hashable {
    /// The number of the row, from 1.
    public var row: Int
    /// The reason: `key`, `required`, `link`, `unique`, `validate`, `duplicate`, `found`, or
    /// `kind`.
    public var code: String
    /// The property with the fault, if any.
    public var property: String?
    /// The error message.
    public var message: String

    /// Creates a reject of a row.
    package init(row: Int, code: String, property: String?, message: String) {
        self.row = row
        self.code = code
        self.property = property
        self.message = message
    }
}

/// The result of a batch insert.
public struct BatchInsertResult: Sendable, Hashable {
    /// The number of rows that inserted an object.
    public var inserted = 0
    /// The number of rows that changed an existing object.
    public var updated = 0
    /// The number of rows that changed nothing.
    public var unchanged = 0
    /// The number of rejected rows.
    public var rejected = 0
    /// The first 1,000 rejected rows.
    public var rejects: [BatchInsertReject] = []
    /// The inserted and updated objects, if the request asked for them.
    public var objectIDs: ManagedObjectIDSet?

    /// Creates the result of a request without rows.
    package init() {}
}
