import GraphModel

/// How types are written where a model's own classes may have the same names.
struct SwiftTypes {
    /// The class of objects that have none of their own.
    static let base = "ManagedObject"

    /// The modules of the types that generated code names.
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

    /// The classes of the model.
    let classNames: Set<String>

    /// A type of a library, with its module where a class of the model hides it.
    func name(of type: String) -> String {
        guard classNames.contains(type), let module = Self.modules[type] else { return type }
        return "\(module).\(type)"
    }

    /// A class of the model, or the library's own.
    func className(_ name: String) -> String {
        name == Self.base && !classNames.contains(name)
            ? name : name == Self.base ? self.name(of: name) : SwiftName.escaped(name)
    }

    /// An attribute's type, without the question mark.
    func name(of attribute: AttributeDescription) -> String {
        name(of: attribute.type.swiftName)
    }

    /// The module that a type comes from.
    static func module(of type: String) -> String? { modules[type] }
}

extension AttributeType {
    /// The type that accessors have; composites have accessors for their elements.
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
