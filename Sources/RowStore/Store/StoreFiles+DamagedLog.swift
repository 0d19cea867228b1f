import Files
import GraphModel
import SQLite

extension StoreFiles {
    /// Throws if the log of an app's store is damaged; keeps a copy of another store's damaged log.
    ///
    /// Call it before a connection that may write is opened, because SQLite deletes the log with
    /// all frames that it ignores. A power failure may damage the log of a store without
    /// `synchronous: full`, so the runs of etl continue with the last valid state.
    static func keepDamagedLog(of path: String) throws(StoreError) {
        let path = resolved(path)
        // The working files of a run are not needed after a failure.
        guard !CompanionFile.allCases.contains(where: { path.hasSuffix($0.rawValue) }),
            let damage = DamagedLog(ofStoreAt: path)
        else { return }
        guard !AppStore.isOne(path) else { throw StoreError(damage, ofStoreAt: path) }
        let copies = stride(from: 1, to: .max, by: 1).lazy.map { "\(path).damaged-\($0)-wal" }
        guard let copy = copies.first(where: { !FileSystem.exists($0) }) else { return }
        try copyLarge(path + "-wal", to: copy)
    }
}
