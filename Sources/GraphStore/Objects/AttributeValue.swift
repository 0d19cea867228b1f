public import FoundationEssentials
public import GraphModel

/// A Swift type that attributes can be read and set as.
public protocol AttributeValue {
    /// The value, if the column's value is one of this type.
    init?(storedValue: StoredValue)
    /// The value as the column holds it.
    var storedValue: StoredValue { get }
}

extension StoredValue: AttributeValue {
    /// The same.
    public init?(storedValue: StoredValue) { self = storedValue }
    /// The same.
    public var storedValue: StoredValue { self }
}

extension String: AttributeValue {
    /// Text.
    public init?(storedValue: StoredValue) {
        guard case .text(let text) = storedValue else { return nil }
        self = text
    }

    /// Text.
    public var storedValue: StoredValue { .text(self) }
}

extension Bool: AttributeValue {
    /// False of 0, true of other numbers.
    public init?(storedValue: StoredValue) {
        guard case .integer(let number) = storedValue else { return nil }
        self = number != 0
    }

    /// 1 or 0.
    public var storedValue: StoredValue { .integer(self ? 1 : 0) }
}

extension AttributeValue where Self: FixedWidthInteger {
    /// A whole number that fits.
    public init?(storedValue: StoredValue) {
        guard case .integer(let number) = storedValue else { return nil }
        self.init(exactly: number)
    }

    /// A whole number; what is beyond 64 bits with a sign becomes the largest.
    public var storedValue: StoredValue { .integer(Int64(clamping: self)) }
}

extension Int: AttributeValue {}
extension Int16: AttributeValue {}
extension Int32: AttributeValue {}
extension Int64: AttributeValue {}

extension Double: AttributeValue {
    /// A number.
    public init?(storedValue: StoredValue) {
        switch storedValue {
        case .real(let number): self = number
        case .integer(let number): self = Double(number)
        default: return nil
        }
    }

    /// A number.
    public var storedValue: StoredValue { .real(self) }
}

extension Float: AttributeValue {
    /// A number, rounded to the type's width.
    public init?(storedValue: StoredValue) {
        guard let number = Double(storedValue: storedValue) else { return nil }
        self = Float(number)
    }

    /// A number.
    public var storedValue: StoredValue { .real(Double(self)) }
}

extension Decimal: AttributeValue {
    /// A number, by its shortest text, or the canonical text of stores with exact decimals.
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

    /// A number, where one of 64 bits has all the digits, else its text.
    ///
    /// A store that keeps exact decimals has the digits; another the nearest double.
    public var storedValue: StoredValue {
        let text = description
        if let whole = Int64(text) { return .integer(whole) }
        if let number = Double(text), Decimal(string: "\(number)") == self { return .real(number) }
        return .text(text)
    }
}

extension Date: AttributeValue {
    /// Seconds since 2001.
    public init?(storedValue: StoredValue) {
        guard let seconds = Double(storedValue: storedValue) else { return nil }
        self.init(timeIntervalSinceReferenceDate: seconds)
    }

    /// Seconds since 2001.
    public var storedValue: StoredValue { .real(timeIntervalSinceReferenceDate) }
}

extension UUID: AttributeValue {
    /// Sixteen bytes.
    public init?(storedValue: StoredValue) {
        guard case .blob(let bytes) = storedValue, bytes.count == 16 else { return nil }
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// Sixteen bytes.
    public var storedValue: StoredValue { .blob(withUnsafeBytes(of: uuid) { Array($0) }) }
}

extension Data: AttributeValue {
    /// Bytes.
    public init?(storedValue: StoredValue) {
        guard case .blob(let bytes) = storedValue else { return nil }
        self.init(bytes)
    }

    /// Bytes.
    public var storedValue: StoredValue { .blob(Array(self)) }
}

extension [UInt8]: AttributeValue {
    /// Bytes.
    public init?(storedValue: StoredValue) {
        guard case .blob(let bytes) = storedValue else { return nil }
        self = bytes
    }

    /// Bytes.
    public var storedValue: StoredValue { .blob(self) }
}

extension URL: AttributeValue {
    /// Its text.
    public init?(storedValue: StoredValue) {
        guard case .text(let text) = storedValue else { return nil }
        self.init(string: text)
    }

    /// Its text.
    public var storedValue: StoredValue { .text(absoluteString) }
}
