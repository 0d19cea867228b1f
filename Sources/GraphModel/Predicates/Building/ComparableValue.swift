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
    /// Values are compared only with values of this type.
    public typealias Comparand = Bool
}

extension String: ComparableValue {
    /// Values are compared only with values of this type.
    public typealias Comparand = String
}

extension Date: ComparableValue {
    /// Values are compared only with values of this type.
    public typealias Comparand = Date
}

extension UUID: ComparableValue {
    /// Values are compared only with values of this type.
    public typealias Comparand = UUID
}

extension Data: ComparableValue {
    /// Values are compared only with values of this type.
    public typealias Comparand = Data
}

extension URL: ComparableValue {
    /// Values are compared only with values of this type.
    public typealias Comparand = URL
}

extension Int: ComparableValue {
    /// `Double` stands for all types of numbers, which can be compared with each other.
    public typealias Comparand = Double
}

extension Int16: ComparableValue {
    /// `Double` stands for all types of numbers, which can be compared with each other.
    public typealias Comparand = Double
}

extension Int32: ComparableValue {
    /// `Double` stands for all types of numbers, which can be compared with each other.
    public typealias Comparand = Double
}

extension Int64: ComparableValue {
    /// `Double` stands for all types of numbers, which can be compared with each other.
    public typealias Comparand = Double
}

extension Float: ComparableValue {
    /// `Double` stands for all types of numbers, which can be compared with each other.
    public typealias Comparand = Double
}

extension Double: ComparableValue {
    /// `Double` stands for all types of numbers, which can be compared with each other.
    public typealias Comparand = Double
}

extension Decimal: ComparableValue {
    /// `Double` stands for all types of numbers, which can be compared with each other.
    public typealias Comparand = Double
}

extension Optional: ComparableValue where Wrapped: ComparableValue {
    /// The type with which the value can be compared.
    public typealias Comparand = Wrapped.Comparand
}
