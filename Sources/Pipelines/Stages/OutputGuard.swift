import Diagnostics
import Synchronization

/// Prevents exports from replacing files that the run uses.
final class OutputGuard: Sendable {
    /// The protected files, found by the first export, because this requires a search for inputs.
    private let files = Mutex<ProtectedFiles?>(nil)

    /// Checks the path of an export.
    ///
    /// - Throws: `RunFailure` with status 78 if the path is the store, the spec, the model, or an
    ///   input of the run, under any of its names.
    func check(
        _ path: String, at location: SourceLocation, _ environment: StageEnvironment
    ) throws {
        let files = files.withLock { files in
            let known = files ?? ProtectedFiles(environment.spec, environment.values)
            files = known
            return known
        }
        guard let problem = files.problem(with: path, at: .source(location)) else { return }
        throw RunFailure(.configuration, [problem])
    }
}
