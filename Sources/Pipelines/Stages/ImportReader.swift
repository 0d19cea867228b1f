import Dispatch
import RecordStreams

/// The reading side of an import: inflates, scans, maps and casts, on a thread of its own.
final class ImportReader: Sendable {
    // Used by the reading thread alone once `start` was called; the plan is not changed by it.
    private nonisolated(unsafe) let plan: ImportPlan
    private let inputs: ImportInputs
    private let queue: BatchQueue<MappedBatch>

    init(plan: ImportPlan, inputs: ImportInputs, queue: BatchQueue<MappedBatch>) {
        self.plan = plan
        self.inputs = inputs
        self.queue = queue
    }

    /// Starts reading; the queue's end tells when it is done.
    func start(in group: DispatchGroup) {
        DispatchQueue(label: "etl.import.reader").async(group: group) {
            do {
                try self.readAll()
                self.queue.finish()
            } catch {
                self.queue.finish(error)
            }
        }
    }

    private func readAll() throws {
        var mapper = RecordMapper(plan)
        var bytesBefore = 0
        for file in inputs.files {
            let reader = try RecordReader(
                input: file, options: inputs.options, selection: plan.selection)
            while true {
                guard let batch = queue.takeIdle() else { return }
                guard try reader.next(batch.records) else {
                    queue.recycle(batch)
                    break
                }
                batch.format = reader.format
                batch.columnNames = reader.columnNames
                batch.bytesRead = bytesBefore + reader.compressedBytesRead
                mapper.map(batch)
                queue.put(batch)
            }
            bytesBefore += file.byteCount
        }
    }
}
