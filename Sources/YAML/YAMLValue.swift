package import Diagnostics

/// A value of a file that is being read, with its location and the list for its problems.
///
/// The typed getters report a value of another type and return `nil`, so that a reader can continue
/// and find further problems:
/// ```
/// let stage = item.mapping()
/// let name = stage?.required("import")?.text()
/// let rows = stage?.optional("save-every")?.integer(in: 1...Int64.max)
/// stage?.finish()
/// ```
package struct YAMLValue {
    /// The node of the value.
    package let node: YAMLNode
    /// The location of the value.
    package let location: SourceLocation
    /// The name in messages: the key, with the item's index in a list.
    package let label: String
    /// The list that receives problems.
    package let problems: YAMLProblems

    /// Creates a value for the root of a file, or for a node that is embedded in another file.
    package init(
        root node: YAMLNode, problems: YAMLProblems, keyPath: String = "", label: String = "file"
    ) {
        self.init(node, keyPath, label, problems)
    }

    init(_ node: YAMLNode, _ keyPath: String, _ label: String, _ problems: YAMLProblems) {
        self.node = node
        self.label = label
        self.problems = problems
        location = SourceLocation(
            file: problems.file, line: node.mark.line, column: node.mark.column, keyPath: keyPath)
    }

    /// Whether the value is null or missing.
    package var isNull: Bool { node.isNull }

    /// The scalar; `nil` if the value is a list or a mapping.
    package var scalar: YAMLScalar? {
        guard case .scalar(let scalar) = node.content else { return nil }
        return scalar
    }

    /// Returns the value as text; a number or a Boolean must be in quotes.
    package func text() -> String? {
        guard let scalar, scalar.value == .text else { return wrong("text") }
        return scalar.text
    }

    /// Returns the text of any scalar except null, as written.
    package func scalarText() -> String? {
        guard let scalar, scalar.value != .null else { return wrong("text") }
        return scalar.text
    }

    /// Returns the value as text with at least one character.
    package func filledText() -> String? {
        guard let text = text() else { return nil }
        guard text.isEmpty else { return text }
        fail("type", "'\(label)' is empty")
        return nil
    }

    /// Returns an integer within bounds.
    package func integer(in bounds: ClosedRange<Int64> = .min ... .max) -> Int64? {
        guard let scalar, case .integer(let number) = scalar.value else {
            return wrong("a whole number")
        }
        guard bounds.contains(number) else {
            let rule =
                bounds.upperBound == .max
                ? "\(bounds.lowerBound) or more"
                : "from \(bounds.lowerBound) to \(bounds.upperBound)"
            fail("range", "'\(label)' must be \(rule), not \(number)")
            return nil
        }
        return number
    }

    /// Returns an integer or a real number.
    package func number() -> Double? {
        switch scalar?.value {
        case .integer(let number): return Double(number)
        case .real(let number): return number
        default: return wrong("a number")
        }
    }

    /// Returns a Boolean.
    package func boolean() -> Bool? {
        guard let scalar, case .boolean(let value) = scalar.value else {
            let meant: String? =
                switch scalar?.text.lowercased() {
                case "yes", "y", "on", "1": "write `true`"
                case "no", "n", "off", "0": "write `false`"
                default: nil
                }
            return wrong("true or false", fix: meant)
        }
        return value
    }

    /// Returns one word of a fixed list.
    package func choice(among words: [String]) -> String? {
        guard let scalar else { return wrong(Self.listing(words)) }
        // Check this before null, because `null` may be one of the words.
        if words.contains(scalar.text) { return scalar.text }
        guard scalar.value != .null else { return wrong(Self.listing(words)) }
        fail(
            "choice",
            "'\(label)' must be \(Self.listing(words)), not '\(scalar.text)'"
                + Suggestion.phrase(for: scalar.text, among: words))
        return nil
    }

    /// Returns a case of an enumeration by its raw value.
    package func choice<Choice: RawRepresentable & CaseIterable>(
        _ type: Choice.Type
    ) -> Choice? where Choice.RawValue == String {
        choice(among: Choice.allCases.map(\.rawValue)).flatMap { Choice(rawValue: $0) }
    }

    /// Returns the items of a list.
    package func list() -> [YAMLValue]? {
        guard case .sequence(let items) = node.content else { return wrong("a list") }
        return items.enumerated().map { index, item in
            YAMLValue(
                item, YAMLKeyPath.path(location.keyPath, index: index), "\(label)[\(index)]",
                problems)
        }
    }

    /// Returns the items of a list, or the value itself as the only item.
    package func listOrOne() -> [YAMLValue]? {
        if case .sequence = node.content { return list() }
        return [self]
    }

    /// Returns the value as a mapping.
    package func mapping() -> YAMLMapping? {
        guard case .mapping(let entries) = node.content else { return wrong("a mapping") }
        return YAMLMapping(self, entries)
    }

    /// Whether the value is a mapping; reports nothing.
    package var isMapping: Bool {
        guard case .mapping = node.content else { return false }
        return true
    }

    /// Whether the value is a list; reports nothing.
    package var isList: Bool {
        guard case .sequence = node.content else { return false }
        return true
    }

    /// Reports an error at this value, under the area's code.
    package func fail(_ code: String, _ message: String, fix: String? = nil) {
        problems.report("\(problems.area).\(code)", message, at: .source(location), fix: fix)
    }

    /// Reports a warning about a value that is allowed but probably a mistake.
    package func warn(_ code: String, _ message: String, fix: String? = nil) {
        problems.report(
            Diagnostic(
                .warning, code: "\(problems.area).\(code)", message, at: .source(location),
                fix: fix))
    }

    /// Reports that the value must be of another type.
    package func wrong<Wanted>(_ wanted: String, fix: String? = nil) -> Wanted? {
        let quoting: String? =
            switch scalar?.value {
            case .integer, .real, .boolean:
                wanted == "text" ? "put it in quotes: \"\(scalar?.text ?? "")\"" : nil
            default: nil
            }
        let message =
            isNull
            ? "'\(label)' has no value; it must be \(wanted)"
            : "'\(label)' must be \(wanted), not \(kind)"
        fail("type", message, fix: fix ?? quoting)
        return nil
    }

    /// A description of the value's type for messages.
    package var kind: String {
        switch node.content {
        case .sequence: "a list"
        case .mapping: "a mapping"
        case .scalar(let scalar):
            switch scalar.value {
            case .null: "nothing"
            case .boolean: "\(scalar.text)"
            case .integer, .real: "the number \(scalar.text)"
            case .text: "the text '\(scalar.text)'"
            }
        }
    }

    /// Returns the words as an enumeration for messages, such as `a, b, or c`.
    package static func listing(_ words: [String]) -> String {
        guard words.count > 2, let last = words.last else { return words.joined(separator: " or ") }
        return words.dropLast().joined(separator: ", ") + ", or " + last
    }
}
