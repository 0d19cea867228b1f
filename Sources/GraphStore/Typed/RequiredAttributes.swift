public import FoundationEssentials
public import GraphModel

/// A type of required attributes.
///
/// A generated class declares them as not optional, so the type provides a value for an attribute
/// that is not set yet.
public protocol RequiredAttributeValue: AttributeValue {
    /// The value that an accessor returns for an unset attribute; a save still rejects the object.
    static var unsetAttribute: Self { get }
}

extension String: RequiredAttributeValue {
    /// The empty string.
    public static var unsetAttribute: Self { "" }
}

extension Bool: RequiredAttributeValue {
    /// `false`.
    public static var unsetAttribute: Self { false }
}

extension RequiredAttributeValue where Self: Numeric {
    /// The number 0.
    public static var unsetAttribute: Self { 0 }
}

extension Int: RequiredAttributeValue {}
extension Int16: RequiredAttributeValue {}
extension Int32: RequiredAttributeValue {}
extension Int64: RequiredAttributeValue {}
extension Float: RequiredAttributeValue {}
extension Double: RequiredAttributeValue {}
extension Decimal: RequiredAttributeValue {}

extension Date: RequiredAttributeValue {
    /// The start of 2001.
    public static var unsetAttribute: Self { Date(timeIntervalSinceReferenceDate: 0) }
}

extension Data: RequiredAttributeValue {
    /// Empty data.
    public static var unsetAttribute: Self { Data() }
}

extension UUID: RequiredAttributeValue {
    /// The UUID of zeros.
    public static var unsetAttribute: Self {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
}

extension URL: RequiredAttributeValue {
    /// The root of the file system.
    public static var unsetAttribute: Self { URL(filePath: "/") }
}

extension StoredValue: RequiredAttributeValue {
    /// The null value.
    public static var unsetAttribute: Self { .null }
}

extension ManagedObject {
    /// A required attribute; if it has no value yet, it reads as an empty value.
    ///
    /// The process traps if the object cannot be read, for example if its row was deleted.
    /// `value(forKey:)` throws instead.
    public final subscript<Value: RequiredAttributeValue>(
        required key: AttributeKey<Value>
    ) -> Value {
        get {
            let value = requiredValue(named: key.name, slot: key.slot)
            if let found = Value(storedValue: value) { return found }
            guard case .null = value else { trapMisfit(value, named: key.name, Value.self) }
            return .unsetAttribute
        }
        set { self[key] = newValue }
    }

    /// Returns a reference to the destination of a to-one, without creating an object.
    public final subscript<Destination>(
        reference key: ToOneKey<Destination>
    ) -> Ref<Destination>? {
        attempting { () throws(StoreError) in
            try objectIDs(for: key.name).first.map { Ref(id: $0) }
        } ?? nil
    }
}
