import GraphModel

extension PersistentContainer {
    /// Removes the large-value files that no row refers to.
    ///
    /// A crash or a batch request may have left them. The write lock is held during the sweep, so a
    /// file whose row is not written yet is not mistaken for an orphan. In an app's store, nothing
    /// is removed: files may belong to data outside its model.
    ///
    /// - Returns: The number of removed files.
    @discardableResult
    public func sweepExternalFiles() throws(StoreError) -> Int {
        guard schema.isOurs else { return 0 }
        let session = try beginWriting()
        defer {
            session.rollback()
            endWriting()
        }
        return try externalFiles.sweep(schema, on: session.connection)
    }
}
