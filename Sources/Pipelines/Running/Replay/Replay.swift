import Diagnostics
import Files
import FoundationEssentials
import RecordStreams

/// The rejects of a run, read again with the current spec: `etl replay`.
///
/// A replay is a run whose imports read the run's reject files. Records that it rejects go to new
/// files, which replace the old ones at the end. So the folder keeps only the records that fail
/// again, with their new reasons.
///
/// ```
/// rejects/nightly-20261121T030000Z-4711/.replay/begun       a replay is active
/// rejects/nightly-20261121T030000Z-4711/.replay/rejects/…   records that it rejects
/// rejects/nightly-20261121T030000Z-4711/.replay/plan.json   all data is saved; the moves to do
/// ```
/// The store commits first, with the notes of any run. If a replay is killed before its end, the
/// next one resumes at the position in the notes, so no record is imported twice. If it is killed
/// after it wrote the plan, the next one carries out the plan, which can be repeated. Each record
/// is always in the store or in a reject file.
struct Replay: Sendable {
    /// The run's folder of rejects.
    let folder: String
    let note: RejectNote

    /// The folder in the form for messages.
    var shownFolder: String { FileName(folder).shownFromHere }

    var work: String { PathText.join(folder, ".replay") }
    private var mark: String { PathText.join(work, "begun") }
    var planPath: String { PathText.join(work, "plan.json") }

    init(folder: String, note: RejectNote) {
        self.folder = folder
        self.note = note
    }

    /// Finds the rejects of a run, and reads the note of their folder.
    ///
    /// - Parameters:
    ///   - run: the folder, the run's report, its ID if its folder is in `./rejects`, or a spec:
    ///     the last of its runs that has rejects left.
    ///   - sets: the values given on the command line, for the folder of the spec's reports.
    /// - Throws: `RunFailure` with status 66 if that run has no rejects.
    init(_ run: String, workingFolder: String, sets: [String] = []) throws {
        folder = try Self.find(run, workingFolder, sets)
        guard let note = try RejectNote.read(in: folder) else {
            throw RunFailure(
                .noInput, code: "replay.missing",
                "\(run) is not a folder with rejects that can be replayed",
                fix: "name the folder that the run printed, such as rejects/nightly-…")
        }
        self.note = note
    }

    private static func find(
        _ run: String, _ workingFolder: String, _ sets: [String]
    ) throws -> String {
        let path = PathText.join(workingFolder, run)
        if FileSystem.isFolder(path) {
            return FileDescriptor.resolved(path) ?? path
        }
        let suffixes = [ReportFolder.dataSuffix, ReportFolder.pageSuffix]
        let isSpec = [".yaml", ".yml"].contains(where: run.hasSuffix)
        if isSpec || suffixes.contains(where: run.hasSuffix) {
            let context = ParameterValues.Context(
                sets: sets, now: Date(timeIntervalSinceReferenceDate: 0),
                workingFolder: workingFolder)
            if isSpec { return try lastRejects(of: path, named: run, context) }
            let report = try StoredReport.find(run, context).report
            if let folder = report.stages.lazy.compactMap(\.rejectsFolder).first {
                return folder
            }
            throw RunFailure(
                .noInput, code: "replay.missing", "The run of \(run) has no rejects")
        }
        let rejects = PathText.join(workingFolder, "rejects")
        // Without the folder, there are no rejects.
        let names = (try? FileSystem.textNames(in: rejects)) ?? []
        let found = names.filter { $0 == run || $0.hasSuffix("-" + run) }
        guard found.count == 1 else {
            throw RunFailure(
                .noInput, code: "replay.missing", "There are no rejects of a run at \(run)",
                fix: "name the folder that the run printed, such as rejects/nightly-…")
        }
        return PathText.join(rejects, found[0])
    }

