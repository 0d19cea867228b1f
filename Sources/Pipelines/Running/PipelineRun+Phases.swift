import Diagnostics
import GraphModel
import GraphStore

/// The loop that performs the actions of a run's phases until the run ends.
extension PipelineRun {
    mutating func goThrough(_ job: inout Job) throws {
        var phase = RunPhase(
            job.target.way, isOfApp: job.target.isOfApp, groupCount: job.groups.count)
        var actions = phase.firstActions[...]
        self.phase = phase
        do {
            while let action = actions.popFirst() {
                if let event = try perform(action, &job) { actions += phase.handle(event) }
                if actions.isEmpty, !phase.hasEnded { actions += phase.handle(.done) }
                self.phase = phase
            }
        } catch {
            // The container and all its connections are closed by now.
            open = nil
            try fail(error, &job)
        }
    }

    /// Performs one action of the state machine.
    ///
    /// - Returns: The event that the state machine must handle next; `nil` if the action has no
    ///   event.
    private mutating func perform(
        _ action: RunPhase.Action, _ job: inout Job
    ) throws -> RunPhase.Event? {
        switch action {
        case .open(let group):
            if try isDone(job.groups[group], &job) { return .wasDone }
            return .opened(try open(job.groups[group], &job))
        case .runStages(let group): try runStages(job.groups[group], job)
        case .finishStore: try finishStore(job)
        case .drainReplay:
            try options.replay?.drain(outcome.stages, runID: runID, pipeline: job.spec.name)
        case .closeStore:
            lastNotes = open?.journal.current
            open = nil
        case .replaceStore: try replaceStore(&job)
        case .publish:
            // Exports must not appear before the store is durable in its place.
            try PersistentContainer.synchronizeFolder(ofStoreAt: job.target.path)
            try Publication.recover(nextToStoreAt: job.target.path)
        case .reportEarly: reportEarly()
        case .endNotes: try endNotes(job)
        }
        return nil
    }

    /// Returns whether an earlier attempt of this run has already committed the work of a group.
    ///
    /// The working copy next to the store then belongs to a later group.
    private mutating func isDone(_ group: [Stage], _ job: inout Job) throws -> Bool {
        guard job.target.way == .workingCopy(.afterEachStage), !hasBegun, !options.isRestart,
            job.target.isThere, job.target.hasWorkingCopy
        else { return false }
        let container = try job.target.openStore(model: job.model)
        let left = try RunJournal.saved(by: job.note.owner, job.paths, in: container)
        guard case .continued(let saved) = try begin(after: left, &job, container) else {
            return false
        }
        for stage in group {
            let note = saved.stages.first {
                $0.name == stage.name && $0.fingerprint == stage.fingerprint
            }
            guard let note else { return false }
            outcome.stages.append(note.report)
            ledger.note(stage, .resumed)
            ledger.note(stage, inputs: note.inputs ?? [])
        }
        return true
    }

    /// Opens the container of a group, and notes in it that this attempt has begun.
    private mutating func open(_ group: [Stage], _ job: inout Job) throws -> RunPhase.WorkLocation {
        job.makesStore = job.makesStore || !job.target.isThere
        let opened = try openStore(&job, for: group)
        let container = opened.container
        if lock != nil, opened.place == .store {
            try PersistentContainer.removeReplaced(at: job.target.path)
        }
        hasOpened = true
        if opened.beginning.continued == nil, opened.place == .workingCopy, !options.isDry {
            giveUp(job)
        }
        let beginning = try beginReplay(opened.beginning, &job, container)
        if job.model == nil { try Self.check(job.spec, against: container.model) }
        let isFirst = !hasBegun
        if isFirst { printRemarks(on: container, of: job.target.path) }
        let journal = try job.journal(beginning, isSameAttempt: !isFirst, in: container)
        if let saved = beginning.continued, isFirst { reportResuming(saved) }
        storeWait.noteBegin()
        runID = journal.run.runID
        runner.identity.note(pipeline: job.spec.name, run: runID)
        started = journal.run.started
        modelDigest = container.model.versionHashesDigest
        outcome.runID = runID
        outcome.attempts = journal.run.attempts
        open = Open(
            container: container, journal: journal,
            environment: environment(job, container, journal, place: opened.place), isFirst: isFirst
        )
        return opened.place
    }

