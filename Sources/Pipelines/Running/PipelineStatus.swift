import Diagnostics
package import FoundationEssentials
import GraphModel
package import GraphStore

/// The status of a pipeline: its last run, the active run, and unfinished work.
package struct PipelineStatus: Sendable {
    /// A run that is not finished.
    package struct Pending: Sendable, Hashable {
        /// The ID of the run, which all its attempts share.
        package var run: String
        /// The name of another pipeline, if the run belongs to it; for a replay, the name has a
        /// prefix.
        package var owner: String?
        /// The number of completed stages.
        package var done: Int
        /// The number of records that its imports have saved.
        package var records = 0
        /// The position at which an import stopped, such as
        /// `import tasks at record 12,001 of tasks.csv`.
        package var place: String?
        /// The streams that the run read and that cannot be identified again; `nil` if the run can
        /// simply be repeated.
        package var streams: UnrepeatableInputs?
    }

    /// A run that has begun and has no report of its end.
    package struct Unended: Sendable, Hashable {
        /// The ID of the run from the store's notes.
        ///
        /// If the run is active or the store has no notes, it is the start and the process ID.
        package var run: String
        /// The start of the run or its last attempt, in ISO 8601.
        package var began: String
        /// Whether its process holds the store's lock; otherwise, it was killed.
        package var isAtWork: Bool
        /// Whether only the store's notes name the run.
        ///
        /// It could not write its report, or was killed before another process took the lock.
        package var isOnlyNoted = false
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
    /// The unfinished runs of other pipelines on the store, if the status is that of a store.
    package var others: [Pending] = []
    /// The reason why it is unknown whether there is unfinished work.
    package var unreadable: String?
    /// Whether a killed process left the store without its indexes and links, so that reading it
    /// fails until a run completes them.
    package var lacksIndexes = false
    /// Whether a process has taken the store's lock at some time, so that a run may have ended
    /// without a report.
    package var wasLocked = false
    /// Whether the notes of the store could be read; `pending` is reliable only then.
    var knowsNotes = true
    /// The folder of the reports.
    package var folder: String
    /// The backups of the store.
    package var backups: StoreBackups

    /// Reads the reports, the lock, and the store of a spec; changes nothing.
    ///
    /// - Parameter path: a spec, or a store that `etl import` wrote or was creating.
    /// - Throws: `RunFailure` if the spec cannot be read, or if nothing is known of a run on the
    ///   store.
    package static func of(
        spec path: String, _ context: ParameterValues.Context
    ) throws(RunFailure) -> PipelineStatus {
        try URLCheck.reject(file: path)
        if isStore(path) { return try of(store: path) }
        let (folder, spec, values) = try ReportFolder.of(spec: path, context)
        let store = PersistentContainer.file(resolving: values.path(spec.store.at))
        return of(
            folder, store: store, NotedPaths(spec), spec, holder: StoreLock.lastHolder(of: store))
    }

    /// Returns whether a path names a store, or the place where a killed run was creating one.
    static func isStore(_ path: String) -> Bool {
        // A store without tables is an empty file.
        ModelSource.isStore(path) || StoreLock.lastHolder(of: path) != nil
            || FileDescriptor.fileSize(path) == 0 && !ReportFolder.isSpec(path)
    }

    /// Returns the status of the pipeline that used a store last.
    private static func of(store path: String) throws(RunFailure) -> PipelineStatus {
        let store = PersistentContainer.file(resolving: path)
        let holder = StoreLock.lastHolder(of: store)
        let last = StoredReport.last(onStore: path)
        // While a run is active, the store is not read. The next run reports notes that cannot be
        // read.
        let owners =
            holder?.isAtWork == true ? [] : (try? RunJournal.owners(inStoreAt: store)) ?? []
        let known = holder.flatMap { $0.isOfRun ? $0.pipeline : nil } ?? last?.report.pipeline
        guard let pipeline = known ?? owners.first.map(RunNote.pipeline(ofOwner:)) else {
            throw RunFailure(
                .noInput, code: "report.missing",
                "No report in \(ReportFolder.besideStore(path)) is of a run on \(path)",
                fix: "name the spec that writes the store")
        }
        let paths = NotedPaths(folder: PathText.folder(of: path))
        var status = of(
            ReportFolder(path: ReportFolder.besideStore(path), pipeline: pipeline), store: store,
            paths, nil, holder: holder)
        if status.holder == nil {
            for owner in owners where owner != pipeline {
                // The status of another pipeline reports its unreadable notes.
                guard var other = try? pending(store, owner, paths, nil).found else { continue }
                other.owner = owner
                status.others.append(other)
            }
        }
        return status
    }

    /// Collects the status from the reports, the lock, and the store's notes.
    ///
    /// - Parameter spec: `nil` if the status is that of a store, so that runs of the pipeline on
    ///   other stores do not count.
    private static func of(
        _ folder: ReportFolder, store path: String, _ paths: NotedPaths, _ spec: PipelineSpec?,
        holder: StoreLock.Holder?
    ) -> PipelineStatus {
        var status = PipelineStatus(
            pipeline: folder.pipeline, folder: folder.path, backups: StoreBackups.seen(of: path))
        for run in folder.runsLastEndedLast.reversed() {
            // Skip a report that cannot be read.
            guard let report = try? StoredReport.read(folder.dataPath(run)).report,
                spec != nil || report.isOf(store: path)
            else { continue }
            status.note(report)
            if status.lastSuccess != nil, !status.wantsAttemptBefore { break }
        }
        if let holder, holder.isAtWork { status.holder = holder.words }
        // While a run is active, the notes are its own.
        if status.holder == nil {
            do throws(StoreError) {
                (status.pending, status.knowsNotes) = try pending(
                    path, folder.pipeline, paths, spec)
            } catch {
                status.unreadable = error.message
            }
            // An unreadable store is already reported.
            status.lacksIndexes = (try? PendingIndexes.areAbandoned(inStoreAt: path)) == true
        }
        status.wasLocked = StoreLock.wasTaken(ofStore: path)
        if let holder, holder.pipeline == folder.pipeline { status.note(unended: holder) }
        status.noteUnreported()
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

    /// Adds the unfinished run of the store's notes if it began after all reports.
    private mutating func noteUnreported() {
        guard unended == nil, let pending, let began = RunName.started(pending.run[...]) else {
            return
        }
        // The run itself, or the run that it continues, has a report.
        if let last, began <= TimeText.date(last.ended, now: 0) ?? began { return }
        unended = Unended(
            run: pending.run, began: ScalarText.isoDate(began), isAtWork: false, isOnlyNoted: true)
    }

    /// Returns the unfinished run of a pipeline, and whether all notes could be read.
    ///
    /// - Throws: `StoreError` if the disk or missing permissions prevent reading the notes.
    private static func pending(
        _ path: String, _ pipeline: String, _ paths: NotedPaths, _ spec: PipelineSpec?
    ) throws(StoreError) -> (found: Pending?, knowsNotes: Bool) {
        let isReplaced = (spec?.store.open).map { $0 == .replace }
        let beside = [CompanionFile.work, .new].filter { isReplaced != ($0 == .work) }
        var knowsNotes = true
        for path in [path] + beside.map({ $0.path(of: path) })
        where FileDescriptor.size(path) ?? 0 > 0 {
            let saved: RunJournal.Saved?
            do {
                saved = try RunJournal.saved(
                    by: pipeline, paths, at: path, stages: spec?.stages ?? [])
            } catch let error as StoreError where error.isOfTheMachine {
                throw error
            } catch {
                // The next run reports what is wrong with the store itself.
                knowsNotes = false
                continue
            }
            guard let saved, !saved.isEmpty || !saved.run.isEnded else { continue }
            let found = Pending(
                run: saved.run.runID, done: saved.stages.count, records: saved.recordsSaved,
                place: saved.place, streams: spec.flatMap { UnrepeatableInputs(since: saved, $0) })
            return (found, knowsNotes)
        }
        return (nil, knowsNotes)
    }

    /// Returns whether no run has succeeded within the given age; without an age, whether no run
    /// exists.
    package func isStale(now: Date, maxAgeSeconds: Int64?) -> Bool {
        guard let maxAgeSeconds else { return last == nil }
        guard let lastSuccess else { return true }
        return Self.age(of: lastSuccess, now) > Double(maxAgeSeconds)
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
