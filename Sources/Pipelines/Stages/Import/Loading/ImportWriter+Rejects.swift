import Diagnostics
import Files
import GraphStore
import RecordStreams

extension RunFailure {
    fileprivate static let tooManyRejects = "rejects.too-many"

    /// A stage has refused more records than it may.
    var isOfRejects: Bool { diagnostics.contains { $0.code == Self.tooManyRejects } }
}

/// The records that an import refuses.
extension ImportWriter {
    /// Keeps a reject; one that ends the stage is told by `checkRejects()`.
    ///
    /// - Parameter batch: where it came from; nil where that was read long before.
    mutating func keep(_ reject: RejectedRecord, _ batch: MappedBatch?) throws {
        progress.counts.rejected += 1
        progress.rejectTally = progress.rejectTally ?? RejectTally()
        progress.rejectTally?.add(reject)
        if progress.stop == nil, plan.fixForStop(reject.code) != nil {
            progress.stop = StopNote(
                code: reject.code, reject: RejectTally.example(reject),
                replayed: progress.counts.replayed ?? 0)
        }
        let form = batch == nil ? form(of: reject.location.file) : nil
        try rejects.add(
            reject, format: batch?.format ?? form.flatMap { RecordFormat(rawValue: $0.format) },
            columnNames: batch == nil ? form?.columnNames : batch?.columnNames)
    }

    /// Counts a link that a record went without, and writes it down where the spec says so.
    mutating func keep(
        _ link: MissedLink, at place: () throws -> RecordLocation?
    ) throws {
        var location: RecordLocation?
        if reportedLinks.contains(link.relationship) {
            location = try place()
            if let location { try rejects.add(link, at: location) }
        }
        try progress.note(missed: link) { try location ?? place() }
    }

    /// How the records of an input are written, by whatever path an earlier attempt reached it.
    private func form(of source: FileName) -> InputForm? {
        if let form = progress.inputs[source] { return form }
        let noted = paths.noted(source)
        return progress.inputs.first { paths.noted($0.key) == noted }?.value
    }

    /// Ends the stage where a reject does, or their number.
    func checkRejects() throws(RunFailure) {
        if let rejectFailure { throw rejectFailure }
    }

    /// The failure of a stage that a reject ends, or their number.
    var rejectFailure: RunFailure? {
        if let stop = progress.stop {
            return RunFailure(
                .dataError, [stop.reject.diagnostic(stop.code, fix: plan.fixForStop(stop.code))])
        }
        return isOverAbort ? tooManyRejects(environment.spec.rejects.abort, key: "abort") : nil
    }

    /// Ends the stage again whose last attempt a reject ended, unless a replay has saved rejects since.
    mutating func checkStop() throws(RunFailure) {
        if let stop = progress.stop, progress.counts.replayed ?? 0 > stop.replayed {
            progress.stop = nil
        }
        try checkRejects()
    }

    /// Whether there are more rejects than the stage goes on with, since the last attempt that they
    /// ended.
    private var isOverAbort: Bool {
        let base = progress.abortBase
        let rejected = progress.counts.rejected - base.rejected
        switch environment.spec.rejects.abort {
        case .count(let limit): return rejected > limit
        case .percent:
            // What is kept aside has come to no end yet, good or bad.
            let ended = progress.counts.read - base.read - recordsAside
            return ended >= 1000
                && rejected > environment.spec.rejects.abort.allowed(of: ended)
        }
    }

    func tooManyRejects(_ limit: CountLimit, key: String) -> RunFailure {
        let counts = progress.counts
        let allowed = limit.allowed(of: counts.read)
        let several = RecordCounts.grouped(allowed)
        var diagnostics = rejects.firstOfEachCode
        diagnostics.append(
            Diagnostic(
                code: RunFailure.tooManyRejects,
                "\(counts.rejectedOfRead); "
                    + (allowed == 0 ? "none is" : allowed == 1 ? "1 is" : "\(several) are")
                    + " allowed",
                fix: fixOfTooMany(key)))
        return RunFailure(.dataError, diagnostics)
    }

    private func fixOfTooMany(_ key: String) -> String {
        let allowance =
            environment.hasSpecFile
            ? "raise `rejects.\(key)`" : "allow rejects with --allow-rejects"
        if environment.isDry { return "correct the records, or \(allowance)" }
        let folder = rejects.finalFolder
        if rejects.areGone {
            return "the records were in \(folder), and are no longer there: read the input again"
                + " with --restart, or \(allowance)"
        }
        return environment.hasSpecFile
            ? "correct the records in \(folder), or \(allowance)"
            : "correct the file and import it again, or \(allowance); the records are in \(folder)"
    }
}
