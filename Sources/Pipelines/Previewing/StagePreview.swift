import Diagnostics
import FoundationEssentials
import GraphModel
import GraphStore
import RecordStreams

/// Maps the first records of one import, and writes the results.
struct StagePreview {
    let stage: Stage
    let spec: ImportSpec
    let model: ManagedObjectModel
    let values: ParameterValues
    /// The maximum number of mapped records.
    let limit: Int
    /// Whether the store or an earlier import may contain the objects of records.
    let mayBeThere: Bool
    /// Whether the store is an app's; then values that only the app can write are not mapped by
    /// name.
    let leavesArchives: Bool
    /// The maximum number of rows to try against the model.
    let triedMax: Int
    let emit: @Sendable (Diagnostic) -> Void

    private static let batchRecords = 1024
    /// The minimum limit for rejected records, however small `limit` is.
    private static let rejectsMin = 10

    /// Maps the first records of the import, writes the results to the output, and returns their
    /// counts.
    ///
    /// - Parameter earlier: the rows of the earlier imports, to which this import's rows are added.
    func run(
        _ pipeline: PipelineSpec, _ now: Date, _ earlier: inout EarlierRows?, to output: OutputFile
    ) throws -> Preview.Stage {
        let plan = try ImportPlan(
            spec, model, values, now: now.timeIntervalSinceReferenceDate,
            leavesArchives: leavesArchives)
        var inputs = try ImportInputs(spec.read, pipeline, values)
        inputs.showCommandLines(emit)
        let encoder = MappedRowEncoder(plan, model)
        var mapper = RecordMapper(plan)
        let rowKeys = plan.rowKey.map {
            RowKeys(inputs.options, $0, memory: MemoryLimits(pipeline.budget.memory).rowKeys)
        }
        var trial = attempt { try RowTrial(plan.bulk, model) }
        if attempt({ try earlier?.begin(plan.bulk) }) == nil { earlier = nil }
        var names: Set<String> = []
        var shown = Preview.Stage(name: stage.name)
        for file in inputs.files where !isEnough(shown) {
            let reader = try inputs.reader(of: file, plan.selection)
            let batch = MappedBatch(plan)
            try rowKeys?.begin(reader, of: file)
            while !isEnough(shown), try reader.next(batch.records, limit: Self.batchRecords) {
                batch.begin(reader, plan, bytesBefore: 0)
                try rowKeys?.fill(batch)
                mapper.map(batch)
                names.formUnion(batch.takeNestedExtraFields().map(\.name))
                let refused = refusals(of: batch.rows, &trial)
                let taken = attempt { try earlier?.apply(batch.rows, without: refused) ?? [:] }
                if taken == nil { earlier = nil }
                let mayBeThere = mayBeThere || trial?.leavesOut ?? false
                let found = Found(refused: refused, taken: taken ?? [:], mayBeThere: mayBeThere)
                try show(batch, found, plan, encoder, &shown, to: output)
            }
            names.formUnion(reader.extraFields.map(\.name))
        }
        if shown.mapped + shown.rejected + shown.filtered > 0 {
            let names = names
            let unmet = mapper.sightings.lacking.intersection(mapper.sightings.unseenNames)
            warn(
                of: plan.unmet(unmet, isAnyKept: shown.mapped + shown.rejected > 0),
                plan.likelyNames(names.sorted(), besides: mapper.sightings.unseenNames))
        }
        // The last batch contains filtered records beyond the shown ones.
        if isEnough(shown) { shown.filtered = 0 }
        return shown
    }

    // MARK: Trying

    /// Returns the rows that the store would reject, if they can be tried.
    private func refusals(of rows: RowBatch, _ trial: inout RowTrial?) -> [Int: BulkReject] {
        guard var current = trial else { return [:] }
        guard !current.isFull(triedMax) else {
            trial = nil
            reportUntried(
                "The first \(ReportNumbers.several(current.rowCount, "record")) were checked "
                    + "against the model; later ones were not")
            return [:]
        }
        let refused = attempt { try current.apply(rows) }
        trial = refused == nil ? nil : current
        return refused ?? [:]
    }

