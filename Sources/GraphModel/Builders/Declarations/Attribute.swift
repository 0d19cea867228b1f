import Diagnostics

/// An attribute of an entity, declared in Swift.
public struct Attribute: Sendable {
    var description: AttributeDescription
    var place: SourceLocation
    let defaultValue: DefaultValue?
    let earliest: String?
    let latest: String?

    /// Declares an attribute; omitted arguments have Core Data's defaults.
    ///
    /// - Parameters:
    ///   - name: The attribute's name.
    ///   - type: The type of its values.
    ///   - isOptional: Whether it may have no value.
    ///   - defaultValue: The value of a new object.
    ///   - isTransient: Whether it is managed but never stored.
    ///   - isExternal: Whether large values may be stored in files next to the store.
    ///   - externalThresholdBytes: The size in bytes above which a value is external; `nil` is 128
    ///     KiB.
    ///   - preservedOnDeletion: Whether history keeps the value of a deleted object.
    ///   - range: The allowed numbers, inclusive: `0...2`, `0...`, `...100`.
    ///   - earliest: The first allowed date, in ISO 8601.
    ///   - latest: The last allowed date, in ISO 8601.
    ///   - length: The allowed length of a string, in UTF-16 units.
    ///   - pattern: A regular expression that the complete string must match.
    ///   - isSearchable: Whether the store also keeps the text folded, for `[c]` and `[cd]`.
    ///   - transformer: `json`, `plist`, `secure-archive`, or a registered name.
    ///   - renamedFrom: Its name in the previous version.
    ///   - hashModifier: A value that changes the version hash although the structure is the same.
    ///   - userInfo: Free text for tools.
    ///   - file: The source file, for messages.
    ///   - line: The line, for messages.
    ///   - column: The column, for messages.
    public init(
        _ name: String, _ type: AttributeType, optional isOptional: Bool = true,
        default defaultValue: DefaultValue? = nil, transient isTransient: Bool = false,
        external isExternal: Bool = false, externalThresholdBytes: Int? = nil,
        preservedOnDeletion: Bool = false, range: (any NumberBounds)? = nil,
        earliest: String? = nil, latest: String? = nil, length: (any NumberBounds)? = nil,
        pattern: String? = nil, searchable isSearchable: Bool = false, transformer: String? = nil,
        renamedFrom: String? = nil,
        hashModifier: String? = nil, userInfo: [String: String] = [:],
        file: String = #fileID, line: Int = #line, column: Int = #column
    ) {
        description = AttributeDescription(
            name: name, type: type, isOptional: isOptional, isTransient: isTransient,
            allowsExternalBinaryDataStorage: isExternal,
            externalStorageThreshold: externalThresholdBytes,
            preservesValueInHistoryOnDeletion: preservedOnDeletion, range: range?.numberRange,
            length: length?.numberRange, pattern: pattern, isSearchable: isSearchable,
            renamingIdentifier: renamedFrom,
            versionHashModifier: hashModifier, transformerName: transformer, userInfo: userInfo)
        place = SourceLocation(file: file, line: line, column: column, keyPath: name)
        self.defaultValue = defaultValue
        self.earliest = earliest
        self.latest = latest
    }

    /// Declares an attribute that consists of the elements of a composite of the model.
    ///
    /// - Parameters:
    ///   - name: The attribute's name.
    ///   - composite: The composite's name.
    ///   - isOptional: Whether it may have no value.
    ///   - isTransient: Whether it is managed but never stored.
    ///   - preservedOnDeletion: Whether history keeps the values of a deleted object.
    ///   - renamedFrom: Its name in the previous version.
    ///   - hashModifier: A value that changes the version hash although the structure is the same.
    ///   - userInfo: Free text for tools.
    ///   - file: The source file, for messages.
    ///   - line: The line, for messages.
    ///   - column: The column, for messages.
    public init(
        _ name: String, composite: String, optional isOptional: Bool = true,
        transient isTransient: Bool = false, preservedOnDeletion: Bool = false,
        renamedFrom: String? = nil, hashModifier: String? = nil, userInfo: [String: String] = [:],
        file: String = #fileID, line: Int = #line, column: Int = #column
    ) {
        self.init(
            name, .composite, optional: isOptional, transient: isTransient,
            preservedOnDeletion: preservedOnDeletion, renamedFrom: renamedFrom,
            hashModifier: hashModifier, userInfo: userInfo, file: file, line: line, column: column)
        description.compositeName = composite
    }
}

