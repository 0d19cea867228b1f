package import Diagnostics

/// A value of a file that is being read: what it is, where it stands, and whom to tell.
///
/// The typed getters report a value of another type and then return nil, so that a reader goes
/// on and finds the rest:
/// ```
/// let stage = item.mapping()
/// let name = stage?.required("import")?.text()
/// let rows = stage?.optional("save-every")?.integer(in: 1...Int64.max)
/// stage?.finish()
/// ```
package struct YAMLValue {
    /// The value itself.
    package let node: YAMLNode
    /// Where it stands.
    package let location: SourceLocation
    /// What messages call it: its key, with the item's number in a list.
    package let label: String
    /// Where problems go.
    package let problems: YAMLProblems

    /// Starts reading at the root of a file, or at a node inside another one.
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

    /// Whether it is null or nothing stands there.
    package var isNull: Bool { node.isNull }

    /// The scalar, unless it is a list or a mapping.
    package var scalar: YAMLScalar? {
        guard case .scalar(let scalar) = node.content else { return nil }
        return scalar
    }

    /// The value, as one that is text; a number or a truth value must be put in quotes.
    package func text() -> String? {
        guard let scalar, scalar.value == .text else { return wrong("text") }
        return scalar.text
    }

    /// The text of any scalar but null, as it stands.
    package func scalarText() -> String? {
        guard let scalar, scalar.value != .null else { return wrong("text") }
        return scalar.text
    }

    /// Text with at least one character.
    package func filledText() -> String? {
        guard let text = text() else { return nil }
        guard text.isEmpty else { return text }
        fail("type", "'\(label)' is empty")
        return nil
    }

    /// A whole number within bounds.
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

    /// A number, whole or not.
    package func number() -> Double? {
        switch scalar?.value {
        case .integer(let number): return Double(number)
        case .real(let number): return number
        default: return wrong("a number")
        }
    }

    /// True or false.
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

    /// One word of a fixed list.
    package func choice(among words: [String]) -> String? {
        guard let scalar else { return wrong(Self.listing(words)) }
        // Before nulls are refused, for `null` may be one of the words.
        if words.contains(scalar.text) { return scalar.text }
        guard scalar.value != .null else { return wrong(Self.listing(words)) }
        fail(
            "choice",
            "'\(label)' must be \(Self.listing(words)), not '\(scalar.text)'"
                + Suggestion.phrase(for: scalar.text, among: words))
        return nil
    }

    /// One of an enumeration's raw values.
    package func choice<Choice: RawRepresentable & CaseIterable>(
        _ type: Choice.Type
    ) -> Choice? where Choice.RawValue == String {
        choice(among: Choice.allCases.map(\.rawValue)).flatMap { Choice(rawValue: $0) }
    }

    /// The items of a list.
    package func list() -> [YAMLValue]? {
        guard case .sequence(let items) = node.content else { return wrong("a list") }
        return items.enumerated().map { index, item in
            YAMLValue(
                item, YAMLKeyPath.path(location.keyPath, index: index), "\(label)[\(index)]",
                problems)
        }
    }

    /// The items of a list, or the value itself as its only item.
    package func listOrOne() -> [YAMLValue]? {
        if case .sequence = node.content { return list() }
        return [self]
    }

    /// The value as a mapping.
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

    /// Reports something that the value says and that is allowed, but hardly meant.
    package func warn(_ code: String, _ message: String, fix: String? = nil) {
        problems.report(
            Diagnostic(
                .warning, code: "\(problems.area).\(code)", message, at: .source(location),
                fix: fix))
    }

    /// Reports that the value should be something else.
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

    /// What the value is, in words.
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

    /// `a, b or c`.
    package static func listing(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}
