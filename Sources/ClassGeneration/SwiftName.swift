import GraphModel

/// The conversion of a model's names to Swift names.
enum SwiftName {
    /// Keywords that need backticks in a declaration.
    private static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "as", "associatedtype", "await", "borrowing", "break",
        "case", "catch", "class", "consuming", "continue", "default", "defer", "deinit", "do",
        "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard",
        "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "nonisolated",
        "open", "operator", "package", "precedencegroup", "private", "protocol", "public",
        "repeat", "rethrows", "return", "self", "sending", "static", "struct", "subscript",
        "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// Names that a generated property cannot have.
    ///
    /// They are members of every managed object, and types generated next to the accessors.
    static let taken: Set<String> = [
        "Keys", "Protocol", "Row", "Type", "changedKeys", "entityName", "hasChanges",
        "hasPersistentChangedValues",
        "hashValue", "isDeleted", "isFault", "isInserted", "isUpdated", "managedObjectContext",
        "objectID", "self",
    ]

    /// Names that a class cannot have, because the generated code uses them with another meaning.
    static let reservedClasses: Set<String> = [
        "Any", "Foundation", "GraphModel", "GraphStore", "ID", "KeyedObject", "Keys", "Protocol",
        "Row", "Seed", "Self", "Swift", "Type", "init", "self",
    ]

    /// Types that code near the classes often uses, with their modules.
    ///
    /// A class of the same name hides the type, which causes a warning.
    static let modulesOfHiddenTypes: [String: String] = {
        let names = [
            "Swift": [
                "Array", "Bool", "Character", "Collection", "Decoder", "Dictionary", "Double",
                "Duration", "Encoder", "Error", "Float", "Hasher", "Identifiable", "Int", "Mirror",
                "Never", "Optional", "Range", "Result", "Sequence", "Set", "Slice", "String",
                "Substring",
            ],
            "_Concurrency": [
                "Actor", "AsyncSequence", "AsyncStream", "Clock", "Executor", "MainActor", "Task",
                "TaskGroup", "TaskLocal",
            ],
            "_StringProcessing": ["Regex"],
            "Foundation": [
                "AttributedString", "Bundle", "Calendar", "CharacterSet", "Data", "Date",
                "DateComponents", "DateFormatter", "DateInterval", "Decimal", "Dimension",
                "Expression", "FileHandle", "FileManager", "FormatStyle", "Formatter", "Host",
                "IndexPath", "IndexSet", "InputStream", "JSONDecoder", "JSONEncoder", "Locale",
                "LocalizedError", "Measurement", "Notification", "NotificationCenter",
                "NumberFormatter", "Operation", "OperationQueue", "OutputStream",
                "PersonNameComponents", "Pipe", "Port", "Predicate", "Process", "ProcessInfo",
                "Progress", "RunLoop", "Scanner", "SortDescriptor", "SortOrder", "Stream", "Thread",
                "TimeInterval", "TimeZone", "Timer", "URL", "URLComponents", "URLQueryItem",
                "UUID", "UndoManager", "Unit",
                "UserDefaults",
            ],
            "ObjectiveC": ["Selector"],
        ]
        return names.reduce(into: [:]) { modules, entry in
            for name in entry.value { modules[name] = entry.key }
        }
    }()

    /// Returns a property's name in Swift.
    ///
    /// A name that clashes gets the suffix `Value`, and a keyword gets backticks. The element
    /// `magnitude.richter` of a composite becomes `magnitudeRichter`.
    static func property(_ path: String) -> String {
        let parts = path.keyPath
        let name = (parts.prefix(1) + parts.dropFirst().map(capitalized)).joined()
        if taken.contains(name) || name.allSatisfy({ $0 == "_" }) { return "\(name)Value" }
        return escaped(name)
    }

    /// Returns the name, in backticks if it is a keyword.
    static func escaped(_ name: String) -> String {
        keywords.contains(name) ? "`\(name)`" : name
    }

    /// Returns whether a name is in lower camel case, which linters require for variables.
    static func isLowerCamelCase(_ name: String) -> Bool {
        guard let first = name.first else { return true }
        return !first.isUppercase && !name.contains("_")
    }

    /// Returns the name with its first letter in uppercase, as it follows a verb in `addToTags`.
    static func capitalized(_ name: String) -> String {
        name.prefix(1).uppercased() + name.dropFirst()
    }
}
