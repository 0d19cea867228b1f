import GraphModel
import SQLite
import XcodeModel

/// The model that a store carries in `Z_MODELCACHE`, as an archive of Core Data.
enum ModelCache {
    /// The table is missing or empty, as in stores of old frameworks.
    case absent
    case model(CachedModel)
    /// The archive cannot be read, for the given reason.
    case unreadable(String)

    /// Reads the archive from a store.
    init(on connection: Connection) throws(StoreError) {
        guard let content = try Self.content(on: connection) else {
            self = .absent
            return
        }
        do throws(ArchiveFault) {
            self = .model(try CachedModel(reading: content))
        } catch {
            self = .unreadable(error.message)
        }
    }

    /// Returns the bytes of the archive; `nil` if the table is missing or empty.
    private static func content(on connection: Connection) throws(StoreError) -> [UInt8]? {
        guard try connection.hasTable("Z_MODELCACHE") else { return nil }
        let row = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE")
        guard try row.step(), row.storage(0) == .blob else { return nil }
        let bytes = Array(row.bytes(0))
        return bytes.isEmpty ? nil : bytes
    }

    /// The version hashes of the archived model; empty without a readable model.
    var versionHashes: [String: [UInt8]] {
        guard case .model(let cached) = self else { return [:] }
        return cached.model.versionHashes
    }

    /// The statement that creates the table.
    static let table = "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)"

    /// Creates the table of a new store, with the archive of its model in one row.
    ///
    /// The row is NULL if the archive format for such a model is unknown.
    static func make(for model: ManagedObjectModel, on connection: Connection) throws(StoreError) {
        try connection.execute(table)
        let row = try connection.prepare("INSERT INTO Z_MODELCACHE VALUES (?)")
        // The archive format cannot represent every model.
        if let content = try? CachedModelWriter.content(of: model) {
            row.bind(content.bytes, at: 1)
        } else {
            row.bindNull(at: 1)
        }
        try row.run()
    }

    /// Replaces the archive of a store.
    static func replace(
        for model: ManagedObjectModel, on connection: Connection
    ) throws(StoreError) {
        try connection.execute("DROP TABLE IF EXISTS Z_MODELCACHE")
        try make(for: model, on: connection)
    }

    /// Whether a model can be archived.
    static func canHold(_ model: ManagedObjectModel) -> Bool {
        // The archive format cannot represent every model.
        (try? CachedModelWriter.content(of: model)) != nil
    }

    /// Returns one sentence for each fact of the model that its archive omits.
    static func notes(on model: ManagedObjectModel) -> [String] {
        do throws(ArchiveFault) {
            return try CachedModelWriter.content(of: model).leftOut.map {
                "in the model that the store carries: \($0)"
            }
        } catch {
            return [
                "the store does not carry its new model: \(error.message); from now on give it, such"
                    + " as by `--model`"
            ]
        }
    }
}
