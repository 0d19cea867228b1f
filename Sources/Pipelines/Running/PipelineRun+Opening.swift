import Diagnostics
import FoundationEssentials
import GraphStore
import RecordStreams

/// The way a run opens its store, and the state that it resumes from an earlier attempt.
extension PipelineRun {
    /// A store that was opened for a group of stages.
    struct Opened {
        var container: PersistentContainer
        /// The notes that the run continues, if any.
        var beginning: RunJournal.Beginning
        var place = RunPhase.WorkLocation.workingCopy
    }

    mutating func openStore(_ job: inout Job, for group: [Stage]) throws -> Opened {
        let isWriting = group.contains { $0.kind.isWriting }
        if isWriting {
            try job.target.lockAppStore()
            if !hasBegun { try job.target.checkIsUnlocked() }
        }
        let model = job.model
        guard job.target.way.usesWorkingCopy, job.target.way.isDry || isWriting else {
            let container = try job.target.openStore(model: model)
            return Opened(
                container: container,
                beginning: try begin(after: saved(in: container, job), &job, container),
                place: .store)
        }
        if job.target.isOfApp, !job.target.way.isDry {
            // A run that was killed right after the replacement of the store is done.
            if let saved = try CompletionNote.read(nextTo: job.target.path) {
                // The rest of the working copy.
                try PersistentContainer.destroy(at: job.target.workPath)
                try InputMemory.confirm(ofStoreAt: job.target.path)
                let container = try job.target.openStore(model: model)
                if case .continued(let saved) = try begin(after: saved, &job, container) {
                    return Opened(
                        container: container, beginning: .continued(saved), place: .store)
                }
            }
            CompletionNote.remove(nextTo: job.target.path)
            try InputMemory.forget(ofStoreAt: job.target.path)
        }
        // Work left by a different selection of stages must not get into this run's store.
        let owner = job.note.owner
        if let (container, saved) = try job.target.openUnfinished(model: model, owner, job.paths),
            hasBegun || saved.isOf(job.stages),
            case .continued(let saved) = try begin(
                after: saved, &job, container, usesWorkingCopy: true)
        {
            return Opened(container: container, beginning: .continued(saved))
        }
        if let (container, saved) = try job.target.openReplaced(model: model, owner, job.paths),
            case .continued(let saved) = try begin(after: saved, &job, container)
        {
            return Opened(container: container, beginning: .continued(saved), place: .store)
        }
        let container = try job.target.openWorkingCopy(model: model)
        let beginning = try begin(after: saved(in: container, job), &job, container)
        job.note.base = job.target.baseDigest
        return Opened(container: container, beginning: beginning)
    }

    /// Returns the notes of an unfinished run of this pipeline; `nil` if the run starts over.
    private func saved(
        in container: PersistentContainer, _ job: Job
    ) throws -> RunJournal.Saved? {
        guard hasBegun || !options.isRestart else {
            // Unreadable notes are treated as missing.
            let given = try? RunJournal.saved(by: job.note.owner, job.paths, in: container)
            if let given { warn(ofAppendsBefore: given, job) }
            return nil
        }
        return try RunJournal.saved(by: job.note.owner, job.paths, in: container)
    }

    /// Warns of records that an interrupted import has appended, since they stay in the store when
    /// the import starts over.
    private func warn(ofAppendsBefore saved: RunJournal.Saved, _ job: Job) {
        guard options.replay == nil else { return }
        for stage in job.stages where !stage.kind.isRepeatable {
            guard let point = saved.points.first(where: { $0.stage == stage.name }),
                point.counts.read > 0
            else { continue }
            let records = ReportNumbers.several(point.counts.read, "record")
            var diagnostic = Diagnostic(
                .warning, code: "import.read-before",
                "An earlier run has read \(records) of '\(stage.name)' and saved the appended "
                    + "objects, and --restart appends them again",
                fix: "remove those objects, or complete the run without --restart")
            diagnostic.stage = stage.reportLocation
            runner.warn(diagnostic)
        }
    }

