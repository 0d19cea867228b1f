import Diagnostics
import Files
import GraphStore
import RecordStreams

/// The writing side of an import: applies batches, stores rejects, and saves at intervals.
struct ImportWriter {
    let stage: Stage
    let spec: ImportSpec
    let environment: StageEnvironment
    let plan: ImportPlan
    let inputs: ImportInputs
    let context: ManagedObjectContext
    let writer: BulkWriter
    let deferredRecords: DeferredRecords
    let paths: NotedPaths
    /// Whether an earlier attempt has left a position.
    let resumes: Bool
    let started = ContinuousClock.now
    /// The relationships whose missing links are written to a file.
    let reportedLinks: Set<String>
    var rejects: RejectFiles
    /// The progress of the import, which the next save records.
    var progress: ResumePoint
    /// The inputs that ended since the last save.
    var finished: [InputNote] = []
    /// All inputs that ended in this attempt.
    private(set) var imported: [InputNote] = []
    /// The first input that grew while it was read.
    private(set) var grown: String?
    /// The result of the deletion for `mirror`; `nil` if nothing was deleted yet.
    var mirrored: BatchDeleteResult?
    var unsaved = UnsavedWork()
    /// The records that are buffered to be written in row order.
    var section: StagedSection?
    /// The number of buffered records that are not yet written.
    var recordsBuffered = 0
    /// The file of the buffered records.
    let spillFile: SpillFile
    /// Whether further records may be buffered to be written in row order.
    var mayStage: Bool
    /// The total size of all inputs, as stored.
    let bytesTotal: Int
    /// The number of records that this attempt has read.
    var recordsHere: Int { progress.counts.read - recordsBefore }
    private let recordsBefore: Int

    /// Creates the writing side.
    ///
    /// - Parameters:
    ///   - note: The progress of an earlier attempt that is resumed.
    ///   - left: An earlier attempt whose rejects are kept although the import starts over.
    init(
        _ importStage: ImportStage, _ plan: ImportPlan, _ inputs: ImportInputs,
        _ context: ManagedObjectContext, after note: ResumePoint?, leaving left: ResumePoint?
    ) throws {
        stage = importStage.stage
        spec = importStage.spec
        environment = importStage.environment
        self.plan = plan
        self.inputs = inputs
        self.context = context
        paths = importStage.environment.paths
        resumes = note != nil
        reportedLinks = Set(
            spec.link.filter { $0.missing == .report }.map(\.relationship.text))
        deferredRecords = DeferredRecords(context, paths)
        writer = try context.bulkWriter(
            for: plan.bulk,
            memory: MemoryLimits(environment.spec.budget.memory).load(
                countingRows: plan.rowKeyCell != nil),
            isResumable: true)
        rejects = RejectFiles(environment, stage: stage, inputs: inputs)
        bytesTotal = inputs.files.reduce(0) { $0 + $1.byteCount }
        recordsBefore = note?.counts.read ?? 0
        let store = environment.container.storeDescription
        // Sections only for repeatable imports: an import with a section must start over if another
        // process changes the table before it resumes.
        mayStage =
            store.kind == .sqlite && environment.decoding.sortsByRow && spec.isRepeatable
        spillFile = SpillFile(in: PathText.folder(of: store.path))
        progress =
            note
            ?? ResumePoint(
                stage: stage.name, fingerprint: environment.journal.fingerprint(of: stage),
                position: nil, counts: RecordCounts(), objects: ObjectTally(), nextToken: 1,
                rejects: [],
                secondsElapsed: 0)
        if let note, note.isBegun {
            progress.noteReplayed(
                try rejects.resume(note.rejects, links: note.links ?? []))
        }
        progress.left = spec.isRepeatable ? [] : inputs.allPositions
        if let position = note?.position, inputs.start(in: position.path) == nil {
            // Its input is missing, so the reject that stopped the import cannot be corrected
            // there.
            (progress.position, progress.stop) = (nil, nil)
        }
        if let note, note.isBegun {
            imported = environment.journal.point(of: stage)?.finished ?? []
            try requireCounts(of: note)
            if let earlier = note.section { try resumeSection(earlier) }
        } else if let left {
            try rejects.leave(left.rejects, links: left.links ?? [])
        } else {
            try rejects.removeLeftovers()
        }
    }

    mutating func run(_ lanes: ImportLanes) throws -> StageReport {
        do {
            try readAll(lanes)
        } catch let error as RecordStreamError {
            switch error.fault.origin {
            case .inputData, .spec: try saveStopped()
            // The data is not at fault: the next run resumes as after a signal.
            default: try saveInterrupted(lanes)
            }
            throw error
        } catch let failure as RunFailure where failure.status == .dataError {
            try saveStopped()
            throw failure
        }
        return try finish()
    }

