import SQLite

extension PersistentContainer {
    /// Removes the files of large values that no row names, which a crash or a batch request may
    /// have left.
    ///
    /// Nobody writes meanwhile, so a file whose row is still to come is not taken for one.
    ///
    /// In an app's store nothing is removed: files may belong to what its model does not tell.
    ///
    /// - Returns: how many were removed.
    @discardableResult
    public func sweepExternalFiles() throws(StoreError) -> Int {
        guard schema.isOurs else { return 0 }
        let session = try beginWriting()
        defer {
            session.rollback()
            endWriting()
        }
        var orphans = Set(try externalFiles.names())
        guard !orphans.isEmpty else { return 0 }
        var columns: Set<[String]> = []
        for layout in objects.layouts {
            for attribute in layout.attributes where attribute.isExternal {
                if let column = attribute.column { columns.insert([layout.entity.table, column]) }
            }
        }
        for place in columns {
            try storing { () throws(SQLiteError) in
                let rows = try session.connection.prepare(
                    "SELECT \(place[1]) FROM \(place[0]) WHERE substr(\(place[1]), 1, 1) = x'02'")
                while try rows.step() {
                    if let name = ExternalFiles.fileName(rows.value(0)) { orphans.remove(name) }
                }
            }
        }
        try externalFiles.remove(orphans.sorted())
        return orphans.count
    }
}
