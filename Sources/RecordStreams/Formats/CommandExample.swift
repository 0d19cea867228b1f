/// Builds examples of specs and command lines for messages.
package enum CommandExample {
    /// Returns a line such as `read: { command: [zstd, -dc, data.ndjson.zst], as: ndjson }`.
    ///
    /// - Parameter format: `nil` if it is not known; `note` explains the placeholder.
    package static func read(_ words: [String], as format: RecordFormat?) -> String {
        "read: { command: \(list(words)), as: \(format?.rawValue ?? unknown) }"
    }

    private static let unknown = "FORMAT"

    /// Returns the note that explains the placeholder of an unknown format.
    static func note(on format: RecordFormat?) -> String {
        format == nil ? "; \(unknown) is csv, tsv, json, or ndjson" : ""
    }

    /// Returns a line such as `to: { command: [aws, s3, cp, "-", "s3://bucket/tasks.csv"] }`.
    package static func write(_ words: [String]) -> String {
        "to: { command: \(list(words)) }"
    }

    /// Returns a line such as `zstd -dc data.ndjson.zst | etl infer - --as ndjson`.
    ///
    /// - Parameter command: a command that reads standard input.
    package static func pipe(
        _ words: [String], as format: RecordFormat?, into command: String
    ) -> String {
        words.map(shell).joined(separator: " ")
            + " | \(command) --as \(format?.rawValue ?? unknown)"
    }

    /// Returns the word for a shell, quoted if needed.
    package static func shell(_ text: String) -> String {
        isPlain(text, and: "-_./+:=@%") ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }

    /// Returns whether a word has only letters, digits, and the given signs.
    private static func isPlain(_ text: String, and signs: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || signs.unicodeScalars.contains(scalar)
            }
    }

    private static func list(_ words: [String]) -> String {
        "[" + words.map(word).joined(separator: ", ") + "]"
    }

    /// Returns the word in YAML, quoted if needed.
    private static func word(_ text: String) -> String {
        if text != "-", isPlain(text, and: "-_./+") { return text }
        return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
