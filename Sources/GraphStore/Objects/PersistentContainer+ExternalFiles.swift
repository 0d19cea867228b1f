import SQLite

extension PersistentContainer {
    /// Removes the files of large values that no row names, which a crash or a batch request may
    /// have left.
    ///
    /// Nobody writes meanwhile, so a file whose row is still to come is not taken for one.
    ///
    /// In an app's store nothing is removed: files may belong to what its model does not tell.
    ///
    /// - Returns: how many were removed.
    @discardableResult
    public func sweepExternalFiles() throws(StoreError) -> Int {
        guard schema.isOurs else { return 0 }
        let session = try beginWriting()
        defer {
            session.rollback()
            endWriting()
        }
        var orphans = Set(try externalFiles.names())
        guard !orphans.isEmpty else { return 0 }
        try storing { () throws(SQLiteError) in
            try ExternalFiles.named(in: schema, on: session.connection) { orphans.remove($0) }
        }
        try externalFiles.remove(orphans.sorted())
        return orphans.count
    }
}
