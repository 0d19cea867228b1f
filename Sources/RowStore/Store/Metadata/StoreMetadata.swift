import FoundationEssentials
import GraphModel
package import SQLite
import XcodeModel

/// The row of `Z_METADATA`, which describes the store.
package struct StoreMetadata {
    /// The store's UUID, which is the host part of its objects' URIs, such as
    /// `x-coredata://<uuid>/Task/p1`.
    package var uuid: String
    /// The keys of Core Data and of the app, unchanged.
    package var propertyList: [String: PropertyListValue]

    /// Creates the metadata of a new store.
    ///
    /// - Parameter held: The entities that the store contains; `nil` means all.
    init(newStoreFor model: ManagedObjectModel, holding held: Set<String>? = nil) {
        uuid = UUID().uuidString
        let hashes = model.versionHashes
        propertyList = [
            "NSStoreType": .string("SQLite"),
            // The newest framework version whose stores were examined for this layout.
            "NSPersistenceFrameworkVersion": .integer(1345),
            "NSStoreModelVersionHashesVersion": .integer(3),
            "NSStoreModelVersionIdentifiers": .array(
                model.versionIdentifiers.map(PropertyListValue.string)),
            "NSStoreModelVersionHashes": .dictionary(
                hashes.filter { held?.contains($0.key) ?? true }.mapValues { .data(Data($0)) }),
            "NSStoreModelVersionHashesDigest": .string(ManagedObjectModel.digest(of: hashes)),
            "NSStoreModelVersionChecksumKey": .string(ManagedObjectModel.checksum(of: hashes)),
            "_NSAutoVacuumLevel": .string("2"),
        ]
    }

    /// The key that marks stores with exact decimals.
    package static let exactDecimalsKey = "ETLExactDecimals"

    /// Whether decimals are stored as canonical strings.
    var keepsExactDecimals: Bool { propertyList[Self.exactDecimalsKey] != nil }

    /// The key that distinguishes a store's file from the file that replaces it.
    package static let lineageKey = "ETLLineage"

    /// Reads the row of a file, which must be a store.
    package init(ofStoreAt path: String, on connection: Connection) throws(StoreError) {
        guard let metadata = try StoreMetadata(readingFrom: connection) else {
            throw .notAStore(path)
        }
        self = metadata
    }

    /// Reads the row of `Z_METADATA`; `nil` if the file lacks the table or the row.
    package init?(
        readingFrom connection: Connection, _ database: String = "main"
    ) throws(StoreError) {
        guard try connection.hasTable("Z_METADATA", in: database) else { return nil }
        let row = try connection.prepare("SELECT Z_UUID, Z_PLIST FROM \(database).Z_METADATA")
        guard try row.step() else { return nil }
        uuid = row.string(0)
        let bytes = Array(row.bytes(1))
        guard !bytes.isEmpty else {
            propertyList = [:]
            return
        }
        guard case .dictionary(let values)? = PropertyListValue(reading: bytes) else {
            throw StoreError(.corrupt, "\(connection.path): its metadata cannot be read")
        }
        propertyList = values
    }

    /// Replaces the row.
    package func write(
        to connection: Connection, _ database: String = "main"
    ) throws(StoreError) {
        let bytes = PropertyListValue.dictionary(propertyList).binary.bytes
        let statement = try connection.prepare(
            "INSERT OR REPLACE INTO \(database).Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST)"
                + " VALUES (1, ?, ?)")
        statement.bind(uuid, at: 1)
        statement.bind(bytes, at: 2)
        try statement.run()
    }

    /// Gives a store another UUID.
    ///
    /// The rest of the metadata remains unchanged, including its order.
    package static func setUUID(_ uuid: String, on connection: Connection) throws(StoreError) {
        let write = try connection.prepare("UPDATE Z_METADATA SET Z_UUID = ?")
        write.bind(uuid, at: 1)
        try write.run()
    }

    /// The version hash of each entity.
    var versionHashes: [String: [UInt8]] {
        guard case .dictionary(let hashes)? = propertyList["NSStoreModelVersionHashes"] else {
            return [:]
        }
        return hashes.compactMapValues { value in
            guard case .data(let data) = value else { return nil }
            return [UInt8](data)
        }
    }

    /// Returns the model's entities that the store contains; `nil` if it contains them all.
    func entities(heldOf model: ManagedObjectModel) -> Set<String>? {
        let held = Set(versionHashes.keys)
        return model.entities.allSatisfy { held.contains($0.name) } ? nil : held
    }

    /// Returns the entities that the metadata or an existing table shows, for a damaged store.
    ///
    /// - Returns: `nil` if the metadata lists all entities of the model.
    func entities(
        of model: ManagedObjectModel, on connection: Connection
    ) throws(StoreError) -> Set<String>? {
        guard var held = entities(heldOf: model) else { return nil }
        let tables = Set(
            try connection.texts("SELECT name FROM sqlite_master WHERE type = 'table'"))
        for entity in StoreLayout(model).entities where tables.contains(entity.table) {
            held.insert(entity.name)
        }
        return held
    }

    /// Returns the entities whose hashes differ from the model's, or that only one of the two has.
    ///
    /// - Parameter held: The model's entities that the store must contain; `nil` means all.
    func entitiesThatDiffer(
        from model: ManagedObjectModel, holding held: Set<String>? = nil
    ) -> [String] {
        let mine = versionHashes
        let theirs = model.versionHashes.filter { held?.contains($0.key) ?? true }
        return Set(mine.keys).union(theirs.keys).filter { mine[$0] != theirs[$0] }.sorted()
    }
}
