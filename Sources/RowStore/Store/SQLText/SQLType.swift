import GraphModel

/// The type of a SQL expression, if the model determines it.
package enum SQLType: Hashable {
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

    /// Returns the type of an attribute's column.
    package init(_ attribute: AttributeDescription) {
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
