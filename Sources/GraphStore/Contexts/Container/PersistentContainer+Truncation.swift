import GraphModel
import SQLite

extension PersistentContainer {
    /// Deletes all objects of the store at once, without delete rules, and notifies observers.
    ///
    /// It is meant for tests that start over. Primary keys are not reused, so the IDs of deleted
    /// objects stay unused.
    @discardableResult
    public func truncateAll() throws(StoreError) -> SaveResult {
        guard schema.isOurs else {
            throw StoreError(
                .invalidRequest,
                "\(path) was created by an app; delete its objects with a request, which enforces its rules"
            )
        }
        let session = try beginWriting()
        do {
            try session.deleteAllRows()
            try session.commit()
        } catch {
            session.rollback()
            endWriting()
            throw error
        }
        noteForBroadcast(session.change)
        endWriting()
        broadcast()
        for store in stores where store.description.kind == .sqlite {
            try StoreFiles.removeFolder(StoreFiles.supportFolder(of: store.description.path))
        }
        return SaveResult(change: session.change, historyToken: historyToken(of: session))
    }
}
