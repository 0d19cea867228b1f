import Diagnostics
import Files
import FoundationEssentials

/// A report that a run has written.
package struct StoredReport: Sendable {
    /// The path of the report.
    package var path: String
    /// The decoded contents of the file.
    package var report: RunReport

    /// Finds the report of a run.
    ///
    /// - Parameter run: One of:
    ///   - the report's file, JSON or HTML
    ///   - the run's ID, if its report is in `./runs`
    ///   - a folder of reports, a spec, or a store with reports next to it, for the newest report
    ///   - the reject folder of the run
    /// - Throws: `RunFailure` with status 66 if it does not exist, or 78 if it cannot be read.
    package static func find(
        _ run: String, _ context: ParameterValues.Context
    ) throws(RunFailure) -> StoredReport {
        let path = PathText.join(context.workingFolder, run)
        guard FileSystem.exists(path) else {
            return try find(id: run, in: PathText.join(context.workingFolder, "runs"))
        }
        if FileSystem.isFolder(path) { return try find(inFolder: path, context) }
        if ModelSource.isStore(path) {
            guard let last = last(onStore: path) else { throw missing(run) }
            return last
        }
        if ReportFolder.isSpec(path) {
            let folder = try ReportFolder.of(spec: path, context).folder
            guard let newest = folder.runsLastEndedLast.last else { throw missing(run) }
            return try read(folder.dataPath(newest))
        }
        if PathText.lastComponent(path) == RunIndex.name {
            return try find(inFolder: PathText.folder(of: path), context)
        }
        if path.hasSuffix(ReportFolder.pageSuffix) {
            return try read(
                path.dropLast(ReportFolder.pageSuffix.count) + ReportFolder.dataSuffix)
        }
        return try read(path)
    }

    /// Reads a report.
    static func read(_ path: String) throws(RunFailure) -> StoredReport {
        struct Head: Decodable { var report: Int }
        do {
            let data = try Data(FileSystem.contents(path))
            let decoder = JSONDecoder()
            let head = try decoder.decode(Head.self, from: data)
            guard head.report <= RunReport.currentFormat else {
                throw RunFailure(
                    .configuration, code: "report.version",
                    "\(path) is of format \(head.report); this etl reads "
                        + "\(RunReport.currentFormat)", fix: "use a newer etl")
            }
            return StoredReport(path: path, report: try decoder.decode(RunReport.self, from: data))
        } catch let failure as RunFailure {
            throw failure
        } catch {
            let kind = (error as? SystemFault)?.kind ?? .invalid
            throw RunFailure(
                kind == .missing ? .noInput : Fault(.spec, kind),
                code: "report.unreadable", "\(path) is not a readable report of a run",
                fix: "name a report, such as runs/nightly-….json")
        }
    }

    private static func missing(_ run: String) -> RunFailure {
        RunFailure(
            .noInput, code: "report.missing", "There is no report of a run at \(run)",
            fix: "name a report, such as runs/nightly-….json, or a spec for its last run")
    }

    private static func find(id: String, in folder: String) throws(RunFailure) -> StoredReport {
        let file = id + ReportFolder.dataSuffix
        let found = names(in: folder).filter { $0 == file || $0.hasSuffix("-" + file) }
        let run = id.split(separator: "-").suffix(2).joined(separator: "-")
        guard RunName.started(run[...]) != nil, found.count == 1 else { throw missing(id) }
        return try read(PathText.join(folder, found[0]))
    }

    private static func find(
        inFolder folder: String, _ context: ParameterValues.Context
    ) throws(RunFailure) -> StoredReport {
        // An unreadable note counts as no note.
        if let note = try? RejectNote.read(in: folder) {
            var context = context
            context.sets = note.sets
            context.workingFolder = note.workingFolder.textFromHere
            let reports = try ReportFolder.of(
                spec: note.spec.textFromHere, text: note.specText, context
            ).folder
            return try reports.newest(ofRun: note.run)
        }
        guard let newest = paths(in: folder).last else { throw missing(folder) }
        return try read(newest)
    }

    /// Returns the paths of the reports of all pipelines in a folder.
    ///
    /// The report of the run that ended last is at the end.
    static func paths(in folder: String) -> [String] {
        let reports = names(in: folder).compactMap { name -> (run: String, path: String)? in
            guard name.hasSuffix(ReportFolder.dataSuffix) else { return nil }
            let run = name.dropLast(ReportFolder.dataSuffix.count).split(separator: "-").suffix(2)
                .joined(separator: "-")
            return RunName.started(run[...]).map { _ in (run, PathText.join(folder, name)) }
        }
        return ReportFolder.lastEndedLast(reports).map(\.path)
    }

    private static func names(in folder: String) -> [String] {
        // A missing folder has no reports.
        (try? FileSystem.textNames(in: folder)) ?? []
    }
}

