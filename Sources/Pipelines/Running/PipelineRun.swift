import Diagnostics
import FoundationEssentials
import GraphModel
import GraphStore

/// One run of a pipeline: its lock, its store, its stages, and its end, also after a failure.
///
/// A run that fails leaves its notes in the store, and the next one completes it (see
/// `RunContinuation`). Work next to the store is kept only after a temporary failure, such as a
/// full disk, a lock, or missing permissions.
struct PipelineRun {
    let runner: PipelineRunner
    var outcome = RunOutcome(status: .ok)
    /// The warnings so far.
    private let emitted: EmittedWarnings
    /// The parameters; `nil` until they are bound.
    var values: ParameterValues?
    /// The name of the run in its report.
    ///
    /// This name and `started` are taken from an unfinished run if this run completes it.
    var runID: String
    var started: Double
    private(set) var spec: PipelineSpec?
    var modelDigest: String?
    /// Whether the run may begin; `false` if another run holds the store.
    var mayBegin = true
    /// The lock, which is held until the report is written.
    private(set) var lock: StoreLock?
    let ledger = StageResults()
    let outputs = OutputGuard()
    let storeWait: StoreWait
    /// The phase of the run; `nil` until its store is known.
    var phase: RunPhase?
    /// The open store that the stages of the current group use; `nil` between two groups.
    var open: Open?
    /// The notes that were in the store when it was last closed.
    var lastNotes: RunJournal.Saved?
    /// Whether the run has opened its store, so that it must finish the store at its end.
    var hasOpened = false
    /// Whether views of the store were created or removed.
    var hasChangedViews = false
    /// The stage that is running or ran last.
    var current: Stage?
    /// The imports whose inputs lack columns; if there are any, no stage has begun.
    var lackingColumns: [Stage] = []

    /// The path of the spec, as given.
    private let file: String
    /// The text of the spec, if it is not in a file.
    let text: String?
    private let clock = ContinuousClock.now

    init(
        _ runner: PipelineRunner, _ file: String, _ emitted: EmittedWarnings, text: String? = nil
    ) {
        self.runner = runner
        self.file = file
        self.text = text
        self.emitted = emitted
        storeWait = StoreWait(runner.options.ifLocked, runner.interruption)
        started = runner.options.now.timeIntervalSinceReferenceDate
        runID = RunName.of(started)
    }

    /// An open store in which this attempt has written its first note.
    struct Open {
        var container: PersistentContainer
        var journal: RunJournal
        var environment: StageEnvironment
        /// Whether the stages of the open group are the first that this attempt runs.
        var isFirst: Bool
    }

    var options: RunOptions { runner.options }

    /// Whether this attempt has noted its beginning, so the notes in the store are its own.
    var hasBegun: Bool { phase?.hasBegun == true }

    /// The reporter for the run's current outcome.
    var reporter: RunReporter {
        RunReporter(
            run: self, file: file, warnings: emitted.diagnostics, secondsElapsed: clock.secondsToNow
        )
    }