    /// Calls a closure that tries rows, and returns its result.
    ///
    /// If the trial fails, that is reported, and the result is `nil`.
    private func attempt<Result>(_ work: () throws -> Result) -> Result? {
        do {
            return try work()
        } catch {
            reportUntried("The records cannot be checked against the model: \(error)")
            return nil
        }
    }

    private func reportUntried(_ message: String) {
        var diagnostic = Diagnostic(
            .note, code: "import.untried", message, fix: "`etl plan` tries all records")
        diagnostic.stage = stage.reportLocation
        emit(diagnostic)
    }

    // MARK: Showing

    private func isEnough(_ shown: Preview.Stage) -> Bool {
        shown.mapped >= limit || shown.rejected >= max(limit, Self.rejectsMin)
    }

    /// The results of the trials for the rows of a batch.
    private struct Found {
        /// The rows that the store would reject.
        var refused: [Int: BulkReject]
        /// The rows that conflict with rows of earlier imports.
        var taken: [Int: BulkReject]
        /// Whether the store or an earlier import may have objects that the trials do not know.
        var mayBeThere: Bool
    }

    /// Writes a batch's rows and reports its rejects, in the order of the records, until one of the
    /// limits is reached.
    private func show(
        _ batch: MappedBatch, _ found: Found, _ plan: ImportPlan, _ encoder: MappedRowEncoder,
        _ shown: inout Preview.Stage, to output: OutputFile
    ) throws {
        shown.filtered += batch.filtered
        var rejects = batch.rejects[...]
        for row in 0..<batch.rows.count {
            let record = batch.records.location(of: Int(batch.rowRecords[row]), field: nil)
            while let reject = rejects.first,
                reject.location.record ?? 0 < record.record ?? .max, !isEnough(shown)
            {
                emit(reject, &shown)
                rejects.removeFirst()
            }
            guard !isEnough(shown) else { return }
            // A stage that only changes objects makes no new object that could break a rule.
            if let reject = found.refused[row],
                reject.hinge != .newObject || plan.bulk.absent == .create
            {
                let rejected = batch.rejected(row: row, reject, plan)
                guard let condition = condition(of: reject, found.mayBeThere) else {
                    emit(rejected, &shown)
                    continue
                }
                warn(of: rejected, "Rejected \(condition): ")
            }
            if let reject = found.taken[row] {
                warn(
                    of: batch.rejected(row: row, reject, plan),
                    "Rejected if earlier records make new objects as shown: ")
            }
            let line = encoder.line(
                stage: stage.name, file: record.source, record: record.record,
                into: spec.into.text, of: batch, row)
            let shownLine = OutputText.maskedSecrets(String(decoding: line, as: UTF8.self))
            try Array(shownLine.utf8).withUnsafeBytes { try output.write($0) }
            shown.mapped += 1
        }
        for reject in rejects where !isEnough(shown) { emit(reject, &shown) }
    }

    /// Returns the condition on the store under which a row is rejected; `nil` if it is always
    /// rejected.
    private func condition(of reject: BulkReject, _ mayBeThere: Bool) -> String? {
        guard mayBeThere else { return nil }
        return switch reject.hinge {
        case .newObject: "if it makes a new object"
        case .storedValues: "unless the store has other values"
        case .missingTarget, nil: nil
        }
    }

    private func emit(_ reject: RejectedRecord, _ shown: inout Preview.Stage) {
        warn(of: reject, "Rejected: ")
        shown.rejected += 1
    }

    private func warn(of reject: RejectedRecord, _ words: String) {
        var diagnostic = reject.diagnostic
        diagnostic.severity = .warning
        diagnostic.message = words + diagnostic.message
        diagnostic.stage = stage.reportLocation
        emit(diagnostic)
    }

    /// Warns of paths that no record contains, because they may be misspelled.
    private func warn(of unmet: [ImportPlan.NamedPath], _ names: [String]) {
        for path in unmet {
            emit(
                Diagnostic(
                    .warning, code: "import.unmet-path",
                    "None of the records that were read has \(path.shown)"
                        + Suggestion.phrase(for: path.name, among: names),
                    at: .source(path.text.location)))
        }
    }
}
