import Diagnostics
import Files
import FoundationEssentials
import GraphStore

/// What is settled before the run takes its store.
extension PipelineRun {
    /// A dry run works on what the other one has saved, which is whole at any moment.
    func warnOfOther(_ holder: String, _ path: String) {
        runner.warn(
            Diagnostic(
                .warning, code: "run.beside",
                "Another run works on \(path): \(holder); this is compared with what it has saved "
                    + "so far", fix: "plan again when it has ended"))
    }

    func bind(
        _ spec: PipelineSpec, now: Date, runID: String
    ) throws(RunFailure) -> ParameterValues {
        let (found, problems) = ParameterValues.bind(
            spec, runner.context(now: now, runID: runID))
        guard let found else { throw RunFailure(.configuration, problems) }
        // Values from the environment and from files are known only now.
        let urls = URLCheck.check(spec, found)
        guard urls.isEmpty else { throw RunFailure(.configuration, urls) }
        return found
    }

    /// What the run was asked for: another answer makes it another run.
    func fingerprint(_ values: ParameterValues) -> String {
        Fingerprint.of(values.identity + "\n" + RunSelection(options).identity)
    }

    /// Makes the folder of a store that is to be made; a missing one that is to be there is told
    /// before the lock is made beside it.
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
