import Files
import GraphModel
import SQLite

/// Stores that an app made on Apple's systems: the same layout, and nothing of ours in it.
enum AppStore {
    /// Whether a file is such a store; false also of what is no store at all.
    ///
    /// The file alone is looked at, so that nothing in its folder changes, unless all there is
    /// stands in its log.
    static func isOne(_ path: String) -> Bool {
        // What is wrong with it is reported by whoever opens it.
        guard FileSystem.exists(path), (try? StoreFiles.refuseOtherKinds(path)) != nil else {
            return false
        }
        if let kind = kind(StoreAddress(file: path, isImmutable: true)) { return kind == .app }
        // One that is being made is no app's.
        guard StoreFiles.size(StoreFiles.resolved(path) + "-wal") > 0,
            let snapshot = try? StoreSnapshot(ofApp: path)
        else { return false }
        return kind(snapshot.address) == .app
    }

    private enum Kind {
        case ours, app
    }

    /// Whose tables a file has; nil where it has none of either, or cannot be read.
    private static func kind(_ address: StoreAddress) -> Kind? {
        // What is wrong with the file is told by whoever opens it.
        guard let connection = try? address.connect(.readOnly),
            let tables = try? connection.prepare(
                "SELECT sum(name = 'ETL_MODEL'), sum(name = 'Z_METADATA') FROM sqlite_master"),
            (try? tables.step()) == true
        else { return nil }
        if tables.integer(0) > 0 { return .ours }
        return tables.integer(1) > 0 ? .app : nil
    }

    /// Opens such a store for reading, as it stands now.
    static func read(
        _ description: StoreDescription, _ model: ManagedObjectModel?, _ held: Set<String>?
    ) throws(StoreError) -> PersistentStore {
        let snapshot = try StoreSnapshot(ofApp: description.path)
        let app = try AppStoreModel(
            given: model, on: snapshot.connection, path: description.path)
        return try PersistentStore(
            description, app, app.schema(holding: held), snapshot.address, snapshot.connection,
            snapshot)
    }
}
