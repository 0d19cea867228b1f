package import Diagnostics
import FoundationEssentials

/// A stage that ran or was stopped, and its result.
package struct EndedStage: Sendable {
    /// The results; for a stage that did not finish, only its saved work.
    package var report: StageReport
    /// The state at the end: `done`, `failed`, or `stopped`.
    package var state: RunReport.State
}

/// Runs a pipeline: checks the spec, opens the store, and runs the stages in order.
package struct PipelineRunner: Sendable {
    let options: RunOptions
    let progress: RunProgress
    let interruption: Interruption
    let warn: @Sendable (Diagnostic) -> Void
    let stageEnded: @Sendable (EndedStage) -> Void
    let identity: RunIdentity

    /// Creates a runner of pipelines with the options of the command line.
    ///
    /// - Parameters:
    ///   - warn: shows a warning immediately.
    ///   - stageEnded: called for each stage that ran, with its state.
    ///   - identity: receives the name of the run before anything is reported about it.
    package init(
        options: RunOptions, progress: RunProgress = RunProgress(),
        interruption: Interruption = Interruption(),
        warn: @escaping @Sendable (Diagnostic) -> Void = { _ in },
        stageEnded: @escaping @Sendable (EndedStage) -> Void = { _ in },
        identity: RunIdentity = RunIdentity()
    ) {
        self.options = options
        self.progress = progress
        self.interruption = interruption
        self.warn = warn
        self.stageEnded = stageEnded
        self.identity = identity
    }

    /// Returns all problems of a spec and its model, without data or secrets.
    package func check(_ file: String) -> [Diagnostic] {
        var pairs: Set<Set<String>> = []
        return check(file, telling: &pairs)
    }

    /// Returns all problems of a spec that is checked together with other specs.
    ///
    /// One problem is a folder of reports that two specs of the same name share.
    ///
    /// - Parameter pairs: the pairs of specs that share a name and a folder of reports; each is
    ///   reported once.
    package func check(_ file: String, telling pairs: inout Set<Set<String>>) -> [Diagnostic] {
        let context = context(now: options.now, runID: nil)
        let (spec, _, found) = SpecificationFile.check(file: file, context)
        guard let spec,
            let (pair, warning) = ReportFolder.ofTwoSpecs(
                spec, .partial(spec, context), context, newest: Self.reportsChecked),
            pairs.insert(pair).inserted
        else { return found }
        return found + [warning]
    }

    /// The maximum number of reports that `check` reads.
    private static let reportsChecked = 10

    /// Runs the stages of the spec, or the stages that an earlier run has left unfinished.
    package func run(_ file: String) -> RunOutcome { run(file, text: nil) }

    /// Runs a spec that is not in a file.
    ///
    /// Messages call it `file`, and relative paths start at the folder of `file`.
    ///
    /// - Parameter warnings: warnings to show and to add to the report.
    func run(_ file: String, text: String?, warnings: [Diagnostic] = []) -> RunOutcome {
        let emitted = EmittedWarnings()
        var run = PipelineRun(collecting(emitted), file, emitted, text: text)
        identity.note(pipeline: PipelineSpec.name(fromFile: file), run: run.runID)
        do {
            let context = context(now: options.now, runID: nil)
            let (checked, _, found) = SpecificationFile.check(text: text, file: file, context)
            // A spec with errors still has a name.
            if let spec = checked ?? (text == nil ? SpecificationFile.read(file: file).spec : nil) {
                identity.note(pipeline: spec.name, run: run.runID)
            }
            warnings.forEach(run.runner.warn)
            for warning in found where warning.severity == .warning {
                if options.givesAdvice || warning.code == Diagnostic.percentPatternCode {
                    run.runner.warn(warning)
                }
            }
            if !options.givesAdvice,
                let note = found.first(where: { $0.code == PipelineSpec.otherVersionCode })
            {
                // The version in use may have caused the errors.
                if checked == nil { run.runner.warn(note) } else { emitted.add(note) }
            }
            let errors = found.filter { $0.severity == .error }
            guard let checked, errors.isEmpty else { throw RunFailure(problems: errors) }
            try run.run(checked)
        } catch let stop as Interrupted {
            run.outcome.status = stop.reason.status
            run.outcome.diagnostics = [stop.diagnostic(isDry: options.isDry)]
        } catch {
            let failure = RunFailure(error)
            run.outcome.status = failure.status
            run.outcome.diagnostics = failure.diagnostics
        }
        var outcome = run.outcome
        if text != nil {
            outcome.diagnostics = outcome.diagnostics.map { $0.withoutSpecFile(file) }
        }
        if text == nil { run.reporter.columnChanges(outcome).forEach(run.runner.warn) }
        let report = run.reporter.finish(&outcome)
        outcome.failureCommand = run.reporter.failureCommand(outcome, report: report)
        withExtendedLifetime(run.lock) {}
        return outcome
    }

    /// Returns a runner that also collects its warnings.
    private func collecting(_ emitted: EmittedWarnings) -> PipelineRunner {
        let warn = warn
        return PipelineRunner(
            options: options, progress: progress, interruption: interruption,
            warn: {
                emitted.add($0)
                warn($0)
            }, stageEnded: stageEnded, identity: identity)
    }

    func context(now: Date, runID: String?) -> ParameterValues.Context {
        ParameterValues.Context(
            sets: options.sets, environment: options.environment, now: now,
            workingFolder: options.workingFolder, runID: runID)
    }
}

