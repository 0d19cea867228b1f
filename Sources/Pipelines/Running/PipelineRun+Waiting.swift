import Diagnostics
import GraphStore

/// What becomes of a run where another program has the store locked.
extension PipelineRun {
    /// Whether the run was not let to its store, so that it has saved nothing.
    func isLockedOut(by error: any Error) -> Bool { !hasBegun && error.isStoreInUse }

    /// What has ended the wait for a lock, where that was not patience.
    func stop(endingWaitOf error: any Error) -> Interrupted? {
        guard error.isStoreInUse else { return nil }
        return runner.interruption.reason().map { Interrupted($0) }
    }

    /// How a run ends that was not let to its store; nil where it is to be left out.
    func lockedOut(_ error: any Error, _ path: String) -> (any Error)? {
        // A run that was not to wait has not waited for the end of its time.
        let reason = runner.interruption.reason(ignoringTimeLimit: !waiting.isAskedFor)
        if let reason { return Interrupted(reason) }
        guard options.ifLocked != .skip else { return nil }
        guard var failure = (error as? StoreError).map({ RunFailure($0) }) else { return error }
        // SQLite's own words name no file.
        if (error as? StoreError)?.sql != nil { failure = RunFailure(StoreError(inUse: path)) }
        failure.tellSaved("nothing was saved")
        return failure
    }

    /// What is in the store of the work of a run that found it locked on its way; none waits beside.
    func saved(_ job: Job) -> String {
        let reports =
            outcome.stages
            + job.stages.compactMap { stage in
                guard let entry = ledger.entry(of: stage), ![.done, .resumed].contains(entry.state)
                else { return nil }
                return entry.report
            }
        // What waits, such as to be sorted, is read again.
        let records = reports.compactMap(\.records).map { $0.read - ($0.waiting ?? 0) }
            .reduce(0, +)
        guard records > 0 || reports.contains(where: \.hasChangedObjects) else {
            return "nothing was saved"
        }
        let work =
            records > 0 ? "the work for \(ReportWords.several(records, "record"))" : "the work done"
        return work + " is saved, and the next run resumes after it"
    }
}

extension Error {
    /// Another process has the lock of the store.
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

    /// Says in what is told of a locked store what was saved.
    mutating func tellSaved(_ words: @autoclosure () -> String) {
        for place in diagnostics.indices where diagnostics[place].code == Self.storeBusy {
            guard let fix = diagnostics[place].fix else { continue }
            diagnostics[place].fix = "\(fix); \(words())"
        }
    }
}
