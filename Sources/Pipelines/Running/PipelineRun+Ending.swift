import Diagnostics
import FoundationEssentials
import GraphStore

/// How a run finishes its store and its notes, after success or failure.
extension PipelineRun {
    /// Replaces the store with the working copy, and reports where the backup of the old store is.
    mutating func replaceStore(_ job: inout Job) throws {
        guard let notes = lastNotes, hasChangedCopy(job) else {
            // An unchanged store also keeps its file.
            try Publication.publishAll(nextToStoreAt: job.target.path)
            return try job.target.leave()
        }
        guard job.target.isOfApp else { return try job.target.complete() }
        guard let backup = try job.target.completeOfApp(notes, job.model) else { return }
        emit(
            Diagnostic(
                .note, code: "store.backup",
                "The store was changed; a backup of the old store is \(backup)",
                fix: "remove the backup once the app has opened the new store"))
        // `completeOfApp` has opened the new store.
        do {
            try StoreBackups(of: job.target.path).remove(allBut: job.spec.store.backupsKept)
        } catch {
            emit(
                Diagnostic(
                    .warning, code: "store.backup", "Old backups were not removed: \(error)",
                    fix: "remove them, or let this user remove files in the folder of the store"))
        }
    }

    /// Whether the working copy contains anything that the store does not.
    private func hasChangedCopy(_ job: Job) -> Bool {
        guard case .workingCopy = job.target.way, job.target.isThere else { return true }
        // The known inputs of an app's store are stored next to it.
        let knowsMore =
            !job.target.isOfApp && (hasChangedViews || job.stages.contains(where: isOnceRead))
        return knowsMore || outcome.stages.contains(where: \.hasChangedObjects)
    }

    /// Returns whether the stage has read inputs with `once`, which are not read again.
    private func isOnceRead(_ stage: Stage) -> Bool {
        guard let spec = stage.kind as? ImportSpec, spec.read.isOnce else { return false }
        return ledger.entry(of: stage)?.inputs.isEmpty == false
    }

    /// Removes the notes of the run.
    ///
    /// As long as they exist, a later run completes this one.
    func endNotes(_ job: Job) throws {
        // An app's store contains no notes.
        if job.target.isOfApp { return CompletionNote.remove(nextTo: job.target.path) }
        if let open { return try open.journal.end(of: job.spec.stages, in: open.container) }
        let container = try job.target.openStore(model: job.model)
        guard let saved = try RunJournal.saved(by: job.note.owner, job.paths, in: container) else {
            return
        }
        try job.journal(.continued(saved), in: container)
            .end(of: job.spec.stages, in: container)
    }

    /// Finishes the store after a failure; errors only cause a warning.
    ///
    /// - Parameter keepsWork: whether the next run resumes with the work next to the store.
    func finishAfterFailure(_ job: Job, keepsWork: Bool) {
        guard hasOpened, job.target.way != .replacement, !job.target.isOfApp,
            job.target.isThere,
            // Work kept next to the store requires an unchanged store.
            !(job.target.way.usesWorkingCopy && keepsWork)
        else { return }
        do {
            let container = try job.target.openStore(model: job.model)
            // A run that has done nothing leaves nothing to complete.
            if !keepsWork,
                let saved = try RunJournal.saved(by: job.note.owner, job.paths, in: container),
                saved.isEmpty
            {
                try job.journal(.continued(saved), in: container)
                    .end(of: job.spec.stages, in: container)
            }
            try container.checkpoint()
        } catch {
            runner.warn(
                Diagnostic(
                    .warning, code: "store.unfinished",
                    "The saved changes are kept, but the store could not be cleaned up: \(error)",
                    fix: "run again; the next run makes the indexes that are missing"))
        }
    }

    /// Removes counts from the reports of stages whose changes were discarded.
    mutating func discard(_ stages: [Stage]) {
        for stage in stages where stage.kind.isWriting {
            ledger.discard(stage)
            for place in outcome.stages.indices where outcome.stages[place].name == stage.name {
                outcome.stages[place].discard()
            }
            for place in outcome.unfinished.indices
            where outcome.unfinished[place].name == stage.name {
                outcome.unfinished[place].discard()
            }
        }
    }

    /// Returns the stages that this attempt or an earlier one has completed.
    private func done(_ job: Job) -> [Stage] {
        job.stages.filter { [.done, .resumed].contains(ledger.entry(of: $0)?.state) }
    }

    /// Returns the completed stages whose changes are already in the store.
    ///
    /// - Parameter working: The stages whose changes are only in the working copy.
    private func kept(after working: [Stage], _ job: Job) -> [Stage] {
        done(job).filter { stage in
            stage.kind.isWriting && !working.contains { $0.name == stage.name }
        }
    }

    private func names(_ stages: [Stage]) -> String {
        stages.map(\.name).joined(separator: ", ")
    }

