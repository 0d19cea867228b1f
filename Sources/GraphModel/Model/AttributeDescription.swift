/// The type of an attribute, with Core Data's names.
///
/// The raw value is the name in model files; `code` is the number in version hashes and archived
/// models.
public enum AttributeType: String, Sendable, Hashable, Codable, CaseIterable {
    /// A 16-bit integer.
    case integer16 = "Integer 16"
    /// A 32-bit integer.
    case integer32 = "Integer 32"
    /// A 64-bit integer.
    case integer64 = "Integer 64"
    /// A decimal number.
    case decimal = "Decimal"
    /// A 64-bit floating-point number.
    case double = "Double"
    /// A 32-bit floating-point number.
    case float = "Float"
    /// A string.
    case string = "String"
    /// A Boolean value.
    case boolean = "Boolean"
    /// A point in time.
    case date = "Date"
    /// Binary data, which can be stored in an external file.
    case binary = "Binary"
    /// A UUID of 16 bytes.
    case uuid = "UUID"
    /// A URI, stored as text.
    case uri = "URI"
    /// A value that a transformer converts to bytes.
    case transformable = "Transformable"
    /// Several values under one name, as defined by `compositeName`.
    case composite = "Composite"
    /// No type; valid only for transient attributes.
    case undefined = "Undefined"

    /// The raw value of `NSAttributeType`.
    public var code: Int32 {
        switch self {
        case .undefined: 0
        case .integer16: 100
        case .integer32: 200
        case .integer64: 300
        case .decimal: 400
        case .double: 500
        case .float: 600
        case .string: 700
        case .boolean: 800
        case .date: 900
        case .binary: 1000
        case .uuid: 1100
        case .uri: 1200
        case .transformable: 1800
        case .composite: 2100
        }
    }
}

/// A closed range of numbers; an end that is `nil` is unbounded.
public struct NumberRange: Sendable, Hashable, Codable {
    /// The smallest allowed value.
    public var minimum: Double?
    /// The largest allowed value.
    public var maximum: Double?

    /// Creates a range; an end that is `nil` is unbounded.
    public init(minimum: Double? = nil, maximum: Double? = nil) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// Returns whether the value is in the range, ends included.
    public func contains(_ value: Double) -> Bool {
        if let minimum, value < minimum { return false }
        if let maximum, value > maximum { return false }
        return !value.isNaN
    }
}

/// An attribute of an entity.
public struct AttributeDescription: Sendable, Hashable, Codable {
    /// The attribute's name.
    public var name: String
    /// The attribute's type.
    public var type: AttributeType
    /// Whether `nil` can be saved; true by default, as in Core Data.
    public var isOptional: Bool
    /// The value of a new object, as the column stores it.
    public var defaultValue: StoredValue?
    /// Whether it is managed but never stored.
    public var isTransient: Bool
    /// Whether large values can be stored in files next to the store.
    public var allowsExternalBinaryDataStorage: Bool
    /// The maximum size in bytes of a value that a save keeps in the store; `nil` is 128 KiB.
    ///
    /// It applies if `allowsExternalBinaryDataStorage` is set. Imports keep all values in the
    /// store.
    public var externalStorageThreshold: Int?
    /// Whether history keeps the value when the object is deleted.
    public var preservesValueInHistoryOnDeletion: Bool
    /// The allowed numbers, or the allowed dates in seconds since 2001.
    public var range: NumberRange?
    /// The allowed length of a string in UTF-16 units, as in Foundation.
    public var length: NumberRange?
    /// A regular expression that the complete string must match.
    public var pattern: String?
    /// The rules in the archived model of a store, with the value as `SELF`.
    ///
    /// Rules for lengths, ranges, and patterns are also in `length`, `range`, and `pattern`. The
    /// others are kept, but not enforced.
    @EmptyByDefault public var validationRules: [ValidationRule] = []
    /// Core Data's derivation expression, such as `tasks.@count`.
    public var derivationExpression: String?
    /// Whether stores of this library also keep the text folded, for `[cd]` searches.
    public var isSearchable: Bool
    /// The attribute's name in the previous version.
    public var renamingIdentifier: String?
    /// A value that changes the version hash although the structure is the same.
    public var versionHashModifier: String?
    /// `json`, `plist`, `secure-archive`, or a registered name.
    public var transformerName: String?
    /// Strings by name that the library keeps and does not use, for the app and its tools.
    public var userInfo: [String: String]
    /// The composite of the model that defines an attribute of type `Composite`.
    public var compositeName: String?
    /// Contents of a model file that have no property here, by their keys in the file.
    @EmptyByDefault public var extras: [String: String]
    /// Whether a decimal keeps all its digits, as canonical text; `nil` is false.
    ///
    /// Only a store with exact decimals sets it, never a model file; see
    /// `ManagedObjectModel.keepingExactDecimals(_:)`.
    package var keepsDigits: Bool?
    /// The path of the optional composite in which this element is required.
    ///
    /// If that composite has any value, this element must have one, too.
    ///
    /// The model computes it; it is never declared. `nil` for all other attributes.
    package var requiredBeside: String?

    /// Creates an attribute; all arguments except name and type have Core Data's defaults.
    public init(
        name: String, type: AttributeType, isOptional: Bool = true,
        defaultValue: StoredValue? = nil, isTransient: Bool = false,
        allowsExternalBinaryDataStorage: Bool = false, externalStorageThreshold: Int? = nil,
        preservesValueInHistoryOnDeletion: Bool = false, range: NumberRange? = nil,
        length: NumberRange? = nil, pattern: String? = nil, derivationExpression: String? = nil,
        isSearchable: Bool = false, renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil, transformerName: String? = nil,
        userInfo: [String: String] = [:], compositeName: String? = nil,
        extras: [String: String] = [:]
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.defaultValue = defaultValue
        self.isTransient = isTransient
        self.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
        self.externalStorageThreshold = externalStorageThreshold
        self.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
        self.range = range
        self.length = length
        self.pattern = pattern
        self.derivationExpression = derivationExpression
        self.isSearchable = isSearchable
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.transformerName = transformerName
        self.userInfo = userInfo
        self.compositeName = compositeName
        self.extras = extras
    }
}

extension AttributeDescription {
    /// The key under which Xcode's models store the type of a Transformable's values ("Custom
    /// Class").
    package static let valueTypeKey = "customClassName"

    /// The Swift type of a Transformable's values, if the model names one that is not Apple's.
    package var valueTypeName: String? {
        guard type == .transformable, let name = extras[Self.valueTypeKey],
            !name.hasPrefix("NS"), !name.hasPrefix("UI"), !name.isEmpty
        else { return nil }
        return name
    }

    /// Whether only the attribute's name is known, because its type could not be read.
    package var isDoubtful: Bool { type == .undefined && !isTransient }

    /// Whether records and requests can set it: it is stored, and no expression derives it.
    package var takesValues: Bool { !isTransient && derivationExpression == nil }

    /// Whether a new object is invalid until a value is set.
    package var needsValue: Bool { takesValues && !isOptional && defaultValue == nil }

    /// Whether it is a decimal whose column holds canonical text.
    package var isExactDecimal: Bool { type == .decimal && keepsDigits == true }
}