    /// Removes the files of an earlier run whose work is discarded.
    private func giveUp(_ job: Job) {
        Publication.giveUp(nextToStoreAt: job.target.path)
        guard let run = job.target.givenUpRun, !options.isRestart, options.replay == nil else {
            return
        }
        runner.warn(
            Diagnostic(
                .warning, code: "run.new-input",
                "The unfinished work of the run \(run) is discarded, because the store or the spec has"
                    + " changed; all stages run again"))
    }

    private mutating func runStages(_ group: [Stage], _ job: Job) throws {
        guard let open else { return }
        do {
            if open.isFirst { try checkHeaders(of: job.stages, open.environment) }
            for stage in group {
                current = stage
                try run(stage, open.environment)
            }
        } catch  where options.isDry && !(error is Interrupted) {
            throw try planned(RunFailure(error, stage: nil), after: current, job, open.container)
        }
    }

    private mutating func finishStore(_ job: Job) throws {
        guard let container = open?.container else { return }
        try container.buildPendingIndexes(job.spec.budget)
        if let hasViews = job.spec.store.hasViews, !options.isDry, !job.target.isOfApp {
            hasChangedViews = try container.renewViews(isWanted: hasViews) || hasChangedViews
        }
        try container.checkpoint()
        if options.isDry { outcome.difference = try job.target.difference(of: container) }
    }

    /// Performs the actions after a failure, and throws the error to report.
    private mutating func fail(_ error: any Error, _ job: inout Job) throws {
        let working = phase?.group.map { job.groups[$0] } ?? []
        let stop = stop(endingWaitOf: error)
        let error: any Error = isLockedOut(by: error) ? error : stop ?? error
        let remedies = phase?.fail(Self.kind(of: error)) ?? []
        guard phase?.state != .ended(.lockedOut) else {
            if let failure = lockedOut(error, job.target.path) { throw failure }
            mayBegin = false
            return
        }
        var failure = RunFailure(error, stage: nil).naming(store: job.target.path)
        guard !options.isDry else { throw error is Interrupted ? error : failure }
        storeWait.noteFailure()
        var note: Diagnostic?
        for remedy in remedies {
            switch remedy {
            case .abandonWork:
                job.target.abandon()
                if job.target.way.usesWorkingCopy {
                    // After too many rejects, keep the reject files: the failure refers to them.
                    Publication.giveUp(
                        nextToStoreAt: job.target.path, keepsRejects: failure.isOfRejects)
                }
            case .takeBack:
                note = takenBack(working, job)
                discard(working)
            case .finishAfterFailure(let keepsWork):
                let leftOver = leftOver(working, job)
                finishAfterFailure(job, keepsWork: keepsWork)
                if var stop = error as? Interrupted {
                    stop.leftOver = leftOver
                    throw stop
                }
                if keepsWork { note = unfinishedWork(job, leftOver) }
                if note == nil { failure.addSaved(saved(job)) }
                if let note, current != nil { failure.diagnostics.append(note) }
            case .runAlways:
                storeWait.noteBegin()
                job.target.endWatch()
                runAlways(after: current, job, &failure)
            }
        }
        throw failure
    }

    private static func kind(of error: any Error) -> RunPhase.Failure {
        if error is Interrupted { return .stopped }
        if error.isStoreInUse { return .storeInUse }
        return error.isPassing ? .passing : .lasting
    }
}

extension Error {
    /// Whether the failure is temporary, so that the same run may succeed later.
    var isPassing: Bool {
        if let error = self as? StoreError, error.isWrittenMeanwhile { return false }
        switch RunFailure(self, stage: nil).status {
        case .osError, .cannotCreate, .ioError, .temporaryFailure, .noPermission: return true
        default: return false
        }
    }
}
