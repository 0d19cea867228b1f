/// A value as stored in a column.
///
/// Booleans are the integers 0 and 1, dates are seconds since 2001-01-01 UTC, UUIDs are 16 bytes,
/// and decimals are reals (or canonical text in a store with exact decimals).
public enum StoredValue: Sendable, Hashable, Codable {
    /// No value.
    case null
    /// An integer.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// A string.
    case text(String)
    /// Binary data.
    case blob([UInt8])
}
