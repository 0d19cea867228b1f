/// A program and what it is started with; no shell takes its words apart.
package struct Command: Sendable, Hashable {
    /// The program and its arguments.
    package var words: [String]
    /// Variables besides those of this process.
    package var variables: [String: String]
    /// The folder in which it runs.
    package var folder: String

    /// Names a program and what it is started with.
    package init(words: [String], variables: [String: String] = [:], folder: String = ".") {
        self.words = words
        self.variables = variables
        self.folder = folder
    }

    /// The words in a row, as messages name the command; those with spaces in quotes.
    package var text: String {
        words.map { word in
            // A script of several lines in one.
            let word = word.split(whereSeparator: \.isNewline).joined(separator: " ")
            let isPlain = !word.isEmpty && !word.contains { $0.isWhitespace || $0 == "'" }
            return isPlain ? word : "'\(word)'"
        }.joined(separator: " ")
    }
}
