import Diagnostics
import GraphStore
import RecordStreams

/// The records that an import refuses.
extension ImportWriter {
    /// Keeps a reject; one that ends the stage is told by `checkRejects()`.
    ///
    /// - Parameter batch: where it came from; nil where that was read long before.
    mutating func keep(_ reject: RejectedRecord, _ batch: MappedBatch?) throws {
        progress.counts.rejected += 1
        progress.rejectTally = progress.rejectTally ?? RejectTally()
        let values = environment.values
        progress.rejectTally?.add(reject, values)
        if stopped == nil, let fix = plan.fixForStop(reject.code) {
            stopped = RunFailure(
                .dataError,
                [
                    Diagnostic(
                        code: reject.code, reject.message, at: .record(reject.location), fix: fix)
                ])
        }
        let form = batch == nil ? progress.inputs[reject.location.source] : nil
        try rejects.add(
            reject, format: batch?.format ?? form.flatMap { RecordFormat(rawValue: $0.format) },
            columnNames: batch == nil ? form?.columnNames : batch?.columnNames)
    }

    /// Ends the stage where a reject does, or their number.
    func checkRejects() throws(RunFailure) {
        if let stopped { throw stopped }
        if isOverAbort { throw tooManyRejects(environment.spec.rejects.abort, key: "abort") }
    }

    /// Whether there are more rejects than the stage goes on with.
    var isOverAbort: Bool {
        let counts = progress.counts
        return switch environment.spec.rejects.abort {
        case .count(let limit): counts.rejected > limit
        case .percent:
            // What is kept aside has come to no end yet, good or bad.
            counts.read - recordsAside >= 1000
                && counts.rejected
                    > environment.spec.rejects.abort.allowed(of: counts.read - recordsAside)
        }
    }

    func tooManyRejects(_ limit: CountLimit, key: String) -> RunFailure {
        let counts = progress.counts
        let allowed = limit.allowed(of: counts.read)
        let several = RecordCounts.grouped(allowed)
        var diagnostics = rejects.firstOfEachCode
        diagnostics.append(
            Diagnostic(
                code: "rejects.too-many",
                "\(counts.rejectedOfRead); "
                    + (allowed == 0 ? "none is" : allowed == 1 ? "1 is" : "\(several) are")
                    + " allowed",
                fix: environment.isDry
                    ? "mend the records, or raise `rejects.\(key)`"
                    : "mend the records in \(rejects.folder), or raise `rejects.\(key)`"))
        return RunFailure(.dataError, diagnostics)
    }
}
