public import GraphModel

/// All versions of a model that were ever shipped, oldest first.
///
/// A store tells which of them it was made with by its version hashes. It carries that model, too,
/// so a store of ours opens although nobody has the version's source any more
/// (`PersistentContainer(model: nil, …)`).
public struct ModelHistory: Sendable {
    /// The versions, oldest first.
    public let versions: [ManagedObjectModel]

    /// Makes a history of versions, oldest first.
    public init(_ versions: [ManagedObjectModel]) {
        self.versions = versions
    }

    /// The newest version.
    public var current: ManagedObjectModel? { versions.last }

    /// The place of the version that a store was made with, counted from 0; nil of none of them.
    ///
    /// Versions that differ only in what hashes leave out, such as defaults, count as one: the
    /// newest of them.
    public func versionIndex(ofStoreAt path: String) throws(StoreError) -> Int? {
        try versionIndex(ofStoreAt: path, waiting: nil)
    }

    /// The same, with a limit for how long others may keep the store locked.
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
        // Of a store without a model that can be read, the hashes alone tell.
        let stored = try? PersistentStore.storedModel(snapshot.connection)?.versionHashes
        return versions.lastIndex { version in
            // A store of a configuration has its own entities only.
            let isPart = stored == version.versionHashes
            return metadata.entitiesThatDiffer(
                from: version, holding: isPart ? metadata.entities(heldOf: version) : nil
            ).isEmpty
        }
    }

    /// The model of a store: the version that it was made with, else the one that it carries.
    public func model(ofStoreAt path: String) throws(StoreError) -> ManagedObjectModel? {
        if let index = try versionIndex(ofStoreAt: path) { return versions[index] }
        return try PersistentStore.model(at: path)
    }

    /// Whether a store was made with the newest version.
    public func isCurrent(storeAt path: String) throws(StoreError) -> Bool {
        try versionIndex(ofStoreAt: path) == versions.count - 1
    }
}
