package import GraphModel
import SQLite

extension ExternalFiles {
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
    package static func removeReleased(
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
        try Self.named(in: schema, on: connection) { names.insert($0) }
        return names
    }
}
