import SQLite

/// A further store of a container: a file of its own, attached to every connection.
///
/// Table names differ between the files of a container, so SQL finds its tables without naming the
/// file (https://www.sqlite.org/lang_naming.html); only what every store has, such as
/// `Z_PRIMARYKEY`, is named with it.
struct StorePart: Sendable {
    /// What SQLite calls the file.
    let database: String
    let description: StoreDescription
    let address: StoreAddress
    let metadata: MetadataState
    let files: ExternalFiles
    let entityNames: Set<String>

    /// Lets statements of a connection name the file's tables.
    func attach(to connection: Connection) throws(StoreError) {
        let attach = try connection.prepare("ATTACH ? AS \(database)")
        attach.bind(address.target(readingOnly: !description.options.mayWrite), at: 1)
        try attach.run()
    }

    /// What the options say of a connection that writes.
    var writerPragmas: String {
        let options = description.options
        return "PRAGMA \(database).synchronous = \(options.synchronous.rawValue);"
            + " PRAGMA \(database).secure_delete = \(options.secureDelete.rawValue);"
            + " PRAGMA \(database).cache_size = -\(max(0, options.cacheKibibytes));"
    }
}

extension StoreLayout {
    /// Moves when another connection has written to one of the files.
    func dataVersion(on connection: Connection) throws(StoreError) -> Int64 {
        // Each counter only grows, so their sum moves when one of them does.
        var sum: Int64 = 0
        for database in databases {
            sum += try connection.integer("PRAGMA \(database).data_version") ?? 0
        }
        return sum
    }

    /// Makes sure that objects of an entity can be written.
    func requireWriting(_ entity: Entity) throws(StoreError) {
        try requireTable(entity)
        guard let part = parts[entity.rootNumber], !part.description.options.mayWrite else {
            return
        }
        throw StoreError(
            .permission,
            "'\(entity.name)' is in \(part.description.path), which is open for reading only")
    }

    /// Makes sure that some store of the container has the entity.
    func requireTable(_ entity: Entity) throws(StoreError) {
        guard !holds(entity) else { return }
        throw StoreError(
            .invalidRequest,
            "No store of the container holds '\(entity.name)'; add one whose configuration has it")
    }
}