    /// Runs the stages of a spec: takes the lock, opens the store, and removes the notes at the
    /// end.
    ///
    /// - Parameter checked: The spec, which was read and checked without errors.
    mutating func run(_ checked: PipelineSpec) throws {
        var spec = checked
        if let allowed = options.allowedRejects { spec.rejects.allow(allowed) }
        let allowed = spec.rejects.allow
        self.spec = spec
        if let opening = options.opening, opening != .create || spec.store.open != .replace {
            spec.store.open = opening
        }
        var stages = try RunSelection(options).stages(of: spec)
        if !options.allowsCommands {
            try CommandCheck.reject(stages, onFailure: spec.onFailure)
        }
        // The store may be opened in a different mode than the spec sets.
        try Self.reject(CommandCheck.checkOutputs(spec))
        let bound = try bind(spec, now: options.now, runID: runID)
        values = bound
        if let seconds = options.timeoutSeconds ?? spec.budget.timeSeconds {
            runner.interruption.limit(to: .seconds(seconds))
        }
        try ReportTargets(spec, bound, options).check(against: stages)
        let path = PersistentContainer.file(resolving: bound.path(spec.store.at))
        if spec.report.isFolderNamed, !options.isDry {
            try RunReporter.prepare(bound.path(spec.report.folder))
        }
        try prepareFolder(of: path, spec.store)
        guard try takeLock(path, spec, stages) else { return }
        if !options.isDry,
            let (_, warning) = ReportFolder.ofTwoSpecs(
                spec, bound, runner.context(now: options.now, runID: runID), newest: 1)
        {
            runner.warn(warning)
        }
        if lock != nil { try Publication.recover(nextToStoreAt: path) }
        if let replay = options.replay {
            try replay.recover()
            spec = try replay.spec(from: spec)
            stages = spec.stages
        }
        // A path that contains parameters of the run is known only now.
        let isReported = spec.modelFileReading(bound) == spec.store.knownModel
        let (model, problems) = spec.readModel(bound)
        try Self.reject(problems)
        if !isReported { problems.filter { $0.severity == .warning }.forEach(emit) }
        if let model { try Self.check(spec, against: model) }
        let target = try target(at: path, of: spec, bound, stages: stages)
        let note = RunNote(
            pipeline: spec.name, runID: runID, started: options.now.timeIntervalSinceReferenceDate,
            fingerprint: fingerprint(bound), replay: options.replay?.folder,
            isOfImport: options.isOfImport ? true : nil)
        var job = Job(
            spec: spec, values: bound, model: model, target: target, stages: stages, note: note,
            ownNote: note)
        guard options.isDry else {
            RejectFolders.removeOld(spec, job.values, now: options.now, runner.warn)
            try goThrough(&job)
            guard mayBegin else { return }
            if let replay = options.replay {
                let reports = ReportFolder(
                    path: job.values.path(spec.report.folder), pipeline: spec.name)
                replay.warningOfOlderValues(
                    outcome.stages, reports, store: job.target.path
                ).map(runner.warn)
                try replay.checkLimits(outcome.stages, allowed)
            }
            return
        }
        DryRun.removeLeftovers(of: path)
        defer { job.target.abandon() }
        try goThrough(&job)
    }

    /// Returns the store that the run works on, as the spec describes it.
    private func target(
        at path: String, of spec: PipelineSpec, _ bound: ParameterValues, stages: [Stage]
    ) throws -> StoreTarget {
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
        target.memory = MemoryLimits(spec.budget.memory)
        target.modelFile = spec.modelFile(bound)
        target.isOfApp = isOfApp
        target.allowsCloudKit = options.allowsCloudKit
        target.leavesLooseLinks = stages.contains(where: \.leavesLooseLinks)
        target.patience = storeWait.patience
        return target
    }

    private func way(
        to path: String, _ store: StoreSpec, isOnlyRead: Bool, isOfApp: Bool
    ) -> StoreTarget.Way {
        let way = StoreTarget.Way(
            store.open, store.commit, isOnlyRead: isOnlyRead,
            isOfApp: isOnlyRead ? PersistentContainer.isAppStore(at: path) : isOfApp)
        return options.isDry ? .snapshot(of: way) : way
    }

    /// Locks the store, except in a dry run.
    ///
    /// - Returns: whether the run may begin; `false` if it is skipped.
    private mutating func takeLock(
        _ path: String, _ spec: PipelineSpec, _ stages: [Stage]
    ) throws -> Bool {
        // A lock file would be in the folder of an app, whose store is read in a snapshot.
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
                mayBegin = try StoreLock.isFree(storePath: path, policy, runner.interruption)
                return mayBegin
            }
            lock = try StoreLock.take(
                storePath: path, pipeline: spec.name,
                started: ScalarText.isoDate(started.rounded(.down)), options.ifLocked ?? .fail,
                runner.interruption)
            mayBegin = lock != nil
            return mayBegin
        } catch {
            mayBegin = !(error is Interrupted) && (error as? RunFailure)?.isLockHeld != true
            throw error
        }
    }

    /// Writes the report before the notes of the run are removed.
    ///
    /// If the run is killed in between, the next run writes the report again, so a report always
    /// exists.
    func reportEarly() {
        guard !options.isDry else { return }
        reporter.writeEarly(outcome)
    }

    /// Prints a note if advice is enabled; otherwise, adds it only to the report.
    func emit(_ note: Diagnostic) {
        if options.givesAdvice { runner.warn(note) } else { emitted.add(note) }
    }

    /// Prints remarks about a store that an app created.
    ///
    /// - Parameter path: the path of the store, even if the container has a copy of it.
    func printRemarks(on container: PersistentContainer, of path: String) {
        for remark in Diagnostic.remarks(on: container.origin, at: .file(path)) {
            runner.warn(remark)
        }
    }
}
