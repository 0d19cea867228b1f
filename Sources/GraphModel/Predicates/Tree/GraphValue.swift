/// A constant in a predicate or an expression.
public enum GraphValue: Sendable, Hashable {
    /// No value.
    case null
    /// A Boolean value; in a comparison with a number, 1 or 0.
    case boolean(Bool)
    /// An integer.
    case integer(Int64)
    /// A floating-point number, or an integer of more than 64 bits.
    case double(Double)
    /// A number with more digits than a double can hold, in JSON notation.
    ///
    /// For a comparison with exact decimals, it has at most 38 digits.
    case decimal(String)
    /// A string.
    case string(String)
    /// A date, in seconds since 2001-01-01 UTC.
    case date(secondsSinceReference: Double)
    /// The 16 bytes of a UUID, in big-endian order.
    case uuid([UInt8])
    /// Binary data.
    case binary([UInt8])
    /// An object of the store in which the predicate is evaluated.
    case object(ManagedObjectID)
}
