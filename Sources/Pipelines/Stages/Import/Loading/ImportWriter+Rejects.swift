import Diagnostics
import Files
import GraphStore
import RecordStreams

extension RunFailure {
    fileprivate static let tooManyRejects = "rejects.too-many"

    /// Whether a stage has rejected more records than its limit.
    var isOfRejects: Bool { diagnostics.contains { $0.code == Self.tooManyRejects } }
}

/// The handling of rejects.
extension ImportWriter {
    /// Stores a reject; `checkRejects()` reports a reject that ends the stage.
    ///
    /// - Parameter batch: The batch of the record; `nil` if it was read much earlier.
    mutating func keep(_ reject: RejectedRecord, _ batch: MappedBatch?) throws {
        progress.counts.rejected += 1
        progress.rejectTally = progress.rejectTally ?? RejectTally()
        progress.rejectTally?.add(reject)
        if progress.stop == nil, plan.fixForStop(reject.code) != nil {
            progress.stop = StopNote(
                code: reject.code, reject: RejectTally.example(reject),
                replayed: progress.counts.replayed ?? 0)
        }
        try rejects.add(reject, form: batch?.form ?? form(of: reject.location.file))
    }

    /// Counts a link that was not set, and writes it to the file of links if the spec requires
    /// that.
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

    /// Returns the format of an input's records, even if an earlier attempt used another path for
    /// it.
    private func form(of source: FileName) -> InputForm? {
        if let form = progress.inputs[source] { return form }
        let noted = paths.noted(source)
        return progress.inputs.first { paths.noted($0.key) == noted }?.value
    }

    /// Fails if a reject, or the number of rejects, ends the stage.
    func checkRejects() throws(RunFailure) {
        if let rejectFailure { throw rejectFailure }
    }

    /// The failure if a reject, or the number of rejects, ends the stage.
    var rejectFailure: RunFailure? {
        if let stop = progress.stop {
            return RunFailure(
                .dataError, [stop.reject.diagnostic(stop.code, fix: plan.fixForStop(stop.code))])
        }
        return isOverAbort ? tooManyRejects(environment.spec.rejects.abort, key: "abort") : nil
    }

    /// Fails again if a reject ended the last attempt, unless a replay has saved rejects since.
    mutating func checkStop() throws(RunFailure) {
        if let stop = progress.stop, progress.counts.replayed ?? 0 > stop.replayed {
            progress.stop = nil
        }
        try checkRejects()
    }

    /// Whether the number of rejects exceeds the limit, counted since the last attempt that it
    /// ended.
    private var isOverAbort: Bool {
        let base = progress.abortBase
        let rejected = progress.counts.rejected - base.rejected
        switch environment.spec.rejects.abort {
        case .count(let limit): return rejected > limit
        case .percent:
            // Buffered records have no outcome yet.
            let ended = progress.counts.read - base.read - recordsBuffered
            return ended >= 1000
                && rejected > environment.spec.rejects.abort.allowed(of: ended)
        }
    }

    func tooManyRejects(_ limit: CountLimit, key: String) -> RunFailure {
        let counts = progress.counts
        let allowed = limit.allowed(of: counts.read)
        let rule =
            key == "abort"
            ? "the import stopped early, because "
                + (allowed == 0
                    ? "a reject stops it"
                    : "more than \(ReportNumbers.several(allowed, "reject")) stop it")
            : (allowed == 0 ? "none is" : allowed == 1 ? "1 is" : "\(allowed.grouped) are")
                + " allowed"
        var diagnostics = rejects.firstOfEachCode
        diagnostics.append(
            Diagnostic(
                code: RunFailure.tooManyRejects,
                "\(counts.rejectedOfRead); \(rule)",
                fix: fixOfTooMany(key)))
        return RunFailure(.dataError, diagnostics)
    }

    private func fixOfTooMany(_ key: String) -> String {
        let allowance =
            environment.hasSpecFile
            ? "raise `rejects.\(key)`" : "allow rejects with --allow-rejects"
        if environment.isDry { return "correct the records, or \(allowance)" }
        let folder = rejects.finalFolder
        if rejects.areRemoved {
            return "the records were in \(folder), and are no longer there: read the input again"
                + " with --restart, or \(allowance)"
        }
        return environment.hasSpecFile
            ? "correct the records in \(folder), or \(allowance)"
            : "correct the file and import it again, or \(allowance); the records are in \(folder)"
    }
}
