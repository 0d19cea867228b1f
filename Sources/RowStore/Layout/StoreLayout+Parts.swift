package import SQLite

extension StoreLayout {
    /// Returns a number that changes when another connection has written to one of the files.
    package func dataVersion(on connection: Connection) throws(StoreError) -> Int64 {
        // Each counter only grows, so the sum changes if any counter does.
        var sum: Int64 = 0
        for database in databases {
            sum += Int64(try connection.count("PRAGMA \(database).data_version"))
        }
        return sum
    }

    /// Begins a transaction that keeps seeing the current state of all files.
    package func beginReading(on connection: Connection) throws(StoreError) {
        try connection.execute("BEGIN")
        // The transaction takes its snapshot of a file with its first read.
        for database in databases {
            _ = try connection.integer("SELECT count(*) FROM \(database).Z_METADATA")
        }
    }

    /// Returns `Z_MAX` of a hierarchy; `nil` if the store has no counter for it.
    package func largestKey(
        root: Int64, on connection: Connection
    ) throws(StoreError) -> Int64? {
        try connection.integer(
            "SELECT Z_MAX FROM \(database(ofRoot: root)).Z_PRIMARYKEY WHERE Z_ENT = \(root)")
    }

    /// Checks that objects of an entity can be written.
    package func requireWriting(_ entity: Entity) throws(StoreError) {
        try requireTable(entity)
        guard let part = parts[entity.rootNumber], !part.description.options.mayWrite else {
            return
        }
        throw StoreError(
            .permission,
            "'\(entity.name)' is in \(part.description.path), which is open for reading only")
    }

    /// Checks that some store of the container has the entity.
    package func requireTable(_ entity: Entity) throws(StoreError) {
        guard !holds(entity) else { return }
        throw StoreError(
            .invalidRequest,
            "No store of the container holds '\(entity.name)'; add one whose configuration has it")
    }
}
