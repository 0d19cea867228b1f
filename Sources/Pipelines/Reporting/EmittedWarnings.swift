import Diagnostics
import Synchronization

/// The warnings that a run has emitted, for its report.
final class EmittedWarnings: Sendable {
    private struct State {
        var diagnostics: [Diagnostic] = []
    }

    private static let countMax = 100
    private let state = Mutex(State())

    /// Adds a warning.
    func add(_ warning: Diagnostic) {
        state.withLock { state in
            if state.diagnostics.count < Self.countMax { state.diagnostics.append(warning) }
        }
    }

    var diagnostics: [Diagnostic] { state.withLock { $0.diagnostics } }
}
