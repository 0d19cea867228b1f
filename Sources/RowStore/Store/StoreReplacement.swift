import Diagnostics
import Files
package import SQLite

/// A replacement of a store by a migrated or copied one.
///
/// The old store is kept under another name.
package struct StoreReplacement {
    let path: String
    let newPath: String
    /// How long to wait for other users of the store; `nil` waits 1 s.
    var patience: LockPatience?

    /// Creates a replacement of the store at `path` by the one at `newPath`.
    package init(path: String, newPath: String, patience: LockPatience? = nil) {
        self.path = path
        self.newPath = newPath
        self.patience = patience
    }

    /// A lock that excludes writers until the replacement, but not readers.
    final class Guard {
        fileprivate var connection: Connection?
        /// A detector of writes since the lock was taken.
        fileprivate var witness: ForeignWriteDetector?

        fileprivate init(_ path: String, _ patience: LockPatience?) throws(StoreError) {
            do throws(StoreError) {
                let connection = try Connection(path: path, mode: .readWrite)
                connection.waitForLocks(patience, otherwise: 1_000)
                try connection.execute("BEGIN IMMEDIATE")
                self.connection = connection
            } catch {
                throw error.code == .busy ? StoreError(inUse: path) : error
            }
            witness = try ForeignWriteDetector(at: path, waiting: patience)
        }
    }

    /// Takes the lock on the store.
    ///
    /// - Throws: `.busy` if another process has the store open.
    func begin() throws(StoreError) -> Guard {
        // The first connection that may write would delete a damaged log.
        try StoreFiles.checkLogs(of: path)
        // A store that is in use could not be replaced later, so fail early.
        _ = try Connection.exclusive(path, waiting: patience)
        return try Guard(path, patience)
    }

    /// Replaces the store.
    ///
    /// The new store takes the name atomically: a process killed here leaves either the old or the
    /// new store. The backup is a hard link to the old store, or a copy if the file system does not
    /// support hard links. Until the folder is synchronized, a power loss could restore the old
    /// store.
    ///
    /// - Parameter guarded: The lock that has excluded writers until now.
    /// - Returns: The path of the old store.
    func run(_ guarded: Guard) throws(StoreError) -> String {
        guard let witness = guarded.witness else {
            throw StoreError(.internalError, "\(path) is not taken for a swap")
        }
        defer { guarded.witness = nil }
        // Closed, because our own open connection would block the replacement. Its transaction
        // wrote nothing.
        guarded.connection = nil
        return try swap(lockedBy: try witness.takeOver(), keeping: keep)
    }

    /// Gives the new store the name of the old one.
    ///
    /// - Parameters:
    ///   - connection: The connection that locks the old store; `nil` if there is none.
    ///   - keep: Keeps the old store under another name.
    /// - Returns: The result of `keep`.
    package func swap<Kept>(
        lockedBy connection: Connection?, keeping keep: () throws(StoreError) -> Kept
    ) throws(StoreError) -> Kept {
        // Remove the WAL only now: work next to a store that is resumed needs the file unchanged.
        let journal = try connection?.removeLog()
        do throws(StoreError) {
            try StoreFiles.removeLogs(of: path)
            // Give the new file the permissions of the old one.
            FilePermissions(of: path)?.adding(0o600).give(toFile: newPath)
            let kept = try keep()
            try StoreFiles.move(newPath, to: path)
            // Keep other processes out until the new store has the name.
            withExtendedLifetime(connection) {}
            return kept
        } catch {
            // The old store is still in place. After the swap, its WAL would be mistaken for the
            // new store's. Throw the original error.
            if let journal { try? connection?.setJournalMode(journal) }
            throw error
        }
    }

    /// Keeps the old store under another name, together with its large values.
    private func keep() throws(StoreError) -> String {
        let backups = try StoreBackups(of: path)
        // A migration killed here may have created the backup already.
        let named = backups.all.last { StoreFiles.areSame(path, $0.path) }
        let backup = named?.path ?? backups.nextPath
        let (from, to) = (StoreFiles.supportFolder(of: path), StoreFiles.supportFolder(of: backup))
        if from != to { try StoreFiles.copyFolder(from, to: to, linking: true) }
        guard !FileSystem.exists(backup) else { return backup }
        guard !StoreFiles.link(path, as: backup) else { return backup }
        let copy = CompanionFile.copy.path(of: backup)
        do throws(StoreError) {
            try StoreFiles.copyLarge(path, to: copy)
            try StoreFiles.move(copy, to: backup)
        } catch {
            // A partial copy is useless.
            try? StoreFiles.remove(copy)
            throw error
        }
        return backup
    }
}

extension Connection {
    /// Checkpoints the WAL into the file and removes it.
    ///
    /// The caller must have exclusive access and must be about to give the store's name to another
    /// file. SQLite would remove the WAL by name on close, when the name may belong to the other
    /// store's WAL. For the same reason, the rollback journal used here is removed too.
    ///
    /// - Returns: The store's previous journal mode.
    package func removeLog() throws(StoreError) -> String {
        let journal = try text("PRAGMA journal_mode") ?? "WAL"
        try execute("PRAGMA journal_mode = DELETE; PRAGMA journal_mode = MEMORY")
        try StoreFiles.remove(path + "-journal")
        return journal
    }
}
