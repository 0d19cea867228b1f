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
        var orphans = Set(try externalFiles.names())
        guard !orphans.isEmpty else { return 0 }
        try ExternalFiles.named(in: schema, on: session.connection) { orphans.remove($0) }
        try externalFiles.remove(orphans.sorted())
        return orphans.count
    }
}

extension PersistentContainer {
    /// Removes a copy's files that only the original store's rows refer to.
    ///
    /// A save removes released files after its commit, so a process killed in between leaves them.
    /// Files that the original store's rows do not refer to are kept: they may belong to data
    /// outside the model.
    ///
    /// - Parameters:
    ///   - path: The path of the copy; no process may write to it.
    ///   - original: The path of the original store.
    ///   - model: The model of both; `nil` uses the model that the store contains.
    package static func removeReleasedFiles(
        ofCopyAt path: String, of original: String, model: ManagedObjectModel?
    ) throws(StoreError) {
        let files = ExternalFiles(storePath: path)
        var names = Set(try files.names())
        guard !names.isEmpty else { return }
        let before = try filesNamed(at: original, model)
        names.formIntersection(before)
        guard !names.isEmpty else { return }
        names.subtract(try filesNamed(at: path, model))
        try files.remove(names.sorted())
    }

    private static func filesNamed(
        at path: String, _ model: ManagedObjectModel?
    ) throws(StoreError) -> Set<String> {
        let connection = try PersistentStore.readerOfStore(at: path)
        let schema = try AppStoreModel(given: model, on: connection, path: path).schema()
        var names: Set<String> = []
        try ExternalFiles.named(in: schema, on: connection) { names.insert($0) }
        return names
    }
}
