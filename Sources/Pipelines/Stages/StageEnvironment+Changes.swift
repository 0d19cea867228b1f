import GraphStore

extension StageEnvironment {
    /// Runs a batch request in its own background context, and saves it with the note that the
    /// stage is done.
    ///
    /// - Parameter request: Runs the request and fills its part of the report.
    func change(
        _ stage: Stage,
        _ request: @Sendable (ManagedObjectContext, inout StageReport) throws -> Void
    ) throws -> StageReport {
        progress.begin(stage: "\(stage.kind.word) \(stage.name)", bytesTotal: 0)
        let started = ContinuousClock.now
        return try container.newBackgroundContext().performAndWait { context in
            context.transactionAuthor = author
            var report = StageReport(kind: stage.kind.word, name: stage.name)
            try stoppable(context) { try request(context, &report) }
            var objects = ObjectTally()
            objects.add(
                try context.finalChange(), keysBefore: journal.run.keysBefore, container.schema)
            report.objects = objects.report(container.schema)
            report.secondsElapsed = started.secondsToNow
            try journal.finish(stage, report, in: context)
            try context.save()
            // Add the report now: the stage may still fail later, for example while compacting.
            ledger.note(stage, report)
            return report
        }
    }

    /// Builds the indexes and links that a stage deferred, and adds the time to its report.
    func buildIndexes(addingTo report: inout StageReport) throws {
        progress.enter(phase: "indexes")
        let started = ContinuousClock.now
        try container.buildPendingIndexes(spec.budget)
        report.noteIndexes(seconds: started.secondsToNow)
    }

    /// Runs the body, and cancels its work in the store if the run must stop.
    ///
    /// - Throws: `Interrupted`, or the errors of the body.
    func stoppable<R>(_ context: ManagedObjectContext, _ body: () throws -> R) throws -> R {
        let interruption = interruption
        do {
            return try context.stoppable(when: { interruption.reason() != nil }, body)
        } catch let error as StoreError where error.code == .cancelled {
            try interruption.check()
            throw error
        }
    }
}

extension ContinuousClock.Instant {
    /// The elapsed time in seconds.
    var secondsToNow: Double {
        let elapsed = (ContinuousClock.now - self).components
        return Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
    }
}
