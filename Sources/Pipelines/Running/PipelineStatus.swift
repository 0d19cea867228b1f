import Diagnostics
package import FoundationEssentials
package import GraphStore

/// The status of a pipeline: its last run, the active run, and unfinished work.
package struct PipelineStatus: Sendable {
    /// A run that is not finished.
    package struct Pending: Sendable, Hashable {
        /// The ID of the run, which all its attempts share.
        package var run: String
        /// The number of completed stages.
        package var done: Int
        /// The position at which an import stopped, such as
        /// `import tasks at record 12,001 of tasks.csv`.
        package var place: String?
        /// The streams that the run read and that cannot be identified again; `nil` if the run can
        /// simply be repeated.
        package var streams: UnrepeatableInputs?
    }

    /// A run that has begun and has no report of its end.
    package struct Unended: Sendable, Hashable {
        /// The ID in the store's notes; if active or without notes, its start and process ID.
        package var run: String
        /// The start of the run or its last attempt, in ISO 8601.
        package var began: String
        /// Whether its process holds the store's lock; otherwise, it was killed.
        package var isAtWork: Bool
    }

    /// The name of the pipeline in its reports.
    package var pipeline: String
    /// The newest run, if it is later than all reports and did not finish.
    package var unended: Unended?
    /// The last run that has a report.
    package var last: RunReport?
    /// The previous attempt, if `last` continued a run.
    package var attemptBefore: RunReport?
    /// The last run of the complete spec that ended with 0 and was not a replay; may be `last`.
    package var lastSuccess: RunReport?
    /// The holder of the store's lock: `pid 4711, pipeline nightly, since …`.
    package var holder: String?
    /// The unfinished run; `nil` if no run left work, a run is active, or its notes are unreadable.
    package var pending: Pending?
    /// The reason why it is unknown whether there is unfinished work.
    package var unreadable: String?
    /// The folder of the reports.
    package var folder: String
    /// The backups of the store.
    package var backups: StoreBackups

    /// Reads the reports, the lock, and the store of a spec; changes nothing.
    ///
    /// - Parameter path: a spec, or a store that `etl import` wrote.
    /// - Throws: `RunFailure` if the spec cannot be read, or if no report names the store.
    package static func of(
        spec path: String, _ context: ParameterValues.Context
    ) throws(RunFailure) -> PipelineStatus {
        if ModelSource.isStore(path) {
            let folder = try ReportFolder.ofLastRun(onStore: path)
            return of(
                folder, store: PersistentContainer.file(behind: path),
                NotedPaths(folder: PathText.folder(of: path)), nil)
        }
        let (folder, spec, values) = try ReportFolder.of(spec: path, context)
        return of(
            folder, store: PersistentContainer.file(behind: values.path(spec.store.at)),
            NotedPaths(spec), spec
        )
    }

    /// - Parameter spec: `nil` if the spec is not in a file.
    private static func of(
        _ folder: ReportFolder, store path: String, _ paths: NotedPaths, _ spec: PipelineSpec?
    ) -> PipelineStatus {
        var status = PipelineStatus(
            pipeline: folder.pipeline, folder: folder.path, backups: StoreBackups.seen(of: path))
        for run in folder.runsLastEndedLast.reversed() {
            // Skip a report that cannot be read.
            guard let report = try? StoredReport.read(folder.dataPath(run)).report else { continue }
            status.note(report)
            if status.lastSuccess != nil, !status.wantsAttemptBefore { break }
        }
        let holder = StoreLock.lastHolder(of: path)
        if let holder, holder.isAtWork { status.holder = holder.words }
        // While a run is active, the notes are its own.
        if status.holder == nil {
            do throws(StoreError) {
                status.pending = try pending(path, folder.pipeline, paths, spec)
            } catch {
                status.unreadable = error.message
            }
        }
        if let holder, holder.pipeline == folder.pipeline { status.note(unended: holder) }
        return status
    }

    /// Whether the attempt before the last one is not found yet.
    private var wantsAttemptBefore: Bool {
        attemptBefore == nil && last.map { $0.attempts > 1 } ?? false
    }

    /// Adds a report that is older than the previous ones.
    private mutating func note(_ report: RunReport) {
        if last == nil {
            last = report
        } else if wantsAttemptBefore, report.run == last?.run {
            attemptBefore = report
        }
        if lastSuccess == nil, report.isSuccess { lastSuccess = report }
    }

    /// Adds a run of the pipeline that has not released its lock.
    private mutating func note(unended holder: StoreLock.Holder) {
        guard let started = TimeText.date(holder.started, now: 0) else { return }
        let run = RunName.of(started, holder.process)
        // An attempt with a report was killed after it wrote the report.
        if let last, last.name == run { return }
        unended = Unended(
            run: pending?.run ?? run, began: holder.started, isAtWork: holder.isAtWork)
    }

    /// - Throws: `StoreError` if the disk or missing permissions prevent reading the notes.
    private static func pending(
        _ path: String, _ pipeline: String, _ paths: NotedPaths, _ spec: PipelineSpec?
    ) throws(StoreError) -> Pending? {
        let beside: CompanionFile = spec?.store.open == .replace ? .new : .work
        for path in [path, beside.path(of: path)] where FileDescriptor.size(path) ?? 0 > 0 {
            let saved: RunJournal.Saved?
            do {
                saved = try RunJournal.saved(
                    by: pipeline, paths, at: path, stages: spec?.stages ?? [])
            } catch let error as StoreError where error.isOfTheMachine {
                throw error
            } catch {
                // The next run reports what is wrong with the store itself.
                continue
            }
            guard let saved, !saved.isEmpty || !saved.run.isEnded else { continue }
            return Pending(
                run: saved.run.runID, done: saved.stages.count, place: saved.place,
                streams: spec.flatMap { UnrepeatableInputs(since: saved, $0) })
        }
        return nil
    }

    /// Returns whether no run has succeeded within the given age; without an age, whether no run
    /// exists.
    package func isStale(now: Date, maxAgeSeconds: Int64?) -> Bool {
        guard let maxAgeSeconds else { return last == nil }
        guard let lastSuccess else { return true }
        return Self.age(of: lastSuccess, now) > Double(maxAgeSeconds)
    }

    private static func age(of report: RunReport, _ now: Date) -> Double {
        now.timeIntervalSinceReferenceDate - (TimeText.date(report.ended, now: 0) ?? 0)
    }

    /// Returns the status as lines of text.
    package func text(now: Date) -> String {
        func line(_ report: RunReport) -> String {
            let age = ReportWords.duration(max(0, Self.age(of: report, now)))
            let part = report.entryText.map { " (\($0))" } ?? ""
            return "\(report.name)\(part), exit \(report.exit.code) \(report.exit.name), ended "
                + "\(ReportWords.time(report.ended)), \(age) ago"
        }
        var lines = ["pipeline      \(pipeline)"]
        if let unended {
            let began = TimeText.date(unended.began, now: 0) ?? 0
            let age = ReportWords.duration(max(0, now.timeIntervalSinceReferenceDate - began))
            lines.append(
                "last run      \(unended.run), "
                    + "\(unended.isAtWork ? "at work" : "killed before its end"), began "
                    + "\(ReportWords.time(unended.began)), \(age) ago")
            lines.append("run before    \(last.map(line) ?? "none among the reports")")
        } else {
            lines.append("last run      \(last.map(line) ?? "never")")
            if let attemptBefore { lines.append("run before    \(line(attemptBefore))") }
        }
        if unended != nil ? last?.isSuccess != true : last?.isSuccess == false {
            lines.append("last success  \(lastSuccess.map(line) ?? "none among the reports")")
        }
        if let holder { lines.append("running       \(holder)") }
        if let pending {
            let stages = ReportWords.several(pending.done, "stage")
            lines.append(
                "to complete   \(pending.run), \(stages) done"
                    + (pending.place.map { ", \($0)" } ?? "") + "; "
                    + (pending.streams?.text ?? "run it again"))
        }
        if let unreadable {
            lines.append("to complete   not known; the store cannot be read: \(unreadable)")
        }
        if !backups.all.isEmpty {
            lines.append(
                "backups       \(ReportWords.several(backups.all.count, "file")), "
                    + ReportWords.bytes(backups.bytes))
        }
        lines.append("reports       \(folder)")
        return lines.map { OutputText($0).text }.joined(separator: "\n") + "\n"
    }
}

extension StoreError {
    /// Whether the cause is the disk, the permissions, or limits of the system, and not the store's
    /// content.
    fileprivate var isOfTheMachine: Bool {
        switch code {
        case .inputOutput, .full, .permission, .resources: true
        default: false
        }
    }
}
