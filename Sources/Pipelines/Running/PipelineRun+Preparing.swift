import Diagnostics
import Files
import FoundationEssentials
import GraphStore

/// The steps of a run before it locks its store.
extension PipelineRun {
    /// Warns that another run is active.
    ///
    /// A dry run uses the saves of that run, which are always consistent.
    func warnOfOther(_ holder: String, _ path: String) {
        runner.warn(
            Diagnostic(
                .warning, code: "run.beside",
                "Another run uses \(path): \(holder); the plan is compared with the changes that "
                    + "it has saved so far", fix: "plan again when it has finished"))
    }

    func bind(
        _ spec: PipelineSpec, now: Date, runID: String
    ) throws(RunFailure) -> ParameterValues {
        let (found, problems) = ParameterValues.bind(
            spec, runner.context(now: now, runID: runID))
        guard let found else { throw RunFailure(.configuration, problems) }
        // Values from the environment and from files are not known earlier.
        let urls = URLCheck.check(spec, found)
        guard urls.isEmpty else { throw RunFailure(.configuration, urls) }
        return found
    }

    /// Returns the fingerprint of the run's parameters and selection.
    ///
    /// A run with another fingerprint is a different run.
    func fingerprint(_ values: ParameterValues) -> String {
        Fingerprint.of(values.identity + "\n" + RunSelection(options).identity)
    }

    /// Creates the folder of the store, or checks that a store that must exist does, before the
    /// lock file is created next to it.
    func prepareFolder(of path: String, _ store: StoreSpec) throws {
        guard store.open == .existing else {
            return options.isDry ? () : try OutputFolder.make(for: path)
        }
        guard FileSystem.exists(path) else {
            throw StoreError(
                .missing, "\(path) does not exist; `open: create` makes it when it is missing")
        }
    }
}
