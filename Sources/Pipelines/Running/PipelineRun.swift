import Diagnostics
import FoundationEssentials
import GraphModel
import GraphStore

/// One run of a pipeline: its lock, its store, its stages, and what becomes of them when it ends
/// early.
///
/// A run that is stopped, killed, or fails for a reason that passes (a full disk, a lock, missing
/// rights) leaves its notes in the store, and the next one completes it. One that fails for what
/// its data or its spec say is at its end, and the next one begins anew.
struct PipelineRun {
    private let runner: PipelineRunner
    var outcome = RunOutcome(status: .ok)
    /// The parameters, once they are bound.
    private(set) var values: ParameterValues?
    private var runID = ""
    /// A container was open, so that there is something to be left in order.
    private var hasOpened = false
    /// This attempt has noted its beginning, so that the notes in the store are its own.
    private var hasBegun = false

    init(_ runner: PipelineRunner) {
        self.runner = runner
    }

    private var options: RunOptions { runner.options }

    /// What the stages of a run share, besides the container.
    private struct Job {
        var spec: PipelineSpec
        var values: ParameterValues
        var model: ManagedObjectModel?
        var target: StoreTarget
        /// The stages that are to run, in their order.
        var stages: [Stage]
        var note: RunNote
    }

    mutating func run(_ file: String) throws {
        let (read, unread) = SpecificationFile.read(file: file)
        // The file may have changed since it was checked.
        guard var spec = read else { throw RunFailure(problems: unread) }
        if let allowed = options.allowedRejects { spec.rejects.allow = allowed }
        let stages = try RunSelection(options).stages(of: spec)
        let started = TimeText.iso(options.now.timeIntervalSinceReferenceDate.rounded(.down))
        runID = started.filter { $0 != "-" && $0 != ":" } + "-\(FileDescriptor.processID)"
        let bound = try bind(spec, now: options.now, runID: runID)
        values = bound
        if let seconds = options.timeoutSeconds ?? spec.budget.timeSeconds {
            runner.interruption.limit(to: .seconds(seconds))
        }
        let path = bound.path(spec.store.at)
        try prepareFolder(of: path, spec.store)
        let lock = try StoreLock.take(
            storePath: path, pipeline: spec.name, started: started, options.ifLocked,
            runner.interruption)
        guard let lock else { return }
        defer { withExtendedLifetime(lock) {} }
        // A path that holds parameters of the run is known only now.
        let (model, problems) = spec.readModel(bound)
        try Self.refuse(problems)
        if let model { try Self.check(spec, against: model) }
        var job = Job(
            spec: spec, values: bound, model: model,
            target: StoreTarget(path: path, mode: spec.store.open, commit: spec.store.commit),
            stages: stages,
            note: RunNote(
                pipeline: spec.name, runID: runID,
                started: options.now.timeIntervalSinceReferenceDate,
                fingerprint: fingerprint(bound)))
        RejectFolders.removeOld(spec, job.values, now: options.now, runner.warn)
        try run(&job)
    }

    private func bind(
        _ spec: PipelineSpec, now: Date, runID: String
    ) throws(RunFailure) -> ParameterValues {
        let (found, problems) = ParameterValues.bind(
            spec, runner.context(now: now, runID: runID))
        guard let found else { throw RunFailure(.configuration, problems) }
        return found
    }

    /// What the run was asked for: another answer makes it another run.
    private func fingerprint(_ values: ParameterValues) -> String {
        Fingerprint.of(values.identity + "\n" + RunSelection(options).identity)
    }

    /// Makes the folder of a store that is to be made; a missing one that is to be there is told
    /// before the lock is made beside it.
    private func prepareFolder(of path: String, _ store: StoreSpec) throws {
        guard store.open == .existing else { return try OutputFolder.make(for: path) }
        guard FileManager.default.fileExists(atPath: path) else {
            throw StoreError(
                .missing, "\(path) does not exist; `open: create` makes it when it is missing")
        }
    }

    // MARK: The whole

