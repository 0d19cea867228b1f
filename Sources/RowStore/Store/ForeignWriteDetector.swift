package import SQLite

/// A detector of other connections' writes to a store since its creation.
///
/// It also locks the store before a store that was derived from it replaces it.
package final class ForeignWriteDetector {
    private let path: String
    private let connection: Connection
    private let version: Int64

    /// Records the store's version.
    ///
    /// - Parameters:
    ///   - mergesLog: Whether to merge the WAL into the file first. Otherwise, the last process that
    ///     closes the store does this, which changes the file, but not the data.
    ///   - patience: How long to wait for other users of the store; `nil` waits 1 s.
    package init(
        at path: String, mergingLog mergesLog: Bool = false, waiting patience: LockPatience?
    ) throws(StoreError) {
        self.path = path
        do throws(StoreError) {
            connection = try Connection(path: path, mode: .readWrite)
            if mergesLog {
                connection.setBusyTimeout(milliseconds: 1_000)
                // Another process can prevent it, and then the WAL stays.
                try? connection.checkpoint()
            }
            connection.waitForLocks(patience, otherwise: 1_000)
            version = Int64(try connection.count("PRAGMA data_version"))
        } catch {
            throw error.code == .busy ? StoreError(inUse: path) : error
        }
    }

    /// Locks the store exclusively for the lifetime of the detector.
    ///
    /// - Returns: The connection that holds the lock.
    /// - Throws: `.busy` if another process has the store open or has written to it.
    package func takeOver() throws(StoreError) -> Connection {
        let isWritten: Bool
        do throws(StoreError) {
            try connection.lockExclusively()
            isWritten = try connection.integer("PRAGMA data_version") != version
        } catch {
            throw error.code == .busy ? StoreError(inUse: path) : error
        }
        guard !isWritten else {
            throw StoreError(writtenMeanwhile: path)
        }
        return connection
    }
}

/// A marker: another process has written to a store that was about to be replaced.
private struct WrittenMeanwhile: Error {}

extension StoreError {
    /// Creates a `.busy` error: another process wrote to the store while its copy was changed.
    package init(writtenMeanwhile path: String) {
        self.init(
            .busy,
            "\(path) was written by another process while a copy of it was worked on; it is as that"
                + " process left it", cause: WrittenMeanwhile())
    }

    /// Whether a result must be recomputed because another process has written to the store.
    package var isWrittenMeanwhile: Bool { cause is WrittenMeanwhile }
}
