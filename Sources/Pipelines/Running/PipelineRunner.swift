package import Diagnostics
package import FoundationEssentials
import GraphModel
import GraphStore
import RecordStreams

/// What a run is started with.
package struct RunOptions: Sendable {
    /// `name=value`, as given on the command line.
    package var sets: [String]
    package var environment: [String: String]
    package var workingFolder: String
    /// When the run begins.
    package var now: Date

    package init(
        sets: [String] = [], environment: [String: String] = [:], workingFolder: String, now: Date
    ) {
        self.sets = sets
        self.environment = environment
        self.workingFolder = workingFolder
        self.now = now
    }
}

/// How a run ended.
package struct RunOutcome: Sendable {
    package var status: ExitStatus
    /// The stages that ran to their end.
    package var stages: [StageReport] = []
    /// What went wrong, in the order to be shown.
    package var diagnostics: [Diagnostic] = []
}

/// Runs a pipeline: checks the spec, opens the store, runs the stages in order.
package struct PipelineRunner: Sendable {
    private let options: RunOptions
    private let progress: RunProgress
    private let interruption: Interruption
    private let warn: @Sendable (Diagnostic) -> Void
    private let stageDone: @Sendable (StageReport) -> Void

    /// - Parameters:
    ///   - warn: shows a warning at once.
    ///   - stageDone: is told of every stage that ran to its end.
    package init(
        options: RunOptions, progress: RunProgress = RunProgress(),
        interruption: Interruption = Interruption(),
        warn: @escaping @Sendable (Diagnostic) -> Void = { _ in },
        stageDone: @escaping @Sendable (StageReport) -> Void = { _ in }
    ) {
        self.options = options
        self.progress = progress
        self.interruption = interruption
        self.warn = warn
        self.stageDone = stageDone
    }

    /// Everything that is wrong with a spec and its model, without data or secrets.
    package func check(_ file: String) -> [Diagnostic] {
        SpecificationFile.check(file: file, context(runID: nil)).diagnostics
    }

    /// Runs the spec's stages.
    package func run(_ file: String) -> RunOutcome {
        var outcome = RunOutcome(status: .ok)
        var bound: ParameterValues?
        do {
            let found = check(file)
            for warning in found where warning.severity != .error { warn(warning) }
            let errors = found.filter { $0.severity == .error }
            guard errors.isEmpty else { throw RunFailure(.configuration, errors) }
            try run(file, &outcome, &bound)
        } catch let failure as RunFailure {
            outcome.status = failure.status
            outcome.diagnostics = failure.diagnostics
        } catch let error as StoreError {
            let failure = RunFailure(error)
            outcome.status = failure.status
            outcome.diagnostics = failure.diagnostics
        } catch let stop as Interrupted {
            outcome.status = stop.signal == 15 ? .terminated : .interrupted
            outcome.diagnostics = [
                Diagnostic(
                    .note, code: "run.interrupted",
                    "Stopped by a signal; what was saved stays, and the next run completes it")
            ]
        } catch {
            outcome.status = .software
            outcome.diagnostics = [Diagnostic(code: "internal", "\(error)")]
        }
        if let bound { outcome.diagnostics = outcome.diagnostics.map { $0.redacted(bound) } }
        return outcome
    }

    private func context(runID: String?) -> ParameterValues.Context {
        ParameterValues.Context(
            sets: options.sets, environment: options.environment, now: options.now,
            workingFolder: options.workingFolder, runID: runID)
    }

    private func run(
        _ file: String, _ outcome: inout RunOutcome, _ bound: inout ParameterValues?
    ) throws {
        let (read, unread) = SpecificationFile.read(file: file)
        // The file may have changed since it was checked.
        guard let spec = read else { throw RunFailure(.configuration, unread) }
        let started = TimeText.iso(options.now.timeIntervalSinceReferenceDate.rounded(.down))
        let runID =
            started.filter { $0 != "-" && $0 != ":" } + "-\(FileDescriptor.processID)"
        let (found, problems) = ParameterValues.bind(spec, context(runID: runID))
        bound = found
        guard let values = found else { throw RunFailure(.configuration, problems) }
        let path = values.path(spec.store.at)
        try prepareFolder(of: path, spec.store)
        let lock = try StoreLock(storePath: path, pipeline: spec.name, started: started)
        defer { withExtendedLifetime(lock) {} }
        let target = StoreTarget(path: path, mode: spec.store.open)
        do {
            // The container, and with it every connection, is gone when this returns.
            try work(on: target, spec, values, runID: runID, &outcome)
            try target.complete()
        } catch {
            target.abandon()
            throw error
        }
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

    private func work(
        on target: StoreTarget, _ spec: PipelineSpec, _ values: ParameterValues, runID: String,
        _ outcome: inout RunOutcome
    ) throws {
        // A path that holds parameters of the run is known only now.
        let (model, problems) = spec.readModel(values)
        try Self.refuse(problems)
        if let model { try Self.check(spec, against: model) }
        let container = try target.open(model: model)
        if model == nil { try Self.check(spec, against: container.model) }
        let environment = StageEnvironment(
            spec: spec, container: container, values: values, runID: runID,
            now: options.now.timeIntervalSinceReferenceDate, progress: progress,
            interruption: interruption, warn: { warn($0.redacted(values)) })
        do {
            for stage in spec.stages { try run(stage, environment, &outcome) }
        } catch {
            // What was saved stays, unless it was to replace something as a whole; the error that
            // ended the run matters more than one of tidying up.
            if spec.store.open != .replace { try? finish(container) }
            throw error
        }
        try finish(container)
    }

    private func finish(_ container: PersistentContainer) throws {
        try container.buildPendingIndexes()
        try container.checkpoint()
    }

    /// The checks that need the model, which may have been out of reach until now.
    private static func check(_ spec: PipelineSpec, against model: ManagedObjectModel) throws {
        try refuse(SpecificationChecker.check(spec, model) + ExpressionChecker.check(spec, model))
    }

    private static func refuse(_ found: [Diagnostic]) throws {
        let errors = found.filter { $0.severity == .error }
        guard errors.isEmpty else {
            throw RunFailure(.configuration, DiagnosticList(errors).diagnostics)
        }
    }

    private func run(
        _ stage: Stage, _ environment: StageEnvironment, _ outcome: inout RunOutcome
    ) throws {
        if let signal = interruption.signal { throw Interrupted(signal: signal) }
        let clock = ContinuousClock()
        let start = clock.now
        var report: StageReport
        do {
            report =
                switch stage.kind {
                case .import(let spec):
                    try ImportStage(stage: stage, spec: spec, environment: environment).run()
                case .update(let spec):
                    try UpdateStage(stage: stage, spec: spec, environment: environment).run()
                case .delete(let spec):
                    try DeleteStage(stage: stage, spec: spec, environment: environment).run()
                case .export(let spec):
                    try ExportStage(stage: stage, spec: spec, environment: environment).run()
                }
        } catch let stop as Interrupted {
            throw stop
        } catch {
            throw RunFailure(error, stage: stage.reportLocation)
        }
        let elapsed = clock.now - start
        report.secondsElapsed =
            Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        if let path = report.exported?.path {
            report.exported?.path = environment.values.redacted(path)
        }
        outcome.stages.append(report)
        stageDone(report)
    }
}

extension Diagnostic {
    /// The same with `***` for each secret, which a path or a message may hold.
    fileprivate func redacted(_ values: ParameterValues) -> Diagnostic {
        var copy = self
        copy.message = values.redacted(message)
        copy.fix = fix.map(values.redacted)
        switch place {
        case .nowhere, .source: break
        case .file(let file): copy.place = .file(values.redacted(file))
        case .record(var location):
            location.source = values.redacted(location.source)
            copy.place = .record(location)
        }
        return copy
    }
}
