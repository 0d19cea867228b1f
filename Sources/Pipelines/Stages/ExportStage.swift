import Diagnostics
import Dispatch
import Files
import GraphModel
import GraphStore
import RecordStreams

/// Objects become a file, from one snapshot of the store, whole or not at all.
struct ExportStage: Sendable {
    let stage: Stage
    let spec: ExportSpec
    let environment: StageEnvironment

    /// Batches between the thread that reads and the one that encodes.
    private static let batchCount = 4
    /// While the encoder has a batch of more bytes, no other is read.
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
        let path = environment.values.path(spec.to)
        let schema = environment.container.schema
        let named =
            spec.fields?.map(\.text.keyPath)
            ?? (spec.format.isTabular
                ? schema.defaultFields(of: spec.entity.text, withToManys: false)
                : schema.defaultMembers(of: spec.entity.text))
        let shape = shape(named, schema)
        let fields =
            shape?.fields
            ?? schema.spelledOut(named, of: spec.entity.text, withToManys: spec.format.isTabular)
            .flatMap { schema.model.elementPaths(at: $0, from: spec.entity.text) }
        let cursor = try context.cursor(
            RowRequest(
                entityName: spec.entity.text,
                predicate: try spec.selection.predicate(
                    environment.values, of: spec.entity.text, in: environment.container.model),
                variables: environment.values.graphValues,
                order: spec.order.map(\.key), fields: fields))
        try environment.outputs.check(path, at: spec.to.location, environment)
        var report = StageReport(kind: "export", name: stage.name)
        guard !environment.isDry else {
            report.exported = ExportedFile(path: path, rows: try cursor.matchCount(), bytes: 0)
            return report
        }
        try OutputFolder.make(for: path)
        let manifest = spec.hasManifest ? ExportManifest(of: FileName(path)) : nil
        if let manifest {
            try environment.outputs.check(
                manifest.path.displayText, at: spec.to.location, environment)
        }
        let publication = environment.publication
        let output = try OutputFile(
            at: FileName(path), storedAs: try publication.place(ofExport: FileName(path)),
            gzipLevel: spec.isCompressed ? spec.level : nil, observer: manifest?.add)
        let encoder = RecordEncoder(
            format: spec.format,
            columns: shape?.members.map(\.name) ?? fields.map { $0.joined(separator: ".") },
            output: output)
        do {
            let missing = MissingFiles(cursor, spec.missingFiles)
            let summary = try write(cursor, shape, to: encoder, missing)
            environment.progress.update(bytesRead: 0, records: summary.rowCount)
            try manifest?.write(
                rows: summary.rowCount, bytes: summary.byteCount,
                storedAs: try manifest.flatMap { try publication.place(ofExport: $0.path) })
            report.exported = ExportedFile(
                path: path, rows: summary.rowCount, bytes: summary.byteCount,
                missingFiles: missing.count > 0 ? missing.count : nil)
            return report
        } catch {
            output.abandon()
            throw error
        }
    }

    /// How objects stand in objects; nil where a record is a row of values.
    private func shape(_ fields: [[String]], _ schema: StoreLayout) -> NestedShape? {
        let entity = spec.entity.text
        if spec.shape == .nested { return NestedShape(fields, of: entity, schema) }
        return spec.format.isTabular ? nil : NestedShape(unlessFlat: fields, of: entity, schema)
    }

    private func write(
        _ cursor: RowCursor, _ shape: NestedShape?, to encoder: RecordEncoder,
        _ missing: MissingFiles
    ) throws -> OutputSummary {
        let rows = RowEncoder(cursor, to: encoder, missing)
        let nested = shape.map { NestedRowEncoder($0, cursor, to: encoder, missing) }
        let queue = BatchQueue(
            count: Self.batchCount, isLarge: { $0.byteCount > Self.largeBatchBytes }
        ) { cursor.makeBatch() }
        let reader = ExportReader(cursor, queue)
        let reading = DispatchGroup()
        reader.start(in: reading)
        defer {
            reader.stop()
            // One that cannot be stopped is left behind; it holds what it uses, and the run ends.
            _ = reading.wait(timeout: .now() + .seconds(1))
        }
        while let batch = try queue.take(environment.interruption) {
            for row in 0..<batch.count {
                if let nested {
                    try nested.write(row, of: batch)
                } else {
                    try rows.write(row, of: batch)
                }
            }
            queue.recycle(batch)
            environment.progress.update(bytesRead: 0, records: encoder.rowCount)
            try environment.interruption.check()
        }
        return try encoder.finish()
    }
}

