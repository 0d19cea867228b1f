import Diagnostics
import Files
import FoundationEssentials
import RecordStreams

/// The folder of a pipeline's reports, which several pipelines can share.
///
/// ```
/// runs/nightly-20261121T030000Z-4711.json
/// runs/nightly-20261121T030000Z-4711.html
/// ```
/// An attempt that continues a run has separate files, named after its own start.
struct ReportFolder {
    static let dataSuffix = ".json"
    static let pageSuffix = ".html"

    let path: String
    let pipeline: String

    /// Returns the path of a run's JSON report.
    func dataPath(_ run: String) -> String {
        PathText.join(path, "\(pipeline)-\(run)\(Self.dataSuffix)")
    }

    /// Returns the path of a run's HTML report.
    func pagePath(_ run: String) -> String {
        PathText.join(path, "\(pipeline)-\(run)\(Self.pageSuffix)")
    }

    /// The runs that have a report, oldest first.
    var runs: [String] {
        // A missing folder has no reports.
        let names = (try? FileSystem.textNames(in: path)) ?? []
        let runs = names.compactMap { run(ofFile: $0[...], Self.dataSuffix).map { String($0) } }
        return Self.oldestFirst(runs.map { ($0, dataPath($0)) }).map(\.run)
    }

    /// Sorts runs and the paths of their reports by the start of the run.
    ///
    /// Runs that started in the same second are sorted by the time their reports were written,
    /// because process IDs wrap around.
    static func oldestFirst(
        _ reports: [(run: String, path: String)]
    ) -> [(run: String, path: String)] {
        let seconds = Dictionary(grouping: reports) { RunName.second($0.run) }
        return seconds.sorted { $0.key < $1.key }.flatMap { _, reports in
            guard reports.count > 1 else { return reports }
            return reports.map { ($0, FileDescriptor.timeWritten($0.path)) }
                .sorted { ($0.1, $0.0.run) < ($1.1, $1.0.run) }.map(\.0)
        }
    }

    /// Sorts runs and the paths of their reports by the start of the run, but moves the run that
    /// ended last to the end.
    ///
    /// A run may start first and then wait for the store.
    static func lastEndedLast(
        _ reports: [(run: String, path: String)]
    ) -> [(run: String, path: String)] {
        let sorted = oldestFirst(reports)
        let times = sorted.map { FileDescriptor.timeWritten($0.path) }
        guard let newest = times.max(), let place = times.lastIndex(of: newest),
            place + 1 < sorted.count, let last = sorted.last
        else { return sorted }
        // Compare the end times in the reports too, because a copied folder may have other file
        // times.
        func ended(_ path: String) -> Double {
            guard let report = try? StoredReport.read(path).report else { return 0 }
            return TimeText.date(report.ended, now: 0) ?? 0
        }
        guard ended(sorted[place].path) > ended(last.path) else { return sorted }
        var moved = sorted
        moved.append(moved.remove(at: place))
        return moved
    }

    /// The runs that have a report; the run that ended last is at the end.
    var runsLastEndedLast: [String] {
        Self.lastEndedLast(runs.map { ($0, dataPath($0)) }).map(\.run)
    }

    /// Returns the report of the newest attempt of a run.
    ///
    /// - Throws: `RunFailure` if the run has no readable report.
    func newest(ofRun run: String) throws(RunFailure) -> StoredReport {
        for name in runsLastEndedLast.reversed()
        where name != run && RunName.second(name) >= RunName.second(run) {
            // An unreadable report does not count as a report of the run.
            guard let stored = try? StoredReport.read(dataPath(name)), stored.report.run == run
            else { continue }
            return stored
        }
        return try StoredReport.read(dataPath(run))
    }

    /// Returns a warning if another spec with the same name writes its reports to the same folder.
    ///
    /// - Parameter count: The number of newest reports to check.
    /// - Returns: The resolved paths of the two specs, and the warning; `nil` if there is no other
    ///   spec.
    static func ofTwoSpecs(
        _ spec: PipelineSpec, _ values: ParameterValues, _ context: ParameterValues.Context,
        newest count: Int
    ) -> (pair: Set<String>, warning: Diagnostic)? {
        guard values.canResolve(spec.report.folder), let own = FileDescriptor.resolved(spec.file)
        else { return nil }
        let folder = ReportFolder(path: values.path(spec.report.folder), pipeline: spec.name)
        let place = FileDescriptor.resolved(folder.path)
        let others = folder.runsLastEndedLast.suffix(count).reversed().lazy.compactMap { run in
            // A report that cannot be read names no other spec.
            try? StoredReport.read(folder.dataPath(run)).report.spec
        }
        let other = others.first { file in
            // A moved or renamed spec is not another spec.
            guard file != own, let other = SpecificationFile.read(file: file).spec,
                other.name == spec.name, FileDescriptor.resolved(file) != own
            else { return false }
            let known = ParameterValues.partial(other, context)
            return !known.canResolve(other.report.folder)
                || FileDescriptor.resolved(known.path(other.report.folder)) == place
        }
        guard let other else { return nil }
        let warning = Diagnostic(
            .warning, code: "report.shared",
            "\(spec.file) and \(FileName(other).shownFromHere) are both named '\(spec.name)' and write "
                + "reports to the folder \(folder.path), so their runs appear as runs of one "
                + "pipeline",
            fix: "set another `name` or `report.to` in one of them")
        return ([own, other], warning)
    }

    /// Returns the run of the report file with this name; `nil` for any other file.
    private func run(ofFile name: Substring, _ suffix: String) -> Substring? {
        guard name.utf8.count > pipeline.utf8.count + suffix.utf8.count, name.hasSuffix(suffix),
            name.hasPrefix(pipeline)
        else { return nil }
        let run = name.dropFirst(pipeline.count).dropLast(suffix.count)
        guard run.first == "-", RunName.started(run.dropFirst()) != nil else { return nil }
        return run.dropFirst()
    }

    /// Removes all but the newest reports and that of the last success, and leftovers of runs that
    /// were killed while they wrote one.
    ///
    /// `etl status` needs the last success, however many failures and partial runs followed it.
    ///
    /// - Parameter own: The run that has just written its report, which is kept.
    /// - Returns: Warnings for files that could not be removed.
    func rotate(keeping count: Int, with own: String) -> [Diagnostic] {
        // Each run writes under unique names, so later runs do not overwrite leftovers.
        OutputFile.removeLeftovers(in: FileName(path)) { name in
            guard let name = name.exactText else { return false }
            if name == RunIndex.name { return true }
            return [Self.dataSuffix, Self.pageSuffix].contains { run(ofFile: name[...], $0) != nil }
        }
        let old = runs.filter { $0 != own }.dropLast(count - 1)
        let success = old.isEmpty ? nil : runsLastEndedLast.last(where: isSuccess)
        return old.filter { $0 != success }.flatMap { run in
            [dataPath(run), pagePath(run)].compactMap { path in
                FileDescriptor.remove(path)
                guard FileDescriptor.size(path) != nil else { return nil }
                return Diagnostic(
                    .warning, code: "report.old", "The old report \(path) cannot be removed",
                    fix: "remove it, or raise `report.keep`")
            }
        }
    }

    /// Returns whether a report is readable and that of a success.
    private func isSuccess(_ run: String) -> Bool {
        (try? StoredReport.read(dataPath(run)).report.isSuccess) == true
    }
}
