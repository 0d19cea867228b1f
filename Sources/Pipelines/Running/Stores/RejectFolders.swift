import Diagnostics
import Files
import FoundationEssentials

/// Locates the reject folders of runs, and removes old ones.
enum RejectFolders {
    /// Returns the folder of a run's rejects.
    static func folder(
        of spec: PipelineSpec, _ values: ParameterValues, runID: String
    ) -> String {
        PathText.join(values.path(spec.rejects.folder), "\(spec.name)-\(runID)")
    }

    /// Removes the rejects of this pipeline's runs that are older than `rejects.keep`.
    ///
    /// The age of a folder is the age of its run, which is in its name:
    /// `nightly-20261121T030000Z-4711`.
    static func removeOld(
        _ spec: PipelineSpec, _ values: ParameterValues, now: Date,
        _ warn: (Diagnostic) -> Void
    ) {
        let folder = values.path(spec.rejects.folder)
        let oldest = now.timeIntervalSinceReferenceDate - Double(spec.rejects.keepSeconds)
        // A missing folder has no rejects.
        guard let names = try? FileSystem.textNames(in: folder) else {
            return
        }
        for name in names.sorted() {
            guard let run = Publication.run(ofRejects: name, spec.name),
                let started = RunName.started(run), started < oldest
            else { continue }
            do {
                try FileSystem.removeAll(PathText.join(folder, name))
            } catch {
                warn(
                    Diagnostic(
                        .warning, code: "rejects.old",
                        "The old rejects in \(PathText.join(folder, name)) cannot be removed: "
                            + "\(error)",
                        fix: "remove them, or raise `rejects.keep`"))
            }
        }
    }
}
