import SQLite

extension PersistentContainer {
    /// Takes a store's files away, with its log; nothing happens where there is none.
    public static func destroy(at path: String) throws(StoreError) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try StoreFiles.remove(path + suffix)
        }
    }

    /// Puts a finished store, which nobody has open, into the place of another.
    ///
    /// The old store must not be in use: its lock is taken, its log folded in and removed. Then
    /// the new file takes its name, all or nothing; the old one is kept under another name until
    /// the new one has opened.
    public static func replace(at path: String, with newPath: String) throws(StoreError) {
        if StoreFiles.exists(path) { try quiesce(path) }
        try quiesce(newPath)
        for suffix in ["-wal", "-shm"] { try StoreFiles.remove(path + suffix) }
        let old = path + ".etl-old"
        try StoreFiles.remove(old)
        let isKept = StoreFiles.link(path, as: old)
        try StoreFiles.move(newPath, to: path)
        StoreFiles.synchronizeFolder(of: path)
        do {
            _ = try PersistentStore.model(at: path)
        } catch {
            if isKept { try StoreFiles.move(old, to: path) }
            throw error
        }
        try StoreFiles.remove(old)
    }

    /// Folds a store's log into its file, which nobody else may be using.
    private static func quiesce(_ path: String) throws(StoreError) {
        do {
            let connection = try Connection(path: path, mode: .readWrite)
            connection.setBusyTimeout(milliseconds: 1_000)
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
            try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        } catch {
            throw error.isBusy
                ? StoreError(.busy, "\(path) is in use by another process; try again later")
                : StoreError(error)
        }
    }
}