    /// Returns the folder of the last run of a spec that has rejects left, or of the last one that
    /// had any.
    private static func lastRejects(
        of spec: String, named name: String, _ context: ParameterValues.Context
    ) throws -> String {
        let reports = try ReportFolder.of(spec: spec, context).folder
        var drained: String?
        for run in reports.runsLastEndedLast.reversed() {
            // An unreadable report or a removed folder counts as having no rejects.
            guard let report = try? StoredReport.read(reports.dataPath(run)).report,
                report.replay == nil
            else { continue }
            for folder in report.stages.compactMap(\.rejectsFolder) {
                guard let replay = try? Replay(folder, workingFolder: "/") else { continue }
                if replay.hasWork { return folder }
                drained = drained ?? folder
            }
        }
        if let drained { return drained }
        throw RunFailure(
            .noInput, code: "replay.missing", "No run of \(name) has rejects that are left",
            fix: "`etl report \(name)` shows the last run")
    }

    /// Whether there are rejects to read or a replay to finish.
    var hasWork: Bool { isBegun || !files.isEmpty }

    /// The files that still exist.
    var files: [RejectNote.File] {
        note.files.filter { FileDescriptor.size(path(of: $0)) ?? 0 > 0 }
    }

    /// Returns the path of a file of records.
    func path(of file: RejectNote.File) -> FileName { FileName(folder).joining(file.name) }

    /// Returns the path of the file with its reasons.
    func reasonsPath(of file: RejectNote.File) -> FileName {
        RejectFile.reasons(of: path(of: file))
    }

    /// The warning about a folder that has no reject but links without an object, which a replay
    /// does not import; `nil` if it has no such links.
    var linksWarning: Diagnostic? {
        // A folder that cannot be listed shows no links.
        let names = (try? FileSystem.textNames(in: folder)) ?? []
        guard names.contains(where: { $0.hasSuffix(RejectFile.linksSuffix) }) else { return nil }
        let again =
            note.specText == nil
            ? "run \(note.spec.shownFromHere) again" : "import the same files again"
        return Diagnostic(
            .warning, code: "replay.links",
            "\(shownFolder) has no rejected record, and a replay does not add its links without an"
                + " object",
            fix: "import the missing objects, and then \(again)")
    }

    // MARK: The run

    /// Returns a spec that contains only the imports of the rejects, which read the reject files.
    func spec(from spec: PipelineSpec) throws -> PipelineSpec {
        var replay = spec
        let files = files
        for name in Set(files.map(\.stage)).sorted() {
            guard spec.stages.first(where: { $0.name == name })?.kind is ImportSpec else {
                let imports = spec.stages.filter { $0.kind is ImportSpec }
                throw RunFailure(
                    .configuration, code: "replay.stage",
                    "\(spec.file) has no import '\(name)' any longer, whose rejects these are"
                        + Suggestion.phrase(for: name, among: imports.map(\.name)))
            }
        }
        replay.stages = try spec.stages.compactMap { stage in
            let own = files.filter { $0.stage == stage.name }
            guard let imported = stage.kind as? ImportSpec, !own.isEmpty else { return nil }
            var stage = stage
            stage.kind = try reading(own, imported)
            stage.words += " replay of " + own.map(\.name.displayText).joined(separator: " ")
            return stage
        }
        // A spec that was generated for one import contains the model of that time.
        if note.specText != nil { replay.store.model = nil }
        replay.store.open = .existing
        replay.store.commit = .batch
        replay.rejects.folder = TemplateText(
            literal: PathText.join(work, "rejects"), at: spec.rejects.folder.location)
        replay.rejects.allow = .percent(100)
        replay.rejects.abort = .percent(100)
        return replay
    }

