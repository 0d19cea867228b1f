import Diagnostics
import FoundationEssentials

/// Compares the columns of tables with those of the last run.
///
/// A column that is filled by name may be renamed in the file. Then its attribute silently
/// stays unchanged, and nothing reads the new column.
struct ColumnChanges {
    /// The maximum number of reports to search for the last run of a stage.
    private static let reportsMax = 10

    private let folder: ReportFolder
    /// The name of this run, whose own report may already exist and is skipped.
    private let own: String

    init(_ folder: ReportFolder, own: String) {
        self.folder = folder
        self.own = own
    }

    /// Returns a warning for each finished import of tables whose columns are no longer the same.
    ///
    /// - Parameters:
    ///   - stages: The stages of this run.
    ///   - file: Returns the name of the last file that a stage has read.
    func warnings(
        _ stages: [StageReport], file: (_ stage: String) -> String?
    ) -> [Diagnostic] {
        var stages = stages.filter { $0.unfilledAttributes != nil }
        var warnings: [Diagnostic] = []
        var runs = folder.runsLastEndedLast.filter { $0 != own }.suffix(Self.reportsMax)
        while !stages.isEmpty, let run = runs.popLast() {
            // A report that cannot be read does not name the columns.
            guard let last = try? StoredReport.read(folder.dataPath(run)).report else { continue }
            for earlier in last.stages
            where [.done, .resumed].contains(earlier.state) && earlier.unfilledAttributes != nil {
                guard let place = stages.firstIndex(where: { $0.name == earlier.name }) else {
                    continue
                }
                let stage = stages.remove(at: place)
                if let warning = Self.warning(stage, after: earlier, file(stage.name)) {
                    warnings.append(warning)
                }
            }
        }
        return warnings
    }

    private static func warning(
        _ stage: StageReport, after earlier: RunReport.Stage, _ file: String?
    ) -> Diagnostic? {
        let known = Set(earlier.extraFields.map(\.name))
        let unread = stage.extraFields.map(\.name).filter { !known.contains($0) }
        let empty = Set(earlier.unfilledAttributes ?? [])
        let unfilled = (stage.unfilledAttributes ?? []).filter { !empty.contains($0) }
        let facts = [
            unread.isEmpty
                ? nil
                : "nothing reads the column\(unread.count == 1 ? "" : "s") \(Suggestion.list(unread))",
            unfilled.isEmpty ? nil : "no column fills \(Suggestion.list(unfilled))",
        ].compactMap(\.self)
        guard !facts.isEmpty else { return nil }
        let example =
            unread.count != 1 || unfilled.count != 1
            ? "" : ", such as `set: { \(unfilled[0]): \(unread[0]) }`"
        return Diagnostic(
            .warning, code: "import.changed-columns",
            "Unlike in the last run of '\(stage.name)', \(facts.joined(separator: ", and "))",
            at: file.map { .file($0) } ?? .nowhere,
            fix: unfilled.isEmpty
                ? "map a column that is needed under `set`"
                : "if a column was renamed, name it under `set`\(example)")
    }
}

extension RunReporter {
    /// Returns the warnings about columns that have changed since the last run.
    ///
    /// A replay reads only some of the files. An import without a spec compares its columns with
    /// the store's model instead.
    func columnChanges(_ outcome: RunOutcome) -> [Diagnostic] {
        guard run.options.replay == nil, run.mayBegin, let spec = run.spec, let values = run.values
        else { return [] }
        let folder = ReportFolder(path: values.path(spec.report.folder), pipeline: spec.name)
        let started = run.options.now.timeIntervalSinceReferenceDate
        return ColumnChanges(folder, own: RunName.of(started)).warnings(outcome.stages) { name in
            spec.stages.first { $0.name == name }
                .flatMap { run.ledger.entry(of: $0)?.inputs.last?.path.shownFromHere }
        }
    }
}
