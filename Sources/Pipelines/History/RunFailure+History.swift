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
    /// Creates the failure for an error of reading or purging a history.
    init(history error: any Error, store: String) {
        switch error {
        case let mistake as QueryMistake: self.init(.usage, [mistake.diagnostic])
        case let error as HistoryError: self.init(error, store: store)
        case let failure as RunFailure: self = failure
        case let error as StoreError where error.isReadOnlyAppStore:
            self.init(
                .configuration, code: "history.app-store",
                "\(store) was created by an app, and etl does not purge the history of an app",
                fix: "purge it in the app, which knows who still reads its history")
        default: self = RunFailure(error).naming(store: store)
        }
    }

    private init(_ error: HistoryError, store: String) {
        let message = error.message(ofStore: store)
        let follow =
            "read the whole store, and continue from the token that `etl history STORE --token` prints"
        switch error {
        case .off:
            self.init(
                .configuration, code: "history.off", message,
                fix: "say `store: { history: { keep: 7d } }` in the spec that writes it; from its"
                    + " next run on, changes are kept")
        case .expired: self.init(.dataError, code: "history.expired", message, fix: follow)
        case .foreign: self.init(.dataError, code: "history.foreign", message, fix: follow)
        case .store(let error): self = RunFailure(error).naming(store: store)
        }
    }
}
