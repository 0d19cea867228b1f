/// The type of an expression, derived from the model before evaluation.
enum ExpressionKind: Hashable, CustomStringConvertible {
    case null
    case boolean
    case integer
    case double
    /// A decimal of a store that keeps all its digits.
    case decimal
    case text
    case date
    case uuid
    case binary
    /// A transformable, composite, or undefined attribute.
    case opaque
    /// An object of that entity, or of any entity if the name is empty.
    case object(String)
    /// The values at the end of a to-many key path.
    indirect case collection(ExpressionKind)
    /// A list in braces.
    case list
    /// An unknown type, after an error or without a model; it is compatible with every type.
    case unknown

    /// Whether it is a collection of objects.
    var isOfObjects: Bool {
        if case .collection(.object) = self { true } else { false }
    }

    init(_ type: AttributeType) {
        switch type {
        case .integer16, .integer32, .integer64: self = .integer
        case .decimal, .double, .float: self = .double
        case .string, .uri: self = .text
        case .boolean: self = .boolean
        case .date: self = .date
        case .binary: self = .binary
        case .uuid: self = .uuid
        case .transformable, .composite, .undefined: self = .opaque
        }
    }

    init(_ attribute: AttributeDescription) {
        self = attribute.isExactDecimal ? .decimal : ExpressionKind(attribute.type)
    }

    init(_ value: GraphValue) {
        switch value {
        case .null: self = .null
        case .boolean: self = .boolean
        case .integer: self = .integer
        case .double, .decimal: self = .double
        case .string: self = .text
        case .date: self = .date
        case .uuid: self = .uuid
        case .binary: self = .binary
        case .object: self = .object("")
        }
    }

    /// Whether it is a number or a Boolean, which can be computed and compared with each other.
    var isNumeric: Bool {
        switch self {
        case .integer, .double, .decimal, .boolean: true
        default: false
        }
    }

    /// Returns the type of the result of two numbers, or of either of them.
    static func numeric(_ one: ExpressionKind, _ other: ExpressionKind) -> ExpressionKind {
        let kinds = [one, other]
        return kinds.contains(.decimal) ? .decimal : kinds.contains(.double) ? .double : .integer
    }

    /// Returns whether values of the two types can be compared.
    func isComparable(with other: ExpressionKind) -> Bool {
        if self == .null || other == .null { return true }
        if self == .unknown || other == .unknown { return true }
        if isNumeric, other.isNumeric { return true }
        if case .object = self, case .object = other { return true }
        return self == other && self != .opaque && self != .list
    }

    var description: String {
        switch self {
        case .null: "nil"
        case .boolean: "a boolean"
        case .integer, .double, .decimal: "a number"
        case .text: "text"
        case .date: "a date"
        case .uuid: "a UUID"
        case .binary: "binary data"
        case .opaque: "a transformable value"
        case .object(let entity): entity.isEmpty ? "an object" : "an object (\(entity))"
        case .collection: "a collection"
        case .list: "a list"
        case .unknown: "a value"
        }
    }
}
