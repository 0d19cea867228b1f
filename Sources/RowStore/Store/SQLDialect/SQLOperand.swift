import GraphModel

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
    package var stored: StoredValue {
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
