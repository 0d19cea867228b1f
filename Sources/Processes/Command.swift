/// A program with its arguments, variables, and folder; no shell parses them.
package struct Command: Sendable, Hashable {
    /// The program and its arguments.
    package var words: [String]
    /// The environment variables to set in addition to those of this process.
    package var variables: [String: String]
    /// The working directory.
    package var folder: String

    /// Creates a command.
    package init(words: [String], variables: [String: String] = [:], folder: String = ".") {
        self.words = words
        self.variables = variables
        self.folder = folder
    }

    /// The command line as messages show it, with quotes around words that contain spaces.
    package var text: String {
        words.map { word in
            // Join the lines of a script.
            let word = word.split(whereSeparator: \.isNewline).joined(separator: " ")
            let isPlain = !word.isEmpty && !word.contains { $0.isWhitespace || $0 == "'" }
            return isPlain ? word : "'\(word)'"
        }.joined(separator: " ")
    }
}
