/// A type whose values can be empty.
public protocol EmptyInitializable {
    /// Creates an empty value.
    init()
    /// Whether the value is empty.
    var isEmpty: Bool { get }
}

extension Array: EmptyInitializable {}
extension Dictionary: EmptyInitializable {}

/// A list or dictionary that is not encoded if it is empty, and is empty if it was not encoded.
///
/// So a store's copy of its model can be decoded even if it was written before the property
/// existed.
@propertyWrapper
public struct EmptyByDefault<Value>
where Value: EmptyInitializable & Codable & Sendable & Hashable {
    /// The list or dictionary.
    public var wrappedValue: Value

    /// Creates a wrapper of a value.
    public init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }
}

extension EmptyByDefault: Sendable, Hashable, Codable {
    /// Decodes the bare value.
    public init(from decoder: any Decoder) throws {
        wrappedValue = try Value(from: decoder)
    }

    /// Encodes the bare value.
    public func encode(to encoder: any Encoder) throws {
        try wrappedValue.encode(to: encoder)
    }
}

extension KeyedDecodingContainer {
    /// Decodes a value that may be missing.
    public func decode<Value>(
        _ type: EmptyByDefault<Value>.Type, forKey key: Key
    ) throws -> EmptyByDefault<Value> {
        try decodeIfPresent(type, forKey: key) ?? EmptyByDefault(wrappedValue: Value())
    }
}

extension KeyedEncodingContainer {
    /// Encodes a value unless it is empty.
    public mutating func encode<Value>(
        _ value: EmptyByDefault<Value>, forKey key: Key
    ) throws {
        guard !value.wrappedValue.isEmpty else { return }
        try encode(value.wrappedValue, forKey: key)
    }
}
