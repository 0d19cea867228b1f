import Diagnostics
import GraphStore

/// The environment that the stages of a run share, and how each stage runs.
extension PipelineRun {
    func environment(
        _ job: Job, _ container: PersistentContainer, _ journal: RunJournal,
        place: RunPhase.WorkLocation
    ) -> StageEnvironment {
        StageEnvironment(
            spec: job.spec, container: container, values: job.values, paths: job.paths,
            runID: journal.run.runID,
            now: journal.run.started, sets: options.sets, workingFolder: options.workingFolder,
            isDry: options.isDry,
            checksInputs: options.replay == nil, progress: runner.progress,
            interruption: runner.interruption, journal: journal, ledger: ledger,
            outputs: outputs,
            publication: place == .workingCopy
                ? Publication(job.target, runID: journal.run.runID) : .immediate,
            recordsMax: options.recordsMax,
            miscount: options.miscount, decoding: options.decoding, specText: text,
            warn: runner.warn)
    }

    /// Checks the headers of the tables that imports read, before the first stage writes.
    ///
    /// The first stage checks its own headers when it begins, unless a later stage has failed here.
    mutating func checkHeaders(of stages: [Stage], _ environment: StageEnvironment) throws {
        var failures: [RunFailure] = []
        func check(_ stage: Stage) -> RunFailure? {
            guard let spec = stage.kind as? ImportSpec, environment.journal.report(of: stage) == nil
            else { return nil }
            do {
                try ImportStage(stage: stage, spec: spec, environment: environment).checkHeaders()
                return nil
            } catch {
                return stage.failure(error)
            }
        }
        for stage in stages.dropFirst() {
            guard let failure = check(stage) else { continue }
            failures.append(failure)
            lackingColumns.append(stage)
        }
        guard !failures.isEmpty else { return }
        if let first = stages.first, let failure = check(first) {
            failures.insert(failure, at: 0)
            lackingColumns.insert(first, at: 0)
        }
        for stage in lackingColumns {
            ledger.note(stage, .failed)
            reportEnd(of: stage, .failed)
        }
        var whole = failures[0]
        whole.diagnostics += failures.dropFirst().flatMap(\.diagnostics)
        throw whole
    }

    mutating func run(_ stage: Stage, _ environment: StageEnvironment) throws {
        if let report = environment.journal.report(of: stage) {
            outcome.stages.append(report)
            // With `commit: stage`, an earlier group of this attempt may have completed it.
            if ledger.entry(of: stage) == nil { ledger.note(stage, .resumed) }
            ledger.note(stage, inputs: environment.journal.inputs(of: stage))
            return
        }
        try runner.interruption.check()
        defer { ledger.note(stage, inputs: environment.journal.inputs(of: stage)) }
        ledger.note(stage, .failed)
        do {
            var report = try stage.kind.run(stage, environment)
            if let replay = options.replay, report.rejectsFolder != nil {
                report.rejectsFolder = replay.shownFolder
            }
            outcome.stages.append(report)
            ledger.note(stage, .done)
            runner.progress.end()
            emit(report, .done)
        } catch let stop as Interrupted {
            ledger.note(stage, .stopped)
            reportEnd(of: stage, .stopped)
            throw stop
        } catch {
            if let stop = stop(endingWaitOf: error) {
                ledger.note(stage, .stopped)
                reportEnd(of: stage, .stopped)
                throw stop
            }
            reportEnd(of: stage, .failed)
            throw stage.failure(error)
        }
    }

    /// Reports a stage that did not finish, and its progress.
    private mutating func reportEnd(of stage: Stage, _ state: RunReport.State) {
        let report = ledger.entry(of: stage)?.report
        if let report { outcome.unfinished.append(report) }
        runner.progress.end()
        emit(report ?? StageReport(kind: stage.kind.word, name: stage.name), state)
    }

    private func emit(_ report: StageReport, _ state: RunReport.State) {
        runner.stageEnded(EndedStage(report: report, state: state))
    }

    /// Returns the failure of a dry run, with the changes that a real run would have saved before
    /// it.
    ///
    /// - Parameter failed: the stage that fails; `nil` before the first one.
    mutating func planned(
        _ failure: RunFailure, after failed: Stage?, _ job: Job, _ container: PersistentContainer
    ) throws -> RunFailure {
        var failure = failure
        let target = job.target
        var kept: String
        switch target.way.real {
        case .workingCopy(.atTheEnd), .replacement,
            _ where failed == nil:
            kept = "nothing would change"
            outcome.difference = StoreDifference(entities: [])
        case .workingCopy(.afterEachStage):
            kept = "the changes of earlier stages would be kept, and are not shown"
        case .inPlace, .readOnly, .snapshot:
            kept = "the changes saved until then would be kept, and are shown"
            // Deferred links are not yet in a table.
            try container.buildPendingIndexes(job.spec.budget)
            outcome.difference = try target.difference(of: container)
        }
        let later = alwaysStages(after: failed, job).filter(\.kind.isWriting)
        if !later.isEmpty, target.isOpenAfterFailure {
            kept +=
                "; the changes of stages with `always: true` are not shown: "
                + later.map(\.name).joined(separator: ", ")
        }
        failure.diagnostics.append(
            Diagnostic(
                .note, code: "run.would-fail",
                "The run would end with \(failure.status.rawValue); \(kept)"))
        return failure
    }
}
