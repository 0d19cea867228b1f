import Diagnostics
import GraphModel
import Synchronization

/// What the reading side found out about the fields of all inputs of a stage.
final class ReadSummary: Sendable {
    private struct State {
        var extra: [String: Int] = [:]
        /// Nil as long as no reader has met a record.
        var unseen: [PlacedText]?
    }

    private let state = Mutex(State())

    /// Adds the fields of one input that nothing maps, each with its number of records.
    func add(extraFields: [(name: String, count: Int)]) {
        state.withLock { state in
            for (name, count) in extraFields { state.extra[name, default: 0] += count }
        }
    }

    /// Notes, at the end of its last input, the paths that none of a reader's records had.
    func finish(unseen: [PlacedText]) {
        let own = Set(unseen)
        state.withLock { state in
            state.unseen = state.unseen.map { $0.filter(own.contains) } ?? unseen
        }
    }

    /// The fields that nothing maps, by name.
    var extraFields: [FieldCount] {
        state.withLock { state in
            state.extra.map { FieldCount(name: $0.key, records: $0.value) }
                .sorted { $0.name < $1.name }
        }
    }

    /// A warning for each path of the spec that no record had: it may be misspelt.
    var warnings: [Diagnostic] {
        state.withLock { state in
            var said: Set<String> = []
            return (state.unseen ?? []).filter { said.insert($0.text).inserted }.map { path in
                Diagnostic(
                    .warning, code: "import.unmet-path",
                    "No record has '\(path.text)'"
                        + Suggestion.phrase(for: path.text, among: state.extra.keys.sorted()),
                    at: .source(path.location))
            }
        }
    }
}
