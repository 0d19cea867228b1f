package import GraphModel
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
        try ExternalFiles.named(in: schema, on: session.connection) { orphans.remove($0) }
        try externalFiles.remove(orphans.sorted())
        return orphans.count
    }
}

extension PersistentContainer {
    /// Removes the files of a store's copy that rows of the store name, and rows of the copy do not.
    ///
    /// A save removes the files that it releases after its commit. A process that is killed in
    /// between leaves them. Files that no row of the store names stay: they may belong to something
    /// that the model does not describe.
    ///
    /// - Parameters:
    ///   - path: the copy; no process writes to it.
    ///   - original: the store.
    ///   - model: the model of both; `nil` is the one that the store carries.
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
