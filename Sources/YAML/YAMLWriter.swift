/// A document that is to be written.
package indirect enum YAMLOutput {
    /// Text that reads back as itself: a number, a truth value, or a plain word.
    case plain(String)
    /// Any text, in quotes where it would read as something else.
    case text(String)
    /// Items, on one line where they fit.
    case list([YAMLOutput])
    /// Keys in their order, on one line where they fit.
    case mapping([(String, YAMLOutput)])
    /// Keys in their order, each on a line of its own.
    case block([(String, YAMLOutput)])
}

/// Writes YAML as a person would: short mappings on one line, long ones indented by two.
package enum YAMLWriter {
    /// No line is longer, unless a single value is.
    private static let columnsMax = 100

    /// The document's text.
    package static func text(_ entries: [(String, YAMLOutput)]) -> String {
        var text = ""
        append(entries, indent: 0, to: &text)
        return text
    }

    private static func append(
        _ entries: [(String, YAMLOutput)], indent: Int, to text: inout String
    ) {
        for (key, value) in entries {
            let start = String(repeating: " ", count: indent) + scalar(key) + ":"
            append(value, after: start, indent: indent, to: &text)
        }
    }

    private static func append(
        _ value: YAMLOutput, after start: String, indent: Int, to text: inout String
    ) {
        if case .block(let entries) = value, !entries.isEmpty {
            text += start + "\n"
            append(entries, indent: indent + 2, to: &text)
            return
        }
        let line = "\(start) \(flow(value))"
        switch value {
        case .mapping(let entries) where line.count > columnsMax:
            text += start + "\n"
            append(entries, indent: indent + 2, to: &text)
        case .list(let items) where line.count > columnsMax:
            text += start + "\n"
            let dash = String(repeating: " ", count: indent + 2) + "-"
            for item in items { append(item, after: dash, indent: indent + 4, to: &text) }
        default:
            text += line + "\n"
        }
    }

    private static func flow(_ value: YAMLOutput) -> String {
        switch value {
        case .plain(let text): return text
        case .text(let text): return scalar(text)
        case .list(let items): return "[" + items.map(flow).joined(separator: ", ") + "]"
        case .mapping(let entries), .block(let entries):
            guard !entries.isEmpty else { return "{}" }
            let pairs = entries.map { "\(scalar($0)): \(flow($1))" }
            return "{ " + pairs.joined(separator: ", ") + " }"
        }
    }

    /// A text as a scalar that reads back as that text, by any reader of YAML 1.1 or 1.2.
    package static func scalar(_ text: String) -> String {
        isPlain(text) ? text : quoted(text)
    }

    private static let words: Set<String> = [
        "true", "false", "null", "yes", "no", "on", "off", "y", "n",
    ]

    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first.isASCII,
            first.properties.isAlphabetic
                || first == "_",
            text.last != " ", !words.contains(text.lowercased())
        else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic
                    || "0123456789_-. ".unicodeScalars.contains(scalar))
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case "\r": quoted += "\\r"
            default:
                if scalar.value < 0x20 || (0x7F...0xA0).contains(scalar.value)
                    || [0x2028, 0x2029, 0xFEFF].contains(scalar.value)
                    || (0xFFFE...0xFFFF).contains(scalar.value)
                {
                    let digits = String(scalar.value, radix: 16, uppercase: true)
                    quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                } else {
                    quoted.unicodeScalars.append(scalar)
                }
            }
        }
        return quoted + "\""
    }
}
