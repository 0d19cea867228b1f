import Diagnostics
import RecordStreams

/// Unfinished runs on the store, whose input positions a new model would invalidate.
extension FileImport {
    /// Returns the owners of the runs that `--restart` discards: those of imports without a spec.
    ///
    /// - Throws: `RunFailure` (65) if the store has an unfinished run that is not discarded.
    func runsToDiscard(
        inStoreAt store: String, _ runner: PipelineRunner
    ) throws(RunFailure) -> [String] {
        do {
            let owners = try RunJournal.owners(inStoreAt: store)
            var discarded: [RunJournal.Heading] = []
            // The import's own run is named first.
            for owner in owners.filter({ $0 == pipeline }) + owners.filter({ $0 != pipeline }) {
                guard let run = try RunJournal.unfinished(inStoreAt: store, owner: owner) else {
                    continue
                }
                guard runner.options.isRestart, run.isOfImport == true else {
                    throw refusal(of: run)
                }
                discarded.append(run)
            }
            guard !runner.options.isDry else { return owners }
            for run in discarded where run.owner != pipeline {
                runner.warn(
                    Diagnostic(
                        .warning, code: "run.new-input",
                        "The unfinished run \(run.runID) of \(run.pipeline) is discarded",
                        fix: "import its files again"))
            }
            return owners
        } catch {
            throw RunFailure(error)
        }
    }

    private func refusal(of run: RunJournal.Heading) -> RunFailure {
        let fix =
            if let folder = run.replay {
                "complete the replay first: `etl replay \(CommandExample.shell(folder))`"
            } else if run.pipeline == pipeline {
                "import again with --restart, which reads all files from the beginning"
            } else if run.isOfImport == true {
                "complete that run first: import its files again; or discard it with --restart"
            } else {
                "complete that run first: run its spec"
            }
        return RunFailure(
            .dataError, code: "import.unfinished",
            "\(request.store) holds the unfinished run \(run.runID) of \(run.pipeline), so its"
                + " model cannot be changed; nothing was imported",
            fix: fix)
    }
}
