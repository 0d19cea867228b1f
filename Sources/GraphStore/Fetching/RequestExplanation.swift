/// How the store would answer a request: for people, and for tests of indexes.
public struct RequestExplanation: Sendable, Hashable, CustomStringConvertible {
    /// The statement, with a question mark for each value.
    public let sql: String
    /// SQLite's own account, a line for each step, inner ones indented.
    public let plan: [String]
    /// The same in words, in the same order, and what is computed outside SQLite.
    public let sentences: [String]
    /// What would make it quicker.
    public let suggestions: [String]
    /// How many objects are looked at one by one because no index serves the request; 0 where
    /// one does.
    public let scannedObjects: Int

    /// The sentences, then the suggestions.
    public var description: String {
        (sentences + suggestions.map { "mend: " + $0 }).joined(separator: "\n")
    }
}
