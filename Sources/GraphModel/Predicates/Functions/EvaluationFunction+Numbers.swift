// Rounding calls the C library's mathematics, which this import links.
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension EvaluationFunction {
    /// The same of a decimal with all its digits.
    func number(_ number: ExactDecimal) -> ExactDecimal {
        switch self {
        case .abs: number.absolute
        case .floor: number.rounded(places: 0, .down)
        case .ceiling: number.rounded(places: 0, .up)
        default: number.rounded(places: 0, .nearest)
        }
    }

    /// `abs`, `floor`, `ceiling` and `round`, which rounds halves away from zero.
    func number(_ number: NumericValue) throws(EvaluationError) -> EvaluatedValue {
        switch (self, number) {
        case (.abs, .integer(let value)):
            guard let magnitude = Int64(exactly: value.magnitude) else { throw .overflow }
            return .integer(magnitude)
        case (.abs, .double(let value)): return .double(value.magnitude)
        case (.floor, .double(let value)): return .double(value.rounded(.down))
        case (.ceiling, .double(let value)): return .double(value.rounded(.up))
        case (_, .double(let value)): return .double(value.rounded(.toNearestOrAwayFromZero))
        case (_, .integer(let value)): return .integer(value)
        }
    }
}
