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
        let own = try AppStoreModel(given: nil, on: connection, path: path)
        if let place = own.place(among: versions) {
            self = try AppStoreModel(given: versions[place], on: connection, path: path)
            return
        }
        guard own.origin.model == .cached else {
            throw StoreError(
                .noModel,
                "\(path) carries no model that can be read, and was made with none of the versions"
                    + " that are known, so nobody can tell what it holds; give the older versions")
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

    /// The place of the version whose hashes the store has; the newest of several, unless one of
    /// them is the model that the store carries.
    ///
    /// Hashes of derived attributes cannot be compared: there the model that it carries decides.
    func place(among versions: [ManagedObjectModel]) -> Int? {
        guard !metadata.versionHashes.isEmpty else { return nil }
        let places = versions.indices.filter {
            Self.differing(metadata, versions[$0], found).isEmpty
        }
        let carried = origin.model == .cached ? model.versionHashes : [:]
        return places.last { versions[$0].versionHashes == carried } ?? places.last
    }
}
