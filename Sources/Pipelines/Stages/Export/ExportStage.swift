import Dispatch
import Files
import GraphModel
import GraphStore
import Processes
import RecordStreams

/// Exports objects to a file from one snapshot of the store; the file is complete or not written.
struct ExportStage: Sendable {
    let stage: Stage
    let spec: ExportSpec
    let environment: StageEnvironment

    /// The number of batches between the reading thread and the encoding thread.
    private static let batchCount = 4
    /// The batch size in bytes above which no other batch is read while the encoder has this one.
    private static let largeBatchBytes = 2 << 20

    func run() throws -> StageReport {
        environment.progress.begin(stage: "export \(stage.name)", bytesTotal: 0)
        let started = ContinuousClock.now
        let background = environment.container.newBackgroundContext()
        var report = try background.performAndWait { context in
            try export(from: context)
        }
        report.secondsElapsed = started.secondsToNow
        return report
    }

    private func export(from context: ManagedObjectContext) throws -> StageReport {
        let command = spec.command.map(environment.values.command)
        let path =
            command.map { InputFile.path(of: $0).displayText } ?? environment.values.path(spec.to)
        let parts = spec.parts.map { ExportParts(of: FileName(path), count: $0) }
        let schema = environment.container.schema
        let named =
            spec.fields?.map(\.text.keyPath)
            ?? (spec.format.isTabular
                ? schema.defaultFields(of: spec.entity.text, withToManys: true)
                : schema.defaultMembers(of: spec.entity.text))
        let shape = shape(named, schema)
        let fields =
            shape?.fields
            ?? schema.spelledOut(named, of: spec.entity.text, withToManys: spec.format.isTabular)
            .flatMap { schema.model.elementPaths(at: $0, from: spec.entity.text) }
        let key = parts == nil ? [] : schema.linkKey(of: spec.entity.text)
        let cursor = try context.cursor(
            RowRequest(
                entityName: spec.entity.text,
                predicate: try spec.selection.predicate(
                    environment.values, of: spec.entity.text, in: environment.container.model),
                variables: environment.values.graphValues,
                order: spec.order.map(\.key), fields: fields + key))
        for path in spec.outputs(at: FileName(path)) { try check(path) }
        var report = StageReport(kind: "export", name: stage.name)
        report.exported = ExportedFile(
            path: parts?.manifest.displayText ?? path, rows: 0, bytes: 0)
        guard !environment.isDry else {
            report.exported?.rows = try cursor.matchCount()
            return report
        }
        if command == nil { try OutputFolder.make(for: path) }
        let rows = ExportRows(
            cursor, shape, format: spec.format, columns: fields.map { $0.joined(separator: ".") },
            MissingFiles(cursor, spec.missingFiles))
        if let parts {
            let chooser = PartChooser(
                cursor, keyColumns: fields.count..<(fields.count + key.count), count: parts.count)
            try write(rows, in: parts, by: chooser, &report)
        } else {
            try write(rows, to: path, command, &report)
        }
        report.exported?.missingFiles = rows.missing.count > 0 ? rows.missing.count : nil
        return report
    }

    private func check(_ path: FileName) throws {
        try environment.outputs.check(path.displayText, at: spec.to.location, environment)
    }

    /// Writes one file, or sends it to a command.
    private func write(
        _ rows: ExportRows, to path: String, _ command: Command?, _ report: inout StageReport
    ) throws {
        let path = FileName(path)
        let manifest = spec.hasManifest ? ExportManifest(of: path) : nil
        let publication = environment.publication
        let level = spec.isCompressed ? spec.level : nil
        let output =
            if let command {
                try start(command, level: level)
            } else {
                try OutputFile(
                    at: path, storedAs: try publication.place(ofExport: path), gzipLevel: level,
                    observer: manifest?.add)
            }
        do {
            let sink = rows.sink(output)
            try write(rows, to: [sink]) { _, _ in 0 }
            let summary = try sink.encoder.finish()
            environment.progress.update(bytesRead: 0, records: summary.rowCount)
            try manifest?.write(
                rows: summary.rowCount, bytes: summary.byteCount,
                storedAs: try manifest.flatMap { try publication.place(ofExport: $0.path) })
            report.exported?.rows = summary.rowCount
            report.exported?.bytes = summary.byteCount
        } catch {
            output.abandon()
            // While a command does not read, an interruption appears as a write error, so check for
            // it here.
            if command != nil { try environment.interruption.check() }
            throw error
        }
    }

