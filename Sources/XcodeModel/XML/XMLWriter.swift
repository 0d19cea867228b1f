import Diagnostics

/// A writer of documents in Xcode's format: four spaces per level, and `/>` for empty elements.
enum XMLWriter {
    static func text(_ root: XMLElement) -> String {
        var text = #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"# + "\n"
        append(root, level: 0, to: &text)
        return text
    }

    private static func append(_ element: XMLElement, level: Int, to text: inout String) {
        let indent = String(repeating: "    ", count: level)
        text += "\(indent)<\(element.name)"
        for attribute in element.attributes {
            text += " \(attribute.name)=\"\(escaped(attribute.value))\""
        }
        guard !element.children.isEmpty else {
            text += "/>\n"
            return
        }
        text += ">\n"
        for child in element.children { append(child, level: level + 1, to: &text) }
        text += "\(indent)</\(element.name)>\n"
    }

    /// Returns a value as escaped text, without characters that XML does not allow.
    ///
    /// `isWritable` checks for these characters.
    static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars where XMLScanner.isCharacter(scalar) {
            switch scalar {
            case "\n", "\r", "\t": text += "&#\(scalar.value);"
            default: text += scalar.markupEscape ?? String(scalar)
            }
        }
        return text
    }

    /// Returns whether XML allows all characters of a string.
    static func isWritable(_ value: String) -> Bool {
        value.unicodeScalars.allSatisfy(XMLScanner.isCharacter)
    }
}
