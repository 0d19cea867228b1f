import FoundationEssentials
import GraphModel

/// A converter between values of a Swift type and the bytes of a Transformable attribute.
///
/// ```swift
/// struct PointTransformer: AttributeTransformer {
///     func encode(_ value: Point) throws -> [UInt8] { … }
///     func decode(_ bytes: [UInt8]) throws -> Point { … }
/// }
/// container.register(PointTransformer(), named: "Point")   // `transformer: Point` in the model
/// place[TransformableKey<Point>("position")] = Point(x: 1, y: 2)
/// ```
/// Values are always read and set as a whole, so a change inside a value cannot go undetected.
public protocol AttributeTransformer<Value>: Sendable {
    /// The type of the values that objects return and accept.
    associatedtype Value
    /// Returns the bytes to store for a value.
    func encode(_ value: Value) throws -> [UInt8]
    /// Returns the value of stored bytes.
    func decode(_ bytes: [UInt8]) throws -> Value
}

/// A transformer that stores any `Codable` value as JSON with sorted keys.
public struct JSONTransformer<Value: Codable>: AttributeTransformer {
    /// Creates a transformer for a type.
    public init(_ type: Value.Type = Value.self) {}

    /// Returns the value as JSON.
    public func encode(_ value: Value) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return Array(try encoder.encode(value))
    }

    /// Returns the value that JSON represents.
    public func decode(_ bytes: [UInt8]) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(bytes))
    }
}

/// The name of a Transformable attribute, with the type of its values.
public struct TransformableKey<Value>: Sendable {
    /// The attribute's name.
    public let name: String

    /// Creates a key.
    public init(_ name: String) {
        self.name = name
    }
}

extension ManagedObject {
    /// The value of a Transformable attribute, decoded by its transformer; `nil` if it has no
    /// value.
    ///
    /// The subscript does not throw: the context's next save throws the error.
    public final subscript<Value>(key: TransformableKey<Value>) -> Value? {
        get {
            attempting { () throws(StoreError) -> Value? in
                try transformedValue(forKey: key.name)
            } ?? nil
        }
        set {
            _ = attempting { () throws(StoreError) in
                try setTransformedValue(newValue, forKey: key.name)
            }
        }
    }

    /// Returns a Transformable attribute's value, decoded by the transformer named in the model.
    public final func transformedValue<Value>(
        forKey key: String, as type: Value.Type = Value.self
    ) throws(StoreError) -> Value? {
        let (slot, transformer) = try transformer(forKey: key, of: Value.self)
        guard case .blob(let bytes) = try attribute(slot) else { return nil }
        guard let value = try decoded(bytes, transformer, key) as? Value else {
            throw StoreError(
                .invalidRequest, "'\(layout.name).\(key)' does not hold values of \(Value.self)")
        }
        return value
    }

    /// Sets a Transformable attribute's value, encoded by the transformer named in the model.
    public final func setTransformedValue<Value>(
        _ value: Value?, forKey key: String
    ) throws(StoreError) {
        let (slot, transformer) = try transformer(forKey: key, of: Value.self)
        guard let value else { return try setAttribute(slot, .null) }
        try setAttribute(slot, .blob(try encoded(value, transformer, key)))
    }

    private static func jsonTransformer<Value: Codable>(
        of type: Value.Type
    ) -> any AttributeTransformer {
        JSONTransformer(type)
    }

    /// Returns a Transformable attribute's slot and transformer.
    ///
    /// The transformer `json` needs no registration: it supports every `Codable` type.
    private func transformer(
        forKey key: String, of type: Any.Type
    ) throws(StoreError) -> (Int, any AttributeTransformer) {
        guard case .attribute(let slot) = try property(key),
            layout.attributes[slot].description.type == .transformable
        else {
            throw StoreError(.unknownKey, "'\(layout.name).\(key)' is not Transformable")
        }
        guard let name = layout.attributes[slot].description.transformerName else {
            throw StoreError(
                .invalidRequest, "The model names no transformer for '\(layout.name).\(key)'")
        }
        guard let transformer = try link.container(layout).objects.transformer(named: name) else {
            if name == "json", let type = type as? any Codable.Type {
                return (slot, Self.jsonTransformer(of: type))
            }
            throw StoreError(
                .invalidRequest,
                "There is no transformer '\(name)', for '\(layout.name).\(key)'; register one")
        }
        return (slot, transformer)
    }

    private func encoded<Transformer: AttributeTransformer>(
        _ value: Any, _ transformer: Transformer, _ key: String
    ) throws(StoreError) -> [UInt8] {
        guard let value = value as? Transformer.Value else {
            throw StoreError(
                .invalidRequest,
                "'\(layout.name).\(key)' holds values of \(Transformer.Value.self)")
        }
        do {
            return try transformer.encode(value)
        } catch {
            throw StoreError(
                .validation, "'\(layout.name).\(key)' cannot be encoded: \(error)", cause: error)
        }
    }

    private func decoded<Transformer: AttributeTransformer>(
        _ bytes: [UInt8], _ transformer: Transformer, _ key: String
    ) throws(StoreError) -> Any {
        do {
            return try transformer.decode(bytes)
        } catch {
            throw StoreError(
                .corrupt, "'\(layout.name).\(key)' cannot be decoded: \(error)", cause: error)
        }
    }
}
