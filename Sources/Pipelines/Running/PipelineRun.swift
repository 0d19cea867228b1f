import Diagnostics
import FoundationEssentials
import GraphModel
import GraphStore

/// One run of a pipeline: its lock, its store, its stages, and what becomes of them when it ends
/// early.
///
/// A run that does not end well leaves its notes in the store, whatever the reason, and the next one
/// completes it (see `RunContinuation`). Work beside the store stays only for a reason that passes,
/// such as a full disk, a lock, or missing rights.
struct PipelineRun {
    let runner: PipelineRunner
    var outcome = RunOutcome(status: .ok)
    /// The warnings so far.
    private let told: ToldWarnings
    /// The parameters, once they are bound.
    var values: ParameterValues?
    /// What the report says of the run besides its outcome, as far as it is known: of a run that
    /// does not come to its store, its own name and start.
    private(set) var runID: String
    private(set) var started: Double
    private(set) var spec: PipelineSpec?
    private(set) var modelDigest: String?
    /// No other run had the store, so that this one could begin.
    private(set) var hasTurn = true
    /// Held until the report is written.
    private(set) var lock: StoreLock?
    let ledger = RunLedger()
    let outputs = OutputGuard()
    let waiting: StoreWait
    /// A container was open, so that there is something to be left in order.
    private(set) var hasOpened = false
    /// This attempt has noted its beginning, so that the notes in the store are its own.
    private(set) var hasBegun = false
    /// The imports that named columns which their inputs lack, so that no stage has begun.
    var lackingColumns: [Stage] = []

    /// The spec's file, as it was given.
    private let file: String
    private let clock = ContinuousClock.now

    init(_ runner: PipelineRunner, _ file: String, _ told: ToldWarnings) {
        self.runner = runner
        self.file = file
        self.told = told
        waiting = StoreWait(runner.options.ifLocked, runner.interruption)
        started = runner.options.now.timeIntervalSinceReferenceDate
        runID = RunName.of(started)
    }

    var options: RunOptions { runner.options }

    /// Makes the report of what the run has come to by now.
    var reporter: RunReporter {
        RunReporter(
            run: self, file: file, warnings: told.diagnostics, secondsElapsed: clock.secondsToNow)
    }

    /// - Parameter checked: the spec as it was read, and found to be without errors.
    mutating func run(_ checked: PipelineSpec) throws {
        var spec = checked
        if let allowed = options.allowedRejects { spec.rejects.allow = allowed }
        let allowed = spec.rejects.allow
        self.spec = spec
        if let opening = options.opening, opening != .create || spec.store.open != .replace {
            spec.store.open = opening
        }
        var stages = try RunSelection(options).stages(of: spec)
        let bound = try bind(spec, now: options.now, runID: runID)
        values = bound
        if let seconds = options.timeoutSeconds ?? spec.budget.timeSeconds {
            runner.interruption.limit(to: .seconds(seconds))
        }
        try ReportTargets(spec, bound, options).check(beside: stages)
        let path = StoreTarget.place(of: bound.path(spec.store.at))
        if spec.report.isFolderNamed, !options.isDry {
            try RunReporter.prepare(bound.path(spec.report.folder))
        }
        try prepareFolder(of: path, spec.store)
        guard try takeTurn(path, spec, stages) else { return }
        if let replay = options.replay {
            try replay.recover()
            spec = try replay.spec(from: spec)
            stages = spec.stages
        }
        // A path that holds parameters of the run is known only now.
        let isReported = spec.modelFileReading(bound) == spec.store.knownModel
        let (model, problems) = spec.readModel(bound)
        try Self.refuse(problems)
        if !isReported { problems.filter { $0.severity == .warning }.forEach(tell) }
        if let model { try Self.check(spec, against: model) }
        let template = spec.store.template.map(bound.path)
        let isOfApp = StoreTarget.isOfApp(path, spec.store.open, template: template)
        let isOnlyRead = !stages.contains { $0.kind.isWriting }
        if isOfApp, !isOnlyRead { try StoreTarget.checkAppSettings(spec) }
        var job = Job(
            spec: spec, values: bound, model: model,
            target: StoreTarget(
                path: path, mode: spec.store.open, commit: spec.store.commit, template: template,
                history: spec.store.history,
                keepsExactDecimals: spec.store.keepsExactDecimals,
                memory: MemoryShares(spec.budget.memory),
                isDry: options.isDry, isOnlyRead: isOnlyRead, modelFile: spec.modelFile(bound),
                isOfApp: isOfApp, allowsCloudKit: options.allowsCloudKit,
                leavesLooseLinks: stages.contains(where: \.leavesLooseLinks),
                patience: waiting.patience),
            stages: stages,
            note: RunNote(
                pipeline: spec.name, runID: runID,
                started: options.now.timeIntervalSinceReferenceDate,
                fingerprint: fingerprint(bound), replay: options.replay?.folder))
        guard options.isDry else {
            RejectFolders.removeOld(spec, job.values, now: options.now, runner.warn)
            try run(&job)
            guard hasTurn else { return }
            try options.replay?.judge(outcome.stages, allowed)
            return
        }
        DryRun.removeLeftovers(of: path)
        defer { job.target.abandon() }
        try run(&job)
    }

