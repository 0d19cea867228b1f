import Diagnostics
import Files
import FoundationEssentials

/// The additional files that receive the report of a run: `report.metrics` and `--report`.
struct ReportTargets {
    private let spec: PipelineSpec
    private let values: ParameterValues
    /// The metrics file; `nil` for none, `-` for stdout.
    let metrics: String?
    /// The file of `--report`; `nil` for none, `-` for stdout.
    let copy: String?
    private let workingFolder: FileName

    init(_ spec: PipelineSpec, _ values: ParameterValues, _ options: RunOptions) {
        self.spec = spec
        self.values = values
        workingFolder = FileName(options.workingFolder)
        metrics = spec.report.metrics.map(values.path)
        copy = options.reportFile.map {
            $0 == "-" ? $0 : PathText.join(options.workingFolder, $0)
        }
    }

    /// Rejects files that the same run uses for something else, before the run does anything.
    ///
    /// - Throws: `RunFailure` with status 78 for the metrics, or 64 for `--report`; 73 if the
    ///   folder of `--report` does not exist.
    func check(against stages: [Stage]) throws(RunFailure) {
        guard metrics != nil || copy != nil else { return }
        if let problem = metricsProblem { throw RunFailure(.configuration, [problem]) }
        if let problem = copyProblem ?? sharedCopy(stages) { throw RunFailure(.usage, [problem]) }
        if let problem = copyFolderProblem { throw RunFailure(.cannotCreate, [problem]) }
    }

    /// The error if the folder of `--report` does not exist.
    ///
    /// The path is used as typed, and the folder is not created.
    var copyFolderProblem: Diagnostic? {
        guard let copy, copy != "-" else { return nil }
        let folder = PathText.folder(of: copy)
        guard !FileSystem.isFolder(folder) else { return nil }
        return Diagnostic(
            code: "report.folder", "The folder \(folder) of --report does not exist",
            fix: "make it, or name another file")
    }

    /// The error if the metrics must not be written to their file.
    var metricsProblem: Diagnostic? {
        guard let metrics, let place = spec.report.metrics?.location else { return nil }
        return ProtectedFiles(spec, values)
            .problem(with: metrics, "the metrics", at: .source(place))
    }

    /// The error if the report must not be written to the file of `--report`.
    var copyProblem: Diagnostic? {
        copy.flatMap {
            ProtectedFiles(spec, values).problem(with: $0, "the report", at: .nowhere)
        }
    }

    /// Returns the error if the run also writes something else to the file of `--report`.
    private func sharedCopy(_ stages: [Stage]) -> Diagnostic? {
        guard let copy else { return nil }
        var others = [metrics].compactMap(\.self).map { FileName($0) }
        for stage in stages { others += stage.kind.outputs(values) }
        let own = place(FileName(copy))
        guard others.contains(where: { place($0) == own }) else { return nil }
        let shown = copy == "-" ? "Standard output" : copy
        return Diagnostic(
            code: "output.twice", "\(shown) is written by the run itself, too",
            fix: "give --report another file")
    }

    /// Returns the resolved path of a file, which may not exist.
    private func place(_ path: FileName) -> FileName {
        guard path != "-" else { return path }
        let whole = workingFolder.joining(path)
        return (FileSystem.resolved(whole.folder) ?? whole.folder.normalized)
            .joining(whole.lastComponent)
    }
}
