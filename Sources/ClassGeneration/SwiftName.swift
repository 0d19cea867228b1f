import GraphModel

/// Names of a model as Swift takes them.
enum SwiftName {
    /// Words that need backticks where a name is declared.
    private static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "as", "associatedtype", "await", "borrowing", "break",
        "case", "catch", "class", "consuming", "continue", "default", "defer", "deinit", "do",
        "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard",
        "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "nonisolated",
        "open", "operator", "package", "precedencegroup", "private", "protocol", "public",
        "repeat", "rethrows", "return", "self", "sending", "static", "struct", "subscript",
        "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// What every object has already, and what is generated beside the accessors.
    static let taken: Set<String> = [
        "Keys", "Protocol", "Row", "Type", "changedKeys", "entityName", "hasChanges",
        "hasPersistentChangedValues",
        "hashValue", "isDeleted", "isFault", "isInserted", "isUpdated", "managedObjectContext",
        "objectID", "self",
    ]

    /// Classes that cannot have these names: the generated code means something else by them.
    static let refusedClasses: Set<String> = [
        "Any", "Foundation", "GraphModel", "GraphStore", "ID", "KeyedObject", "Keys", "Protocol",
        "Row", "Seed", "Self", "Swift", "Type", "init", "self",
    ]

    /// Types that code beside the classes is likely to use, with their modules.
    static let modulesOfHiddenTypes: [String: String] = {
        let names = [
            "Swift": [
                "Array", "Character", "Collection", "Dictionary", "Duration", "Error", "Optional",
                "Range", "Result", "Sequence", "Set", "String",
            ],
            "_Concurrency": ["Actor", "Clock", "Executor", "MainActor", "Task", "TaskGroup"],
            "Foundation": [
                "Calendar", "Data", "Date", "DateInterval", "Decimal", "Locale", "Measurement",
                "Notification", "Operation", "Process", "Thread", "TimeZone", "Timer", "Unit",
                "URL",
                "UUID",
            ],
        ]
        return names.reduce(into: [:]) { modules, entry in
            for name in entry.value { modules[name] = entry.key }
        }
    }()

    /// A property's name in Swift: what clashes gets the suffix `Value`, keywords get backticks;
    /// the element `magnitude.richter` of a composite is `magnitudeRichter`.
    static func property(_ path: String) -> String {
        let parts = path.keyPath
        let name = (parts.prefix(1) + parts.dropFirst().map(capitalized)).joined()
        if taken.contains(name) || name.allSatisfy({ $0 == "_" }) { return "\(name)Value" }
        return escaped(name)
    }

    /// The name in backticks where it is a keyword.
    static func escaped(_ name: String) -> String {
        keywords.contains(name) ? "`\(name)`" : name
    }

    /// Whether a linter takes the name of a variable as one.
    static func isLowerCamelCase(_ name: String) -> Bool {
        guard let first = name.first else { return true }
        return !first.isUppercase && !name.contains("_")
    }

    /// The name after a verb, as in `addToTags`.
    static func capitalized(_ name: String) -> String {
        name.prefix(1).uppercased() + name.dropFirst()
    }
}
