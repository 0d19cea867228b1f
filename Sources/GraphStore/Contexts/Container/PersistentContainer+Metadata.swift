import FoundationEssentials

extension PersistentContainer {
    /// The store's metadata, unchanged: Core Data's keys and those of apps.
    public var metadata: [String: PropertyListValue] { metadataState.current.propertyList }

    /// Sets or removes a key of the store's metadata, to be written by the next save.
    ///
    /// All other keys in the file stay unchanged.
    ///
    /// - Throws: `.invalidRequest` for Core Data's own keys, which identify the file.
    public func setMetadata(
        _ value: PropertyListValue?, forKey key: String
    ) throws(StoreError) {
        guard !key.hasPrefix("NSStore"), !key.hasPrefix("_NS"), !key.hasPrefix("NSPersistence")
        else {
            throw StoreError(.invalidRequest, "'\(key)' says what the file is and may not be set")
        }
        metadataState.set(value, forKey: key)
    }

    /// Gives the store a new UUID, as a copy needs, to be written by the next save.
    ///
    /// Object URIs and history tokens with the old UUID are then foreign to the store.
    @discardableResult
    public func forkUUID() -> String {
        let uuid = UUID().uuidString
        metadataState.setUUID(uuid)
        return uuid
    }

    /// Writes changed metadata now, without waiting for a save.
    public func saveMetadata() throws(StoreError) {
        guard metadataState.isDirty else { return }
        let session = try beginWriting()
        defer { endWriting() }
        do {
            try session.commit()
        } catch {
            session.rollback()
            throw error
        }
    }

    /// Returns whether a store keeps all digits of decimals, without writing to it.
    package static func keepsExactDecimals(
        at path: String, waiting patience: LockPatience
    ) throws(StoreError) -> Bool {
        try storeMetadata(at: path, waiting: patience)
            .propertyList[StoreMetadata.exactDecimalsKey] != nil
    }

    /// Returns a store's UUID and metadata, without opening it for work or writing to it.
    public static func metadata(
        at path: String
    ) throws(StoreError) -> (storeUUID: String, metadata: [String: PropertyListValue]) {
        let metadata = try storeMetadata(at: path)
        return (metadata.uuid, metadata.propertyList)
    }

    private static func storeMetadata(
        at path: String, waiting patience: LockPatience? = nil
    ) throws(StoreError) -> StoreMetadata {
        let snapshot = try StoreSnapshot(of: path, copiesOurs: false, waiting: patience)
        return try StoreMetadata(ofStoreAt: path, on: snapshot.connection)
    }
}
