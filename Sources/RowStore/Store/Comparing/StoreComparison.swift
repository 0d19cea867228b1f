import GraphModel
package import SQLite

/// The SQL of a comparison of `main` with `other`.
package struct StoreComparison {
    private let schema: StoreLayout
    private let identity: StoreDifference.Identity

    /// Creates a comparison of two stores with the same layout.
    package init(schema: StoreLayout, identity: StoreDifference.Identity) {
        self.schema = schema
        self.identity = identity
    }

    /// Compares a store with another one, which is not changed.
    ///
    /// - Parameters:
    ///   - description: The store.
    ///   - path: The path of the other store; `nil` compares with an empty one.
    ///   - newReader: Returns another connection to the store.
    /// - Throws: `.busy` if the first load of one of the stores has not finished, because its links
    ///   are written at its end.
    package func run(
        _ description: StoreDescription, from path: String?,
        newReader: () throws(StoreError) -> Connection
    ) throws(StoreError) -> StoreDifference {
        // A connection that may write removes the WAL of the other store when it closes.
        let isFile = description.kind == .sqlite && description.options.mayWrite
        let reader: Connection
        if isFile {
            let address = try StoreAddress(description)
            reader = try address.connect(.readWrite, attachesOthers: true)
        } else {
            reader = try newReader()
        }
        // The folder of an app's store must not change.
        let snapshot = try path.flatMap { path throws(StoreError) in
            schema.isOurs ? nil : try StoreSnapshot(of: path)
        }
        defer { withExtendedLifetime(snapshot) {} }
        guard let path else { return try insertions(reader) }
        let attach = try reader.prepare("ATTACH ? AS other")
        attach.bind(snapshot?.address.target(readingOnly: true) ?? path, at: 1)
        try attach.run()
        // Each store is read in one snapshot, to which the checks apply.
        try reader.execute("BEGIN")
        if schema.isOurs {
            try reader.rejectUnfinishedLoad(in: "main", description.path) { () throws(StoreError) in
                try newReader()
            }
            try reader.rejectUnfinishedLoad(in: "other", path) { () throws(StoreError) in
                try PersistentStore.readerOfStore(at: path)
            }
        }
        return try run(reader)
    }

    private func insertions(_ connection: Connection) throws(StoreError) -> StoreDifference {
        var difference = StoreDifference()
        for entity in concrete {
            let count = try connection.integer(
                "SELECT count(*) FROM main.\(entity.table) WHERE Z_ENT = \(entity.number)")
            guard let count, count > 0 else { continue }
            difference.entities.append(.init(name: entity.name, inserted: Int(count)))
        }
        return difference
    }

    private func run(_ connection: Connection) throws(StoreError) -> StoreDifference {
        var difference = StoreDifference()
        for entity in concrete {
            var found = StoreDifference.Entity(name: entity.name)
            found.inserted = try missing(entity, in: "other", of: "main", connection)
            found.deleted = try missing(entity, in: "main", of: "other", connection)
            try compare(entity, &found, connection)
            guard found.inserted + found.updated + found.deleted > 0 else { continue }
            difference.entities.append(found)
        }
        return difference
    }

    private var concrete: [StoreLayout.Entity] {
        schema.entities.filter { !$0.isAbstract }.sorted { $0.name < $1.name }
    }

    /// Returns the columns that identify objects of an entity.
    private func keyColumns(_ entity: StoreLayout.Entity) -> [String] {
        guard identity == .uniqueness,
            let names = schema.model.uniquenessConstraints(of: entity.name).first,
            case let columns = names.compactMap({ entity.attributes[$0]?.column }),
            columns.count == names.count
        else { return ["Z_PK"] }
        return columns
    }

    private func match(_ entity: StoreLayout.Entity) -> String {
        (["b.Z_ENT = \(entity.number)"] + keyColumns(entity).map { "b.\($0) = a.\($0)" })
            .joined(separator: " AND ")
    }

    private func missing(
        _ entity: StoreLayout.Entity, in lacking: String, of having: String,
        _ connection: Connection
    ) throws(StoreError) -> Int {
        try connection.count(
            """
            SELECT count(*) FROM \(having).\(entity.table) a WHERE a.Z_ENT = \(entity.number) \
            AND NOT EXISTS (SELECT 1 FROM \(lacking).\(entity.table) b WHERE \(match(entity)))
            """)
    }

    /// Counts in one pass the objects of both stores that differ, in each property and overall.
    private func compare(
        _ entity: StoreLayout.Entity, _ found: inout StoreDifference.Entity,
        _ connection: Connection
    ) throws(StoreError) {
        let tests = differences(entity)
        guard !tests.isEmpty else { return }
        let names = tests.indices.map { "d\($0)" }
        let each = zip(tests, names).map { test, name in "\(test.differs) AS \(name)" }
        let statement = try connection.prepare(
            """
            SELECT sum(\(names.joined(separator: " OR "))), \
            \(names.map { "sum(\($0))" }.joined(separator: ", ")) FROM (\
            SELECT \(each.joined(separator: ", ")) FROM main.\(entity.table) a \
            JOIN other.\(entity.table) b ON \(match(entity)) \
            WHERE a.Z_ENT = \(entity.number))
            """)
        _ = try statement.step()
        found.updated = Int(statement.integer(0))
        for (place, test) in tests.enumerated() where statement.integer(Int32(place + 1)) > 0 {
            found.properties[test.name] = Int(statement.integer(Int32(place + 1)))
        }
        statement.reset()
    }

    /// Returns the SQL for each property that tests whether it differs between `a` and `b`.
    private func differences(_ entity: StoreLayout.Entity) -> [(name: String, differs: String)] {
        var tests = entity.attributes.map { name, place in
            (name: name, differs: "a.\(place.column) IS NOT b.\(place.column)")
        }
        for (name, place) in entity.toOnes {
            let key = { (side: String, alias: String) in
                objectKey(
                    place.relationship.destinationEntityName, side,
                    place.key(of: alias, in: side))
            }
            tests.append((name, "\(key("main", "a")) IS NOT \(key("other", "b"))"))
        }
        for (name, place) in entity.toManys {
            guard case .joinTable(let join) = place else { continue }
            let keys = { (side: String, alias: String) in
                """
                (SELECT group_concat(k) FROM (SELECT \
                \(objectKey(join.relationship.destinationEntityName, side, "j.\(join.destinationColumn)")) \
                AS k FROM \(side).\(join.table) j WHERE j.\(join.ownerColumn) = \(alias).Z_PK \
                ORDER BY k))
                """
            }
            tests.append((name, "\(keys("main", "a")) IS NOT \(keys("other", "b"))"))
        }
        return tests.sorted { $0.name < $1.name }
    }

    /// Returns the SQL for an identity of the object with a primary key that is valid in both
    /// stores.
    private func objectKey(_ entity: String, _ side: String, _ primaryKey: String) -> String {
        guard let destination = schema.entity(named: entity),
            case let columns = keyColumns(destination), columns != ["Z_PK"]
        else { return primaryKey }
        let key = columns.map { "quote(k.\($0))" }.joined(separator: " || ',' || ")
        return "(SELECT \(key) FROM \(side).\(destination.table) k WHERE k.Z_PK = \(primaryKey))"
    }
}

extension Connection {
    /// Throws if a load of one of the connection's stores is running or has not finished.
    ///
    /// - Parameters:
    ///   - database: The store's schema name in statements.
    ///   - path: The store's path, for the error.
    ///   - other: Opens another connection to the store, which finds the load's process.
    fileprivate func rejectUnfinishedLoad(
        in database: String, _ path: String, _ other: () throws(StoreError) -> Connection
    ) throws(StoreError) {
        guard try PendingIndexes.isPending(in: database, on: self) else { return }
        try PersistentStore.rejectUnfinished(other(), path)
        // The load has finished since, but not in this snapshot.
        throw .unfinishedLoad(path)
    }
}