/// Room for the text of a value, gone with its owner.
private final class CellMemory {
    let room = UnsafeMutableBufferPointer<UInt8>.allocate(
        capacity: ScalarFormatter.decimalBytesMax)

    deinit {
        room.deallocate()
    }
}

/// Writes a column's value in the form that imports read back as the same value.
struct CellEncoder<Output: ValueEncoder> {
    private let encoder: Output
    private let room: UnsafeMutableBufferPointer<UInt8>
    private let memory: CellMemory
    /// Where external values are; nil of values that are in no store.
    private let external: ExternalValues?
    private let missing: MissingFiles?

    init(_ encoder: Output, external: ExternalValues? = nil, _ missing: MissingFiles? = nil) {
        self.encoder = encoder
        self.external = external
        self.missing = missing
        memory = CellMemory()
        room = memory.room
    }

    func write(_ cell: BulkCell, _ column: RowColumn) {
        guard cell.kind != .null else { return encoder.null() }
        guard case .attribute(let type) = column.content else {
            return encoder.integer(cell.integerValue)
        }
        switch type {
        case .string, .uri: encoder.text(cell.bytes)
        case .boolean: encoder.bool(cell.integerValue != 0)
        case .integer16, .integer32, .integer64: encoder.integer(cell.integerValue)
        case .double, .float: encoder.double(number(cell))
        case .date: encoder.ascii(text(ScalarFormatter.isoDate(number(cell), into: room)))
        case .uuid: encoder.ascii(text(ScalarFormatter.uuid(cell.bytes, into: room)))
        case .decimal where cell.kind == .text: encoder.number(cell.bytes)
        case .decimal: encoder.number(text(ScalarFormatter.decimal(number(cell), into: room)))
        case .transformable: writeTransformable(cell.bytes)
        case .binary:
            guard column.isExternal, let external else { return writeBase64(cell.bytes) }
            external.withValue(of: cell.bytes) { value in
                if let value { return writeBase64(value) }
                missing?.isRowAffected = true
                encoder.null()
            }
        case .undefined: writeUndefined(cell)
        case .composite: encoder.null()
        }
    }

    /// JSON as it stands; an app's archive as JSON where it is of plain classes, else its bytes.
    private func writeTransformable(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard external?.isOfApp == true, TransformedBytes.isForeign(bytes) else {
            return encoder.json(bytes)
        }
        let json = TransformedBytes.json(bytes)
        json.withUnsafeBufferPointer { encoder.json($0) }
    }

    /// A column of no type shows what it holds.
    private func writeUndefined(_ cell: BulkCell) {
        switch cell.kind {
        case .integer: encoder.integer(cell.integerValue)
        case .real: encoder.double(cell.realValue)
        case .text: encoder.text(cell.bytes)
        case .blob: writeBase64(cell.bytes)
        default: encoder.null()
        }
    }

    /// A date's whole seconds, and a decimal without fraction, are stored as integers.
    private func number(_ cell: BulkCell) -> Double {
        cell.kind == .integer ? Double(cell.integerValue) : cell.realValue
    }

    private func text(_ count: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: room.baseAddress, count: count)
    }

    private func writeBase64(_ bytes: UnsafeBufferPointer<UInt8>) {
        // No bytes are a value, which a table must not take for null.
        guard !bytes.isEmpty else { return encoder.text(bytes) }
        let count = ScalarFormatter.base64Bytes(bytes.count)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(1, count)) { room in
            let written = ScalarFormatter.base64(bytes, into: room)
            encoder.ascii(UnsafeBufferPointer(start: room.baseAddress, count: written))
        }
    }
}
