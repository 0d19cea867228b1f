/// A document to write.
package indirect enum YAMLOutput {
    /// Text that is written unquoted: a number, a Boolean, or a plain word.
    case plain(String)
    /// Any text, quoted if it would otherwise be read as another value.
    case text(String)
    /// Items, on one line if they fit.
    case list([YAMLOutput])
    /// Keys in their order, on one line if they fit.
    case mapping([(String, YAMLOutput)])
    /// Keys in their order, one per line.
    case block([(String, YAMLOutput)])
}

/// A writer of YAML that puts short mappings on one line and indents long ones by two.
package enum YAMLWriter {
    /// The maximum line length, unless a single value is longer.
    private static let columnsMax = 100

    /// Returns the document's text.
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

    /// Returns a scalar that every reader of YAML 1.1 or 1.2 reads as this text.
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
