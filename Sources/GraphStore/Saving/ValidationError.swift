public import FoundationEssentials
public import GraphModel

/// What a save is about to do with an object.
public enum SaveOperation: String, Sendable, Hashable {
    /// A new row.
    case insert
    /// Changes to a row.
    case update
    /// The row goes.
    case delete
}

/// Core Data's numbers for what can be wrong with an object.
public enum ValidationCode: Int, Sendable, Hashable, CaseIterable {
    /// Any other failure of one object.
    case objectInvalid = 1550
    /// Two objects would have the same unique values.
    case constraintViolated = 1551
    /// Several things are wrong.
    case multiple = 1560
    /// A required property has no value.
    case missingValue = 1570
    /// Fewer objects than a relationship must have.
    case tooFewObjects = 1580
    /// More objects than a relationship may have.
    case tooManyObjects = 1590
    /// A Deny rule keeps the object.
    case deletionDenied = 1600
    /// A number above the largest allowed.
    case numberTooLarge = 1610
    /// A number below the smallest allowed.
    case numberTooSmall = 1620
    /// A date after the last allowed.
    case dateTooLate = 1630
    /// A date before the first allowed.
    case dateTooSoon = 1640
    /// A date that is none.
    case invalidDate = 1650
    /// Text longer than allowed.
    case textTooLong = 1660
    /// Text shorter than allowed.
    case textTooShort = 1670
    /// Text that the pattern does not match.
    case patternMismatch = 1680
}

/// One thing that is wrong with one object.
public struct ValidationFailure: Sendable, Hashable, CustomStringConvertible {
    /// Core Data's number.
    public var code: ValidationCode
    /// The object.
    public var objectID: ManagedObjectID
    /// Its entity.
    public var entityName: String
    /// The property; nil where it is the object as a whole.
    public var key: String?
    /// The value that is wrong, of an attribute.
    public var value: StoredValue?
    /// The rule of the model that is broken, as text, where it is one over the object.
    public var rule: String?
    /// What to tell the user.
    public var message: String

    /// Creates a failure, as `ManagedObject.validate(_:into:)` may.
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

    /// The message with the code and the object.
    public var description: String {
        "\(message) [\(code.rawValue), \(entityName) p\(objectID.primaryKey)]"
    }
}

/// Why a save was refused before it wrote anything.
public enum ValidationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One thing is wrong.
    case single(ValidationFailure)
    /// Several are, deletes first, then inserts, then updates; no more than the first thousand
    /// are kept.
    case multiple([ValidationFailure], total: Int)

    /// Everything that is wrong, up to a thousand.
    public var failures: [ValidationFailure] {
        switch self {
        case .single(let failure): [failure]
        case .multiple(let failures, _): failures
        }
    }

    /// Core Data's number: that of the failure, or 1560 for several.
    public var code: ValidationCode {
        switch self {
        case .single(let failure): failure.code
        case .multiple: .multiple
        }
    }

    /// Every failure, one a line.
    public var description: String {
        switch self {
        case .single(let failure): failure.description
        case .multiple(let failures, let total):
            "\(total) things are wrong:\n" + failures.map { "  \($0)" }.joined(separator: "\n")
                + (total > failures.count ? "\n  and \(total - failures.count) more" : "")
        }
    }
}

/// Collects what is wrong while a save looks at one object after the other.
public struct ValidationFailures: Sendable {
    static let kept = 1000

    private(set) var failures: [ValidationFailure] = []
    /// How many there are, those beyond the first thousand too.
    public private(set) var count = 0

    init() {}

    /// Adds a failure.
    public mutating func add(_ failure: ValidationFailure) {
        count += 1
        if failures.count < Self.kept { failures.append(failure) }
    }

    /// Adds a failure of an object, or of one of its properties.
    public mutating func add(
        _ message: String, _ object: ManagedObject, key: String? = nil,
        code: ValidationCode = .objectInvalid
    ) {
        add(
            ValidationFailure(
                code, objectID: object.objectID, entityName: object.entityName, key: key,
                message: message))
    }

    /// The error that says it all; nil where nothing is wrong.
    var error: ValidationError? {
        switch count {
        case 0: nil
        case 1: failures.first.map { .single($0) }
        default: .multiple(failures, total: count)
        }
    }
}

extension ValidationError: LocalizedError {
    /// What the command prints of it, too.
    public var errorDescription: String? { description }
}