    private mutating func run(_ job: inout Job) throws {
        let groups =
            job.target.commit == .stage && job.target.mode != .replace
            ? job.stages.map { [$0] } : [job.stages]
        var current: Stage?
        do {
            for group in groups { try work(group, &job, &current) }
            if job.target.worksBeside { try endNotes(job) }
        } catch {
            let isResumable = Self.isResumable(error)
            if !isResumable { job.target.abandon() }
            settle(job, keepsNotes: isResumable)
            guard !(error is Interrupted) else { throw error }
            var failure = RunFailure(error, stage: nil)
            runAlways(after: current, job, keepsNotes: isResumable, &failure)
            throw failure
        }
    }

    /// Whether the next run completes this one, which ended so.
    private static func isResumable(_ error: any Error) -> Bool {
        if error is Interrupted { return true }
        switch RunFailure(error, stage: nil).status {
        case .osError, .cannotCreate, .ioError, .temporaryFailure, .noPermission: return true
        default: return false
        }
    }

    /// Runs stages on one container, and puts what they made into its place.
    private mutating func work(_ group: [Stage], _ job: inout Job, _ current: inout Stage?) throws {
        let isBeside = job.target.worksBeside && group.contains { $0.kind.isWriting }
        do {
            // The container, and with it every connection, is gone at the end of this.
            let (container, saved) = try open(job, isBeside: isBeside)
            hasOpened = true
            if job.model == nil { try Self.check(job.spec, against: container.model) }
            let resumed = try resume(saved, &job)
            let journal = try RunJournal(
                job.note, resuming: resumed, isSameAttempt: hasBegun, in: container)
            hasBegun = true
            runID = journal.run.runID
            outcome.runID = runID
            outcome.attempts = journal.run.attempts
            let environment = environment(job, container, journal)
            for stage in group {
                current = stage
                try run(stage, environment)
            }
            try container.buildPendingIndexes()
            try container.checkpoint()
            // Last of all: a run that is killed behind it is done, and the next one is another.
            if !job.target.worksBeside { try journal.end(in: container) }
        }
        if isBeside { try job.target.complete() }
    }

    private func open(
        _ job: Job, isBeside: Bool
    ) throws -> (container: PersistentContainer, saved: RunJournal.Saved?) {
        guard isBeside else {
            let container = try job.target.openStore(model: job.model)
            return (container, try RunJournal.saved(in: container))
        }
        if !options.isRestart,
            let (container, saved) = try job.target.openUnfinished(model: job.model)
        {
            return (container, saved)
        }
        let container = try job.target.openBeside(model: job.model)
        return (container, try RunJournal.saved(in: container))
    }

    /// What an earlier attempt left, if this run is asked for the same; its time is then the time
    /// of this run.
    private mutating func resume(
        _ saved: RunJournal.Saved?, _ job: inout Job
    ) throws -> RunJournal.Saved? {
        job.note.base = job.target.baseIdentity
        guard let saved, saved.run.pipeline == job.spec.name else { return nil }
        if hasBegun { return saved }
        guard !options.isRestart else { return nil }
        let again = try bind(
            job.spec, now: Date(timeIntervalSinceReferenceDate: saved.run.started),
            runID: saved.run.runID)
        guard fingerprint(again) == saved.run.fingerprint,
            again.path(job.spec.store.at) == job.target.path
        else { return nil }
        job.values = again
        job.note = saved.run
        values = again
        return saved
    }

    private func environment(
        _ job: Job, _ container: PersistentContainer, _ journal: RunJournal
    ) -> StageEnvironment {
        let values = job.values
        let warn = runner.warn
        return StageEnvironment(
            spec: job.spec, container: container, values: values, runID: journal.run.runID,
            now: journal.run.started, progress: runner.progress,
            interruption: runner.interruption, journal: journal, recordsMax: options.recordsMax,
            warn: { warn($0.redacted(values)) })
    }