    /// Takes the store's lock, which a dry run leaves alone.
    ///
    /// - Returns: whether the run may begin; not where it is to be skipped.
    private mutating func takeTurn(
        _ path: String, _ spec: PipelineSpec, _ stages: [Stage]
    ) throws -> Bool {
        // A lock would be a file in the folder of an app, whose store is read in a snapshot.
        if !stages.contains(where: { $0.kind.isWriting }), PersistentContainer.isAppStore(at: path)
        {
            return true
        }
        do {
            guard !options.isDry else {
                try PersistentContainer.checkPlace(path)
                guard let policy = options.ifLocked else {
                    if let holder = StoreLock.holder(of: path) { warnOfOther(holder, path) }
                    return true
                }
                hasTurn = try StoreLock.isFree(storePath: path, policy, runner.interruption)
                return hasTurn
            }
            lock = try StoreLock.take(
                storePath: path, pipeline: spec.name,
                started: TimeText.iso(started.rounded(.down)), options.ifLocked ?? .fail,
                runner.interruption)
            hasTurn = lock != nil
            return hasTurn
        } catch {
            hasTurn = !(error is Interrupted) && (error as? RunFailure)?.isLockHeld != true
            throw error
        }
    }

    // MARK: The whole

    private mutating func run(_ job: inout Job) throws {
        let isByStage =
            job.target.commit == .stage && job.target.mode != .replace && !options.isDry
            && !job.target.isOfApp
        let groups = isByStage ? job.stages.map { [$0] } : [job.stages]
        var current: Stage?
        /// What is not in its place yet.
        var working: [Stage] = []
        do {
            for group in groups {
                working = group
                try work(group, &job, &current)
                working = []
            }
            if job.target.worksBeside, !options.isDry {
                reportEarly()
                try endNotes(job)
            }
        } catch  where isLockedOut(by: error) {
            if let failure = lockedOut(error, job.target.path) { throw failure }
            hasTurn = false
        } catch  where options.isDry {
            throw error is Interrupted
                ? error : RunFailure(error, stage: nil).naming(store: job.target.path)
        } catch {
            let stop = stop(endingWaitOf: error)
            let error: any Error = stop ?? error
            waiting.noteFailure()
            let isPassing = Self.isPassing(error)
            var takenBack: Diagnostic?
            if !isPassing {
                job.target.abandon()
                if job.target.worksBeside {
                    takenBack = self.takenBack(working, job)
                    discard(working)
                }
            }
            let leftOver = self.leftOver(working, job)
            settle(job, keepsWork: isPassing)
            if var stop = error as? Interrupted {
                stop.leftOver = leftOver
                throw stop
            }
            var failure = RunFailure(error, stage: nil).naming(store: job.target.path)
            let note = isPassing ? leftBeside(job, leftOver) : takenBack
            if note == nil { failure.tellSaved(saved(job)) }
            if let note, current != nil { failure.diagnostics.append(note) }
            waiting.noteBegin()
            job.target.endWatch()
            runAlways(after: current, job, &failure)
            throw failure
        }
    }

    /// Runs stages on one container, and puts what they made into its place.
    private mutating func work(_ group: [Stage], _ job: inout Job, _ current: inout Stage?) throws {
        let isBeside: Bool
        let notes: RunJournal.Saved
        do {
            // The container, and with it every connection, is gone at the end of this.
            let opened = try open(&job, for: group)
            let container = opened.container
            isBeside = opened.isBeside
            if lock != nil, !isBeside {
                try PersistentContainer.removeReplaced(at: job.target.path)
            }
            hasOpened = true
            let beginning = try beginReplay(opened.beginning, job, container)
            if job.model == nil { try Self.check(job.spec, against: container.model) }
            if !hasBegun { tellRemarks(on: container, of: job.target.path) }
            let journal = try RunJournal(
                job.note, job.paths, beginning, isSameAttempt: hasBegun, in: container)
            if let saved = beginning.continued, !hasBegun { tellOfResuming(saved) }
            let isFirst = !hasBegun
            hasBegun = true
            waiting.noteBegin()
            runID = journal.run.runID
            started = journal.run.started
            modelDigest = container.model.versionHashesDigest
            outcome.runID = runID
            outcome.attempts = journal.run.attempts
            let environment = environment(job, container, journal)
            do {
                if isFirst { try checkHeaders(of: job.stages, environment) }
                for stage in group {
                    current = stage
                    try run(stage, environment)
                }
            } catch  where options.isDry && !(error is Interrupted) {
                throw try planned(
                    RunFailure(error, stage: nil), after: current, job, container)
            }
            try container.buildPendingIndexes(job.spec.budget)
            if let hasViews = job.spec.store.hasViews, !options.isDry, !job.target.isOfApp {
                try container.renewViews(isWanted: hasViews)
            }
            try container.checkpoint()
            // What was replayed is in no other place until an app's store is in its own.
            if !isBeside || !job.target.isOfApp { try drainReplay(job) }
            // Last of all: a run that is killed behind it is done, and the next one is another.
            if !job.target.worksBeside {
                reportEarly()
                try journal.end(of: job.spec.stages, in: container)
            }
            if options.isDry { outcome.difference = try job.target.difference(of: container) }
            notes = journal.current
        }
        guard isBeside else { return }
        try putInPlace(&job, notes)
        if job.target.isOfApp { try drainReplay(job) }
    }

    private func drainReplay(_ job: Job) throws {
        try options.replay?.drain(outcome.stages, runID: runID, pipeline: job.spec.name)
    }

    /// Writes the report of a run that is done but for its notes: who is killed between the two
    /// writes it again with the next run, and never has none.
    func reportEarly() {
        guard !options.isDry else { return }
        reporter.writeEarly(outcome)
    }

    /// Tells whoever watches; the report has it in any case.
    func tell(_ note: Diagnostic) {
        if options.givesAdvice { runner.warn(note) } else { told.add(note) }
    }

    /// Tells what is to be known of a store that an app made.
    ///
    /// - Parameter path: the store, whatever copy of it the container has.
    private func tellRemarks(on container: PersistentContainer, of path: String) {
        for remark in Diagnostic.remarks(on: container.origin, at: .file(path)) {
            runner.warn(remark)
        }
    }
}
