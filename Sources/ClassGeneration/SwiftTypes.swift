import GraphModel

/// The spelling of type names in generated code.
///
/// A type that a class of the model hides is written with its module.
struct SwiftTypes {
    /// The class of objects whose entity has no custom class.
    static let base = "ManagedObject"

    /// The modules of the types that generated code uses.
    private static let modules: [String: String] = [
        "AttributeKey": "GraphStore", "Bool": "Swift", "Codable": "Swift", "Data": "Foundation",
        "Date": "Foundation", "Decimal": "Foundation", "Double": "Swift", "Float": "Swift",
        "Hashable": "Swift", "Identifiable": "Swift", "Int": "Swift", "Int16": "Swift",
        "Int32": "Swift",
        "Int64": "Swift", "Key": "GraphModel", "ManagedObject": "GraphStore",
        "ManagedObjectID": "GraphModel", "ObjectKeys": "GraphStore", "Ref": "GraphStore",
        "Sendable": "Swift", "Sequence": "Swift", "Set": "Swift", "StoredValue": "GraphModel",
        "String": "Swift",
        "ToManyKey": "GraphStore", "ToManyPath": "GraphStore", "ToOneKey": "GraphStore",
        "ToOnePath": "GraphStore", "TransformableKey": "GraphStore", "URL": "Foundation",
        "UUID": "Foundation",
    ]

    /// The names of the model's classes.
    let classNames: Set<String>

    /// Returns the name of a library type, with its module if a class of the model hides it.
    func name(of type: String) -> String {
        guard classNames.contains(type), let module = Self.modules[type] else { return type }
        return "\(module).\(type)"
    }

    /// Returns the name of a model's class or of the library's base class.
    func className(_ name: String) -> String {
        name == Self.base && !classNames.contains(name)
            ? name : name == Self.base ? self.name(of: name) : SwiftName.escaped(name)
    }

    /// Returns the type of an attribute, without the question mark.
    func name(of attribute: AttributeDescription) -> String {
        name(of: attribute.type.swiftName)
    }

    /// Returns the module of a type.
    static func module(of type: String) -> String? { modules[type] }
}

extension AttributeType {
    /// The type in accessors; a composite has accessors for its elements instead.
    var swiftName: String {
        switch self {
        case .integer16: "Int16"
        case .integer32: "Int32"
        case .integer64: "Int64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Bool"
        case .date: "Date"
        case .binary, .transformable: "Data"
        case .uuid: "UUID"
        case .uri: "URL"
        case .undefined, .composite: "StoredValue"
        }
    }
}
