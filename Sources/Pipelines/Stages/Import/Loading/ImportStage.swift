import Diagnostics
import Dispatch
import GraphStore
import RecordStreams

extension ImportSpec {
    func run(_ stage: Stage, _ environment: StageEnvironment) throws -> StageReport {
        try ImportStage(stage: stage, spec: self, environment: environment).run()
    }
}

/// Imports the records of files as objects; it reads and writes concurrently, and saves at
/// intervals.
struct ImportStage: Sendable {
    let stage: Stage
    let spec: ImportSpec
    let environment: StageEnvironment

    /// Runs the stage, or resumes an earlier attempt.
    ///
    /// - Throws: `RunFailure`, `Interrupted`, or an error of the store or an input. Earlier saves
    ///   are kept.
    func run() throws -> StageReport {
        let inputs = try ImportInputs(spec.read, stage, environment)
        try environment.journal.beginImport(stage, in: environment.container)
        if let earlier = environment.journal.point(of: stage), !earlier.isEmpty {
            let note = try inputs.followingRenames(
                inputs.naming(earlier, environment.paths), environment)
            do {
                guard note.fingerprint == environment.journal.fingerprint(of: stage) else {
                    throw CannotResume.changedStage
                }
                let rest = try inputs.resuming(
                    note, isRepeatable: spec.isRepeatable, environment)
                return try run(rest, after: note)
            } catch let obstacle as CannotResume {
                try emit(obstacle, inputs.streams.map(\.name).joined(separator: ", "))
                // The rejects of an input that has changed will not be read again.
                let isReadAgain =
                    obstacle.isOfStage
                    && (try? inputs.resuming(
                        note, isRepeatable: spec.isRepeatable, environment)) != nil
                return try run(inputs, after: nil, leaving: isReadAgain ? nil : note)
            }
        }
        return try run(inputs, after: nil)
    }

    /// Warns that the import starts over.
    ///
    /// - Throws: `RunFailure` (65) if it must not start over: the earlier part of a stream is lost,
    ///   or saved objects would be inserted twice.
    private func emit(_ obstacle: CannotResume, _ streams: String) throws(RunFailure) {
        guard spec.isRepeatable else {
            throw RunFailure(
                .dataError, code: "run.cannot-resume",
                "The import '\(stage.name)' cannot resume where it stopped: \(obstacle.reason)",
                fix: streams.isEmpty
                    ? "restore the input or the stage, or read everything again with --restart, also what"
                        + " is saved; `etl replay` reads the rejects alone; with `commit: run`, a run that"
                        + " fails saves nothing"
                    : "send again what the stopped run received from \(streams), or start over with "
                        + "--restart")
        }
        environment.warn(
            Diagnostic(
                .warning, code: "run.starts-again",
                "The import '\(stage.name)' starts over from its first record: "
                    + obstacle.reason,
                fix: streams.isEmpty || obstacle.isOfCommand
                    ? nil : "send all records of \(streams), not only those that were left"))
    }

    /// Checks the headers of the inputs before earlier stages write anything.
    func checkHeaders() throws {
        // With `once`, the contents of the inputs are compared with known inputs when the stage
        // runs.
        guard !spec.read.isOnce else { return }
        let inputs: ImportInputs
        do {
            inputs = try ImportInputs(spec.read, stage, environment)
        } catch {
            // The input may be created later, for example by an export. The stage reports it if it
            // is missing.
            return
        }
        try reject(inputs.headerProblems(makePlan().selection))
    }

    private func reject(_ problems: [Diagnostic]) throws(RunFailure) {
        if !problems.isEmpty { throw RunFailure(.configuration, problems) }
    }

    private func makePlan() throws -> ImportPlan {
        try ImportPlan(
            spec, environment.container.model, environment.values, now: environment.now,
            leavesArchives: environment.container.origin.isApp)
    }

    private func run(
        _ inputs: ImportInputs, after note: ResumePoint?, leaving left: ResumePoint? = nil
    ) throws -> StageReport {
        environment.progress.begin(
            stage: "import \(stage.name)",
            // The size of a stream is unknown.
            bytesTotal: inputs.streams.isEmpty ? inputs.files.reduce(0) { $0 + $1.byteCount } : 0,
            records: note?.counts.read ?? 0)
        // An attempt that could not resume may have left a larger page cache.
        try limitPageCache()
        let background = environment.container.newBackgroundContext()
        var report = try background.performAndWait { context in
            // An open transaction would block the next one.
            defer { context.rollback() }
            context.transactionAuthor = environment.author
            return try write(inputs, after: note, leaving: left, in: context)
        }
        // The import may have changed the page cache; reset it for the next stage.
        try limitPageCache()
        try environment.buildIndexes(addingTo: &report)
        return report
    }

