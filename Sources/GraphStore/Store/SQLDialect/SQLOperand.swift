import GraphModel

/// What an SQL expression is worth, as far as the model tells.
enum SQLType: Hashable {
    case null
    case boolean
    /// Whole numbers within bounds, which tell where arithmetic cannot overflow.
    case integer(ClosedRange<Int64>)
    /// Also decimals, whose whole values stand as integers in their columns.
    case double
    /// Decimals of a store that keeps all digits: canonical texts.
    case decimal
    /// Whole or not, as it stands: what either of an integer and a double is.
    case number
    case text
    /// Whole seconds stand as integers.
    case date
    case uuid
    case binary
    /// A transformable.
    case opaque
    /// A key of that hierarchy, by its root's number.
    case object(root: Int64)

    static let anyInteger = SQLType.integer(.min ... .max)

    init(_ attribute: AttributeDescription) {
        self = attribute.isExactDecimal ? .decimal : SQLType(attribute.type)
    }

    /// Of a type alone, as a cast names it.
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

    /// The bounds, where values are whole.
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

    /// Whether arithmetic with it gives a double.
    var isObject: Bool {
        if case .object = self { true } else { false }
    }

    /// What either of two is worth.
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

/// An expression in SQL, with what it is worth.
struct SQLOperand {
    var sql: SQLFragment
    var type: SQLType
    /// Its value, where that is known before any row is seen.
    var constant: GraphValue?
    /// Its folded texts, where it is a searchable attribute.
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

    /// Whether it is a value other than nil.
    var isNonNullConstant: Bool { constant.map { $0 != .null } ?? false }

    /// The text, where it is a constant one.
    var constantText: String? {
        if case .string(let text)? = constant { text } else { nil }
    }
}

extension GraphValue {
    /// The value as a column holds it.
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
