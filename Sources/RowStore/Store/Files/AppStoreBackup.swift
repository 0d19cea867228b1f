import Synchronization

/// The backup of an app's store that is created before the first save writes.
package final class AppStoreBackup: Sendable {
    private let storePath: String
    private let count: Int
    private let made = Mutex<String?>(nil)

    /// Prepares a backup, which is created before the first write to the store.
    ///
    /// - Parameters:
    ///   - storePath: the path of the store.
    ///   - count: the number of backups to keep, including the new one.
    init(of storePath: String, keeping count: Int) {
        self.storePath = storePath
        self.count = count
    }

    /// The path of the backup; `nil` before the first save.
    package var path: String? { made.withLock { $0 } }

    /// Creates the backup, with the external files of large values, if none exists yet, and removes
    /// the oldest backups.
    ///
    /// The caller holds the write lease and has not begun the transaction.
    /// - Parameter copy: Copies the store to a path.
    package func keep(by copy: (String) throws(StoreError) -> Void) throws(StoreError) {
        guard path == nil else { return }
        let name = try StoreBackups(of: storePath).nextPath
        try copy(name)
        made.withLock { $0 = name }
        // The new backup exists, so failing to remove an old one must not fail the save.
        try? StoreBackups(of: storePath).remove(allBut: max(1, count))
    }
}
