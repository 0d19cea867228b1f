public import FoundationEssentials
public import GraphModel

/// A Swift type that can represent attribute values.
public protocol AttributeValue {
    /// Creates a value from a column's value, if its type matches.
    init?(storedValue: StoredValue)
    /// The value as a column stores it.
    var storedValue: StoredValue { get }
}

extension StoredValue: AttributeValue {
    /// Creates a copy of the value.
    public init?(storedValue: StoredValue) { self = storedValue }
    /// The value itself.
    public var storedValue: StoredValue { self }
}

extension String: AttributeValue {
    /// Creates a string from stored text.
    public init?(storedValue: StoredValue) {
        guard case .text(let text) = storedValue else { return nil }
        self = text
    }

    /// The string as stored text.
    public var storedValue: StoredValue { .text(self) }
}

extension Bool: AttributeValue {
    /// Creates `false` from 0, and `true` from any other integer.
    public init?(storedValue: StoredValue) {
        guard case .integer(let number) = storedValue else { return nil }
        self = number != 0
    }

    /// The integer 1 or 0.
    public var storedValue: StoredValue { .integer(self ? 1 : 0) }
}

extension AttributeValue where Self: FixedWidthInteger {
    /// Creates a value from an integer that is in the type's range.
    public init?(storedValue: StoredValue) {
        guard case .integer(let number) = storedValue else { return nil }
        self.init(exactly: number)
    }

    /// The value as an integer, clamped to a signed 64-bit integer.
    public var storedValue: StoredValue { .integer(Int64(clamping: self)) }
}

extension Int: AttributeValue {}
extension Int16: AttributeValue {}
extension Int32: AttributeValue {}
extension Int64: AttributeValue {}

extension Double: AttributeValue {
    /// Creates a value from a stored number.
    public init?(storedValue: StoredValue) {
        switch storedValue {
        case .real(let number): self = number
        case .integer(let number): self = Double(number)
        default: return nil
        }
    }

    /// The value as a stored number.
    public var storedValue: StoredValue { .real(self) }
}

extension Float: AttributeValue {
    /// Creates a value from a stored number, rounded to the type's precision.
    public init?(storedValue: StoredValue) {
        guard let number = Double(storedValue: storedValue) else { return nil }
        self = Float(number)
    }

    /// The value as a stored number.
    public var storedValue: StoredValue { .real(Double(self)) }
}

extension Decimal: AttributeValue {
    /// Creates a decimal from a number's shortest text, or from a store's exact decimal text.
    public init?(storedValue: StoredValue) {
        switch storedValue {
        case .integer(let number): self.init(number)
        case .real(let number):
            guard let value = Decimal(string: "\(number)") else { return nil }
            self = value
        case .text(let text):
            guard let value = Decimal(string: text) else { return nil }
            self = value
        default: return nil
        }
    }

    /// The value as a 64-bit number if it has all digits, or else as text.
    ///
    /// A store with exact decimals keeps all digits; any other store keeps the nearest double.
    public var storedValue: StoredValue {
        if isNaN { return .real(.nan) }
        let text = description
        if let whole = Int64(text) { return .integer(whole) }
        if let number = Double(text), Decimal(string: "\(number)") == self { return .real(number) }
        return .text(text)
    }
}

extension Date: AttributeValue {
    /// Creates a date from the seconds since the start of 2001.
    public init?(storedValue: StoredValue) {
        guard let seconds = Double(storedValue: storedValue) else { return nil }
        self.init(timeIntervalSinceReferenceDate: seconds)
    }

    /// The seconds since the start of 2001.
    public var storedValue: StoredValue { .real(timeIntervalSinceReferenceDate) }
}

extension UUID: AttributeValue {
    /// Creates a UUID from 16 bytes.
    public init?(storedValue: StoredValue) {
        guard case .blob(let bytes) = storedValue, bytes.count == 16 else { return nil }
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// The UUID's 16 bytes.
    public var storedValue: StoredValue { .blob(withUnsafeBytes(of: uuid) { Array($0) }) }
}

extension Data: AttributeValue {
    /// Creates data from stored bytes.
    public init?(storedValue: StoredValue) {
        guard case .blob(let bytes) = storedValue else { return nil }
        self.init(bytes)
    }

    /// The data as stored bytes.
    public var storedValue: StoredValue { .blob(Array(self)) }
}

extension [UInt8]: AttributeValue {
    /// Creates an array from stored bytes.
    public init?(storedValue: StoredValue) {
        guard case .blob(let bytes) = storedValue else { return nil }
        self = bytes
    }

    /// The array as stored bytes.
    public var storedValue: StoredValue { .blob(self) }
}

extension URL: AttributeValue {
    /// Creates a URL from its stored string.
    public init?(storedValue: StoredValue) {
        guard case .text(let text) = storedValue else { return nil }
        self.init(string: text)
    }

    /// The URL as a stored string.
    public var storedValue: StoredValue { .text(absoluteString) }
}
