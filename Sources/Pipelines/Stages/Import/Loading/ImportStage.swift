import Diagnostics
import Dispatch
import GraphStore
import RecordStreams

extension ImportSpec {
    func run(_ stage: Stage, _ environment: StageEnvironment) throws -> StageReport {
        try ImportStage(stage: stage, spec: self, environment: environment).run()
    }
}

/// Records of files become objects: reading beside writing, saved every so many records.
struct ImportStage: Sendable {
    let stage: Stage
    let spec: ImportSpec
    let environment: StageEnvironment

    /// Runs the stage, or what an earlier attempt left of it.
    ///
    /// - Throws: `RunFailure`, `Interrupted`, or what the store or an input says. What was saved
    ///   before stays.
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
                try tell(obstacle, inputs.streams.map(\.name).joined(separator: ", "))
                // What was rejected of an input that has changed will not be read again.
                let isReadAgain =
                    obstacle.isOfStage
                    && (try? inputs.resuming(
                        note, isRepeatable: spec.isRepeatable, environment)) != nil
                return try run(inputs, after: nil, leaving: isReadAgain ? nil : note)
            }
        }
        return try run(inputs, after: nil)
    }

    /// Tells that the import begins again.
    ///
    /// - Throws: `RunFailure` (65) where it must not: what was read of the streams by now is gone,
    ///   or what was saved would be there twice.
    private func tell(_ obstacle: CannotResume, _ streams: String) throws(RunFailure) {
        guard spec.isRepeatable else {
            throw RunFailure(
                .dataError, code: "run.cannot-resume",
                "The import '\(stage.name)' cannot go on where it stopped: \(obstacle.reason)",
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
                    ? nil : "give again all records of \(streams), not only those that were left"))
    }

    /// Looks at the headers of the inputs before stages that come first write anything.
    func checkHeaders() throws {
        // These are compared by their contents with what is known, when it is their turn.
        guard !spec.read.isOnce else { return }
        let inputs: ImportInputs
        do {
            inputs = try ImportInputs(spec.read, stage, environment)
        } catch {
            // It may yet come, such as from an export, and is missed at its turn.
            return
        }
        try refuse(inputs.headerProblems(makePlan().selection))
    }

    private func refuse(_ problems: [Diagnostic]) throws(RunFailure) {
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
            // How much comes of a stream is not known.
            bytesTotal: inputs.streams.isEmpty ? inputs.files.reduce(0) { $0 + $1.byteCount } : 0,
            records: note?.counts.read ?? 0)
        // An attempt that could not go on may have left more.
        try sharePages()
        let background = environment.container.newBackgroundContext()
        let report = try background.performAndWait { context in
            // A transaction that is left open would keep the next one waiting.
            defer { context.rollback() }
            context.transactionAuthor = environment.author
            return try write(inputs, after: note, leaving: left, in: context)
        }
        // What the import had for pages is for the next stage to divide.
        try sharePages()
        environment.progress.enter(phase: "indexes")
        try environment.container.buildPendingIndexes(environment.spec.budget)
        return report
    }

    /// Reports how many keys cannot be told apart, before the records that have them are rejected.
    private func noteSharedKeys(_ writer: BulkWriter) throws {
        for shared in try writer.sharedKeys() {
            let isOne = shared.count == 1
            environment.warn(
                Diagnostic(
                    .note, code: "import.shared-keys",
                    "Import '\(stage.name)', `\(shared.path)`: "
                        + "\(ReportWords.several(shared.count, "key")) of '\(shared.entity)' "
                        + "\(isOne ? "is" : "are") shared by several objects; records with "
                        + "\(isOne ? "it" : "them") are rejected",
                    fix: "delete or change the duplicates, or use a key that identifies one object")
            )
        }
    }

    private func sharePages() throws {
        try environment.container.setPageCache(
            kibibytes: MemoryShares(environment.spec.budget.memory).pages >> 10)
    }

    /// The reading side, which has not begun, and the plan of the writing one.
    private func makeReading(
        of inputs: ImportInputs, isSmall: Bool
    ) throws -> (plan: ImportPlan, reader: ImportReader, lanes: ImportLanes) {
        let inputCount = inputs.filesLeft.count
        let batchCount = MemoryShares(environment.spec.budget.memory).batches
        let decoding = environment.decoding
        // A writer that has nearly all records to write leaves its reader waiting anyway.
        let share: ImportLanes.Share =
            !isSmall && spec.keepIf != nil && !spec.usesRowKeys
                && inputs.areLarge(decoding.largeInputBytes) && inputs.sectionEnd == nil
            ? .pieces : .inputs
        let laneCount = ImportLanes.count(
            inputs: share == .pieces ? .max : inputCount, batches: batchCount,
            processors: inputs.mayBeReadAtOnce && !isSmall ? decoding.processorCount : 1)
        let plans = try (0..<laneCount).map { _ in try makePlan() }
        var plan = plans[0]
        plan.bulk.expectsFewRows = isSmall
        let lanes = ImportLanes(
            share: share, inputCount: inputCount, batchCount: batchCount, plans: plans,
            isReadFirst: isSmall)
        let reader = ImportReader(
            plans: plans, inputs: inputs,
            rowKeyBytes: MemoryShares(environment.spec.budget.memory).rowKeys / plans.count,
            interruption: environment.interruption)
        return (plan, reader, lanes)
    }

    /// The writing side, on the background context's queue.
    private func write(
        _ inputs: ImportInputs, after note: ResumePoint?, leaving left: ResumePoint?,
        in context: ManagedObjectContext
    ) throws -> StageReport {
        let isSmall = note?.isBegun != true && inputs.areSmall(environment.decoding.smallInputBytes)
        var (plan, reader, lanes) = try makeReading(of: inputs, isSmall: isSmall)
        if inputs.filesLeft.count > 1 { try refuse(inputs.headerProblems(plan.selection)) }
        let reading = DispatchGroup()
        // Of a stream nothing must be read before it is known that the import can go on.
        let isFirst = note?.isBegun != true
        if isFirst { reader.start(lanes, in: reading) }
        if lanes.haveOverflowed {
            // Little was stored, but much comes of it.
            (plan, reader, lanes) = try makeReading(of: inputs, isSmall: false)
            reader.start(lanes, in: reading)
        }
        defer {
            lanes.cancel()
            // A reader that the system keeps waiting is left behind when the writer stops early,
            // by a signal or by a failure; it holds what it uses, and the run ends.
            _ = reading.wait(timeout: .now() + .seconds(1))
        }
        if note?.isBegun != true { try environment.journal.restart(note, in: context) }
        var writer = try ImportWriter(
            self, plan, inputs, reader.summary, context, after: note, leaving: left)
        if environment.isDry { try noteSharedKeys(writer.writer) }
        if !isFirst { reader.start(lanes, in: reading) }
        var report = try writer.run(lanes)
        report.extraFields = reader.summary.extraFields
        return report
    }
}
