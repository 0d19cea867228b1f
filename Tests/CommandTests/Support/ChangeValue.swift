import Foundation
import GraphModel

/// An attribute's value that is computed from a number, in the forms that a test needs.
struct ChangeValue {
    /// The form in a record.
    let json: String
    /// The form in a predicate.
    let literal: String
    /// The text to which the expression of `sql(_:_:)` evaluates.
    let stored: String

    /// - Returns: `nil` if only the app can write values of the attribute, or if it has rules that
    ///   the value may break.
    init?(_ attribute: AttributeDescription, _ number: Int) {
        guard attribute.range == nil, attribute.pattern == nil else { return nil }
        func quoted(_ text: String) -> (String, String) { ("\"\(text)\"", "'\(text)'") }
        switch attribute.type {
        case .string:
            stored = "\(attribute.name.prefix(20)) \(number)"
            guard attribute.length?.contains(Double(stored.utf16.count)) ?? true else {
                return nil
            }
            (json, literal) = quoted(stored)
        case .uri:
            stored = "https://example.org/\(number)"
            (json, literal) = quoted(stored)
        case .uuid:
            stored = String(format: "00000000000040008000%012X", number)
            (json, literal) = quoted(Self.uuid(hexadecimal: stored))
        case .integer16, .integer32, .integer64:
            stored = "\(20_000 + number)"
            (json, literal) = (stored, stored)
        case .boolean:
            stored = "\(number % 2)"
            (json, literal) = number % 2 == 1 ? ("true", "YES") : ("false", "NO")
        case .double, .float, .decimal:
            stored = "\(number).50"
            (json, literal) = ("\(number).5", "\(number).5")
        case .date:
            // 30 years after 2001, a minute for each number, and half a second for odd ones.
            let seconds = 946_684_800 + number * 60
            stored = "\(seconds).\(number % 2 == 0 ? "00" : "50")"
            let text = String(
                format: "2031-01-%02dT%02d:%02d:00%@Z", 1 + number / 1_440, number / 60 % 24,
                number % 60, number % 2 == 0 ? "" : ".5")
            json = "\"\(text)\""
            literal = "cast('\(text)', 'Date')"
        case .binary where !attribute.allowsExternalBinaryDataStorage:
            let bytes = Data("\(number)".utf8)
            stored = bytes.map { String(format: "%02X", $0) }.joined()
            json = "\"\(bytes.base64EncodedString())\""
            literal = ""
        default: return nil
        }
    }

    /// Returns a UUID with these digits, as a string.
    static func uuid(hexadecimal text: String) -> String {
        var (rest, parts) = (text[...], [Substring]())
        for length in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return parts.joined(separator: "-")
    }

    /// Returns an SQL expression for the column as text.
    static func sql(_ attribute: AttributeDescription, _ column: String) -> String {
        switch attribute.type {
        case .uuid, .binary: "hex(\(column))"
        case .double, .float, .decimal, .date: "printf('%.2f', \(column))"
        default: "CAST(\(column) AS TEXT)"
        }
    }
}
