import Diagnostics
import Synchronization

/// Keeps the exports of a run from replacing what the run works with.
final class OutputGuard: Sendable {
    /// Looked up by the first export, for that takes a look at the inputs' folders.
    private let files = Mutex<ProtectedFiles?>(nil)

    /// - Throws: `RunFailure` with status 78 where the path is the store, the spec, the model or an
    ///   input of the run, by whatever name.
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