    private mutating func readAll(_ lanes: ImportLanes) throws {
        // Ignore the time limit while reading records that earlier attempts have saved: each
        // attempt must save something new, or the import would never finish. A stream may provide
        // nothing at all, so the limit applies to it.
        var isReadingOver =
            inputs.hasPositions && inputs.streams.isEmpty || section?.isReadAgain == true
        do {
            var isCompared = false
            while let batch = try lanes.take(
                environment.interruption, ignoringTimeLimit: isReadingOver,
                pause: { try saveAtPause() })
            {
                // The earlier records are unchanged, or this batch would not have been delivered.
                if !isCompared { try checkStop() }
                isCompared = true
                try apply(batch)
                let bytesRead = batch.bytesRead
                lanes.recycle(batch)
                // Check before an interruption: a stage that a reject ends has failed.
                try checkRejects()
                // The limit also does not apply while a section of an earlier attempt is read
                // again.
                isReadingOver = section?.isReadAgain == true
                try environment.interruption.check(ignoringTimeLimit: isReadingOver)
                try saveIfEnough(bytesRead)
            }
            if !isCompared { try checkStop() }
            try resolveDeferred()
            try checkRejects()
        } catch var stop as Interrupted {
            try saveInterrupted(lanes)
            stop.resumesAt = resumesAt
            throw stop
        }
    }

    /// Writes a complete section, saves if there is enough work, and begins the next section.
    private mutating func saveIfEnough(_ bytesRead: Int) throws {
        if let section {
            guard section.isComplete else { return }
            try endSection()
        }
        let next = nextSection(bytesRead)
        if unsaved.isEnough(environment.spec.budget) || next != nil && context.hasChanges {
            try save()
        }
        if let next { try beginSection(of: next) }
    }

    // MARK: Batches

    private mutating func apply(_ batch: MappedBatch) throws {
        // An earlier attempt has already counted the records of its section.
        if section?.isReadAgain != true { try count(batch) }
        if let section {
            try section.add(batch, writer)
            recordsBuffered = section.rowCount
        } else {
            try write(batch)
        }
        noteForm(of: batch)
        progress.position = batch.position
        if let path = batch.position?.path ?? batch.finishedInput?.path, !progress.left.isEmpty {
            progress.left.removeAll { $0.path == path }
        }
        if let input = batch.finishedInput {
            finished.append(input)
            imported.append(input)
            if batch.hasGrown { noteGrowth(of: input.path.displayText) }
        }
        environment.progress.update(bytesRead: batch.bytesRead, records: progress.counts.read)
    }

    private mutating func count(_ batch: MappedBatch) throws {
        progress.counts.read += batch.recordCount
        progress.counts.filtered += batch.filtered
        progress.counts.nulledValues += batch.nulled
        if batch.blankLines > 0 {
            progress.counts.blankLines = (progress.counts.blankLines ?? 0) + batch.blankLines
        }
        let countsDuplicateKeys = plan.duplicateKeys == .ignore
        if progress.facts == nil { progress.facts = ReadFacts() }
        progress.facts?.add(
            batch.records, extraFields: batch.extraFields, countsDuplicateKeys: countsDuplicateKeys)
        if let unfilled = batch.unfilled { progress.facts?.add(unfilled: unfilled) }
        // Invalid records have no fields that could be missing.
        if batch.records.count > 0 {
            let unseen = Set(batch.unseen)
            let lacking = batch.lacking.union(progress.lacking ?? progress.unmet ?? [])
            let unmet = (progress.unmet ?? plan.namedPaths.map(\.name)).filter(unseen.contains)
            progress.unmet = unmet
            progress.lacking = unmet.filter(lacking.contains)
        }
        if batch.records.count > batch.filtered {
            progress.fitsNothing = (progress.fitsNothing ?? true) && batch.fitsNothing
        }
        for reject in batch.rejects { try keep(withFaultsOfStore(reject, batch), batch) }
    }

    /// Returns a reject to which the faults that the store finds in the same record are added.
    private func withFaultsOfStore(
        _ reject: RejectedRecord, _ batch: MappedBatch
    ) throws -> RejectedRecord {
        guard let number = reject.location.record, let refused = batch.rejectedRows[number] else {
            return reject
        }
        var reject = reject
        reject.add(
            try writer.faults(of: batch.refused, refused.row, but: refused.cells), plan)
        return reject
    }

    private mutating func write(_ batch: MappedBatch) throws {
        let first = progress.nextToken
        progress.nextToken += Int64(batch.rows.count)
        let idleBefore = writer.idleRecords
        if batch.isLarge {
            try writer.withFewPages { () throws(StoreError) in
                try writer.apply(batch.rows, firstToken: first)
            }
        } else {
            try writer.apply(batch.rows, firstToken: first)
        }
        unsaved.add(batch, idle: writer.idleRecords - idleBefore + batch.filtered)
        if let share = writer.takeCacheFraction() { unsaved.noteLastSave(filling: share) }
        for token in writer.takeDeferredTokens() {
            let row = Int(token - first)
            try deferredRecords.add(
                batch.record(ofRow: row), token: token, batch.distances(ofRow: row, plan))
        }
        for link in writer.takeMissedLinks() {
            try keep(link) { batch.location(ofRow: Int(link.token - first)) }
        }
        for reject in writer.takeRejects() {
            try keep(batch.rejected(row: Int(reject.token - first), reject, plan), batch)
        }
    }

    private mutating func noteGrowth(of path: String) {
        grown = grown ?? path
        environment.warn(
            Diagnostic(
                .warning, code: "input.grown",
                "\(path) grew while the run read it; the next run reads the records that were "
                    + "added after that",
                fix: "write it under another name, and rename it when it is complete"))
    }

    /// Stores the format of the input, because deferred rows may be rejected long after its end.
    private mutating func noteForm(of batch: MappedBatch) {
        guard let path = batch.position?.path ?? batch.finishedInput?.path,
            progress.inputs[path] == nil
        else { return }
        progress.inputs[path] = batch.form
    }
}