    /// Writes a file for each part, then the manifest, and deletes parts that only the old manifest
    /// lists.
    ///
    /// These parts belong to another number of parts, and a pattern such as `tasks-*` would read
    /// their rows twice.
    private func write(
        _ rows: ExportRows, in parts: ExportParts, by chooser: PartChooser,
        _ report: inout StageReport
    ) throws {
        let publication = environment.publication
        // Keep files that the run itself reads.
        let earlier = parts.earlier.filter { (try? check($0)) != nil }
        var outputs: [OutputFile] = []
        var manifests: [ExportManifest] = []
        do {
            for path in parts.paths {
                let manifest = ExportManifest(of: path)
                manifests.append(manifest)
                outputs.append(
                    try OutputFile(
                        at: path, storedAs: try publication.place(ofExport: path),
                        gzipLevel: spec.isCompressed ? spec.level : nil,
                        gzipThreads: max(1, SystemProcess.processorCount / parts.count),
                        observer: manifest.add))
            }
            let sinks = outputs.map(rows.sink)
            try write(rows, to: sinks, by: chooser.part)
            var files: [JSONTree] = []
            for (sink, manifest) in zip(sinks, manifests) {
                let summary = try sink.encoder.finish()
                files.append(manifest.content(rows: summary.rowCount, bytes: summary.byteCount))
                report.exported?.rows += summary.rowCount
                report.exported?.bytes += summary.byteCount
            }
            environment.progress.update(bytesRead: 0, records: report.exported?.rows ?? 0)
            try ExportManifest.write(
                files, rows: report.exported?.rows ?? 0, bytes: report.exported?.bytes ?? 0,
                to: parts.manifest, storedAs: try publication.place(ofExport: parts.manifest))
            try publication.remove(earlier)
        } catch {
            for output in outputs { output.abandon() }
            throw error
        }
    }

    /// Starts the command that reads the export.
    private func start(_ command: Command, level: Int?) throws -> OutputFile {
        guard !environment.publication.isDeferred else {
            throw RunFailure(
                .configuration, code: "spec.command-output",
                "This run publishes its files at its end, and data that a command has read cannot "
                    + "be undone",
                fix: "export to a file, or in a separate spec that runs after this one")
        }
        let interruption = environment.interruption
        return try OutputFile(
            to: command, gzipLevel: level, isCancelled: { interruption.reason() != nil },
            emit: command.reporting(environment.warn))
    }

    /// Returns the structure of exported objects; `nil` for flat records, which are rows of values.
    private func shape(_ fields: [[String]], _ schema: StoreLayout) -> NestedShape? {
        let entity = spec.entity.text
        if spec.shape == .nested { return NestedShape(fields, of: entity, schema) }
        return spec.format.isTabular ? nil : NestedShape(unlessFlat: fields, of: entity, schema)
    }

    /// Writes all rows, each to the output whose index `choose` returns.
    private func write(
        _ rows: ExportRows, to sinks: [ExportRows.Sink], by choose: (Int, RowBatch) -> Int
    ) throws {
        let queue = BatchQueue(
            count: Self.batchCount, isLarge: { $0.byteCount > Self.largeBatchBytes }
        ) { rows.cursor.makeBatch() }
        let reader = ExportReader(rows.cursor, queue)
        let reading = DispatchGroup()
        reader.start(in: reading)
        defer {
            reader.stop()
            // Do not wait longer: the run ends, and a reader that cannot be stopped keeps its
            // resources.
            _ = reading.wait(timeout: .now() + .seconds(1))
        }
        var count = 0
        while let batch = try queue.take(environment.interruption) {
            for row in 0..<batch.count { try sinks[choose(row, batch)].write(row, of: batch) }
            count += batch.count
            queue.recycle(batch)
            environment.progress.update(bytesRead: 0, records: count)
            try environment.interruption.check()
        }
    }
}

/// The rows of an export, and their encoding.
private struct ExportRows {
    /// An output of rows; a class, because a row's sink is looked up and must not be copied.
    final class Sink {
        let encoder: RecordEncoder
        private let rows: RowEncoder<RecordEncoder>
        private let nested: NestedRowEncoder?

        init(_ all: ExportRows, _ encoder: RecordEncoder) {
            self.encoder = encoder
            rows = RowEncoder(
                all.cursor, columns: all.columns.count, to: encoder, all.missing)
            nested = all.shape.map { NestedRowEncoder($0, all.cursor, to: encoder, all.missing) }
        }

        func write(_ row: Int, of batch: RowBatch) throws {
            if let nested {
                try nested.write(row, of: batch)
            } else {
                try rows.write(row, of: batch)
            }
        }
    }

    let cursor: RowCursor
    let missing: MissingFiles
    /// The shape of nested objects, or `nil` if a record is a row of values.
    private let shape: NestedShape?
    private let format: RecordFormat
    /// The names of the values in a row; the cursor may have further columns after them.
    private let columns: [String]

    init(
        _ cursor: RowCursor, _ shape: NestedShape?, format: RecordFormat, columns: [String],
        _ missing: MissingFiles
    ) {
        self.cursor = cursor
        self.missing = missing
        self.shape = shape
        self.format = format
        self.columns = columns
    }

    func sink(_ output: OutputFile) -> Sink {
        Sink(
            self,
            RecordEncoder(
                format: format, columns: shape?.members.map(\.name) ?? columns, output: output))
    }
}
