/// The type of an attribute, by Core Data's names.
///
/// The raw value is the name that model files use; `code` is the number that version hashes and
/// archived models use.
public enum AttributeType: String, Sendable, Hashable, Codable, CaseIterable {
    /// Whole numbers of 16 bits.
    case integer16 = "Integer 16"
    /// Whole numbers of 32 bits.
    case integer32 = "Integer 32"
    /// Whole numbers of 64 bits.
    case integer64 = "Integer 64"
    /// Numbers by their decimal digits.
    case decimal = "Decimal"
    /// Numbers of 64 bits with a fraction.
    case double = "Double"
    /// Numbers of 32 bits with a fraction.
    case float = "Float"
    /// Text.
    case string = "String"
    /// True or false.
    case boolean = "Boolean"
    /// A moment.
    case date = "Date"
    /// Bytes, which may live in a file of their own.
    case binary = "Binary"
    /// Sixteen bytes that identify something.
    case uuid = "UUID"
    /// An address, kept as text.
    case uri = "URI"
    /// What a transformer makes bytes of.
    case transformable = "Transformable"
    /// Several values under one name, as `compositeName` says.
    case composite = "Composite"
    /// Lawful for transient attributes alone.
    case undefined = "Undefined"

    /// `NSAttributeType`'s number.
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

/// A closed range of numbers, open at the ends that are nil.
public struct NumberRange: Sendable, Hashable, Codable {
    /// The smallest value allowed.
    public var minimum: Double?
    /// The largest value allowed.
    public var maximum: Double?

    /// Creates a range; nil leaves that end open.
    public init(minimum: Double? = nil, maximum: Double? = nil) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// Whether the value lies inside, ends included.
    public func contains(_ value: Double) -> Bool {
        if let minimum, value < minimum { return false }
        if let maximum, value > maximum { return false }
        return !value.isNaN
    }
}

/// One attribute of an entity.
public struct AttributeDescription: Sendable, Hashable, Codable {
    /// The attribute's name.
    public var name: String
    /// Its type.
    public var type: AttributeType
    /// Whether nil may be saved; true as in Core Data.
    public var isOptional: Bool
    /// What a new object starts with, as the column stores it.
    public var defaultValue: StoredValue?
    /// Managed but never stored.
    public var isTransient: Bool
    /// Large binaries may live in files beside the store.
    public var allowsExternalBinaryDataStorage: Bool
    /// A value of more bytes goes to a file when an object is saved; nil is 128 KiB.
    ///
    /// It applies if `allowsExternalBinaryDataStorage` is set. Imports keep values in the store.
    public var externalStorageThreshold: Int?
    /// History keeps the value when the object is deleted.
    public var preservesValueInHistoryOnDeletion: Bool
    /// Numbers: the values allowed; dates: in seconds since 2001.
    public var range: NumberRange?
    /// Text: allowed length in UTF-16 units, as Foundation counts.
    public var length: NumberRange?
    /// Text: a regular expression that the whole value must match.
    public var pattern: String?
    /// Rules on the value, as the archived model of a store states them, with the value as `SELF`.
    ///
    /// Lengths, ranges, and patterns among them are in `length`, `range`, and `pattern`, too. The
    /// others are kept, but not enforced.
    @EmptyByDefault public var validationRules: [ValidationRule] = []
    /// Core Data's derivation expression, such as `tasks.@count`.
    public var derivationExpression: String?
    /// A folded copy is kept for `[cd]` searches, in our own stores.
    public var isSearchable: Bool
    /// The attribute's name in the version before.
    public var renamingIdentifier: String?
    /// Forces a new version hash although the shape is the same.
    public var versionHashModifier: String?
    /// `json`, `plist`, `secure-archive` or a registered name.
    public var transformerName: String?
    /// Free text for tools.
    public var userInfo: [String: String]
    /// The model's composite that an attribute of type `Composite` consists of.
    public var compositeName: String?
    /// What a model file says beyond this, by the file's own names.
    @EmptyByDefault public var extras: [String: String]
    /// A decimal's digits are all kept, as canonical text; nil is false.
    ///
    /// Said by the store that was made so, never by a model file; see
    /// `ManagedObjectModel.keepingExactDecimals()`.
    package var keepsDigits: Bool?
    /// An element of an optional composite: the path of the composite that may have no value
    /// without this one.
    ///
    /// Worked out by the model, never declared.
    package var requiredBeside: String?

    /// Creates an attribute; everything but name and type has Core Data's default.
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
    /// Where models of Xcode name the type of a Transformable's values ("Custom Class").
    package static let valueTypeKey = "customClassName"

    /// The Swift type of a Transformable's values, if the model names one that is not Apple's own.
    package var valueTypeName: String? {
        guard type == .transformable, let name = extras[Self.valueTypeKey],
            !name.hasPrefix("NS"), !name.hasPrefix("UI"), !name.isEmpty
        else { return nil }
        return name
    }

    /// Whether only its name is known: no store has a column of such a type.
    package var isDoubtful: Bool { type == .undefined && !isTransient }

    /// Whether records and requests can set it: a store keeps it, and no expression derives it.
    package var takesValues: Bool { !isTransient && derivationExpression == nil }

    /// Whether a new object is invalid unless something sets it.
    package var needsValue: Bool { takesValues && !isOptional && defaultValue == nil }

    /// Whether it is a decimal whose column holds canonical text.
    package var isExactDecimal: Bool { type == .decimal && keepsDigits == true }
}
