public import GraphModel

extension PersistentContainer {
    /// Saves the readable part of a damaged store into a new one; the old store is not changed.
    ///
    /// Objects keep their keys, and the store keeps its identity. Links to missing objects and join
    /// rows that lack an end are removed. If several objects have the same unique key, the first
    /// one is kept. The progress of loads is not copied, and neither is the history of a store that
    /// GraphStore created.
    ///
    /// A store that an app created remains an app's store. Its tables, indexes, triggers, metadata,
    /// cached model, entity numbers, and history are copied with their names.
    ///
    /// - Parameters:
    ///   - path: the damaged store's file.
    ///   - newPath: the new store's file. Neither the file nor its folder of large values may exist.
    ///   - model: the model of the store, used if the store's own model cannot be read.
    /// - Throws: `StoreError` if nothing can be read, or the new store cannot be created.
    public static func salvage(
        at path: String, to newPath: String, model: ManagedObjectModel? = nil
    ) throws(StoreError) -> StoreSalvage {
        try StoreSalvage.save(at: path, to: newPath, model: model)
    }
}
