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
    var runID: String
    var started: Double
    private(set) var spec: PipelineSpec?
    var modelDigest: String?
    /// No other run had the store, so that this one could begin.
    var hasTurn = true
    /// Held until the report is written.
    private(set) var lock: StoreLock?
    let ledger = RunLedger()
    let outputs = OutputGuard()
    let waiting: StoreWait
    /// Where the run stands, once its store is known.
    var phase: RunPhase?
    /// What stages work on now.
    var open: Open?
    /// What the last container's notes said when it was closed.
    var lastNotes: RunJournal.Saved?
    /// A container was open, so that there is something to be left in order.
    var hasOpened = false
    /// Views of the store were made, or removed.
    var hasChangedViews = false
    /// The stage that is running, or that ran last.
    var current: Stage?
    /// The imports that named columns which their inputs lack, so that no stage has begun.
    var lackingColumns: [Stage] = []

    /// The spec's file, as it was given.
    private let file: String
    /// The spec, if it is in no file.
    let text: String?
    private let clock = ContinuousClock.now

    init(
        _ runner: PipelineRunner, _ file: String, _ told: ToldWarnings, text: String? = nil
    ) {
        self.runner = runner
        self.file = file
        self.text = text
        self.told = told
        waiting = StoreWait(runner.options.ifLocked, runner.interruption)
        started = runner.options.now.timeIntervalSinceReferenceDate
        runID = RunName.of(started)
    }

    /// A container with the notes of this attempt in it.
    struct Open {
        var container: PersistentContainer
        var journal: RunJournal
        var environment: StageEnvironment
        /// No group of this attempt came before.
        var isFirst: Bool
    }

    var options: RunOptions { runner.options }

    /// This attempt has noted its beginning, so that the notes in the store are its own.
    var hasBegun: Bool { phase?.hasBegun == true }

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
        if !options.allowsCommands {
            try CommandCheck.refuse(stages, onFailure: spec.onFailure)
        }
        // The store may be opened in another way than the spec says.
        try Self.refuse(CommandCheck.checkOutputs(spec))
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
        if !options.isDry,
            let (_, warning) = ReportFolder.ofTwoSpecs(
                spec, bound, runner.context(now: options.now, runID: runID), newest: 1)
        {
            runner.warn(warning)
        }
        if lock != nil { try Publication.recover(besideStoreAt: path) }
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
        var target = StoreTarget(
            path, way(to: path, spec.store, isOnlyRead: isOnlyRead, isOfApp: isOfApp),
            opening: spec.store.open)
        target.template = template
        target.history = spec.store.history
        target.keepsExactDecimals = spec.store.keepsExactDecimals
        target.memory = MemoryShares(spec.budget.memory)
        target.modelFile = spec.modelFile(bound)
        target.isOfApp = isOfApp
        target.allowsCloudKit = options.allowsCloudKit
        target.leavesLooseLinks = stages.contains(where: \.leavesLooseLinks)
        target.patience = waiting.patience
        let note = RunNote(
            pipeline: spec.name, runID: runID, started: options.now.timeIntervalSinceReferenceDate,
            fingerprint: fingerprint(bound), replay: options.replay?.folder)
        var job = Job(
            spec: spec, values: bound, model: model, target: target, stages: stages, note: note,
            ownNote: note)
        guard options.isDry else {
            RejectFolders.removeOld(spec, job.values, now: options.now, runner.warn)
            try goThrough(&job)
            guard hasTurn else { return }
            if let replay = options.replay {
                let reports = ReportFolder(
                    path: job.values.path(spec.report.folder), pipeline: spec.name)
                replay.warningOfOlderValues(outcome.stages, reports).map(runner.warn)
                try replay.judge(outcome.stages, allowed)
            }
            return
        }
        DryRun.removeLeftovers(of: path)
        defer { job.target.abandon() }
        try goThrough(&job)
    }

    private func way(
        to path: String, _ store: StoreSpec, isOnlyRead: Bool, isOfApp: Bool
    ) -> StoreTarget.Way {
        let way = StoreTarget.Way(
            store.open, store.commit, isOnlyRead: isOnlyRead,
            isOfApp: isOnlyRead ? PersistentContainer.isAppStore(at: path) : isOfApp)
        return options.isDry ? .snapshot(of: way) : way
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
    func tellRemarks(on container: PersistentContainer, of path: String) {
        for remark in Diagnostic.remarks(on: container.origin, at: .file(path)) {
            runner.warn(remark)
        }
    }
}
