/// An operator between two numbers.
public enum ArithmeticOperator: String, Sendable, Hashable, Codable, CaseIterable {
    /// The sum.
    case add = "+"
    /// The difference.
    case subtract = "-"
    /// The product.
    case multiply = "*"
    /// The quotient; integers are truncated toward zero, and a division by zero is nil.
    case divide = "/"
    /// The power of integers.
    ///
    /// With a negative exponent, it is 0, 1, or −1, or nil if the base is zero.
    case power = "**"
    /// The bits shifted to the left; bits beyond 64 are lost.
    case shiftLeft = "<<"
    /// The bits shifted to the right; the sign is kept.
    case shiftRight = ">>"
    /// The bits that are set in both integers.
    case bitAnd = "&"
    /// The bits that are set in only one of the integers.
    case bitXor = "^"
    /// The bits that are set in at least one of the integers.
    case bitOr = "|"

    /// Whether it takes only integers.
    package var isOfIntegers: Bool {
        switch self {
        case .add, .subtract, .multiply, .divide: false
        case .power, .shiftLeft, .shiftRight, .bitAnd, .bitXor, .bitOr: true
        }
    }

    /// The precedence, as in C: 1 is the lowest, and higher operators are applied first.
    var precedence: Int {
        switch self {
        case .bitOr: 1
        case .bitXor: 2
        case .bitAnd: 3
        case .shiftLeft, .shiftRight: 4
        case .add, .subtract: 5
        case .multiply, .divide: 6
        case .power: 7
        }
    }

    /// Whether the right one of two equal operators is applied first.
    var isRightAssociative: Bool { self == .power }
}
