import GraphModel

/// The type of a SQL expression, if the model determines it.
enum SQLType: Hashable {
    case null
    case boolean
    /// Integers within bounds, which show whether arithmetic can overflow.
    case integer(ClosedRange<Int64>)
    /// Doubles, and decimals, whose integral values are stored as integers.
    case double
    /// Exact decimals, stored as canonical strings.
    case decimal
    /// An integer or a double, whichever is stored: the common type of the two.
    case number
    case text
    /// Dates, whose whole seconds are stored as integers.
    case date
    case uuid
    case binary
    /// Transformable values.
    case opaque
    /// Keys of a hierarchy, identified by the number of its root entity.
    case object(root: Int64)

    static let anyInteger = SQLType.integer(.min ... .max)

    init(_ attribute: AttributeDescription) {
        self = attribute.isExactDecimal ? .decimal : SQLType(attribute.type)
    }

    /// Creates the SQL type of an attribute type, as in a cast.
    init(_ type: AttributeType) {
        switch type {
        case .integer16: self = .integer(Int64(Int16.min)...Int64(Int16.max))
        case .integer32: self = .integer(Int64(Int32.min)...Int64(Int32.max))
        case .integer64: self = Self.anyInteger
        case .decimal, .double, .float: self = .double
        case .string, .uri: self = .text
        case .boolean: self = .boolean
        case .date: self = .date
        case .binary: self = .binary
        case .uuid: self = .uuid
        case .transformable, .undefined, .composite: self = .opaque
        }
    }

    /// The bounds of the values, if they are integers.
    var bounds: ClosedRange<Int64>? {
        switch self {
        case .boolean: 0...1
        case .integer(let bounds): bounds
        default: nil
        }
    }

    var isNumeric: Bool {
        self == .double || self == .decimal || self == .number || bounds != nil
    }

    /// Whether the value is an object's key.
    var isObject: Bool {
        if case .object = self { true } else { false }
    }

    /// Returns the common type of two values.
    func common(with other: SQLType) -> SQLType {
        if self == .null { return other }
        if other == .null || self == other { return self }
        if let one = bounds, let two = other.bounds {
            return .integer(
                min(one.lowerBound, two.lowerBound)...max(one.upperBound, two.upperBound))
        }
        guard isNumeric, other.isNumeric else { return self }
        return self == .decimal || other == .decimal ? .decimal : .number
    }
}

/// A SQL expression with its type.
struct SQLOperand {
    var sql: SQLFragment
    var type: SQLType
    /// The value, if it is known before any row is read.
    var constant: GraphValue?
    /// The folded strings, if the expression is a searchable attribute.
    var folded: FoldedTexts?

    init(_ sql: SQLFragment, _ type: SQLType) {
        self.sql = sql
        self.type = type
    }

    init(constant value: GraphValue, _ schema: StoreLayout) {
        sql = SQLFragment("?", [value.stored])
        constant = value
        switch value {
        case .null: type = .null
        case .boolean: type = .boolean
        case .integer(let number): type = .integer(number...number)
        case .double: type = .double
        case .decimal: type = .decimal
        case .string: type = .text
        case .date: type = .date
        case .uuid: type = .uuid
        case .binary: type = .binary
        case .object(let id):
            type = .object(root: schema.entity(number: id.entityNumber)?.rootNumber ?? 0)
        }
    }

    /// Whether the expression is a constant other than `nil`.
    var isNonNullConstant: Bool { constant.map { $0 != .null } ?? false }

    /// The string, if the expression is a constant string.
    var constantText: String? {
        if case .string(let text)? = constant { text } else { nil }
    }
}

extension GraphValue {
    /// The value in the form in which a column stores it.
    var stored: StoredValue {
        switch self {
        case .null: .null
        case .boolean(let value): .integer(value ? 1 : 0)
        case .integer(let value): .integer(value)
        case .double(let value): .real(value)
        case .decimal(let value), .string(let value): .text(value)
        case .date(let seconds): .real(seconds)
        case .uuid(let bytes), .binary(let bytes): .blob(bytes)
        case .object(let id): .integer(id.primaryKey)
        }
    }
}