    /// Returns a description of the work that is kept for the next run.
    ///
    /// It is for a run that was interrupted or had a temporary failure.
    ///
    /// - Parameter working: the stages whose work is not yet in the store.
    /// - Returns: `nil` if the run has not begun.
    func leftOver(_ working: [Stage], _ job: Job) -> String? {
        guard hasBegun else { return nil }
        guard !working.isEmpty, job.target.hasWorkingCopy else {
            return job.stages.contains(where: hasChangedObjects)
                ? "saved changes are kept" : "nothing in the store was changed"
        }
        let kept = self.kept(after: working, job)
        guard kept.isEmpty else {
            return
                "the changes of \(names(kept)) are kept, and later work is stored next to the store for "
                + "the next run"
        }
        return job.target.isThere
            ? "the store is unchanged, and the work so far is kept next to it for the next run"
            : "the store does not exist yet, and the work so far is kept for the next run"
    }

    /// Returns a note about work that a temporary failure has left next to the store.
    ///
    /// The lines printed for the stages suggest that the work is in the store.
    func unfinishedWork(_ job: Job, _ leftOver: String?) -> Diagnostic? {
        guard job.target.hasWorkingCopy, let leftOver else { return nil }
        return Diagnostic(
            .note, code: "run.left-beside",
            leftOver.prefix(1).uppercased() + leftOver.dropFirst(),
            fix: "correct what failed, and run it again to complete it")
    }

    /// Returns a note that the changes of stages were discarded, because their results were
    /// printed.
    ///
    /// - Parameter working: the stages whose work is not yet in the store.
    /// - Returns: `nil` if neither these stages nor others have done anything.
    func takenBack(_ working: [Stage], _ job: Job) -> Diagnostic? {
        guard working.contains(where: \.kind.isWriting) else { return nil }
        let done = self.done(job)
        let kept = self.kept(after: working, job)
        // A stage can fail after it has saved all of its work.
        let hasDone = working.contains { stage in
            stage.kind.isWriting
                && (done.contains { $0.name == stage.name } || hasChangedObjects(stage))
        }
        guard hasDone || !kept.isEmpty else { return nil }
        let words: String
        if !kept.isEmpty {
            words =
                "Nothing that \(names(working)) did is kept; earlier changes are kept: "
                + names(kept)
        } else if job.target.isThere {
            words = "The changes of all stages were discarded; the store is unchanged"
        } else {
            words = "No change of the stages is kept: there is no store, as before the run"
        }
        return Diagnostic(.note, code: "run.taken-back", words)
    }

    /// Returns the remaining stages with `always: true`.
    ///
    /// - Parameter failed: the stage that failed; `nil` if no stage has begun.
    func alwaysStages(after failed: Stage?, _ job: Job) -> [Stage] {
        let left =
            failed.flatMap { failed in job.stages.firstIndex { $0.name == failed.name } }
            .map { job.stages[($0 + 1)...] } ?? job.stages[...]
        return left.filter { stage in
            stage.isAlways && !lackingColumns.contains { $0.name == stage.name }
        }
    }

    /// Runs the remaining stages with `always: true` after a failure.
    mutating func runAlways(
        after failed: Stage?, _ job: Job, _ failure: inout RunFailure
    ) {
        // Without a failed stage, only missing columns allow these stages to run: other failures
        // concern the store.
        guard failed != nil || !lackingColumns.isEmpty else { return }
        let stages = alwaysStages(after: failed, job)
        guard !stages.isEmpty else { return }
        guard job.target.isOpenAfterFailure else {
            let names = stages.map(\.name).joined(separator: ", ")
            failure.diagnostics.append(
                Diagnostic(
                    .note, code: "run.no-store",
                    "Stages that also run after a failure were skipped, because there is no store: "
                        + names))
            return
        }
        let wasThere = job.target.isThere
        runAlways(stages, job, &failure)
        // If these stages created the store and did not change it, remove it again.
        if !wasThere, job.target.way.usesWorkingCopy, !stages.contains(where: hasChangedObjects) {
            try? PersistentContainer.destroy(at: job.target.path)
        }
    }

    /// Whether the stage has changed objects in the store, even if it failed later.
    private func hasChangedObjects(_ stage: Stage) -> Bool {
        let report =
            outcome.stages.last { $0.name == stage.name } ?? ledger.entry(of: stage)?.report
        return report?.hasChangedObjects == true
    }

    private mutating func runAlways(
        _ stages: [Stage], _ job: Job, _ failure: inout RunFailure
    ) {
        do {
            let container = try job.target.openAfterFailure(model: job.model)
            let saved = try RunJournal.saved(by: job.note.owner, job.paths, in: container)
            let journal = try job.journal(
                saved.map { .continued($0) } ?? .new, isAfterFailure: true, in: container)
            let environment = environment(job, container, journal, place: .store)
            for stage in stages {
                do {
                    try run(stage, environment)
                } catch let stop as Interrupted {
                    throw stop
                } catch {
                    let later = RunFailure(error, stage: stage.reportLocation)
                        .naming(store: job.target.path)
                    failure.diagnostics += later.diagnostics
                }
            }
            try container.buildPendingIndexes(job.spec.budget)
            if saved == nil, journal.current.isEmpty {
                try journal.end(of: job.spec.stages, in: container)
            }
            try container.checkpoint()
        } catch {
            failure.diagnostics +=
                RunFailure(error, stage: nil).naming(store: job.target.path).diagnostics
        }
    }
}
