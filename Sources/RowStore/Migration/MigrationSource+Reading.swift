import GraphModel
import SQLite

extension MigrationSource {
    /// Reads the store's metadata and model.
    ///
    /// - Parameters:
    ///   - manager: The manager with the versions that an app's store may have.
    ///   - connection: A reader of the store.
    init(_ manager: MigrationManager, _ connection: Connection) throws(StoreError) {
        path = manager.path
        allowsCloudKit = manager.allowsCloudKit
        between = manager.between
        holding = manager.holding
        versions = manager.versions
        self.connection = connection
        metadata = try StoreMetadata(ofStoreAt: path, on: connection)
        guard let model = try PersistentStore.storedModel(connection) else {
            let app = try AppStoreModel(
                migrating: connection, path: path, among: manager.versions)
            self.model = app.model
            schema = app.schema()
            return
        }
        self.model = model
        let found = try FoundTables(on: connection)
        schema = StoreLayout(model, holding: metadata.entities(heldOf: model), pairs: found)
    }

    /// Reads a store for a plan only.
    init(lookingAt manager: MigrationManager) throws(StoreError) {
        let snapshot = try StoreSnapshot(of: manager.path, copiesOurs: false)
        try self.init(manager, snapshot.connection)
        self.snapshot = snapshot
        if schema.isOurs { try PersistentStore.rejectUnfinished(connection, path) }
    }
}
