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
        // While another process has the store open, its log stays, and one copy of it is enough.
        let log = try? FileSystem.contents(path + "-wal")
        let copies = stride(from: 1, to: .max, by: 1).lazy.map { "\(path).damaged-\($0)-wal" }
        for copy in copies {
            guard FileSystem.exists(copy) else { return try copyLarge(path + "-wal", to: copy) }
            if log != nil, (try? FileSystem.contents(copy)) == log { return }
        }
    }
}
