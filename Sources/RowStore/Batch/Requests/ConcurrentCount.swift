import Diagnostics
import Dispatch
import FoundationEssentials
import SQLite
import Synchronization

/// A count on a separate connection and thread, while a transaction writes.
///
/// A reader keeps its snapshot of the write-ahead log while a writer continues
/// (https://www.sqlite.org/wal.html). The transaction has excluded other writers since before the
/// count began, so the count sees the rows from before the transaction.
final class ConcurrentCount: Sendable {
    /// The minimum number of rows for which a second thread is worth starting; the largest row ID
    /// is the estimate.
    static let rowsMin = 50_000

    private let group = DispatchGroup()
    private let outcome = Mutex<Result<Int, StoreError>>(.success(0))
    private let stopping: InterruptFlag
    // Only the counting thread uses it until the group is done.
    private nonisolated(unsafe) let reader: Connection
    // Used like the connection.
    private nonisolated(unsafe) var rows: Statement?

    /// Starts to count.
    ///
    /// - Parameter count: A query that returns one row with one number.
    /// - Returns: `nil` if a concurrent count would not be faster or correct:
    ///   - There is only one processor, or the table is small.
    ///   - The journal mode is not WAL, or the transaction has already written.
    ///   - No second connection or thread is available.
    init?(
        _ count: SQLFragment, of entity: StoreLayout.Entity, alongside session: WriteSession
    ) throws(StoreError) {
        let connection = session.connection
        guard ProcessInfo.processInfo.activeProcessorCount > 1, !session.hasWritten,
            session.schema.database(ofRoot: entity.rootNumber) == "main",
            try connection.integer("SELECT max(rowid) FROM \(entity.table)") ?? 0 >= Self.rowsMin,
            try connection.text("PRAGMA main.journal_mode") == "wal",
            // Without a second reader, the caller counts on its own connection, which reports
            // errors.
            let reader = try? session.newReader(),
            let statement = try? count.prepare(on: reader)
        else { return nil }
        let watched = connection.watchedFlag
        stopping = InterruptFlag { watched?.isRaised == true }
        reader.watch(stopping)
        self.reader = reader
        rows = statement
        group.enter()
        do {
            try WorkerThread.start { [self] in
                let result = Result { () throws(StoreError) in
                    guard let rows, try rows.step() else { return 0 }
                    return Int(rows.integer(0))
                }
                // Released before the waiting thread can close the connection, which two threads
                // must not use at the same time.
                rows = nil
                outcome.withLock { $0 = result }
                group.leave()
            }
        } catch {
            group.leave()
            return nil
        }
    }

    /// Stops a running count, and waits for its thread.
    func stop() {
        stopping.raise()
        group.wait()
    }

    /// Waits for the count, and returns it.
    func value() throws(StoreError) -> Int {
        group.wait()
        return try outcome.withLock { $0 }.get()
    }
}
