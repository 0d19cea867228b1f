import Synchronization

/// The file of a store in memory, which is deleted when the last container closes it.
///
/// SQLite's in-memory databases have no write-ahead log: readers and the writer wait for each
/// other, and no reader can hold an earlier state. The store is therefore a file in a private
/// folder for temporary files, which is never flushed to the disk.
final class TemporaryStore: Sendable {
    private struct Entry {
        weak var store: TemporaryStore?
    }

    /// The open stores of this process, by name.
    private static let open = Mutex<[String: Entry]>([:])

    /// The folder of the file, which is deleted with this object.
    private let folder: SnapshotFolder
    /// The path of the SQLite file.
    let path: String

    /// Returns the store with that name, and creates it if no container has it open.
    static func named(_ name: String) throws(StoreError) -> TemporaryStore {
        let found = open.withLock { open -> Result<TemporaryStore, StoreError> in
            if let store = open[name]?.store { return .success(store) }
            do throws(StoreError) {
                let store = try TemporaryStore()
                open = open.filter { $0.value.store != nil }
                open[name] = Entry(store: store)
                return .success(store)
            } catch {
                return .failure(error)
            }
        }
        return try found.get()
    }

    private init() throws(StoreError) {
        folder = try SnapshotFolder.make()
        path = folder.path + "/store.sqlite"
    }
}
