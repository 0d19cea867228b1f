public import FoundationEssentials
public import GraphModel

/// A type that required attributes can be read as, although they may have no value yet.
public protocol RequiredAttributeValue: AttributeValue {
    /// What an attribute without a value reads as; a save refuses the object all the same.
    static var unsetAttribute: Self { get }
}

extension String: RequiredAttributeValue {
    /// No text.
    public static var unsetAttribute: Self { "" }
}

extension Bool: RequiredAttributeValue {
    /// False.
    public static var unsetAttribute: Self { false }
}

extension RequiredAttributeValue where Self: Numeric {
    /// Zero.
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
    /// The beginning of 2001.
    public static var unsetAttribute: Self { Date(timeIntervalSinceReferenceDate: 0) }
}

extension Data: RequiredAttributeValue {
    /// No bytes.
    public static var unsetAttribute: Self { Data() }
}

extension UUID: RequiredAttributeValue {
    /// All zeros.
    public static var unsetAttribute: Self {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
}

extension URL: RequiredAttributeValue {
    /// The root of the file system.
    public static var unsetAttribute: Self { URL(filePath: "/") }
}

extension StoredValue: RequiredAttributeValue {
    /// Nothing.
    public static var unsetAttribute: Self { .null }
}

extension ManagedObject {
    /// A required attribute: where it has no value yet, an empty one is read.
    ///
    /// Ends the process if the object cannot be read, such as one whose row is gone;
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

    /// Where a to-one leads, without making an object for it.
    public final subscript<Destination>(
        reference key: ToOneKey<Destination>
    ) -> Ref<Destination>? {
        do throws(StoreError) {
            return try objectIDs(for: key.name).first.map { Ref(id: $0) }
        } catch {
            link.listener?.note(error)
            return nil
        }
    }
}
