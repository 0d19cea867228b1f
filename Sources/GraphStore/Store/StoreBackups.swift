import Diagnostics

/// The copies of a store from before it was changed: `STORE.bak-v1`, `STORE.bak-v2`, and so on.
///
/// A higher number is newer, since a new backup gets the highest number plus one.
package struct StoreBackups: Sendable, Hashable {
    /// One copy.
    package struct Backup: Sendable, Hashable {
        /// Its path.
        package var path: String
        /// Its number.
        package var number: Int
        /// Its size, with its external files.
        package var bytes: Int
    }

    /// How many backups are kept unless the spec sets another number.
    package static let keepDefault = 3

    private let store: String
    /// All backups, the oldest first.
    package let all: [Backup]

    /// The backups of a store as far as they can be seen.
    package static func seen(of path: String) -> StoreBackups {
        (try? StoreBackups(of: path)) ?? StoreBackups(path, [])
    }

    private init(_ path: String, _ names: [String]) {
        store = StoreFiles.resolved(path)
        let folder = PathText.folder(of: store)
        let prefix = PathText.lastComponent(store) + ".bak-v"
        all = names.compactMap { name -> Backup? in
            guard let digits = PathText.rest(of: name, after: prefix) else { return nil }
            // Other files of such names, as `STORE.bak-v007`, are not ours to remove.
            guard let number = Int(digits), number >= 1, String(number) == digits else {
                return nil
            }
            let path = "\(folder)/\(name)"
            return Backup(path: path, number: number, bytes: Self.bytes(path))
        }.sorted { $0.number < $1.number }
    }

    /// Finds the backups of a store.
    ///
    /// - Throws: where its folder cannot be read, since the next backup would get the name of another.
    package init(of path: String) throws(StoreError) {
        let folder = PathText.folder(of: StoreFiles.resolved(path))
        self.init(path, try StoreFiles.names(in: folder))
    }

    /// The size of all backups.
    package var bytes: Int { all.reduce(0) { $0 + $1.bytes } }

    /// The path of the next backup.
    package var nextPath: String { "\(store).bak-v\((all.last?.number ?? 0) + 1)" }

    /// Removes all but the newest backups.
    ///
    /// Call it only when the store itself is known to open.
    ///
    /// - Parameter count: how many are kept.
    package func remove(allBut count: Int) throws(StoreError) {
        for backup in all.dropLast(count) {
            for suffix in ["", "-wal", "-shm"] { try StoreFiles.remove(backup.path + suffix) }
            let folder = StoreFiles.supportFolder(of: backup.path)
            if folder != StoreFiles.supportFolder(of: store) { try StoreFiles.removeFolder(folder) }
        }
    }

    private static func bytes(_ path: String) -> Int {
        let values = StoreFiles.supportFolder(of: path) + "/_EXTERNAL_DATA"
        return ((try? StoreFiles.names(in: values)) ?? []).reduce(StoreFiles.size(path)) {
            $0 + StoreFiles.size("\(values)/\($1)")
        }
    }
}
