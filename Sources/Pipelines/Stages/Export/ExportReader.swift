import Dispatch
import GraphStore

/// The reading side of an export, on its own thread.
final class ExportReader: Sendable {
    // Only the reading thread moves the cursor after `start`; other threads read only immutable
    // state.
    private nonisolated(unsafe) let cursor: RowCursor
    private let queue: BatchQueue<RowBatch>

    init(_ cursor: RowCursor, _ queue: BatchQueue<RowBatch>) {
        self.cursor = cursor
        self.queue = queue
    }

    /// Starts reading; the queue ends when all rows are read.
    func start(in group: DispatchGroup) {
        queue.fill(in: group) {
            while let batch = self.queue.takeIdle(), try self.cursor.next(batch) {
                self.queue.put(batch)
            }
        }
    }

    /// Stops reading, even during a sort.
    func stop() {
        queue.cancel()
        cursor.interrupt()
    }
}
