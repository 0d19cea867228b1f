import Diagnostics
import GraphStore

extension QueryOutcome {
    init(_ failure: RunFailure) {
        self.init(
            status: failure.status,
            errors: failure.diagnostics.map(DiagnosticRenderer.text))
    }
}

extension RunFailure {
    /// What reading or purging a history failed of.
    init(history error: any Error, store: String) {
        switch error {
        case let mistake as QueryMistake: self.init(.usage, [mistake.diagnostic])
        case HistoryError.off:
            self.init(
                .configuration, code: "history.off", "\(store) keeps no history",
                fix: "say `store: { history: { keep: 7d } }` in the spec that writes it; from its"
                    + " next run on, changes are kept")
        case HistoryError.expired(let token):
            self.init(
                .dataError, code: "history.expired",
                "Changes after transaction \(token.sequence) have been purged and not read",
                fix: "read the whole store, and go on from what `etl history STORE --token` says")
        case HistoryError.foreign:
            self.init(
                .dataError, code: "history.foreign",
                "The token is of another store, or of one that had this one's place, and not of"
                    + " \(store)",
                fix: "read the whole store, and go on from what `etl history STORE --token` says")
        case HistoryError.store(let error): self = RunFailure(error).naming(store: store)
        case let failure as RunFailure: self = failure
        default: self = RunFailure(error).naming(store: store)
        }
    }
}
