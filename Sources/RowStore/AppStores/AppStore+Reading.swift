import GraphModel

extension AppStore {
    /// Opens an app's store for reading, in its current state.
    static func read(
        _ description: StoreDescription, _ model: ManagedObjectModel?, _ held: Set<String>?
    ) throws(StoreError) -> PersistentStore {
        let snapshot = try StoreSnapshot(ofApp: description.path)
        let app = try AppStoreModel(
            given: model, on: snapshot.connection, path: description.path)
        return try PersistentStore(
            description, app.origin, app.metadata, app.schema(holding: held), snapshot.address,
            snapshot.connection, snapshot)
    }
}
