/// The path from a document to its records, and the current position on it.
struct JSONDocumentPath {
    /// The relation of an object's member to the path.
    enum Meeting {
        /// The member is the next one on the path.
        case ahead
        case elsewhere
        /// The path leads through the member, but also through an earlier one with the same name.
        case twice
    }

    /// The type of value at the end of a path.
    enum Target {
        /// An array of records, or one record.
        case records
        /// `[*]`: an array of records.
        case array
        /// `.*`: an object whose members are the records.
        case members

        /// The text for "is not an array".
        var text: String {
            switch self {
            case .records: "an array of objects or an object"
            case .array: "an array"
            case .members: "an object"
            }
        }
    }

    /// The path as written in the options.
    let text: String
    /// The type of value at the end of the path.
    let target: Target
    private let steps: [FieldPath.Step]
    /// The number of open brackets on the path.
    private(set) var level = 0
    /// For each level, whether its open object has contained a member with the name.
    private var hasMetName: [Bool]

    init(_ text: String, source: String) throws(RecordStreamError) {
        self.text = text
        var (steps, endsInMembers) = try Self.steps(of: text, source: source)
        let endsInElements = steps.last == .each && !endsInMembers
        if endsInElements { steps.removeLast() }
        target = endsInMembers ? .members : endsInElements ? .array : .records
        self.steps = steps
        hasMetName = Array(repeating: false, count: steps.count)
    }

    /// Returns the paths that would read a value with this first byte as records, unlike this one.
    func otherPaths(to byte: UInt8) -> [String] {
        switch (target, byte) {
        case (.array, UInt8(ascii: "{")):
            let owner = String(text.dropLast("[*]".count))
            return ["\(owner).*", owner]
        case (.members, UInt8(ascii: "[")): return [text.dropLast(".*".count) + "[*]"]
        default: return []
        }
    }

    private static func steps(
        of path: String, source: String
    ) throws(RecordStreamError) -> (steps: [FieldPath.Step], endsInMembers: Bool) {
        do {
            return try FieldPath.documentSteps(path)
        } catch {
            throw RecordStreamError(.badPath(path: path, reason: error.reason), in: source)
        }
    }

    /// Whether the next value is the one at the end of the path.
    var isAtEnd: Bool { level >= steps.count }

    /// Whether the innermost open bracket on the path is that of an object; there must be one.
    var isInObject: Bool { steps[level - 1] != .each }

    /// Enters the value that starts with the byte; returns `false` if the path does not lead into a
    /// value of this type.
    mutating func enter(_ byte: UInt8) -> Bool {
        switch (steps[level], byte) {
        case (.name, UInt8(ascii: "{")): hasMetName[level] = false
        case (.each, UInt8(ascii: "[")): break
        default: return false
        }
        level += 1
        return true
    }

    /// Leaves the innermost object or array.
    mutating func leave() {
        level -= 1
    }

    /// Records a member of the innermost object and returns its relation to the path.
    mutating func meet(_ name: String) -> Meeting {
        guard case .name(let wanted) = steps[level - 1], Array(name.utf8) == Array(wanted.utf8)
        else { return .elsewhere }
        if hasMetName[level - 1] { return .twice }
        hasMetName[level - 1] = true
        return .ahead
    }
}
