import GraphModel
import SQLite

/// Finding the model version of an app's store.
extension AppStoreModel {
    /// Uses the model to migrate from: a matching version, or else the store's own model.
    ///
    /// - Throws: `.noModel` if there is neither, so the contents of the store are unknown.
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

    /// Returns the index of the version whose hashes match the store, or the newest match.
    ///
    /// Hashes of derived attributes cannot be compared. If one of several matching versions is the
    /// model that the store carries, that version is used.
    static func place(
        of connection: Connection, _ path: String, among versions: [ManagedObjectModel]
    ) throws(StoreError) -> Int? {
        let metadata = try StoreMetadata(ofStoreAt: path, on: connection)
        guard !metadata.versionHashes.isEmpty else { return nil }
        let found = try FoundTables(on: connection)
        let places = versions.indices.filter { differing(metadata, versions[$0], found).isEmpty }
        // A damaged cache only fails to decide between several matches.
        let carried = (try? ModelCache(on: connection).versionHashes) ?? [:]
        return places.last { versions[$0].versionHashes == carried } ?? places.last
    }
}
