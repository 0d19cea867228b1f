import Diagnostics
import Files
import SQLite

/// Puts a store that was migrated, or written as a copy, into the place of the old one, which is kept
/// under another name.
struct StoreSwap {
    let path: String
    let newPath: String
    /// How long others may take to let go of the store; nil is a second.
    var patience: LockPatience?

    /// Keeps writers away from the store until the swap, while readers go on.
    final class Guard {
        fileprivate var connection: Connection?
        /// Sees whether anybody has written since.
        fileprivate var witness: StoreWitness?

        fileprivate init(_ path: String, _ patience: LockPatience?) throws(StoreError) {
            do throws(StoreError) {
                let connection = try Connection(path: path, mode: .readWrite)
                connection.waitForLocks(patience, otherwise: 1_000)
                try connection.execute("BEGIN IMMEDIATE")
                self.connection = connection
            } catch {
                throw error.code == .busy ? StoreError(inUse: path) : error
            }
            witness = try StoreWitness(at: path, waiting: patience)
        }
    }

    /// Takes the store for a swap.
    ///
    /// - Throws: `.busy` where another process has it open.
    func begin() throws(StoreError) -> Guard {
        // A store that is in use could not be swapped, and it is better to hear of that now.
        _ = try PersistentContainer.exclusive(path, waiting: patience)
        return try Guard(path, patience)
    }

    /// Swaps the stores.
    ///
    /// The new one takes the name all at once: whoever is killed here leaves the old store or the
    /// new one. What the old one is kept as is a second name of its file, or a copy where the file
    /// system knows no second names.
    ///
    /// Until its folder is synchronized, a loss of power may bring the old one back.
    ///
    /// - Parameter guarded: what has kept writers away until now.
    /// - Returns: where the old store is now.
    func run(_ guarded: Guard) throws(StoreError) -> String {
        guard let witness = guarded.witness else {
            throw StoreError(.internalError, "\(path) is not taken for a swap")
        }
        defer { guarded.witness = nil }
        // Closed, for an open connection of ours would be in our own way; its transaction, which
        // wrote nothing, ends with it.
        guarded.connection = nil
        let connection = try witness.takeOver()
        let journal = try connection.removeLog()
        do throws(StoreError) {
            let backup = try keep()
            for suffix in ["-wal", "-shm"] { try StoreFiles.remove(path + suffix) }
            FileRights(of: path)?.adding(0o600).give(toFile: newPath)
            try StoreFiles.move(newPath, to: path)
            withExtendedLifetime(witness) {}
            return backup
        } catch {
            // The store stays in its place, and keeps its journal as it was; the error that led
            // here is the one to tell.
            try? connection.execute("PRAGMA journal_mode = \(journal)")
            throw error
        }
    }

    /// Gives the old store another name, with the files of its large values.
    private func keep() throws(StoreError) -> String {
        let backups = try StoreBackups(of: path)
        // A migration that was killed here has named it already.
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
            // Half a copy is of no use.
            try? StoreFiles.remove(copy)
            throw error
        }
        return backup
    }
}

extension Connection {
    /// Folds the log into the file and takes it away, for whoever has the store alone and gives its
    /// name to another: SQLite would do so at the end, by its name, which may be that of the other
    /// store's log by then.
    ///
    /// The same goes for the journal by which that is done, which is over then.
    ///
    /// - Returns: the journal that the store had.
    func removeLog() throws(StoreError) -> String {
        let journal = try text("PRAGMA journal_mode") ?? "WAL"
        try execute("PRAGMA journal_mode = DELETE; PRAGMA journal_mode = MEMORY")
        try StoreFiles.remove(path + "-journal")
        return journal
    }
}
