import Diagnostics

/// One attribute of an entity that is written in Swift.
public struct Attribute: Sendable {
    var description: AttributeDescription
    var place: SourceLocation
    let defaultValue: DefaultValue?
    let earliest: String?
    let latest: String?

    /// Declares an attribute; what is left out has Core Data's default.
    ///
    /// - Parameters:
    ///   - name: the attribute's name.
    ///   - type: the type of its values.
    ///   - isOptional: whether it may have no value.
    ///   - defaultValue: what a new object starts with.
    ///   - isTransient: managed, but never stored.
    ///   - isExternal: large values may live in files beside the store.
    ///   - externalThresholdBytes: how large a value must be for that; nil is 128 KiB.
    ///   - preservedOnDeletion: history keeps the value of a deleted object.
    ///   - range: the numbers allowed, ends included: `0...2`, `0...`, `...100`.
    ///   - earliest: the first date allowed, in ISO 8601.
    ///   - latest: the last date allowed, in ISO 8601.
    ///   - length: of text, in UTF-16 units.
    ///   - pattern: a regular expression that the whole text must match.
    ///   - isSearchable: the store keeps the text folded, for `[c]` and `[cd]`.
    ///   - transformer: `json`, `plist`, `secure-archive` or a registered name.
    ///   - renamedFrom: its name in the version before.
    ///   - hashModifier: forces a new version hash although the shape is the same.
    ///   - userInfo: free text for tools.
    ///   - file: the source file, for messages.
    ///   - line: the line, for messages.
    ///   - column: the column, for messages.
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
    ///   - name: the attribute's name.
    ///   - composite: the composite's name.
    ///   - isOptional: whether it may have no value.
    ///   - isTransient: managed, but never stored.
    ///   - preservedOnDeletion: history keeps the values of a deleted object.
    ///   - renamedFrom: its name in the version before.
    ///   - hashModifier: forces a new version hash although the shape is the same.
    ///   - userInfo: free text for tools.
    ///   - file: the source file, for messages.
    ///   - line: the line, for messages.
    ///   - column: the column, for messages.
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

/// What a new object starts with, as a literal of Swift.
///
/// Dates (ISO 8601), UUIDs, URIs, binaries (base64) and decimals are written as text.
public enum DefaultValue: Sendable, Hashable {
    /// A whole number.
    case integer(Int64)
    /// A number with a fraction.
    case number(Double)
    /// Text, or what is written as text.
    case text(String)
    /// True or false.
    case boolean(Bool)
    /// Bytes of a binary.
    case bytes([UInt8])
}

extension DefaultValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByBooleanLiteral
{
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }

    /// A number with a fraction.
    public init(floatLiteral value: Double) { self = .number(value) }

    /// Text, or what is written as text.
    public init(stringLiteral value: String) { self = .text(value) }

    /// True or false.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension DefaultValue {
    /// The value as a column of the type holds it, or nil where it is none of that type.
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

/// A range of numbers in Swift's spelling: `0...2`, `0...`, `...100`, whole or with fractions.
public protocol NumberBounds: Sendable {
    /// The same as a closed range, open at the ends that it does not have.
    var numberRange: NumberRange { get }
}

extension NumberRange: NumberBounds {
    /// Itself.
    public var numberRange: NumberRange { self }
}

extension ClosedRange: NumberBounds where Bound: NumberBound {
    /// Both ends.
    public var numberRange: NumberRange {
        NumberRange(minimum: lowerBound.doubleValue, maximum: upperBound.doubleValue)
    }
}

extension PartialRangeFrom: NumberBounds where Bound: NumberBound {
    /// The lower end.
    public var numberRange: NumberRange { NumberRange(minimum: lowerBound.doubleValue) }
}

extension PartialRangeThrough: NumberBounds where Bound: NumberBound {
    /// The upper end.
    public var numberRange: NumberRange { NumberRange(maximum: upperBound.doubleValue) }
}

/// A number that may end a range of an attribute.
public protocol NumberBound: Comparable, Sendable {
    /// The number.
    var doubleValue: Double { get }
}

extension Int: NumberBound {
    /// The number.
    public var doubleValue: Double { Double(self) }
}

extension Double: NumberBound {
    /// The number.
    public var doubleValue: Double { self }
}
