/// An explanation of how the store would answer a request, for users and for tests of indexes.
public struct RequestExplanation: Sendable, Hashable, CustomStringConvertible {
    /// The statement, with a question mark for each value.
    public let sql: String
    /// SQLite's query plan, one line per step, with inner steps indented.
    public let plan: [String]
    /// The plan as sentences, in the same order, plus work that runs outside SQLite.
    public let sentences: [String]
    /// Suggestions that would make the request faster.
    public let suggestions: [String]
    /// The number of objects that are scanned because no index serves the request, or 0.
    public let scannedObjects: Int

    /// The sentences, followed by the suggestions.
    public var description: String {
        (sentences + suggestions.map { "fix: " + $0 }).joined(separator: "\n")
    }
}
