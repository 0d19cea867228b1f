public import GraphModel

extension ModelHistory {
    /// Returns the 0-based index of the version that a store was created with; `nil` if none
    /// matches.
    ///
    /// Versions that differ only in details that the hashes exclude, such as defaults, count as
    /// one. The result is then the newest of them.
    public func versionIndex(ofStoreAt path: String) throws(StoreError) -> Int? {
        try versionIndex(ofStoreAt: path, waiting: nil)
    }

    /// Returns the version index of a store, with a limit for how long to wait for its locks.
    package func versionIndex(
        ofStoreAt path: String, waiting patience: LockPatience?
    ) throws(StoreError) -> Int? {
        let snapshot = try StoreSnapshot(of: path, copiesOurs: false, waiting: patience)
        guard !snapshot.isOfApp else {
            return try AppStoreModel.place(of: snapshot.connection, path, among: versions)
        }
        let metadata = try StoreMetadata(ofStoreAt: path, on: snapshot.connection)
        // If the stored model is missing or unreadable, only the hashes identify the version.
        let stored = try? PersistentStore.storedModel(snapshot.connection)?.versionHashes
        return versions.lastIndex { version in
            // A store of a configuration contains only the configuration's entities.
            let isPart = stored == version.versionHashes
            return metadata.entitiesThatDiffer(
                from: version, holding: isPart ? metadata.entities(heldOf: version) : nil
            ).isEmpty
        }
    }

    /// Returns the version that a store was created with, or else the model that the store
    /// contains.
    public func model(ofStoreAt path: String) throws(StoreError) -> ManagedObjectModel? {
        if let index = try versionIndex(ofStoreAt: path) { return versions[index] }
        return try PersistentStore.model(at: path)
    }

    /// Returns whether a store was created with the newest version.
    public func isCurrent(storeAt path: String) throws(StoreError) -> Bool {
        try versionIndex(ofStoreAt: path) == versions.count - 1
    }
}
