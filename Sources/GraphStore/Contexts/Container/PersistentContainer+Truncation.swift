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
            try empty(session)
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

    private func empty(_ session: WriteSession) throws(StoreError) {
        let connection = session.connection
        try session.completeLoad()
        for table in schema.tables {
            let all = "SELECT Z_PK FROM \(table.name)"
            try session.history?.willDelete(rowsOf: table.name, keys: all)
            let rows = try connection.prepare("SELECT Z_ENT, Z_PK FROM \(table.name) ORDER BY Z_PK")
            while try rows.step() {
                session.change.delete(
                    ManagedObjectID(entityNumber: rows.integer(0), primaryKey: rows.integer(1)))
            }
            try connection.execute("DELETE FROM \(table.name)")
        }
        for table in schema.joinTables { try connection.execute("DELETE FROM \(table.name)") }
    }
}