    private mutating func run(_ stage: Stage, _ environment: StageEnvironment) throws {
        if let report = environment.journal.report(of: stage) {
            outcome.stages.append(report)
            return
        }
        try runner.interruption.check()
        do {
            var report = try stage.run(environment)
            if let path = report.exported?.path {
                report.exported?.path = environment.values.redacted(path)
            }
            outcome.stages.append(report)
            runner.stageDone(report)
        } catch let stop as Interrupted {
            throw stop
        } catch {
            throw RunFailure(error, stage: stage.reportLocation)
        }
    }

    // MARK: The end

    /// Takes the notes out of a store that was swapped in with them, so that a run that is killed
    /// in between is known to be done.
    private func endNotes(_ job: Job) throws {
        let container = try job.target.openStore(model: job.model)
        guard let saved = try RunJournal.saved(in: container) else { return }
        try RunJournal(job.note, resuming: saved, isSameAttempt: true, in: container)
            .end(in: container)
    }

    /// Finishes the store after a failure, whose error is the one that ends the run.
    private func settle(_ job: Job, keepsNotes: Bool) {
        guard hasOpened, job.target.mode != .replace,
            FileDescriptor.size(job.target.path) ?? 0 > 0
        else { return }
        do {
            let container = try job.target.openStore(model: job.model)
            if !keepsNotes, let saved = try RunJournal.saved(in: container) {
                try RunJournal(job.note, resuming: saved, isSameAttempt: true, in: container)
                    .end(in: container)
            }
            try container.checkpoint()
        } catch {
            runner.warn(
                Diagnostic(
                    .warning, code: "store.unfinished",
                    "The store keeps what was saved, but could not be tidied up: \(error)",
                    fix: "run again; the next run makes the indexes that are missing"))
        }
    }

    /// Runs the later stages that are to run after a failure, too.
    private mutating func runAlways(
        after failed: Stage?, _ job: Job, keepsNotes: Bool, _ failure: inout RunFailure
    ) {
        guard let failed, let place = job.stages.firstIndex(where: { $0.name == failed.name })
        else { return }
        let stages = job.stages[(place + 1)...].filter(\.isAlways)
        guard !stages.isEmpty else { return }
        do {
            let container = try job.target.openStore(model: job.model)
            let journal = try RunJournal(
                job.note, resuming: try RunJournal.saved(in: container), isSameAttempt: true,
                isAfterFailure: true, in: container)
            let environment = environment(job, container, journal)
            for stage in stages {
                do {
                    try run(stage, environment)
                } catch let stop as Interrupted {
                    throw stop
                } catch {
                    let later = RunFailure(error, stage: stage.reportLocation)
                    failure.diagnostics += later.diagnostics
                }
            }
            try container.buildPendingIndexes()
            if !keepsNotes { try journal.end(in: container) }
            try container.checkpoint()
        } catch {
            failure.diagnostics += RunFailure(error, stage: nil).diagnostics
        }
    }

    // MARK: Checks

    /// The checks that need the model, which may have been out of reach until now.
    private static func check(_ spec: PipelineSpec, against model: ManagedObjectModel) throws {
        try refuse(SpecificationChecker.check(spec, model) + ExpressionChecker.check(spec, model))
    }

    private static func refuse(_ found: [Diagnostic]) throws {
        let errors = found.filter { $0.severity == .error }
        guard errors.isEmpty else {
            throw RunFailure(problems: DiagnosticList(errors).diagnostics)
        }
    }
}

extension Stage {
    /// Runs the stage, which takes note of its progress and of its end.
    fileprivate func run(_ environment: StageEnvironment) throws -> StageReport {
        func noted(_ report: StageReport) throws -> StageReport {
            try environment.journal.finish(self, report, in: environment.container)
            return report
        }
        return switch kind {
        case .import(let spec):
            try ImportStage(stage: self, spec: spec, environment: environment).run()
        case .update(let spec):
            try UpdateStage(stage: self, spec: spec, environment: environment).run()
        case .delete(let spec):
            try DeleteStage(stage: self, spec: spec, environment: environment).run()
        case .export(let spec):
            try noted(ExportStage(stage: self, spec: spec, environment: environment).run())
        case .verify(let spec):
            try noted(VerifyStage(stage: self, spec: spec, environment: environment).run())
        }
    }
}
