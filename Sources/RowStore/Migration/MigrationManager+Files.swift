import GraphModel

extension MigrationManager {
    /// Removes the large-value files that only the old store refers to.
    ///
    /// All other files in an app's folder remain.
    func removeExternalFiles(onlyIn backup: String) throws(StoreError) {
        let before = try MigrationSource(self, PersistentStore.readerOfStore(at: backup))
        let connection = try PersistentStore.readerOfStore(at: path)
        let after = try AppStoreModel(given: model, on: connection, path: path)
        var names: Set<String> = []
        try ExternalFiles.named(in: before.schema, on: before.connection) { names.insert($0) }
        guard !names.isEmpty else { return }
        try ExternalFiles.named(in: after.schema(), on: connection) { names.remove($0) }
        try ExternalFiles(storePath: path).remove(names.sorted())
    }
}