    /// Returns the import with reject files as inputs, which are plain text in UTF-8.
    private func reading(_ files: [RejectNote.File], _ spec: ImportSpec) throws -> ImportSpec {
        guard spec.read.generated == nil else {
            throw RunFailure(
                .configuration, code: "replay.generated",
                "These records were generated, so there is no input file to correct",
                at: .source(spec.location), fix: "correct the spec, and run it again")
        }
        var spec = spec
        let place = spec.location
        for file in files { try rejectTruncated(file, spec.read.format ?? file.form?.format) }
        spec.read.takePlain(
            files.map {
                TemplateText(
                    literal: PathText.join(folder, $0.name.exactText ?? $0.name.displayText),
                    at: place)
            })
        spec.read.areRejects = true
        spec.read.rejectForms = Dictionary(
            files.compactMap { file in file.form.map { (file.name, $0) } },
            uniquingKeysWith: { first, _ in first })
        spec.mirror = nil
        // Records that stop a run are rejected instead.
        spec.stops = []
        if spec.extra == .stop { spec.extra = .reject }
        if spec.duplicateKeys == .stop { spec.duplicateKeys = .reject }
        return spec
    }

    /// Rejects truncated records of tables: a truncated row can look complete, but a truncated
    /// object cannot.
    private func rejectTruncated(_ file: RejectNote.File, _ format: RecordFormat?) throws {
        guard let format = format ?? RecordFormat(fileName: file.name), format.isTabular,
            try RejectReason.read(reasonsPath(of: file)).contains(where: {
                $0.code == "too-big"
            })
        else { return }
        throw RunFailure(
            .dataError, code: "replay.cut",
            "\(path(of: file).shownFromHere) has a row that was truncated because it is larger than `read.max-record`",
            fix: "remove it from the file, and remove the line with too-big from its reasons")
    }

    /// Fails if the store has the notes of another replay, which must be completed first.
    ///
    /// - Throws: `RunFailure` with status 75 if an unfinished replay of another folder has work
    ///   left.
    func reject(unfinished run: RunNote?) throws {
        // A deleted folder has nothing left to replay.
        guard let other = run?.replay, other != folder,
            let replay = try? Replay(other, workingFolder: "/"), replay.hasWork
        else { return }
        throw Self.unfinished(other)
    }

    /// Whether a replay has begun and is not finished.
    var isBegun: Bool { FileDescriptor.size(mark) != nil }

    /// Returns whether a replay of a folder has begun and is not finished.
    static func isBegun(in folder: String) -> Bool {
        FileDescriptor.size(PathText.join(folder, ".replay/begun")) != nil
    }

    static func unfinished(_ folder: String) -> RunFailure {
        RunFailure(
            .temporaryFailure, code: "replay.unfinished",
            "The replay of \(FileName(folder).shownFromHere) is unfinished",
            fix: "replay \(FileName(folder).shownFromHere) first")
    }

    /// Returns whether the active replay is the given run.
    func isBegun(by run: String) -> Bool {
        // Without a mark, no replay is active.
        (try? FileSystem.contents(FileName(mark))) == Array((run + "\n").utf8)
    }

    /// Marks a replay as active, and removes the mark of an earlier one.
    func begin(by run: String) throws {
        try removeWork()
        try OutputFolder.make(work)
        try WholeFile.write(Array((run + "\n").utf8), to: mark)
    }

    func removeWork() throws {
        guard FileSystem.exists(work) else { return }
        FileDescriptor.remove(mark)
        try FileDescriptor.synchronizeFolder(work)
        FileDescriptor.remove(planPath)
        do {
            try FileSystem.removeAll(work)
        } catch {
            throw RunFailure(
                .cannotCreate, code: "replay.folder", "\(work) cannot be removed: \(error)",
                fix: "check the folder's permissions")
        }
    }
}

extension ReadSpec {
    /// Reads files that etl wrote, plain and in UTF-8, instead of the inputs.
    mutating func takePlain(_ files: [TemplateText]) {
        self.files = files
        // There may be fewer files than inputs.
        filesMin = 1
        command = nil
        compression = .none
        encoding = .utf8
        linesSkipped = 0
        arrayPath = "$"
        isOnce = false
    }
}
