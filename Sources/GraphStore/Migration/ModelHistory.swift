public import GraphModel

/// All released versions of a model, oldest first.
///
/// The version hashes in a store identify its version. A store also contains its model, so it opens
/// even if the source of that version no longer exists (`PersistentContainer(model: nil, …)`).
public struct ModelHistory: Sendable {
    /// The versions, oldest first.
    public let versions: [ManagedObjectModel]

    /// Creates a history of versions, oldest first.
    public init(_ versions: [ManagedObjectModel]) {
        self.versions = versions
    }

    /// The newest version.
    public var current: ManagedObjectModel? { versions.last }

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
        guard let metadata = try StoreMetadata(readingFrom: snapshot.connection) else {
            throw StoreError(.notAStore, "\(path) is an SQLite file, but not a store")
        }
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
