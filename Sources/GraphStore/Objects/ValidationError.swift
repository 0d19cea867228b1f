public import FoundationEssentials
public import GraphModel

/// The operation for which a save validates an object.
public enum SaveOperation: String, Sendable, Hashable {
    /// The save inserts the object as a new row.
    case insert
    /// The save updates the object's row.
    case update
    /// The save deletes the object's row.
    case delete
}

/// A validation failure of one object.
public struct ValidationFailure: Sendable, Hashable, CustomStringConvertible {
    /// The Core Data error code.
    public var code: ValidationCode
    /// The ID of the object.
    public var objectID: ManagedObjectID
    /// The name of the object's entity.
    public var entityName: String
    /// The name of the invalid property; `nil` if the failure concerns the object as a whole.
    public var key: String?
    /// The invalid value of an attribute.
    public var value: StoredValue?
    /// The violated rule of the model as text, if the failure comes from a rule over the object.
    public var rule: String?
    /// The message for the user.
    public var message: String

    /// Creates a failure, for example in an override of `ManagedObject.validate(_:into:)`.
    public init(
        _ code: ValidationCode = .objectInvalid, objectID: ManagedObjectID, entityName: String,
        key: String? = nil, value: StoredValue? = nil, rule: String? = nil, message: String
    ) {
        self.code = code
        self.objectID = objectID
        self.entityName = entityName
        self.key = key
        self.value = value
        self.rule = rule
        self.message = message
    }

    /// The message, followed by the code and the object.
    public var description: String {
        "\(message) [\(code.rawValue), \(entityName) p\(objectID.primaryKey)]"
    }
}

/// The validation failures that stopped a save before it wrote anything.
public enum ValidationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One failure.
    case single(ValidationFailure)
    /// Several failures, of deletes first, then inserts, then updates; only the first 1,000 are
    /// kept.
    case multiple([ValidationFailure], total: Int)

    /// The failures, up to 1,000.
    public var failures: [ValidationFailure] {
        switch self {
        case .single(let failure): [failure]
        case .multiple(let failures, _): failures
        }
    }

    /// The Core Data error code of the failure, or 1560 for several failures.
    public var code: ValidationCode {
        switch self {
        case .single(let failure): failure.code
        case .multiple: .multiple
        }
    }

    /// The descriptions of the failures, one per line.
    public var description: String {
        switch self {
        case .single(let failure): failure.description
        case .multiple(let failures, let total):
            "\(total) things are wrong:\n" + failures.map { "  \($0)" }.joined(separator: "\n")
                + (total > failures.count ? "\n  and \(total - failures.count) more" : "")
        }
    }
}

/// A collector of validation failures during a save.
public struct ValidationFailures: Sendable {
    static let kept = 1000

    private(set) var failures: [ValidationFailure] = []
    /// The number of failures, including those beyond the first 1,000.
    public private(set) var count = 0

    init() {}

    /// Adds a failure.
    public mutating func add(_ failure: ValidationFailure) {
        count += 1
        if failures.count < Self.kept { failures.append(failure) }
    }

    /// Adds a failure of an object or of one of its properties.
    public mutating func add(
        _ message: String, _ object: ManagedObject, key: String? = nil,
        code: ValidationCode = .objectInvalid
    ) {
        add(
            ValidationFailure(
                code, objectID: object.objectID, entityName: object.entityName, key: key,
                message: message))
    }

    /// The error with all failures; `nil` if no failure was added.
    var error: ValidationError? {
        switch count {
        case 0: nil
        case 1: failures.first.map { .single($0) }
        default: .multiple(failures, total: count)
        }
    }
}

extension ValidationError: LocalizedError {
    /// The description, which the `etl` command also prints.
    public var errorDescription: String? { description }
}