    /// Reports the number of keys that several objects share, before records with these keys are
    /// rejected.
    private func noteSharedKeys(_ writer: BulkWriter) throws {
        for shared in try writer.sharedKeys() {
            let isOne = shared.count == 1
            environment.warn(
                Diagnostic(
                    .note, code: "import.shared-keys",
                    "Import '\(stage.name)', `\(shared.path)`: "
                        + "\(ReportNumbers.several(shared.count, "key")) of '\(shared.entity)' "
                        + "\(isOne ? "is" : "are") shared by several objects; records with "
                        + "\(isOne ? "it" : "them") are rejected",
                    fix: "delete or change the duplicates, or use a key that identifies one object")
            )
        }
    }

    private func limitPageCache() throws {
        try environment.container.setPageCache(
            kibibytes: MemoryLimits(environment.spec.budget.memory).pages >> 10)
    }

    /// Creates the reader, which is not started yet, and the plan for the writer.
    private func makeReading(
        of inputs: ImportInputs, isSmall: Bool
    ) throws -> (plan: ImportPlan, reader: ImportReader, lanes: ImportLanes) {
        let inputCount = inputs.filesLeft.count
        let batchCount = MemoryLimits(environment.spec.budget.memory).batches
        let decoding = environment.decoding
        // Without a filter, nearly all records are written, and the reader waits for the writer
        // anyway.
        let unit: ImportLanes.ReadingUnit =
            !isSmall && spec.keepIf != nil && !spec.usesRowKeys
                && inputs.areLarge(decoding.largeInputBytes) && inputs.sectionEnd == nil
            ? .pieces : .inputs
        let laneCount = ImportLanes.count(
            inputs: unit == .pieces ? .max : inputCount, batches: batchCount,
            processors: inputs.mayBeReadAtOnce && !isSmall ? decoding.processorCount : 1)
        let plans = try (0..<laneCount).map { _ in try makePlan() }
        var plan = plans[0]
        plan.bulk.expectsFewRows = isSmall
        let lanes = ImportLanes(
            unit: unit, inputCount: inputCount, batchCount: batchCount, plans: plans,
            isReadFirst: isSmall)
        let reader = ImportReader(
            plans: plans, inputs: inputs,
            rowKeyBytes: MemoryLimits(environment.spec.budget.memory).rowKeys / plans.count,
            interruption: environment.interruption)
        return (plan, reader, lanes)
    }

    /// Runs the writer on the queue of the background context.
    private func write(
        _ inputs: ImportInputs, after note: ResumePoint?, leaving left: ResumePoint?,
        in context: ManagedObjectContext
    ) throws -> StageReport {
        let isSmall = note?.isBegun != true && inputs.areSmall(environment.decoding.smallInputBytes)
        var (plan, reader, lanes) = try makeReading(of: inputs, isSmall: isSmall)
        if inputs.filesLeft.count > 1 { try reject(inputs.headerProblems(plan.selection)) }
        let reading = DispatchGroup()
        // A stream must not be read before it is known that the import can resume.
        let isFirst = note?.isBegun != true
        if isFirst { reader.start(lanes, in: reading) }
        if lanes.haveOverflowed {
            // The inputs are small as stored, but contain too many records.
            (plan, reader, lanes) = try makeReading(of: inputs, isSmall: false)
            reader.start(lanes, in: reading)
        }
        defer {
            lanes.cancel()
            // If the writer stops early, do not wait longer for a reader that the system blocks; it
            // keeps its resources until the run ends.
            _ = reading.wait(timeout: .now() + .seconds(1))
        }
        if note?.isBegun != true { try environment.journal.restart(note, in: context) }
        var writer = try ImportWriter(
            self, plan, inputs, context, after: note, leaving: left)
        if environment.isDry { try noteSharedKeys(writer.writer) }
        if !isFirst { reader.start(lanes, in: reading) }
        return try writer.run(lanes)
    }
}
