import SQLite
import Synchronization

/// The copy of an app's store that the first save makes before it writes.
final class AppStoreBackup: Sendable {
    private let storePath: String
    private let count: Int
    private let made = Mutex<String?>(nil)

    /// - Parameters:
    ///   - storePath: the store.
    ///   - count: how many backups are kept, with the new one.
    init(of storePath: String, keeping count: Int) {
        self.storePath = storePath
        self.count = count
    }

    /// Where the copy is; nil as long as nothing was written.
    var path: String? { made.withLock { $0 } }

    /// Makes the copy, with the files of large values, unless it is made already; removes the
    /// oldest backups.
    ///
    /// Called by whoever has the turn to write, before the transaction begins.
    func keep(_ reader: () throws(StoreError) -> Connection) throws(StoreError) {
        guard path == nil else { return }
        let name = try StoreBackups(of: storePath).nextPath
        try PersistentContainer.copy(reader(), of: storePath, to: name)
        made.withLock { $0 = name }
        // The new backup exists, so an old one that cannot be removed is no reason not to save.
        try? StoreBackups(of: storePath).remove(allBut: max(1, count))
    }
}
