public import FoundationEssentials

/// A type of values by which two properties can be compared: a value or an optional value.
///
/// Numbers of all types can be compared with each other. Other values can be compared only with
/// values of their own type.
public protocol ComparableValue {
    /// The type that stands for all types with which values can be compared: `Double` for numbers.
    associatedtype Comparand
}

extension Bool: ComparableValue {
    /// The type itself.
    public typealias Comparand = Bool
}

extension String: ComparableValue {
    /// The type itself.
    public typealias Comparand = String
}

extension Date: ComparableValue {
    /// The type itself.
    public typealias Comparand = Date
}

extension UUID: ComparableValue {
    /// The type itself.
    public typealias Comparand = UUID
}

extension Data: ComparableValue {
    /// The type itself.
    public typealias Comparand = Data
}

extension URL: ComparableValue {
    /// The type itself.
    public typealias Comparand = URL
}

extension Int: ComparableValue {
    /// All numbers.
    public typealias Comparand = Double
}

extension Int16: ComparableValue {
    /// All numbers.
    public typealias Comparand = Double
}

extension Int32: ComparableValue {
    /// All numbers.
    public typealias Comparand = Double
}

extension Int64: ComparableValue {
    /// All numbers.
    public typealias Comparand = Double
}

extension Float: ComparableValue {
    /// All numbers.
    public typealias Comparand = Double
}

extension Double: ComparableValue {
    /// All numbers.
    public typealias Comparand = Double
}

extension Decimal: ComparableValue {
    /// All numbers.
    public typealias Comparand = Double
}

extension Optional: ComparableValue where Wrapped: ComparableValue {
    /// The type with which the value can be compared.
    public typealias Comparand = Wrapped.Comparand
}