extension StoredReport {
    /// An output format of a report.
    package enum Format: String, Sendable, CaseIterable {
        case text, json, html
    }

    /// Returns the report in a format, with a final line break.
    package func text(as format: Format) throws -> String {
        switch format {
        case .text: ReportText.text(of: report)
        case .json: String(decoding: try FileSystem.contents(path), as: UTF8.self)
        case .html:
            ReportPage.text(of: report, in: FileDescriptor.resolved(PathText.folder(of: path)))
        }
    }
}

extension ReportFolder {
    /// Returns the report folder of a spec.
    ///
    /// - Parameter text: The spec, if it is not in a file.
    /// - Throws: `RunFailure` if the spec cannot be read, or if the folder depends on a parameter
    ///   without a value.
    static func of(
        spec file: String, text: String? = nil, _ context: ParameterValues.Context
    ) throws(RunFailure) -> (folder: ReportFolder, spec: PipelineSpec, values: ParameterValues) {
        let (read, problems) = SpecificationFile.read(text: text, file: file)
        guard let spec = read else { throw RunFailure(problems: problems) }
        let errors = ParameterValues.check(spec, context).filter { $0.severity == .error }
        guard errors.isEmpty else { throw RunFailure(problems: errors) }
        let values = ParameterValues.partial(spec, context)
        for text in [spec.report.folder, spec.store.at] where !values.canResolve(text) {
            throw RunFailure(
                .configuration, code: "spec.unset-parameter",
                "'\(text.text)' holds a parameter without a value",
                fix: "pass --set name=value")
        }
        let folder = ReportFolder(path: values.path(spec.report.folder), pipeline: spec.name)
        return (folder, spec, values)
    }
}

extension ReportFolder {
    /// Returns whether a path has the name of a spec.
    static func isSpec(_ path: String) -> Bool {
        path.hasSuffix(".yaml") || path.hasSuffix(".yml")
    }

    /// Returns the folder of the reports of `etl import`: `runs` next to the store.
    static func besideStore(_ path: String) -> String {
        PathText.join(PathText.folder(of: path), "runs")
    }
}

extension StoredReport {
    /// Returns the report of the run on a store that ended last, from the folder `runs` next to the
    /// store; `nil` if no report in it names the store.
    static func last(onStore path: String) -> StoredReport? {
        for file in paths(in: ReportFolder.besideStore(path)).reversed() {
            // Skip unreadable reports.
            guard let stored = try? read(file), stored.report.isOf(store: path) else { continue }
            return stored
        }
        return nil
    }
}

extension RunReport {
    /// Returns whether the run used the store at a path, which may not exist yet.
    ///
    /// Imports into the stores of one folder share its reports.
    func isOf(store path: String) -> Bool {
        guard let own = store?.path else { return false }
        return Self.resolved(own) == Self.resolved(path)
    }

    private static func resolved(_ path: String) -> String {
        let folder = PathText.folder(of: path)
        return FileDescriptor.resolved(path)
            ?? PathText.join(
                FileDescriptor.resolved(folder) ?? folder, PathText.lastComponent(path))
    }
}
