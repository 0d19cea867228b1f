import Dispatch
import GraphStore

/// The reading side of an export, on a thread of its own.
final class ExportReader: Sendable {
    // Moved by the reading thread alone once `start` was called; others ask what does not change.
    private nonisolated(unsafe) let cursor: RowCursor
    private let queue: BatchQueue<RowBatch>

    init(_ cursor: RowCursor, _ queue: BatchQueue<RowBatch>) {
        self.cursor = cursor
        self.queue = queue
    }

    /// Starts reading; the queue's end tells when it is done.
    func start(in group: DispatchGroup) {
        queue.fill(in: group) {
            while let batch = self.queue.takeIdle(), try self.cursor.next(batch) {
                self.queue.put(batch)
            }
        }
    }

    /// Stops reading, in the midst of sorting too.
    func stop() {
        queue.cancel()
        cursor.interrupt()
    }
}