extension PipelineRunner {
    /// Imports the rejects of a run with the current spec, and removes the records that succeed.
    ///
    /// - Parameter run: the run's folder of rejects, its ID if the folder is in `./rejects`, or a
    ///   spec.
    package func replay(_ run: String) -> RunOutcome {
        let isSpec = [".yaml", ".yml"].contains(where: run.hasSuffix)
        let runID = RunName.of(options.now.timeIntervalSinceReferenceDate)
        identity.note(
            pipeline: isSpec ? PipelineSpec.name(fromFile: run) : nil, run: runID)
        do {
            let replay = try Replay(
                run, workingFolder: options.workingFolder, sets: options.sets)
            identity.note(pipeline: replay.note.pipeline, run: runID)
            guard replay.hasWork else {
                replay.linksWarning.map(warn)
                return RunOutcome(status: .ok)
            }
            let file = replay.note.spec.textFromHere
            return self.replaying(replay).run(file, text: replay.note.specText)
        } catch {
            let failure = RunFailure(error)
            var outcome = RunOutcome(status: failure.status)
            outcome.diagnostics = failure.diagnostics
            return outcome
        }
    }

    /// Returns a runner with the parameters of the original run; parameters given now override
    /// them.
    private func replaying(_ replay: Replay) -> PipelineRunner {
        var options = options
        options.replay = replay
        let given = Set(options.sets.compactMap { Assignment($0)?.name })
        options.sets =
            replay.note.sets.filter { !given.contains(Assignment($0)?.name ?? "") } + options.sets
        options.workingFolder = replay.note.workingFolder.textFromHere
        return PipelineRunner(
            options: options, progress: progress, interruption: interruption, warn: warn,
            stageEnded: stageEnded, identity: identity)
    }
}

extension Interrupted {
    /// Returns the message about the interruption.
    fileprivate func diagnostic(isDry: Bool) -> Diagnostic {
        let isSignal = if case .signal = reason { true } else { false }
        let code = isSignal ? "run.interrupted" : "run.time-limit"
        guard !isDry else {
            return Diagnostic(
                .note, code: code,
                (isSignal ? "Stopped by a signal" : "The time limit is reached")
                    + "; nothing was changed, and what would change is not known",
                fix: "plan again" + (isSignal ? "" : ", with more time"))
        }
        let next = resumesAt.map { "resume at \($0)" } ?? "complete it"
        return Diagnostic(
            .note, code: code,
            (isSignal ? "Stopped by a signal" : "The time limit is reached")
                + "; \(leftOver ?? "nothing was changed")",
            fix: "run it again" + (leftOver == nil ? "" : " to \(next)"))
    }
}
