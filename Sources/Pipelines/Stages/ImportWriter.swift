import Diagnostics
import GraphStore
import RecordStreams

/// The writing side of an import: applies batches, keeps rejects, saves every so many records.
struct ImportWriter {
    private let stage: Stage
    private let environment: StageEnvironment
    private let inputs: ImportInputs
    private let context: ManagedObjectContext
    private let writer: BulkWriter
    private var rejects: RejectFiles
    private var counts = RecordCounts()
    private var objects = ObjectTally()
    private var unsaved = 0
    private var nextToken: Int64 = 1
    /// Records that wait for an object still to come, by token.
    private var parked: [Int64: RejectedRecord] = [:]

    init(
        _ importStage: ImportStage, _ plan: ImportPlan, _ inputs: ImportInputs,
        _ context: ManagedObjectContext
    ) throws {
        stage = importStage.stage
        environment = importStage.environment
        self.inputs = inputs
        self.context = context
        writer = try context.bulkWriter(for: plan.bulk)
        rejects = RejectFiles(environment, stage: importStage.stage, inputs: inputs)
    }

    mutating func run(_ queue: BatchQueue<MappedBatch>) throws -> StageReport {
        do {
            while let batch = try queue.take(environment.interruption) {
                try apply(batch)
                queue.recycle(batch)
                if let signal = environment.interruption.signal {
                    throw Interrupted(signal: signal)
                }
                if unsaved >= environment.spec.budget.saveEvery { try save() }
                if isOverAbort {
                    throw tooManyRejects(environment.spec.rejects.abort, key: "abort")
                }
            }
            try finish()
        } catch let stop as Interrupted {
            queue.cancel()
            try save()
            try rejects.close()
            throw stop
        } catch let damage as RecordStreamError {
            // What came before the damage is good and stays.
            try finish()
            throw damage
        } catch let failure as RunFailure where failure.status == .dataError {
            try finish()
            throw failure
        }
        return try report()
    }

    // MARK: Batches

    private mutating func apply(_ batch: MappedBatch) throws {
        counts.read += batch.recordCount
        counts.filtered += batch.filtered
        for reject in batch.rejects { try keep(reject, batch) }
        let first = nextToken
        nextToken += Int64(batch.rows.count)
        try writer.apply(batch.rows, firstToken: first)
        for token in writer.takeParkedTokens() {
            parked[token] = Self.record(batch, Int(token - first))
        }
        for reject in writer.takeRejects() {
            try keep(reject, Self.record(batch, Int(reject.token - first)), batch)
        }
        unsaved += batch.recordCount
        environment.progress.update(bytesRead: batch.bytesRead, records: counts.read)
    }

    /// The record that a row was made of, with its place.
    private static func record(_ batch: MappedBatch, _ row: Int) -> RejectedRecord {
        let record = Int(batch.rowRecords[row])
        return RejectedRecord(
            code: "", detail: "", location: batch.records.location(of: record, field: nil),
            message: "", raw: Array(batch.records.rawRecord(record)))
    }

    // MARK: Rejects

    private mutating func keep(
        _ reject: BulkReject, _ record: RejectedRecord, _ batch: MappedBatch?
    ) throws {
        var record = record
        record.code = reject.code
        record.detail = reject.code
        record.message = reject.message
        record.location.field = reject.property
        try keep(record, batch)
    }

    private mutating func keep(_ reject: RejectedRecord, _ batch: MappedBatch?) throws {
        counts.rejected += 1
        try rejects.add(reject, format: batch?.format, columnNames: batch?.columnNames)
    }

    private var isOverAbort: Bool {
        switch environment.spec.rejects.abort {
        case .count(let limit): counts.rejected > limit
        case .percent:
            counts.read >= 1000
                && counts.rejected > environment.spec.rejects.abort.allowed(of: counts.read)
        }
    }

    private func tooManyRejects(_ limit: CountLimit, key: String) -> RunFailure {
        let allowed = limit.allowed(of: counts.read)
        var diagnostics = rejects.firstOfEachCode
        diagnostics.append(
            Diagnostic(
                code: "rejects.too-many",
                "\(counts.rejected) of \(counts.read) records were rejected; \(allowed) are allowed",
                fix: "mend the records in \(rejects.folder), or raise `rejects.\(key)`"))
        return RunFailure(.dataError, diagnostics)
    }

    // MARK: Saving

    /// Makes the rejects durable, then the rows.
    private mutating func save() throws {
        try writer.flush()
        try rejects.synchronize()
        objects.add(try context.save().change)
        unsaved = 0
    }

    private mutating func finish() throws {
        try writer.finish()
        for reject in writer.takeRejects() {
            guard let record = parked.removeValue(forKey: reject.token) else { continue }
            try keep(reject, record, nil)
        }
        try save()
        try rejects.close()
    }

    private func report() throws -> StageReport {
        var counts = counts
        let tally = writer.tally
        counts.inserted = tally.inserted
        counts.updated = tally.updated
        counts.unchanged = tally.unchanged
        counts.superseded = tally.superseded
        counts.createdTargets = tally.createdTargets
        guard counts.isConserved else {
            throw RunFailure(
                .software, code: "internal.conservation",
                "Of \(counts.read) records, some came to no end or to two: \(counts)")
        }
        guard counts.rejected <= environment.spec.rejects.allow.allowed(of: counts.read) else {
            throw tooManyRejects(environment.spec.rejects.allow, key: "allow")
        }
        var report = StageReport(kind: "import", name: stage.name)
        report.records = counts
        report.objects = objects.report(environment.container.schema)
        if counts.rejected > 0 { report.rejectsFolder = rejects.folder }
        return report
    }
}
