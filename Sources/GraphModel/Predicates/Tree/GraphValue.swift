/// A constant in a predicate or an expression.
public enum GraphValue: Sendable, Hashable {
    /// No value.
    case null
    /// True or false; where a number is compared, 1 or 0.
    case boolean(Bool)
    /// A whole number.
    case integer(Int64)
    /// A number with a fraction, or beyond 64 bits.
    case double(Double)
    /// A number with more digits than a double tells apart, as JSON writes it; of at most 38 digits
    /// where exact decimals are compared with it.
    case decimal(String)
    /// Text.
    case string(String)
    /// A moment, in seconds since 2001-01-01 UTC.
    case date(secondsSinceReference: Double)
    /// A UUID's sixteen bytes, big end first.
    case uuid([UInt8])
    /// Bytes.
    case binary([UInt8])
    /// An object of the store that the predicate is asked of.
    case object(ManagedObjectID)
}
