/// The path from a document to its records, and how far along it the reading is.
struct JSONDocumentPath {
    /// What a member of an object on the path is.
    enum Meeting {
        /// The path leads through it.
        case ahead
        case beside
        /// The path leads through it, and through one of the same name before.
        case twice
    }

    /// What must be at the end of a path.
    enum Target {
        /// An array of records, or one record.
        case records
        /// `[*]`: an array of records.
        case array
        /// `.*`: an object whose members are the records.
        case members

        /// As in "is not an array".
        var text: String {
            switch self {
            case .records: "an array of objects or an object"
            case .array: "an array"
            case .members: "an object"
            }
        }
    }

    /// As the options have it.
    let text: String
    /// What must be at the end of the path.
    let target: Target
    private let steps: [FieldPath.Step]
    /// The brackets open on the path.
    private(set) var level = 0
    /// Whether the name of a level was met in the object that is open there.
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

    /// The paths that take a value with that first byte for records, where this one does not.
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

    /// Whether the next value is what the path leads to.
    var isAtEnd: Bool { level >= steps.count }

    /// Whether the innermost bracket on the path is that of an object; there must be one.
    var isInObject: Bool { steps[level - 1] != .each }

    /// Steps into the value that begins with the byte, where the path leads into such a one.
    mutating func enter(_ byte: UInt8) -> Bool {
        switch (steps[level], byte) {
        case (.name, UInt8(ascii: "{")): hasMetName[level] = false
        case (.each, UInt8(ascii: "[")): break
        default: return false
        }
        level += 1
        return true
    }

    /// Steps out of the innermost object or array.
    mutating func leave() {
        level -= 1
    }

    /// Takes note of a member of the innermost object.
    mutating func meet(_ name: String) -> Meeting {
        guard case .name(let wanted) = steps[level - 1], Array(name.utf8) == Array(wanted.utf8)
        else { return .beside }
        if hasMetName[level - 1] { return .twice }
        hasMetName[level - 1] = true
        return .ahead
    }
}
