import Dispatch
import RecordStreams

/// The reading side of an import: inflates, scans, maps and casts, on a thread of its own.
final class ImportReader: Sendable {
    // Used by the reading thread alone once `start` was called; the plan is not changed by it.
    private nonisolated(unsafe) let plan: ImportPlan
    private let inputs: ImportInputs
    private let queue: BatchQueue<MappedBatch>
    /// What was found out about the inputs' fields.
    let summary = ReadSummary()

    init(plan: ImportPlan, inputs: ImportInputs, queue: BatchQueue<MappedBatch>) {
        self.plan = plan
        self.inputs = inputs
        self.queue = queue
    }

    /// Starts reading; the queue's end tells when it is done.
    func start(in group: DispatchGroup) {
        queue.fill(on: "etl.import.reader", in: group) { try self.readAll() }
    }

    private func readAll() throws {
        var mapper = RecordMapper(plan)
        var bytesBefore = inputs.bytesDone
        var recordsLeft = inputs.recordsMax ?? .max
        var recordsRead = 0
        // What could not be read as a record has no fields that could be missed.
        defer { summary.finish(unseen: recordsRead == 0 ? [] : mapper.unseen.map(\.text)) }
        for file in inputs.files where !inputs.isDone(file) {
            guard recordsLeft > 0,
                try read(file, &mapper, bytesBefore: bytesBefore, &recordsLeft, &recordsRead)
            else { return }
            bytesBefore += file.byteCount
        }
    }

    /// Reads one input, or what an earlier attempt left of it.
    ///
    /// - Returns: whether there is more to be read.
    private func read(
        _ file: InputFile, _ mapper: inout RecordMapper, bytesBefore: Int,
        _ recordsLeft: inout Int, _ recordsRead: inout Int
    ) throws -> Bool {
        let start = inputs.start(in: file)
        let reader = try inputs.reader(of: file, plan.selection)
        let digest = InputDigest(expected: start)
        reader.observer = digest.add
        if let start, try !skip(start.record, of: file, reader) { return false }
        while true {
            guard let batch = queue.takeIdle() else { return false }
            let bytes = digest.byteCount
            let isMore = try reader.next(batch.records, limit: recordsLeft)
            guard case .same = digest.comparison else { throw CannotResume(changed: file.path) }
            batch.format = reader.format
            batch.columnNames = reader.columnNames
            batch.extraColumns =
                batch.isTabular && plan.extra != .ignore ? reader.extraFields.map(\.name) : nil
            batch.bytesRead = bytesBefore + reader.compressedBytesRead
            batch.plainBytes = digest.byteCount - bytes
            batch.position = nil
            batch.finishedInput = nil
            batch.hasGrown = false
            let records = reader.recordsRead
            recordsRead += batch.records.count
            if isMore {
                batch.position = InputPosition(
                    path: file.path, record: records, offset: digest.byteCount,
                    digest: digest.value)
                recordsLeft -= batch.records.recordCount
            } else {
                batch.hasGrown = try hasGrown(file, bytesRead: reader.compressedBytesRead)
                batch.finishedInput = InputNote(
                    path: file.path, byteCount: file.byteCount, digest: digest.value,
                    records: records)
            }
            mapper.map(batch)
            queue.put(batch)
            guard !isMore || recordsLeft <= 0 else { continue }
            summary.add(extraFields: reader.extraFields)
            return !isMore
        }
    }

    /// Whether a file is larger than it was when the run began, after it was read to its end.
    ///
    /// - Throws: `RunFailure` (65) where it was cut meanwhile, so that there was less to be read.
    private func hasGrown(_ file: InputFile, bytesRead: Int) throws(RunFailure) -> Bool {
        guard !file.isStandardInput, let size = FileDescriptor.fileSize(file.path) else {
            return false
        }
        guard size >= file.byteCount || bytesRead >= file.byteCount else {
            throw RunFailure(
                .dataError, code: "input.cut",
                "\(file.path) was cut while the run read it: of "
                    + "\(ReportWords.several(file.byteCount, "byte")) \(size) are left",
                fix: "have it written under another name, and renamed when it is whole")
        }
        return size > file.byteCount
    }

    /// Reads over the records that an earlier attempt has saved.
    ///
    /// - Returns: false where the writer wants no more meanwhile.
    private func skip(
        _ count: Int, of file: InputFile, _ reader: RecordReader
    ) throws -> Bool {
        let batch = RecordBatch()
        do throws(RecordStreamError) {
            while reader.recordsRead < count {
                if queue.isCancelled { return false }
                guard try reader.next(batch, limit: count - reader.recordsRead) else { break }
            }
        } catch {
            // Where it could be read before; what is wrong now shows when it is read anew.
            throw CannotResume(changed: file.path)
        }
        guard reader.recordsRead == count else { throw CannotResume(changed: file.path) }
        return true
    }
}
