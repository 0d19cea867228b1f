import Diagnostics
import Dispatch
import FoundationEssentials
import SQLite
import Synchronization

/// A count that is taken on a connection and a thread of its own while a transaction writes.
///
/// What a write-ahead log held when the count began stays readable beside the writer
/// (https://www.sqlite.org/wal.html), who has kept all others from writing since before: so it
/// counts the rows as they are before the transaction.
final class CountBeside: Sendable {
    /// Rows of a table from which a second thread is worth its start; keys stand for rows.
    static let rowsMin = 50_000

    private let group = DispatchGroup()
    private let outcome = Mutex<Result<Int, StoreError>>(.success(0))
    private let stopping: InterruptFlag
    // The thread that counts has it alone until the group is done.
    private nonisolated(unsafe) let reader: Connection
    // As the connection.
    private nonisolated(unsafe) var rows: Statement?

    /// Begins to count.
    ///
    /// - Parameter count: a query of one row and one number.
    /// - Returns: nil where it would gain nothing, or would not see the same: with one processor, a
    ///   small table, another journal than a write-ahead log, something written already, or no
    ///   second connection or thread to be had.
    init?(
        _ count: SQLFragment, of entity: StoreLayout.Entity, beside session: WriteSession
    ) throws(StoreError) {
        let connection = session.connection
        guard ProcessInfo.processInfo.activeProcessorCount > 1, !session.hasWritten,
            session.schema.database(ofRoot: entity.rootNumber) == "main",
            try connection.integer("SELECT max(rowid) FROM \(entity.table)") ?? 0 >= Self.rowsMin,
            try connection.text("PRAGMA main.journal_mode") == "wal",
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
                // Before whoever waits may close the connection: SQLite does not let two threads
                // at one at once.
                rows = nil
                outcome.withLock { $0 = result }
                group.leave()
            }
        } catch {
            group.leave()
            return nil
        }
    }

    /// Stops counting, where it still does, and waits for that.
    func stop() {
        stopping.raise()
        group.wait()
    }

    /// Waits for the count.
    func value() throws(StoreError) -> Int {
        group.wait()
        return try outcome.withLock { $0 }.get()
    }
}
