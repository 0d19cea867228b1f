import FoundationEssentials
import GraphModel
import SQLite
import XcodeModel

/// The row of Z_METADATA: what a store says of itself.
struct StoreMetadata {
    /// The host of every object's URI in this store.
    var uuid: String
    /// Core Data's keys and the app's own, as they stand.
    var propertyList: [String: PropertyListValue]

    /// Metadata for a new store of that model.
    ///
    /// - Parameter held: the entities that the store holds; nil is all.
    init(newStoreFor model: ManagedObjectModel, holding held: Set<String>? = nil) {
        uuid = UUID().uuidString
        let hashes = model.versionHashes
        propertyList = [
            "NSStoreType": .string("SQLite"),
            // The newest framework whose stores the layout was read from.
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

    /// The key of stores that keep all digits of decimals.
    static let exactDecimalsKey = "ETLExactDecimals"

    /// Whether decimals are canonical texts.
    var keepsExactDecimals: Bool { propertyList[Self.exactDecimalsKey] != nil }

    /// The key that tells one file of a store's from the next that took its place.
    static let lineageKey = "ETLLineage"

    /// Reads the row; nil where the file has no such table.
    init?(
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

    /// Writes the row anew.
    func write(
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

    /// Those of the model's entities that the store holds; nil where it holds them all.
    func entities(heldOf model: ManagedObjectModel) -> Set<String>? {
        let held = Set(versionHashes.keys)
        return model.entities.allSatisfy { held.contains($0.name) } ? nil : held
    }

    /// The same of a store that may be damaged: also those whose table is there.
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

    /// The entities whose hashes differ from the model's, or that only one of the two has.
    ///
    /// - Parameter held: those of the model's entities that the store is to hold; nil is all.
    func entitiesThatDiffer(
        from model: ManagedObjectModel, holding held: Set<String>? = nil
    ) -> [String] {
        let mine = versionHashes
        let theirs = model.versionHashes.filter { held?.contains($0.key) ?? true }
        return Set(mine.keys).union(theirs.keys).filter { mine[$0] != theirs[$0] }.sorted()
    }
}
