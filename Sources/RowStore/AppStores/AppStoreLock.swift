package import GraphModel

/// The exclusive right to modify an app's store through a copy that replaces it atomically.
///
/// The store stays unchanged, and no other process can write to it, until the copy replaces it. If
/// the process is killed, the path holds either the unchanged store or the complete new one.
package final class AppStoreLock {
    private let replacement: StoreReplacement
    private let guarded: StoreReplacement.Guard
    private let stamps: [[Int64]]

    /// Locks the store until `complete(_:)` or deinitialization.
    ///
    /// - Parameters:
    ///   - workPath: the path of the copy.
    ///   - patience: how long to wait for other processes to close the store.
    /// - Throws: `.busy` if another process has the store open.
    package init(
        at path: String, workPath: String, waiting patience: LockPatience? = nil
    ) throws(StoreError) {
        try StoreFiles.checkIsWritable(path)
        replacement = StoreReplacement(path: path, newPath: workPath, patience: patience)
        guarded = try replacement.begin()
        stamps = Self.stamps(of: path)
    }

    /// Returns values that change if any process writes to the store or its write-ahead log (WAL).
    ///
    /// Locks alone are not enough: closing any file descriptor of the store releases all locks of
    /// the process (https://www.sqlite.org/howtocorrupt.html, section 2.2).
    private static func stamps(of path: String) -> [[Int64]] {
        ["", "-wal"].map { StoreFiles.stamp(path + $0) }
    }

    /// Replaces the store with the copy, which must not be open.
    ///
    /// - Parameter model: the model to open the store with; `nil` uses the one that it carries.
    /// - Returns: the path of the backup of the replaced store.
    package func complete(_ model: ManagedObjectModel?) throws(StoreError) -> String {
        let (path, newPath) = (replacement.path, replacement.newPath)
        guard Self.stamps(of: path) == stamps else {
            throw StoreError(
                .busy,
                "\(path) was opened by another process in the meantime, and keeps the changes of that process"
            )
        }
        let (from, to) = (StoreFiles.supportFolder(of: newPath), StoreFiles.supportFolder(of: path))
        // Before the swap, so that neither store lacks a file at any moment.
        try StoreFiles.copyFolder(from, to: to, linking: true)
        let backup = try replacement.run(guarded)
        do {
            let snapshot = try StoreSnapshot(ofApp: path)
            _ = try AppStoreModel(given: model, on: snapshot.connection, path: path)
        } catch {
            try StoreFiles.move(backup, to: path)
            throw error
        }
        // The store is already replaced, so failing to remove files must not cause another run.
        try? ExternalFiles.removeAll(in: to, butThoseIn: from)
        try? StoreFiles.removeFolder(from)
        return backup
    }
}

extension ExternalFiles {
    /// Removes the external files of large values that are missing in another store's folder.
    package static func removeAll(
        in folder: String, butThoseIn other: String
    ) throws(StoreError) {
        let values = "_EXTERNAL_DATA"
        let kept = Set(try StoreFiles.names(in: "\(other)/\(values)"))
        for name in try StoreFiles.names(in: "\(folder)/\(values)") where !kept.contains(name) {
            try StoreFiles.remove("\(folder)/\(values)/\(name)")
        }
    }
}