    /// Decides what the run continues of an earlier one.
    ///
    /// If it completes that run, it uses that run's start time.
    ///
    /// - Parameter usesWorkingCopy: Whether the notes are in a working copy, which is discarded if
    ///   it is not continued.
    /// - Throws: `RunFailure` (65) if a completed import would append its objects again.
    mutating func begin(
        after saved: RunJournal.Saved?, _ job: inout Job, _ container: PersistentContainer,
        usesWorkingCopy: Bool = false
    ) throws -> RunJournal.Beginning {
        try options.replay?.reject(unfinished: saved?.run)
        guard let saved else { return .new }
        if hasBegun { return .continued(saved) }
        guard !options.isRestart else { return .new }
        let again = try bind(
            job.spec, now: Date(timeIntervalSinceReferenceDate: saved.run.started),
            runID: saved.run.runID)
        guard PersistentContainer.file(resolving: again.path(job.spec.store.at)) == job.target.path
        else {
            return .new
        }
        let inputs = ChangedInputs(
            stages: job.stages, values: again, paths: job.paths, container: container,
            pipeline: job.spec.name,
            interruption: runner.interruption,
            staysSaved: job.target.way.real != .replacement
                && (!usesWorkingCopy || job.spec.store.commit == .stage))
        guard let obstacle = try obstacle(to: saved, job, again, inputs) else {
            job.values = again
            job.note = saved.run
            values = again
            return .continued(saved)
        }
        guard options.replay == nil else {
            try rejectOther(saved, job, obstacle)
            return .new
        }
        try inputs.rejectRepeatedAppends(saved, obstacle)
        // No warning if the earlier run left nothing to do.
        if obstacle != .ended, !saved.isEmpty { warn(of: obstacle) }
        return saved.isEmpty ? .new : .startedOver(saved, stages: Set(job.stages.map(\.name)))
    }

    /// Returns why the run does not complete the earlier one; `nil` if it does.
    private func obstacle(
        to saved: RunJournal.Saved, _ job: Job, _ again: ParameterValues, _ inputs: ChangedInputs
    ) throws -> RunContinuation.Obstacle? {
        let known = RunContinuation.obstacle(
            .init(fingerprint: saved.run.fingerprint, date: again.runDate),
            isEnded: saved.run.isEnded,
            done: saved.stages.filter { note in job.stages.contains { $0.name == note.name } }
                .map { ($0.name, $0.fingerprint) },
            // A replay reads the same files whatever the date.
            .init(
                fingerprint: fingerprint(again),
                date: options.replay == nil ? job.values.runDate : again.runDate),
            today: Dictionary(
                job.stages.map { ($0.name, $0.fingerprint) },
                uniquingKeysWith: { first, _ in first })
        )
        // With a record limit, partly read inputs are expected.
        if let known { return known }
        guard options.recordsMax == nil, options.replay == nil else { return nil }
        return try inputs.first(since: saved).map {
            $0.isStream ? .stream($0.name) : .input($0.name)
        }
    }

    /// Checks that a replay that starts over appends nothing again.
    ///
    /// - Throws: `RunFailure` (65) if it would.
    private func rejectOther(
        _ saved: RunJournal.Saved, _ job: Job, _ obstacle: RunContinuation.Obstacle
    ) throws(RunFailure) {
        guard !saved.isEmpty, !job.stages.allSatisfy(\.kind.isRepeatable) else { return }
        throw RunFailure(
            .dataError, code: "run.cannot-resume",
            "The last replay is unfinished and has saved objects, and is not completed, since "
                + obstacle.reason,
            fix: "replay as before, or replay everything again with --restart")
    }

    private func warn(of obstacle: RunContinuation.Obstacle) {
        var fix: String?
        if case .stream(let name) = obstacle { fix = "give \(name) all of its records again" }
        runner.warn(
            Diagnostic(
                .warning, code: "run.new-input",
                "An unfinished run is not completed, since \(obstacle.reason); no stage counts as done",
                fix: fix))
    }

    /// Reports at which point the run resumes an earlier one.
    func reportResuming(_ saved: RunJournal.Saved) {
        guard options.givesAdvice else { return }
        let done = ReportNumbers.several(saved.stages.count, "stage")
        runner.warn(
            Diagnostic(
                .note, code: "run.resumed",
                "Resumes the run \(saved.run.runID): \(done) done"
                    + (saved.place.map { ", \($0)" } ?? "")))
    }

    /// Begins a replay, or continues it if the last one was killed before it finished.
    ///
    /// The mark in the folder names the run, so the notes of an earlier replay are not mistaken for
    /// those of this one.
    func beginReplay(
        _ beginning: RunJournal.Beginning, _ job: inout Job, _ container: PersistentContainer
    ) throws -> RunJournal.Beginning {
        guard let replay = options.replay else { return beginning }
        if case .continued(let saved) = beginning, replay.isBegun(by: saved.run.runID) {
            return beginning
        }
        try replay.prepare(after: RunJournal.saved(by: job.spec.name, job.paths, in: container))
        job.note = job.ownNote
        try replay.begin(by: job.note.runID)
        return .new
    }
}
