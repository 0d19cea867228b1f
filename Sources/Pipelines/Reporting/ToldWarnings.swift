import Diagnostics
import Synchronization

/// The warnings that a run has given, for its report; without secrets, once these are known.
final class ToldWarnings: Sendable {
    private struct State {
        var values: ParameterValues?
        var diagnostics: [Diagnostic] = []
    }

    private static let countMax = 100
    private let state = Mutex(State())

    /// Takes note of the secrets that no warning may show.
    func hide(secretsOf values: ParameterValues?) {
        state.withLock { $0.values = values }
    }

    /// Keeps a warning.
    ///
    /// - Returns: the warning as it may be shown.
    func add(_ warning: Diagnostic) -> Diagnostic {
        state.withLock { state in
            let shown = state.values.map(warning.redacted) ?? warning
            if state.diagnostics.count < Self.countMax { state.diagnostics.append(shown) }
            return shown
        }
    }

    var diagnostics: [Diagnostic] { state.withLock { $0.diagnostics } }
}
