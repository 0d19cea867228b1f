import GraphStore

extension StageEnvironment {
    /// Runs a batch request in a background context of its own, and saves it together with the
    /// note that the stage is done.
    ///
    /// - Parameter request: fills its part of the report.
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
            objects.add(try context.uncommittedChange())
            report.objects = objects.report(container.schema)
            report.secondsElapsed = started.secondsToNow
            try journal.finish(stage, report, in: context)
            try context.save()
            // Also where the stage fails behind it, as in compacting.
            ledger.note(stage, report)
            return report
        }
    }

    /// Runs the body; what the store does for it ends when the run is to stop.
    ///
    /// - Throws: `Interrupted`, or what the body throws.
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
    /// The time since then.
    var secondsToNow: Double {
        let elapsed = (ContinuousClock.now - self).components
        return Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
    }
}
