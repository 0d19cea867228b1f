import Diagnostics

/// The backups of a store from before changes: `STORE.bak-v1`, `STORE.bak-v2`, and so on.
///
/// A new backup gets the highest number plus one, so higher numbers are newer.
package struct StoreBackups: Sendable, Hashable {
    /// A backup of a store.
    package struct Backup: Sendable, Hashable {
        /// The path of the backup.
        package var path: String
        /// The number of the backup.
        package var number: Int
        /// The size in bytes, including external files.
        package var bytes: Int
    }

    /// The number of backups to keep unless the spec sets another number.
    package static let keepDefault = 3

    private let store: String
    /// All backups, oldest first.
    package let all: [Backup]

    /// Returns the backups of a store, or none if its folder cannot be read.
    package static func seen(of path: String) -> StoreBackups {
        (try? StoreBackups(of: path)) ?? StoreBackups(path, [])
    }

    private init(_ path: String, _ names: [String]) {
        store = StoreFiles.resolved(path)
        let folder = PathText.folder(of: store)
        let prefix = PathText.lastComponent(store) + ".bak-v"
        all = names.compactMap { name -> Backup? in
            guard let digits = PathText.rest(of: name, after: prefix) else { return nil }
            // Similarly named files, such as `STORE.bak-v007`, are not backups and must not be
            // removed.
            guard let number = Int(digits), number >= 1, String(number) == digits else {
                return nil
            }
            let path = "\(folder)/\(name)"
            return Backup(path: path, number: number, bytes: Self.bytes(path))
        }.sorted { $0.number < $1.number }
    }

    /// Finds the backups of a store.
    ///
    /// - Throws: `StoreError` if the folder cannot be read, because the next backup could then
    ///   overwrite another.
    package init(of path: String) throws(StoreError) {
        let folder = PathText.folder(of: StoreFiles.resolved(path))
        self.init(path, try StoreFiles.names(in: folder))
    }

    /// The size of all backups in bytes.
    package var bytes: Int { all.reduce(0) { $0 + $1.bytes } }

    /// The path of the next backup.
    package var nextPath: String { "\(store).bak-v\((all.last?.number ?? 0) + 1)" }

    /// Removes all but the newest backups.
    ///
    /// Call it only after the store itself has opened.
    ///
    /// - Parameter count: The number of backups to keep.
    package func remove(allBut count: Int) throws(StoreError) {
        for backup in all.dropLast(count) {
            try StoreFiles.removeStore(backup.path)
            let folder = StoreFiles.supportFolder(of: backup.path)
            if folder != StoreFiles.supportFolder(of: store) { try StoreFiles.removeFolder(folder) }
        }
    }

    private static func bytes(_ path: String) -> Int {
        let values = StoreFiles.supportFolder(of: path) + "/_EXTERNAL_DATA"
        // Without external values, the folder does not exist.
        return ((try? StoreFiles.names(in: values)) ?? []).reduce(StoreFiles.size(path)) {
            $0 + StoreFiles.size("\(values)/\($1)")
        }
    }
}
