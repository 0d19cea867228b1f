import Files
import GraphModel
import SQLite

extension StoreFiles {
    /// Deletes a store's file, write-ahead log (WAL), and external values.
    ///
    /// First waits until no connection has the store open, because saves into a deleted file are
    /// lost. Does nothing if the store does not exist.
    ///
    /// - Throws: `.busy` if this or another process still has the store open.
    package static func destroy(
        at path: String, timeoutMilliseconds: Int32 = 1_000
    ) throws(StoreError) {
        // Companion files are next to a symbolic link's target; delete the link and the target.
        let (link, path) = (path, resolved(path))
        // Held until the files are deleted, so that no other process opens them in between.
        var lock: Connection?
        if FileSystem.exists(path), size(path) > 0 {
            do throws(StoreError) {
                let connection = try Connection.exclusive(
                    path, timeoutMilliseconds: timeoutMilliseconds)
                // Remove the WAL now. SQLite would remove it by name on close, when the name may
                // belong to another store.
                try connection.execute("PRAGMA journal_mode = DELETE")
                lock = connection
            } catch {
                // A file that is not a database has no SQLite users. A full disk or a damaged file
                // is a reason to destroy a store, not to keep it.
                guard error.code != .busy else { throw error }
            }
        }
        try removeStore(path)
        try removeFolder(supportFolder(of: path))
        // The store is deleted; after a power failure, the old files may reappear.
        try? synchronizeFolder(of: path)
        if link != path { try remove(link) }
        // Only now may other processes create a store with that name.
        withExtendedLifetime(lock) {}
    }
}
