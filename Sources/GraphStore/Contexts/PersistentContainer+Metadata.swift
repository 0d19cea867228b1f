import FoundationEssentials
import SQLite

extension PersistentContainer {
    /// What the store says of itself: Core Data's keys, and those of apps, as they stand.
    public var metadata: [String: PropertyListValue] { metadataState.current.propertyList }

    /// Sets a key of the store's metadata, or takes it out; written with the next save.
    ///
    /// Keys that are not touched stay as they are in the file, whoever wrote them.
    ///
    /// - Throws: for Core Data's own keys, which say what the file is.
    public func setMetadata(
        _ value: PropertyListValue?, forKey key: String
    ) throws(StoreError) {
        guard !key.hasPrefix("NSStore"), !key.hasPrefix("_NS"), !key.hasPrefix("NSPersistence")
        else {
            throw StoreError(.invalidRequest, "'\(key)' says what the file is and may not be set")
        }
        metadataState.set(value, forKey: key)
    }

    /// Gives the store an identity of its own, as a copy of another needs; written with the next
    /// save.
    ///
    /// Object URIs and history tokens of the store before are foreign to it from then on.
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

    /// Whether a store keeps all digits of decimals; nothing is written.
    package static func keepsExactDecimals(
        at path: String, waiting patience: LockPatience
    ) throws(StoreError) -> Bool {
        try storeMetadata(at: path, waiting: patience)
            .propertyList[StoreMetadata.exactDecimalsKey] != nil
    }

    /// What a store says of itself, read without opening it for work; nothing is written.
    ///
    /// - Returns: its UUID and the metadata.
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
        guard let metadata = try StoreMetadata(readingFrom: snapshot.connection) else {
            throw StoreError(.notAStore, "\(path) is an SQLite file, but not a store")
        }
        return metadata
    }
}
