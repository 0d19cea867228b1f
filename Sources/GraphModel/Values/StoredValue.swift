/// A value as it stands in a store's column.
///
/// Booleans are integers 0 and 1, dates are seconds since 2001-01-01 UTC, UUIDs are 16 bytes,
/// decimals are reals (or canonical text in a store with exact decimals).
public enum StoredValue: Sendable, Hashable, Codable {
    /// No value.
    case null
    /// A whole number.
    case integer(Int64)
    /// A number with a fraction.
    case real(Double)
    /// Text.
    case text(String)
    /// Bytes.
    case blob([UInt8])
}
