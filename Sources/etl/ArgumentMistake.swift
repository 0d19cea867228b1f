import ArgumentParser

/// A converter of the argument parser's errors to the format of etl's other errors.
///
/// ```
/// error: Missing expected argument '<spec>' [usage.argument]
///   help: <spec>  The spec, a YAML file.
///   usage: etl run [<options>] <spec>
///   fix: see `etl run --help`
/// ```
enum ArgumentMistake {
    /// Prints the message to stderr, and returns the exit status.
    static func show(_ message: String) -> ExitCode {
        Terminal.writeMessage(text(of: message))
        return .validationFailure
    }

    /// Returns the message in the format of etl; a message in an unknown format is unchanged.
    private static func text(of message: String) -> String {
        let start = "Error: "
        guard message.hasPrefix(start) else { return message }
        var (error, notes, fix) = ("", [String](), "")
        for line in message.dropFirst(start.count).split(separator: "\n") {
            if let match = line.wholeMatch(of: #/ *See '(.+)' for more information\./#) {
                fix = "\n  fix: see `\(match.1)`"
            } else if let match = line.wholeMatch(of: #/(Help|Usage): +(.*)/#) {
                notes.append("\n  \(match.1.lowercased()): \(match.2)")
            } else if notes.isEmpty {
                error += (error.isEmpty ? "" : "\n  ") + line
            } else {
                notes.append("\n  \(line)")
            }
        }
        if error.hasSuffix(".") { error.removeLast() }
        return "error: \(error) [usage.argument]" + notes.joined() + fix
    }
}
