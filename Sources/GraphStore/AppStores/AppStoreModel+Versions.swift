import GraphModel
import SQLite

/// Telling which version of its model an app's store is of.
extension AppStoreModel {
    /// The model that the objects are to be migrated from: one of the versions, else the one that
    /// the store carries.
    ///
    /// - Throws: `.noModel` where neither is to be had, so that nobody can tell what the store holds.
    init(
        migrating connection: Connection, path: String, among versions: [ManagedObjectModel]
    ) throws(StoreError) {
        if let place = try Self.place(of: connection, path, among: versions) {
            self = try AppStoreModel(given: versions[place], on: connection, path: path)
            return
        }
        let own = try AppStoreModel(given: nil, on: connection, path: path)
        guard own.origin.model == .cached else {
            throw StoreError(
                .noModel,
                "\(path) contains no readable model, and was created with none of the known versions"
                    + " of the model, so its contents are unknown; pass the older versions")
        }
        let differing = Self.differing(own.metadata, own.model, own.found)
        guard !own.lacksColumns, differing.isEmpty else {
            throw StoreError(
                .modelMismatch,
                "\(path) is not as the model says that it carries, so it is not migrated: "
                    + own.origin.notes.joined(separator: "; "))
        }
        self = own
    }

    /// The place of the version whose hashes a store has; the newest of several, unless one of
    /// them is the model that the store carries.
    ///
    /// Hashes of derived attributes cannot be compared: there the model that it carries decides.
    static func place(
        of connection: Connection, _ path: String, among versions: [ManagedObjectModel]
    ) throws(StoreError) -> Int? {
        guard let metadata = try StoreMetadata(readingFrom: connection) else {
            throw PersistentStore.notAStore(path)
        }
        guard !metadata.versionHashes.isEmpty else { return nil }
        let found = try FoundTables(on: connection)
        let places = versions.indices.filter { differing(metadata, versions[$0], found).isEmpty }
        let carried = try ModelCache(on: connection).versionHashes
        return places.last { versions[$0].versionHashes == carried } ?? places.last
    }
}
