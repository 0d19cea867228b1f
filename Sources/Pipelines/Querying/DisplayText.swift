import Diagnostics

/// Text of a store in a form that can be shown in one line of a terminal.
package enum DisplayText {
    /// The representation of a missing value.
    package static let null = "nil"
    /// The mark for the rest of a truncated text.
    static let ellipsis: Character = "…"

    /// Returns a text in the form of a table cell with a maximum width.
    ///
    /// Text that could be mistaken for something else, such as an empty text or the three letters
    /// of `nil`, is quoted.
    package static func cell(_ bytes: UnsafeBufferPointer<UInt8>, columnsMax: Int) -> String {
        // Enough bytes for that many characters, unless they have extremely many combining marks.
        let bytesMax = 64 + columnsMax * 16
        var text = String(decoding: bytes.prefix(bytesMax), as: UTF8.self)
        if bytes.count > bytesMax {
            // The last scalar may be truncated.
            text.unicodeScalars.removeLast()
            text.append(ellipsis)
        }
        return clipped(
            needsQuotes(text) ? quoted(text) : OutputText.escaped(text), columnsMax: columnsMax)
    }

    private static func needsQuotes(_ text: String) -> Bool {
        guard let first = text.utf8.first, let last = text.utf8.last else { return true }
        let space = UInt8(ascii: " ")
        return first == space || last == space || first == UInt8(ascii: "\"") || text == null
    }

    private static func quoted(_ text: String) -> String {
        "\"\(OutputText.escaped(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")))\""
    }

    /// Returns the text, or its beginning with an ellipsis if it is too wide.
    package static func clipped(_ text: String, columnsMax: Int) -> String {
        // No character takes more columns than bytes.
        if text.utf8.count <= columnsMax || DisplayWidth.columns(text) <= columnsMax { return text }
        var result = ""
        var width = 0
        for character in text {
            width += DisplayWidth.columns(character)
            guard width < columnsMax else { break }
            result.append(character)
        }
        result.append(ellipsis)
        return result
    }
}
