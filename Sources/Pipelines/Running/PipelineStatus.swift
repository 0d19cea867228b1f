import Diagnostics
package import FoundationEssentials
package import GraphStore

/// How a pipeline stands: its last run, who is at work, and what is to be completed.
package struct PipelineStatus: Sendable {
    /// A run that is not at its end.
    package struct Pending: Sendable, Hashable {
        package var run: String
        /// Stages that are done.
        package var done: Int
        /// Where an import stopped, such as `import tasks at record 12,001 of tasks.csv`.
        package var place: String?
        /// What it has read that cannot be known again; nil where it is just run again.
        package var streams: StreamsAgain?
    }

    /// A run that began and of whose end there is no report.
    package struct Unended: Sendable, Hashable {
        package var run: String
        /// When it began, or its last attempt, in ISO 8601.
        package var began: String
        /// Its process has the store; else it was killed.
        package var isAtWork: Bool
    }

    package var pipeline: String
    /// The newest run behind the others, where it did not come to its end.
    package var unended: Unended?
    /// The last run that has a report.
    package var last: RunReport?
    /// The attempt before that, if `last` continued a run.
    package var attemptBefore: RunReport?
    /// The last run of the whole spec that ended with 0, no replay; that may be `last`.
    package var lastSuccess: RunReport?
    /// Who holds the store's lock: `pid 4711, pipeline nightly, since …`.
    package var holder: String?
    package var pending: Pending?
    /// Why nobody knows whether anything is to be completed.
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
                folder, store: StoreTarget.place(of: path),
                NotedPaths(folder: PathText.folder(of: path)), nil)
        }
        let (folder, spec, values) = try ReportFolder.of(spec: path, context)
        return of(
            folder, store: StoreTarget.place(of: values.path(spec.store.at)), NotedPaths(spec), spec
        )
    }

    /// - Parameter spec: `nil` if it is in no file.
    private static func of(
        _ folder: ReportFolder, store path: String, _ paths: NotedPaths, _ spec: PipelineSpec?
    ) -> PipelineStatus {
        var status = PipelineStatus(
            pipeline: folder.pipeline, folder: folder.path, backups: StoreBackups.seen(of: path))
        for run in folder.runsLastEndedLast.reversed() {
            // One that cannot be read says nothing.
            guard let report = try? StoredReport.read(folder.dataPath(run)).report else { continue }
            status.note(report)
            if status.lastSuccess != nil, !status.wantsAttemptBefore { break }
        }
        let holder = StoreLock.lastHolder(of: path)
        if let holder, holder.isAtWork { status.holder = holder.words }
        // While somebody is at work, the notes are theirs.
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

    /// Whether the attempt before the last one is still to be found.
    private var wantsAttemptBefore: Bool {
        attemptBefore == nil && last.map { $0.attempts > 1 } ?? false
    }

    /// Takes note of a report that is older than those before.
    private mutating func note(_ report: RunReport) {
        if last == nil {
            last = report
        } else if wantsAttemptBefore, report.run == last?.run {
            attemptBefore = report
        }
        if lastSuccess == nil, report.isSuccess { lastSuccess = report }
    }

    /// Takes note of a run of the pipeline that has not released its lock.
    private mutating func note(unended holder: StoreLock.Holder) {
        guard let started = TimeText.date(holder.started, now: 0) else { return }
        let run = RunName.of(started, holder.process)
        // An attempt that has its report was killed after it wrote that.
        if let last, last.name == run { return }
        unended = Unended(
            run: pending?.run ?? run, began: holder.started, isAtWork: holder.isAtWork)
    }

    /// - Throws: `StoreError` where the disk or the rights keep it from being known.
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
                // What is wrong with the store itself is told by the next run.
                continue
            }
            guard let saved, !saved.isEmpty || !saved.run.isEnded else { continue }
            return Pending(
                run: saved.run.runID, done: saved.stages.count, place: saved.place,
                streams: spec.flatMap { StreamsAgain(since: saved, $0) })
        }
        return nil
    }

    /// Whether no run has ended well within so many seconds; without them, whether none ever ran.
    package func isStale(now: Date, maxAgeSeconds: Int64?) -> Bool {
        guard let maxAgeSeconds else { return last == nil }
        guard let lastSuccess else { return true }
        return Self.age(of: lastSuccess, now) > Double(maxAgeSeconds)
    }

    private static func age(of report: RunReport, _ now: Date) -> Double {
        now.timeIntervalSinceReferenceDate - (TimeText.date(report.ended, now: 0) ?? 0)
    }

    /// The status as lines.
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
    /// The disk, the rights or the machine's limits are the reason, and not what the store is.
    fileprivate var isOfTheMachine: Bool {
        switch code {
        case .inputOutput, .full, .permission, .resources: true
        default: false
        }
    }
}
