import Diagnostics
import Dispatch
import GraphStore
import RecordStreams

/// Records of files become objects: reading beside writing, saved every so many records.
struct ImportStage: Sendable {
    let stage: Stage
    let spec: ImportSpec
    let environment: StageEnvironment

    /// Runs the stage.
    ///
    /// - Throws: `RunFailure`, `Interrupted`, or what the store or an input says. What was saved
    ///   before stays.
    func run() throws -> StageReport {
        let inputs = try ImportInputs(spec.read, environment)
        environment.progress.begin(
            stage: "import \(stage.name)", bytesTotal: inputs.files.reduce(0) { $0 + $1.byteCount })
        let background = environment.container.newBackgroundContext()
        var report = try background.performAndWait { context in
            try write(inputs, in: context)
        }
        environment.progress.enter(phase: "indexes")
        try environment.container.buildPendingIndexes()
        report.kind = stage.kind.word
        return report
    }

    /// The writing side, on the background context's queue.
    private func write(
        _ inputs: ImportInputs, in context: ManagedObjectContext
    ) throws -> StageReport {
        let plan = try ImportPlan(
            spec, environment.container.model, environment.values, now: environment.now)
        let queue = BatchQueue(count: 6) { MappedBatch(width: plan.bulk.width) }
        let reader = ImportReader(plan: plan, inputs: inputs, queue: queue)
        let reading = DispatchGroup()
        reader.start(in: reading)
        defer {
            queue.cancel()
            // A reader that waits for a pipe is left behind when the writer stops early, by a
            // signal or by a failure; it holds what it uses, and the run ends.
            _ = reading.wait(timeout: .now() + .seconds(1))
        }
        var writer = try ImportWriter(self, plan, inputs, context)
        return try writer.run(queue)
    }
}

/// The inputs of an import, found and sorted.
struct ImportInputs: Sendable {
    let files: [InputFile]
    let options: ReadOptions

    init(_ read: ReadSpec, _ environment: StageEnvironment) throws {
        var found: [InputFile] = []
        let patterns = read.files.map { environment.values.path($0) }
        found = try InputFiles.expand(patterns: patterns, baseFolder: ".")
        guard !found.isEmpty else {
            throw RunFailure(
                .noInput, code: "input.too-few",
                "No file matches \(patterns.joined(separator: ", "))",
                fix:
                    "check the pattern; a relative path starts at the spec's folder, one from --set"
                    + " at the working directory")
        }
        files = found
        var options = ReadOptions()
        options.format = read.format
        options.at = read.arrayPath
        options.compression = InputCompression(rawValue: read.compression.rawValue) ?? .auto
        options.header = read.hasHeader
        options.columns = read.columns
        options.delimiter = read.delimiter
        options.quote = read.quote.map { .byte($0) } ?? .none
        options.nulls = read.nulls
        options.batchRecordsMax = min(
            options.batchRecordsMax, max(1, environment.spec.budget.saveEvery))
        self.options = options
    }
}
