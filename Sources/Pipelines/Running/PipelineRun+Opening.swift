import Diagnostics
import FoundationEssentials
import GraphModel
import GraphStore
import RecordStreams

/// On which store the stages run, and what of an earlier attempt they go on with.
extension PipelineRun {
    /// A container that stages run on.
    struct Opened {
        var container: PersistentContainer
        /// What an earlier attempt of this run, or an earlier stage, left in it.
        var resumed: RunJournal.Saved?
        /// It is to take the place of the store.
        var isBeside: Bool
    }

    mutating func open(_ job: inout Job, for group: [Stage]) throws -> Opened {
        let isWriting = group.contains { $0.kind.isWriting }
        if isWriting {
            try job.target.takeTurn()
            if !hasBegun { try job.target.checkIsUnlocked() }
        }
        job.note.base = job.target.baseIdentity
        let model = job.model
        guard job.target.worksBeside,
            options.isDry || isWriting
        else {
            let container = try job.target.openStore(model: model)
            return Opened(
                container: container,
                resumed: try resume(RunJournal.saved(in: container), &job, container),
                isBeside: false)
        }
        if job.target.isOfApp, !options.isDry {
            // A run that was killed right behind its swap is done.
            if let saved = CompletionNote.read(beside: job.target.path) {
                try PersistentContainer.confirmInputs(ofStoreAt: job.target.path)
                let container = try job.target.openStore(model: model)
                if let resumed = try resume(saved, &job, container) {
                    return Opened(container: container, resumed: resumed, isBeside: false)
                }
            }
            CompletionNote.remove(beside: job.target.path)
            try PersistentContainer.forgetInputs(ofStoreAt: job.target.path)
        }
        // What was asked for something else left beside must not get into what this run makes.
        if let (container, saved) = try job.target.openUnfinished(model: model),
            hasBegun || saved.isOf(job.stages),
            let resumed = try resume(saved, &job, container, isBeside: true)
        {
            return Opened(container: container, resumed: resumed, isBeside: true)
        }
        if let (container, saved) = try job.target.openReplaced(model: model),
            let resumed = try resume(saved, &job, container)
        {
            return Opened(container: container, resumed: resumed, isBeside: false)
        }
        let container = try job.target.openBeside(model: model)
        return Opened(
            container: container,
            resumed: try resume(RunJournal.saved(in: container), &job, container),
            isBeside: true)
    }

    /// What an earlier attempt left, if this run is asked for the same; its time is then the time
    /// of this run.
    ///
    /// - Parameter isBeside: it is in a copy, which is thrown away if it is not gone on with.
    mutating func resume(
        _ saved: RunJournal.Saved?, _ job: inout Job, _ container: PersistentContainer,
        isBeside: Bool = false
    ) throws -> RunJournal.Saved? {
        try options.replay?.refuse(unfinished: saved?.run)
        try refuseForgetting(saved?.run, job.spec)
        guard let saved, saved.run.pipeline == job.spec.name else { return nil }
        if hasBegun { return saved }
        guard !options.isRestart else { return nil }
        let again = try bind(
            job.spec, now: Date(timeIntervalSinceReferenceDate: saved.run.started),
            runID: saved.run.runID)
        let path = again.path(job.spec.store.at)
        guard fingerprint(again) == saved.run.fingerprint,
            StoreTarget.place(of: path) == job.target.path
        else { return nil }
        let inputs = NewInput(
            stages: job.stages, values: again, container: container, pipeline: job.spec.name,
            interruption: runner.interruption,
            staysSaved: job.target.mode != .replace
                && (!isBeside || job.spec.store.commit == .stage),
            isBeside: isBeside)
        // A limit leaves inputs half read, and says so.
        if options.recordsMax == nil, options.replay == nil,
            let input = try inputs.first(since: saved)
        {
            warnOfNewInput(input)
            return nil
        }
        job.values = again
        let base = job.note.base
        job.note = saved.run
        job.note.base = base
        values = again
        return saved
    }

    /// Without its notes, a replay that was killed would begin again, and would append once more
    /// what has no key.
    private func refuseForgetting(_ run: RunNote?, _ spec: PipelineSpec) throws {
        guard options.replay == nil, !options.isDry, !options.isRestart,
            let folder = run?.replay, spec.stages.contains(where: \.isAppending),
            // A folder that is gone has nothing left to be replayed.
            let replay = try? Replay(folder, workingFolder: "/"), replay.isBegun
        else { return }
        throw RunFailure(
            .temporaryFailure, code: "replay.unfinished",
            "A replay of \(folder) was killed before its end, and appends records without a key",
            fix: "replay it first; --restart runs all the same, and the replay begins anew")
    }

    func warnOfNewInput(_ input: InputFile) {
        let words =
            input.isStream
            ? "\(input.name) cannot be known again" : "\(input.path) is new or not what it was"
        runner.warn(
            Diagnostic(
                .warning, code: "run.new-input",
                "What an earlier run has left is not gone on with, since \(words); "
                    + "all stages run again",
                fix: input.isStream ? "give \(input.name) all of its records again" : nil))
    }

    /// Whoever watches sees where a run begins that an earlier one has left.
    func tellOfResuming(_ saved: RunJournal.Saved) {
        guard options.givesAdvice else { return }
        let done = ReportWords.several(saved.stages.count, "stage")
        runner.warn(
            Diagnostic(
                .note, code: "run.resumed",
                "Goes on with the run \(saved.run.runID): \(done) done"
                    + (saved.place.map { ", \($0)" } ?? "")))
    }

    /// Begins a replay, or goes on with it where the last one was killed before it was at its end.
    ///
    /// - Returns: the notes of the run to go on with.
    func beginReplay(_ resumed: RunJournal.Saved?) throws -> RunJournal.Saved? {
        guard let replay = options.replay else { return resumed }
        if resumed != nil, replay.isBegun { return resumed }
        try replay.begin()
        return nil
    }
}

extension Stage {
    /// Whether it imports records that have no key.
    fileprivate var isAppending: Bool {
        if case .import(let spec) = kind { spec.whenFound == .append } else { false }
    }
}
