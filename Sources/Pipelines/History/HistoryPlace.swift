import FoundationEssentials
import GraphStore

/// A position in a history, to a single change.
struct HistoryPlace: Hashable {
    /// The last transaction that was read completely.
    var token: HistoryToken
    /// The last change that was read of the next transaction; 0 if none.
    var change: Int64 = 0

    init(_ token: HistoryToken, change: Int64 = 0) {
        self.token = token
        self.change = change
    }

    /// Parses the form of `text`; `nil` for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 || parts.count == 3, UUID(uuidString: parts[0]) != nil,
            let numbers = parts.last?.split(separator: ".", omittingEmptySubsequences: false),
            numbers.count <= 2, let first = numbers.first, let sequence = Int64(first),
            let change = numbers.count == 2 ? Int64(numbers[1]) : 0, sequence >= 0, change >= 0
        else { return nil }
        token = HistoryToken(
            storeUUID: parts[0], sequence: sequence, lineage: parts.count == 3 ? parts[1] : nil)
        self.change = change
    }

    /// The position as one word: the store, its lineage if it has one, the transaction, and the
    /// change if the next transaction is partly read.
    var text: String {
        ([token.storeUUID] + (token.lineage.map { [$0] } ?? []) + ["\(token.sequence)"])
            .joined(separator: ":") + (change > 0 ? ".\(change)" : "")
    }

    // MARK: Files

    /// Reads a position from a file; `nil` if the file does not exist.
    static func read(_ path: String) throws -> HistoryPlace? {
        guard FileDescriptor.size(path) != nil else { return nil }
        let word = FileDescriptor.head(ofFile: path)?.split(whereSeparator: \.isWhitespace)
        guard let word, word.count == 1, let place = HistoryPlace(String(word[0])) else {
            throw QueryMistake(
                .place, code: "history.place", "\(path) does not hold a place in a history",
                fix: "name another file, or remove this one to begin with the oldest change")
        }
        return place
    }

    /// Writes the position to a file atomically.
    func write(to path: String) throws {
        try WholeFile.write(Array((text + "\n").utf8), to: path)
    }
}
