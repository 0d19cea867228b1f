public import GraphModel

/// What a row of a batch insert says of one property.
public enum BatchValue: Sendable, Hashable {
    /// An attribute's value, or the key of what a to-one leads to.
    case value(StoredValue)
    /// The keys of what a to-many leads to.
    case keys([StoredValue])
}

extension BatchValue: ExpressibleByNilLiteral, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral
{
    /// No value.
    public init(nilLiteral: ()) { self = .value(.null) }
    /// Text.
    public init(stringLiteral value: String) { self = .value(.text(value)) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .value(.integer(value)) }
    /// A number with a fraction.
    public init(floatLiteral value: Double) { self = .value(.real(value)) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .value(.integer(value ? 1 : 0)) }
    /// Keys that are texts.
    public init(arrayLiteral elements: String...) { self = .keys(elements.map { .text($0) }) }
}

/// Writes rows without making objects of them; what a row does not name gets its default.
///
/// ```swift
/// var request = BatchInsertRequest(entityName: "Task", properties: ["code", "title", "owner"]) {
///     row in
///     guard let line = lines.next() else { return true }     // no more rows
///     row = ["code": .value(.text(line.code)), "title": …, "owner": .value(.text(line.mail))]
///     return false
/// }
/// request.key = ["code"]                       // rows with a code that is there update
/// request.policy = .objectTrump
/// request.links = ["owner": .init(by: "email", missing: .create)]
/// let result = try context.execute(request)      // committed
/// ```
/// The model's rules are checked row by row; a row that breaks them is refused alone.
public struct BatchInsertRequest {
    /// What a row does whose key an object has.
    public enum Policy: String, Sendable, Hashable, CaseIterable {
        /// It is refused.
        case error
        /// What it says is written, and nothing else of the object is touched.
        case objectTrump
        /// The object stays as it is.
        case storeTrump
    }

    /// How a relationship finds what it leads to.
    ///
    /// By the values of an attribute, or by object numbers:
    /// ```swift
    /// request.links = ["category": .init(by: "name", missing: .create)]
    /// row["category"] = "Home"
    /// request.links = ["category": .init(by: "objectID")]
    /// row["category"] = .value(.integer(category.objectID.primaryKey))
    /// ```
    public struct Link: Sendable, Hashable {
        /// What happens where no object has the key.
        public enum Missing: String, Sendable, Hashable, CaseIterable {
            /// The row is refused.
            case reject
            /// An object is made that has the key.
            case create
            /// The relationship leads nowhere.
            case null
        }

        /// The destination's attribute whose values rows name, or `objectID`.
        ///
        /// With `objectID`, rows name objects by their primary keys, as
        /// `ManagedObjectID.primaryKey` has them. If the destination has a property of that name,
        /// `objectID` is this property and `#objectID` is the primary key. The store assigns primary
        /// keys, so `missing` must not be `create`.
        public var attribute: String
        /// What happens where no object has the key.
        public var missing: Missing

        /// Finds objects by an attribute, or by `objectID`.
        public init(by attribute: String, missing: Missing = .reject) {
            self.attribute = attribute
            self.missing = missing
        }
    }

    /// The entity of all rows.
    public var entityName: String
    /// The properties that rows may name.
    public var properties: [String]
    /// The attributes by which an object is found again, as the model has them unique together;
    /// without, every row is a new object.
    public var key: [String] = []
    /// What a row does whose key an object has.
    public var policy = Policy.error
    /// How the relationships among the properties find what they lead to.
    public var links: [String: Link] = [:]
    /// What the result tells.
    public var resultType = BatchResultType.count

    /// Fills the next row; true where there is none.
    private(set) var handler: (inout [String: BatchValue]) throws -> Bool

    /// Writes rows that a handler fills, one after the other, so that no two need be in memory.
    ///
    /// - Parameters:
    ///   - entityName: the entity of all rows.
    ///   - properties: the properties that rows may name.
    ///   - handler: gets an empty row to fill, and returns true when there are no more.
    public init(
        entityName: String, properties: [String],
        handler: @escaping (inout [String: BatchValue]) throws -> Bool
    ) {
        self.entityName = entityName
        self.properties = properties
        self.handler = handler
    }

    /// Writes rows that are in memory.
    public init(entityName: String, objects: [[String: BatchValue]]) {
        self.init(
            entityName: entityName, properties: Set(objects.flatMap(\.keys)).sorted(),
            handler: Self.handler(objects))
    }

    /// The same request for other rows that name the same properties.
    public mutating func replaceObjects(_ objects: [[String: BatchValue]]) {
        handler = Self.handler(objects)
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

/// A row that a batch insert has refused.
public struct BatchInsertReject: Sendable, Hashable {
    /// Which row, counted from 1.
    public var row: Int
    /// `key`, `required`, `link`, `unique`, `validate`, `duplicate`, `found` or `kind`.
    public var code: String
    /// The property, where it is one.
    public var property: String?
    /// What is wrong.
    public var message: String
}

/// What a batch insert did.
public struct BatchInsertResult: Sendable, Hashable {
    /// Rows that are new objects.
    public var inserted = 0
    /// Rows whose objects were there, and were not so already.
    public var updated = 0
    /// Rows whose objects stayed as they were.
    public var unchanged = 0
    /// Rows that were refused.
    public var rejected = 0
    /// The first thousand of them.
    public var rejects: [BatchInsertReject] = []
    /// The objects that are new or were updated, where the request asked.
    public var objectIDs: ManagedObjectIDSet?
}
