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
public struct EmptyByDefault<Wrapped>
where Wrapped: EmptyInitializable & Codable & Sendable & Hashable {
    /// The list or dictionary.
    public var wrappedValue: Wrapped

    /// Creates a wrapper of a value.
    public init(wrappedValue: Wrapped) {
        self.wrappedValue = wrappedValue
    }
}

extension EmptyByDefault: Sendable, Hashable, Codable {
    /// Decodes the bare value.
    public init(from decoder: any Decoder) throws {
        wrappedValue = try Wrapped(from: decoder)
    }

    /// Encodes the bare value.
    public func encode(to encoder: any Encoder) throws {
        try wrappedValue.encode(to: encoder)
    }
}

extension KeyedDecodingContainer {
    /// Decodes a value that may be missing.
    public func decode<Wrapped>(
        _ type: EmptyByDefault<Wrapped>.Type, forKey key: Key
    ) throws -> EmptyByDefault<Wrapped> {
        try decodeIfPresent(type, forKey: key) ?? EmptyByDefault(wrappedValue: Wrapped())
    }
}

extension KeyedEncodingContainer {
    /// Encodes a value unless it is empty.
    public mutating func encode<Wrapped>(
        _ value: EmptyByDefault<Wrapped>, forKey key: Key
    ) throws {
        guard !value.wrappedValue.isEmpty else { return }
        try encode(value.wrappedValue, forKey: key)
    }
}
