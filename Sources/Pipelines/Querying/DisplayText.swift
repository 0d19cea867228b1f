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
        return clipped(needsQuotes(text) ? quoted(text) : escaped(text), columnsMax: columnsMax)
    }

    private static func needsQuotes(_ text: String) -> Bool {
        guard let first = text.utf8.first, let last = text.utf8.last else { return true }
        let space = UInt8(ascii: " ")
        return first == space || last == space || first == UInt8(ascii: "\"") || text == null
    }

    private static func quoted(_ text: String) -> String {
        "\"\(escaped(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")))\""
    }

    /// The text with what could move the cursor, change colours or turn the direction of writing
    /// spelt out: `\n`, `\t`, `\u{1B}`.
    package static func escaped(_ text: String, keepingNewlines: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: { isControl($0) }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if !isControl(scalar) || (keepingNewlines && scalar == "\n") {
                result.append(scalar)
                continue
            }
            switch scalar {
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\r": result.append(contentsOf: "\\r".unicodeScalars)
            case "\t": result.append(contentsOf: "\\t".unicodeScalars)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result.append(contentsOf: "\\u{\(digits)}".unicodeScalars)
            }
        }
        return String(result)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        // Line and paragraph separators, and marks that turn the direction of writing.
        case 0x2028...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C: true
        // A byte-order mark, and what is no character at all.
        case 0xFEFF, 0xFFF9...0xFFFB: true
        default: false
        }
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
