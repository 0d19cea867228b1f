import Diagnostics
import RecordStreams

/// A JSON value whose objects keep the order of their members.
///
/// It is used for reports, logs, reject reasons, and notes, but not for data. Strings in reports,
/// logs, and reject reasons are masked by `OutputText`, with control characters as `\u001b`, so
/// that reading them back gives the same value. Notes are written exactly, because they are read
/// back by name and value; the code that creates a note must leave out secrets.
package indirect enum JSONTree: Sendable, Hashable {
    case text(String)
    case integer(Int64)
    /// Any other number, in its original notation.
    case number(String)
    case boolean(Bool)
    case null
    case list([JSONTree])
    case object([Member])

    /// A name with a value.
    package struct Member: Sendable, Hashable {
        var name: String
        var value: JSONTree

        init(_ name: String, _ value: JSONTree) {
            self.name = name
            self.value = value
        }
    }

    /// The value as JSON text, indented by two spaces per level.
    var formatted: String {
        var text = ""
        addFormatted(to: &text, indent: "\n")
        return text + "\n"
    }

    /// The value as JSON text without white space.
    package var compact: String {
        var text = ""
        addCompact(to: &text, masks: true)
        return text
    }

    /// The value as compact JSON text without masking, for notes that are read back.
    package var exact: String {
        var text = ""
        addCompact(to: &text, masks: false)
        return text
    }

    private func addCompact(to text: inout String, masks: Bool) {
        switch self {
        case .text, .integer, .number, .boolean, .null: addScalar(to: &text, masks: masks)
        case .list(let items):
            text += "["
            for (place, item) in items.enumerated() {
                if place > 0 { text += "," }
                item.addCompact(to: &text, masks: masks)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (place, member) in members.enumerated() {
                if place > 0 { text += "," }
                text += Self.quoted(member.name) + ":"
                member.value.addCompact(to: &text, masks: masks)
            }
            text += "}"
        }
    }

    private func addScalar(to text: inout String, masks: Bool) {
        switch self {
        case .text(let value): text += Self.quoted(masks ? OutputText.masked(value) : value)
        case .integer(let number): text += String(number)
        case .number(let digits): text += digits
        case .boolean(let flag): text += flag ? "true" : "false"
        case .null, .list, .object: text += "null"
        }
    }

    /// Appends the value as JSON with one line per member and item.
    ///
    /// - Parameter indent: The line break and indentation at the level of the value itself.
    private func addFormatted(to text: inout String, indent: String) {
        let inner = indent + "  "
        switch self {
        case .text, .integer, .number, .boolean, .null: addScalar(to: &text, masks: true)
        case .list(let items):
            let isShort = items.allSatisfy(\.isScalar)
            text += "["
            for (place, item) in items.enumerated() {
                if place > 0 { text += isShort ? ", " : "," }
                if !isShort { text += inner }
                item.addFormatted(to: &text, indent: inner)
            }
            text += isShort ? "]" : indent + "]"
        case .object(let members):
            text += "{"
            for (place, member) in members.enumerated() {
                text += place > 0 ? "," + inner : inner
                text += Self.quoted(member.name) + ": "
                member.value.addFormatted(to: &text, indent: inner)
            }
            text += members.isEmpty ? "}" : indent + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        let quoted = JSONText.quoted(text)
        guard quoted.unicodeScalars.contains(where: OutputText.isControl) else { return quoted }
        var result = String.UnicodeScalarView()
        for scalar in quoted.unicodeScalars {
            guard OutputText.isControl(scalar) else {
                result.append(scalar)
                continue
            }
            // All control characters are in the Basic Multilingual Plane.
            let digits = String(scalar.value, radix: 16)
            let zeros = String(repeating: "0", count: 4 - digits.count)
            result.append(contentsOf: "\\u\(zeros)\(digits)".unicodeScalars)
        }
        return String(result)
    }

    private var isScalar: Bool {
        switch self {
        case .list, .object: false
        default: true
        }
    }
}

extension JSONTree: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral {
    /// Creates a string.
    package init(stringLiteral text: String) { self = .text(text) }

    /// Creates an object with the members in the order of the literal; a repeated name is kept.
    package init(dictionaryLiteral members: (String, JSONTree)...) {
        self = .object(members.map { Member($0, $1) })
    }
}
