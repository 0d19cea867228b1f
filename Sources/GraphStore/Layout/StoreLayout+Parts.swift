import SQLite

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
