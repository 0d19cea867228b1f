/// Lines of a spec with a command, for messages.
package enum CommandExample {
    /// `read: { command: [zstd, -dc, data.ndjson.zst], as: ndjson }`.
    ///
    /// - Parameter format: `nil` if it is not known, which `note` says.
    package static func read(_ words: [String], as format: RecordFormat?) -> String {
        "read: { command: \(list(words)), as: \(format?.rawValue ?? unknown) }"
    }

    private static let unknown = "FORMAT"

    /// What follows a line whose format is not known.
    static func note(on format: RecordFormat?) -> String {
        format == nil ? "; \(unknown) is csv, tsv, json, or ndjson" : ""
    }

    /// `to: { command: [aws, s3, cp, "-", "s3://bucket/tasks.csv"] }`.
    package static func write(_ words: [String]) -> String {
        "to: { command: \(list(words)) }"
    }

    /// `zstd -dc data.ndjson.zst | etl infer - --as ndjson`.
    ///
    /// - Parameter command: reads standard input.
    package static func pipe(
        _ words: [String], as format: RecordFormat?, into command: String
    ) -> String {
        words.map(shell).joined(separator: " ")
            + " | \(command) --as \(format?.rawValue ?? unknown)"
    }

    /// The word for a shell, in quotes if it needs some.
    package static func shell(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || "-_./+:=@%".unicodeScalars.contains(scalar)
            }
        return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }

    private static func list(_ words: [String]) -> String {
        "[" + words.map(word).joined(separator: ", ") + "]"
    }

    /// The word in YAML, in quotes where it needs some.
    private static func word(_ text: String) -> String {
        let isPlain =
            text != "-" && !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || "-_./+".unicodeScalars.contains(scalar)
            }
        guard !isPlain else { return text }
        return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
