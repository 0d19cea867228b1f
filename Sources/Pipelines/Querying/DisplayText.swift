import Diagnostics

/// Text of a store made fit to be shown in a line of a terminal.
package enum DisplayText {
    /// What stands for the absence of a value.
    package static let null = "nil"
    /// What stands for the rest of a text that is cut.
    static let ellipsis: Character = "…"

    /// A text as a table's cell shows it, of so many columns at the most.
    ///
    /// Text that could be taken for something else, such as no text at all or the three letters of
    /// `nil`, is put in quotes.
    package static func cell(_ bytes: UnsafeBufferPointer<UInt8>, columnsMax: Int) -> String {
        // So much holds that many characters, unless they carry marks without end.
        let bytesMax = 64 + columnsMax * 16
        var text = String(decoding: bytes.prefix(bytesMax), as: UTF8.self)
        if bytes.count > bytesMax {
            // The last scalar may have been cut in two.
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

    /// The text, or its beginning with an ellipsis where it takes more columns.
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
