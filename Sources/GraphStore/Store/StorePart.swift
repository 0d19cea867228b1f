import SQLite

/// A further store of a container: a separate file, attached to every connection.
///
/// Table names differ between the files of a container, so SQL finds its tables without a schema
/// name (https://www.sqlite.org/lang_naming.html). Only the tables that every store has, such as
/// `Z_PRIMARYKEY`, need one.
struct StorePart: Sendable {
    /// SQLite's schema name of the file.
    let database: String
    let description: StoreDescription
    let address: StoreAddress
    let metadata: MetadataState
    let files: ExternalFiles
    let entityNames: Set<String>

    /// Attaches the file to a connection, so that statements can name its tables.
    func attach(to connection: Connection) throws(StoreError) {
        let attach = try connection.prepare("ATTACH ? AS \(database)")
        attach.bind(address.target(readingOnly: !description.options.mayWrite), at: 1)
        try attach.run()
    }

    /// The pragmas that the options require for a connection that writes.
    var writerPragmas: String {
        let options = description.options
        return "PRAGMA \(database).synchronous = \(options.synchronous.rawValue);"
            + " PRAGMA \(database).secure_delete = \(options.secureDelete.rawValue);"
            + " PRAGMA \(database).cache_size = -\(max(0, options.cacheKibibytes));"
    }
}

extension StoreLayout {
    /// Returns a number that changes when another connection has written to one of the files.
    func dataVersion(on connection: Connection) throws(StoreError) -> Int64 {
        // Each counter only grows, so the sum changes if any counter does.
        var sum: Int64 = 0
        for database in databases {
            sum += try connection.integer("PRAGMA \(database).data_version") ?? 0
        }
        return sum
    }

    /// Checks that objects of an entity can be written.
    func requireWriting(_ entity: Entity) throws(StoreError) {
        try requireTable(entity)
        guard let part = parts[entity.rootNumber], !part.description.options.mayWrite else {
            return
        }
        throw StoreError(
            .permission,
            "'\(entity.name)' is in \(part.description.path), which is open for reading only")
    }

    /// Checks that some store of the container has the entity.
    func requireTable(_ entity: Entity) throws(StoreError) {
        guard !holds(entity) else { return }
        throw StoreError(
            .invalidRequest,
            "No store of the container holds '\(entity.name)'; add one whose configuration has it")
    }
}
