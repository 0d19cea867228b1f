import GraphModel
import SQLite

/// The cause of an error that reports a store of an app, which was opened for reading only.
private struct ReadOnlyAppStore: Error {}

extension StoreError {
    /// Whether the store is read-only because an app created it.
    package var isReadOnlyAppStore: Bool { cause is ReadOnlyAppStore }
}

/// Opening app stores for writing, if GraphStore understands every table, column, and trigger.
extension AppStore {
    /// Functions of Apple's framework that triggers call to report the objects they changed.
    private static let silentFunctions = [
        "NSCoreDataDATriggerUpdatedAffectedObjectValue",
        "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
        "NSCoreDataTriggerUpdateAffectedObjectValue",
    ]

    /// Takes an open database, which an app made, for a store to be written.
    static func write(
        _ description: StoreDescription, _ address: StoreAddress, _ model: ManagedObjectModel?,
        _ held: Set<String>?, _ connection: Connection
    ) throws(StoreError) -> PersistentStore {
        let path = description.path
        let access = description.options.appStores
        guard description.kind == .sqlite, access.mayWrite else {
            throw StoreError(
                .permission,
                "\(path) was created by an app, and is read-only unless `StoreOptions.appStores` "
                    + "is `.writing`", cause: ReadOnlyAppStore())
        }
        let app: AppStoreModel
        do throws(StoreError) {
            app = try AppStoreModel(given: model, on: connection, path: path)
        } catch {
            guard model != nil, error.code == .modelMismatch else { throw error }
            throw StoreError(otherVersion: error.message, description)
        }
        try check(app, description, on: connection)
        let schema = app.schema(holding: held)
        try prepare(connection, for: schema, path)
        return try PersistentStore(
            description, app.origin, app.metadata, schema, address, connection,
            backup: access.keepsBackup
                ? AppStoreBackup(of: path, keeping: access.backupsKept) : nil)
    }

    /// Throws if a save could write wrong data, or data that the app does not expect.
    private static func check(
        _ app: AppStoreModel, _ description: StoreDescription, on connection: Connection
    ) throws(StoreError) {
        let (path, options) = (description.path, description.options)
        guard app.origin.model != .columns else {
            throw StoreError(
                .noModel,
                "\(path) contains no readable model, so it is read-only; pass its"
                    + " model")
        }
        guard app.origin.differingEntities.isEmpty else {
            throw StoreError(
                otherVersion: "\(path) was created with another version of the model; these "
                    + "entities differ: " + app.origin.differingEntities.joined(separator: ", "),
                description)
        }
        guard app.composites.isEmpty else {
            throw StoreError(
                .modelMismatch,
                "\(path) has composites (\(app.composites.joined(separator: ", "))), and where the"
                    + " app's framework keeps their elements is not known, so it is only read")
        }
        guard !app.lacksColumns else {
            throw StoreError(
                .modelMismatch,
                "\(path) lacks columns of the model that it carries, so it is only read: "
                    + app.origin.notes.joined(separator: "; "))
        }
        guard options.history == nil, options.keepsExactDecimals == nil else {
            throw StoreError(
                .invalidRequest,
                "\(path) was created by an app, which decides about the history and keeps "
                    + "decimals as doubles; remove the options that change this")
        }
        let isMirrored = try isMirrored(connection)
        guard options.appStores.allowsCloudKit || !isMirrored else {
            throw StoreError(
                .invalidRequest,
                "\(path) is mirrored to CloudKit by its app; changes made here may not be synced "
                    + "or may be undone, so writing is not allowed without"
                    + " `--allow-cloudkit` or `AppStoreAccess.allowsCloudKit`")
        }
    }

    /// Whether the store contains the CloudKit mirroring tables of the app's framework.
    static func isMirrored(_ connection: Connection) throws(StoreError) -> Bool {
        try connection.count(
            "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name GLOB 'ANSCK*'") > 0
    }

    /// Registers the functions that triggers call.
    static func registerFunctions(on connection: Connection) throws(StoreError) {
        for name in silentFunctions { try connection.register(silentFunction: name) }
    }

    /// Registers the functions that triggers call, and throws if a trigger calls any other.
    static func prepare(
        _ connection: Connection, for schema: StoreLayout, _ path: String
    ) throws(StoreError) {
        try registerFunctions(on: connection)
        // No index is ever deferred in an app's store, so code that reads this table finds no rows.
        try connection.execute(
            "CREATE TEMP TABLE ETL_PENDING (NAME TEXT PRIMARY KEY, SQL TEXT)")
        let tables =
            schema.tables.filter { schema.found?.has($0.name) == true }.map(\.name)
            + schema.joinTables.map(\.name)
        for table in tables {
            for sql in SchemaSQL.statements(touching: table, of: schema) {
                do throws(StoreError) {
                    // Preparing also compiles the triggers, but runs nothing.
                    _ = try connection.prepare(sql)
                } catch {
                    guard error.code != .busy, !error.isDamage else { throw error }
                    throw StoreError(
                        .invalidRequest,
                        "\(path) has triggers or indexes on \(table) that only its app can run"
                            + " (\(error.message)); it can be read, but not written")
                }
            }
        }
    }
}
