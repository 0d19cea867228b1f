/// A value that has an empty form.
public protocol EmptyInitializable {
    /// Makes the empty form.
    init()
    /// Whether it is the empty form.
    var isEmpty: Bool { get }
}

extension Array: EmptyInitializable {}
extension Dictionary: EmptyInitializable {}

/// A list or a dictionary that is left out when it is empty, and empty when it was left out.
///
/// So a store's own copy of its model, written before the property existed, is read as ever.
@propertyWrapper
public struct EmptyByDefault<Value>
where Value: EmptyInitializable & Codable & Sendable & Hashable {
    /// The list or dictionary.
    public var wrappedValue: Value

    /// Wraps a value.
    public init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }
}

extension EmptyByDefault: Sendable, Hashable, Codable {
    /// Reads the bare value.
    public init(from decoder: any Decoder) throws {
        wrappedValue = try Value(from: decoder)
    }

    /// Writes the bare value.
    public func encode(to encoder: any Encoder) throws {
        try wrappedValue.encode(to: encoder)
    }
}

extension KeyedDecodingContainer {
    /// Reads a value that may have been left out.
    public func decode<Value>(
        _ type: EmptyByDefault<Value>.Type, forKey key: Key
    ) throws -> EmptyByDefault<Value> {
        try decodeIfPresent(type, forKey: key) ?? EmptyByDefault(wrappedValue: Value())
    }
}

extension KeyedEncodingContainer {
    /// Leaves an empty value out.
    public mutating func encode<Value>(
        _ value: EmptyByDefault<Value>, forKey key: Key
    ) throws {
        guard !value.wrappedValue.isEmpty else { return }
        try encode(value.wrappedValue, forKey: key)
    }
}
