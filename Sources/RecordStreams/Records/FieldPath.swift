/// A path to a value inside a record: `owner.email`, `tags[*]`, `items[*].sku`, `a\.b`.
///
/// Dots separate names; `[*]` selects every element of a list; the character after a backslash is
/// literal. In CSV, the text is the name of a column, either unchanged or without its backslashes
/// (see `columnName`). In JSON, if the path leads to nothing, it also finds a member whose name is
/// the text (see `flatSteps`).
package struct FieldPath: Sendable, Hashable {
    /// One step from a value to a value inside it.
    package enum Step: Sendable, Hashable {
        /// Selects the member of an object.
        case name(String)
        /// Selects every element of a list.
        case each
    }

    /// The steps from the record; never empty.
    package let steps: [Step]
    /// The original text of the path.
    package let text: String

    /// Parses a path.
    package init(parsing text: String) throws(FieldPathError) {
        self.text = text
        steps = try Self.parse(text)
        guard case .name? = steps.first else {
            throw FieldPathError(text: text, reason: "it must start with a name", offset: 0)
        }
    }

    /// Creates the path to one member of the record; its name may contain any characters.
    package init(name: String) {
        text = name
        steps = [.name(name)]
    }

    /// The steps with the leading names joined by dots into one name, as in tables and flat
    /// exports: `owner.email` is a member `owner.email` of records without an `owner`.
    ///
    /// `nil` if there is only one leading name.
    var flatSteps: (name: String, rest: ArraySlice<Step>)? {
        let names = namesBeforeList
        guard names.count > 1 else { return nil }
        return (names.joined(separator: "."), steps[names.count...])
    }

    private var namesBeforeList: [String] {
        var names: [String] = []
        for step in steps {
            guard case .name(let name) = step else { break }
            names.append(name)
        }
        return names
    }

    /// The paths to the lists on this path, from the outermost to the innermost.
    package var lists: [FieldPath] {
        steps.indices.filter { $0 > 0 && steps[$0] == .each }.map {
            FieldPath(steps: Array(steps[..<$0]))
        }
    }

    private init(steps: [Step]) {
        self.steps = steps
        text = Self.text(of: steps)
    }

    /// The number of names before the first list.
    var leadingNames: Int { steps.prefix { $0 != .each }.count }

    /// The name of the path's column in a table, without backslashes.
    ///
    /// For both `a\.b` and `a.b`, this is the column `a.b`. `nil` if the path contains a list.
    package var columnName: String? {
        let names = namesBeforeList
        return names.count == steps.count ? names.joined(separator: ".") : nil
    }

    /// Returns whether the steps are the same, byte by byte: `String` treats canonically equivalent
    /// names as equal, but they are different names.
    func leadsToSamePlace(as other: FieldPath) -> Bool {
        Self.isSame(ArraySlice(steps), ArraySlice(other.steps))
    }

    /// Returns whether the steps are the same, byte by byte.
    static func isSame(_ steps: ArraySlice<Step>, _ others: ArraySlice<Step>) -> Bool {
        steps.count == others.count
            && zip(steps, others).allSatisfy { pair in
                switch pair {
                case (.each, .each): true
                case (.name(let left), .name(let right)): left.utf8.elementsEqual(right.utf8)
                default: false
                }
            }
    }

    /// Returns the text of the path with these steps.
    ///
    /// A member of the record itself needs no escapes for dots.
    static func text(of steps: [Step]) -> String {
        var text = ""
        for step in steps {
            switch step {
            case .name(let name):
                let isWhole = steps.count == 1 && !name.contains("[") && !name.contains("\\")
                text += (text.isEmpty ? "" : ".") + (isWhole ? name : escaped(name))
            case .each: text += "[*]"
            }
        }
        return text
    }

    /// Returns the name with a backslash before each character that would end it.
    package static func escaped(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            if scalar == "." || scalar == "[" || scalar == "\\" { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(scalar)
        }
        return text
    }

    static let stepsMax = 64

    static func parse(_ text: String) throws(FieldPathError) -> [Step] {
        var steps: [Step] = []
        var name = ""
        var expectsName = true
        var hasName = false
        var rest = Substring(text).unicodeScalars
        var offset = -1
        func fault(_ reason: String, at offset: Int) -> FieldPathError {
            FieldPathError(text: text, reason: reason, offset: offset)
        }
        while let scalar = rest.popFirst() {
            offset += 1
            switch scalar {
            case "\\":
                guard let next = rest.popFirst() else {
                    throw fault("it ends with a backslash", at: offset)
                }
                guard expectsName else { throw fault("a dot must follow ']'", at: offset) }
                offset += 1
                name.unicodeScalars.append(next)
                hasName = true
            case ".":
                if hasName {
                    steps.append(.name(name))
                } else if expectsName {
                    throw fault("a name is empty", at: offset)
                }
                name = ""
                hasName = false
                expectsName = true
            case "[":
                guard rest.popFirst() == "*", rest.popFirst() == "]" else {
                    throw fault("only [*] may follow a name", at: offset)
                }
                if hasName {
                    steps.append(.name(name))
                } else if expectsName && !steps.isEmpty {
                    throw fault("a name is empty", at: offset)
                }
                offset += 2
                name = ""
                hasName = false
                expectsName = false
                steps.append(.each)
            default:
                guard expectsName else { throw fault("a dot must follow ']'", at: offset) }
                name.unicodeScalars.append(scalar)
                hasName = true
            }
        }
        if hasName {
            steps.append(.name(name))
        } else if expectsName {
            throw fault(text.isEmpty ? "it is empty" : "a name is empty", at: offset + 1)
        }
        guard steps.count <= stepsMax else {
            throw fault("it has more than \(stepsMax) steps", at: 0)
        }
        return steps
    }

    /// Parses the path from a document to its records: `$`, `$[*]`, `$.data.items[*]`, `$.tasks.*`.
    ///
    /// - Returns: the steps, and whether the records are the members of the object at their end.
    package static func documentSteps(
        _ text: String
    ) throws(FieldPathError) -> (steps: [Step], endsInMembers: Bool) {
        let ending = ".*"
        // After an odd number of backslashes, the dot is part of a name.
        let before = text.dropLast(ending.count)
        guard text.hasSuffix(ending), before.reversed().prefix(while: { $0 == "\\" }).count % 2 == 0
        else {
            try rejectStars(in: text)
            return (try plainDocumentSteps(text), false)
        }
        try rejectStars(in: String(before))
        return (try plainDocumentSteps(String(before)), true)
    }

    /// Throws if `*` replaces a name before the end, because it would look like a wildcard.
    private static func rejectStars(in text: String) throws(FieldPathError) {
        let scalars = Array(text.unicodeScalars)
        for index in scalars.indices.dropLast(2)
        where scalars[index] == "." && scalars[index + 1] == "*"
            && [".", "["].contains(scalars[index + 2]) && (index == 0 || scalars[index - 1] != "\\")
        {
            throw FieldPathError(
                text: text, reason: "'*' is allowed only at the end", offset: index + 1)
        }
    }

    private static func plainDocumentSteps(_ text: String) throws(FieldPathError) -> [Step] {
        guard text.hasPrefix("$") else {
            throw FieldPathError(text: text, reason: "it must start with '$'", offset: 0)
        }
        var rest = text.dropFirst()
        if rest.isEmpty { return [] }
        if rest.hasPrefix(".") {
            rest = rest.dropFirst()
        } else if !rest.hasPrefix("[") {
            throw FieldPathError(text: text, reason: "a dot must follow '$'", offset: 1)
        }
        do {
            return try parse(String(rest))
        } catch {
            let before = text.unicodeScalars.count - rest.unicodeScalars.count
            throw FieldPathError(
                text: text, reason: rest.isEmpty ? "a name is empty" : error.reason,
                offset: before + error.offset)
        }
    }
}

extension FieldPath {
    /// Returns whether both paths have the same bytes.
    package static func == (left: FieldPath, right: FieldPath) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8) && left.steps.count == right.steps.count
    }

    /// Hashes the bytes of the text.
    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

/// The reason why a text is not a valid path.
package struct FieldPathError: Error, Sendable, Hashable {
    /// The invalid text.
    package let text: String
    /// The rest of a sentence that starts with "The path '…' is not valid: ".
    package let reason: String
    /// The index of the invalid scalar in the text, from zero.
    package let offset: Int
}
