import Diagnostics
import GraphStore

/// How a run ends if another program has locked the store.
extension PipelineRun {
    /// Returns whether a locked store ended the run before it saved anything.
    func isLockedOut(by error: any Error) -> Bool { !hasBegun && error.isStoreInUse }

    /// Returns the signal or time limit that ended the wait for a locked store; `nil` if neither
    /// did.
    func stop(endingWaitOf error: any Error) -> Interrupted? {
        guard error.isStoreInUse else { return nil }
        return runner.interruption.reason().map { Interrupted($0) }
    }

    /// Returns the error to report if the run could not open its locked store; `nil` to skip the
    /// run.
    func lockedOut(_ error: any Error, _ path: String) -> (any Error)? {
        // Without `--if-locked wait`, the time limit did not end the wait.
        let reason = runner.interruption.reason(ignoringTimeLimit: !storeWait.isAskedFor)
        if let reason { return Interrupted(reason) }
        guard options.ifLocked != .skip else { return nil }
        guard var failure = (error as? StoreError).map({ RunFailure($0) }) else { return error }
        // The message of SQLite does not name the file.
        if (error as? StoreError)?.sql != nil { failure = RunFailure(StoreError(inUse: path)) }
        failure.addSaved("nothing was saved")
        return failure
    }

    /// Returns a description of the work that a run had saved when it found its store locked.
    ///
    /// No work is kept next to the store.
    func saved(_ job: Job) -> String {
        let reports =
            outcome.stages
            + job.stages.compactMap { stage in
                guard let entry = ledger.entry(of: stage), ![.done, .resumed].contains(entry.state)
                else { return nil }
                return entry.report
            }
        // Deferred records, such as those to be sorted, are read again.
        let records = reports.compactMap(\.records).map { $0.read - ($0.waiting ?? 0) }
            .reduce(0, +)
        guard records > 0 || reports.contains(where: \.hasChangedObjects) else {
            return "nothing was saved"
        }
        let work =
            records > 0
            ? "the work for \(ReportNumbers.several(records, "record"))" : "the work done"
        return work + " is saved, and the next run resumes after it"
    }
}

extension Error {
    /// Whether another process has locked the store.
    var isStoreInUse: Bool {
        switch self {
        case let error as StoreError:
            error.code == .busy && !error.isUnfinishedLoad && !error.isWrittenMeanwhile
        case let failure as RunFailure: failure.isStoreBusy
        default: false
        }
    }
}

extension RunFailure {
    private static let storeBusy = "store." + StoreError.Code.busy.rawValue

    fileprivate var isStoreBusy: Bool { diagnostics.contains { $0.code == Self.storeBusy } }

    /// Appends a description of the saved work to the fix of each diagnostic about a locked store.
    mutating func addSaved(_ words: @autoclosure () -> String) {
        for place in diagnostics.indices where diagnostics[place].code == Self.storeBusy {
            guard let fix = diagnostics[place].fix else { continue }
            diagnostics[place].fix = "\(fix); \(words())"
        }
    }
}