/// The default value of an attribute, as a Swift literal.
///
/// Dates (ISO 8601), UUIDs, URIs, binary data (base64), and decimals are written as text.
public enum DefaultValue: Sendable, Hashable {
    /// An integer.
    case integer(Int64)
    /// A floating-point number.
    case number(Double)
    /// A string, or a value that is written as text.
    case text(String)
    /// A Boolean value.
    case boolean(Bool)
    /// The bytes of binary data.
    case bytes([UInt8])
}

extension DefaultValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByBooleanLiteral
{
    /// Creates a default from an integer literal.
    public init(integerLiteral value: Int64) { self = .integer(value) }

    /// Creates a default from a floating-point literal.
    public init(floatLiteral value: Double) { self = .number(value) }

    /// Creates a default from a string literal.
    public init(stringLiteral value: String) { self = .text(value) }

    /// Creates a default from a Boolean literal.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension DefaultValue {
    /// Returns the value as stored for the type, or `nil` if it is not of that type.
    func stored(as type: AttributeType) -> StoredValue? {
        switch (type, self) {
        case (.integer16, .integer(let value)):
            return Int16(exactly: value) == nil ? nil : .integer(value)
        case (.integer32, .integer(let value)):
            return Int32(exactly: value) == nil ? nil : .integer(value)
        case (.integer64, .integer(let value)): return .integer(value)
        case (.boolean, .boolean(let value)): return .integer(value ? 1 : 0)
        case (.string, .text(let text)): return .text(text)
        case (.double, _): return real.map { .real($0) }
        case (.float, _): return real.map { .real(Double(Float($0))) }
        case (.decimal, .text(let text)): return ScalarText.decimal(text).map { .real($0) }
        case (.decimal, _): return real.flatMap { ScalarText.decimal("\($0)") }.map { .real($0) }
        case (.date, .text(let text)): return ScalarText.date(text).map { .real($0) }
        case (.uuid, .text(let text)): return ScalarText.uuid(text).map { .blob($0) }
        case (.binary, .text(let text)): return ScalarText.base64(text).map { .blob($0) }
        case (.binary, .bytes(let bytes)): return .blob(bytes)
        case (.uri, .text(let text)): return ScalarText.hasScheme(text) ? .text(text) : nil
        default: return nil
        }
    }

    private var real: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value.isFinite ? value : nil
        default: nil
        }
    }
}

/// A range of numbers in Swift syntax: `0...2`, `0...`, `...100`, with integers or fractions.
public protocol NumberBounds: Sendable {
    /// The range with closed ends; a missing end is unbounded.
    var numberRange: NumberRange { get }
}

extension NumberRange: NumberBounds {
    /// The range itself, because it needs no conversion.
    public var numberRange: NumberRange { self }
}

extension ClosedRange: NumberBounds where Bound: NumberBound {
    /// The range with both ends.
    public var numberRange: NumberRange {
        NumberRange(minimum: lowerBound.doubleValue, maximum: upperBound.doubleValue)
    }
}

extension PartialRangeFrom: NumberBounds where Bound: NumberBound {
    /// The range with a lower end only.
    public var numberRange: NumberRange { NumberRange(minimum: lowerBound.doubleValue) }
}

extension PartialRangeThrough: NumberBounds where Bound: NumberBound {
    /// The range with an upper end only.
    public var numberRange: NumberRange { NumberRange(maximum: upperBound.doubleValue) }
}

/// A number that can be an end of an attribute's range.
public protocol NumberBound: Comparable, Sendable {
    /// The number as a `Double`.
    var doubleValue: Double { get }
}

extension Int: NumberBound {
    /// The number as a `Double`.
    public var doubleValue: Double { Double(self) }
}

extension Double: NumberBound {
    /// The number itself.
    public var doubleValue: Double { self }
}
