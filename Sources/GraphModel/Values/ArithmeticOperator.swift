/// An operator between two numbers.
public enum ArithmeticOperator: String, Sendable, Hashable, Codable, CaseIterable {
    /// Sum.
    case add = "+"
    /// Difference.
    case subtract = "-"
    /// Product.
    case multiply = "*"
    /// Quotient; between integers it truncates toward zero, by zero it is nil.
    case divide = "/"
    /// Power of integers; one with a negative exponent is 0, 1, or −1, and of zero nil.
    case power = "**"
    /// The bits moved to the left; those that leave 64 are lost.
    case shiftLeft = "<<"
    /// The bits moved to the right; the sign stays.
    case shiftRight = ">>"
    /// Bits that both integers have.
    case bitAnd = "&"
    /// Bits that one integer has and not the other.
    case bitXor = "^"
    /// Bits that one integer has or the other.
    case bitOr = "|"

    /// Whether it takes nothing but integers.
    package var isOfIntegers: Bool {
        switch self {
        case .add, .subtract, .multiply, .divide: false
        case .power, .shiftLeft, .shiftRight, .bitAnd, .bitXor, .bitOr: true
        }
    }

    /// The higher, the earlier it is applied, as in C; 1 is the lowest.
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

    /// Whether the right one of two is applied first.
    var isRightAssociative: Bool { self == .power }
}
