package import GraphModel

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

extension PersistentContainer {
    /// Removes a copy's files that only the original store's rows refer to.
    ///
    /// - Parameters:
    ///   - path: The path of the copy; no process may write to it.
    ///   - original: The path of the original store.
    ///   - model: The model of both; `nil` uses the model that the store contains.
    package static func removeReleasedFiles(
        ofCopyAt path: String, of original: String, model: ManagedObjectModel?
    ) throws(StoreError) {
        try ExternalFiles.removeReleased(ofCopyAt: path, of: original, model: model)
    }
}
