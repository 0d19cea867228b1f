import GraphModel
import SQLite

/// What a store holds that another one with the same model does not, entity by entity.
public struct StoreDifference: Sendable, Hashable {
    /// The objects of one entity, those of its sub-entities apart.
    public struct Entity: Sendable, Hashable {
        /// The entity's name.
        public var name: String
        /// Objects that only this store has.
        public var inserted = 0
        /// Objects that both have, with something that differs.
        public var updated = 0
        /// Objects that only the other store has.
        public var deleted = 0
        /// In how many of the updated objects a property differs; none that never does.
        public var properties: [String: Int] = [:]
    }

    /// What tells that an object of one store is an object of the other.
    public enum Identity: Sendable, Hashable {
        /// The row's number, where one store is a changed copy of the other.
        case primaryKey
        /// The entity's first uniqueness constraint, where each store was filled by itself;
        /// entities without one are told by their numbers.
        case uniqueness
    }

    /// The entities with differences, by name.
    public var entities: [Entity] = []

    /// Whether the stores hold the same objects.
    public var isEmpty: Bool { entities.isEmpty }
}

extension PersistentContainer {
    /// Compares the store with another one of the same model, which stays as it is.
    ///
    /// Links between a to-one and a to-many are told on the side of the to-one, other links on both.
    ///
    /// - Parameter path: the other store; nil stands for an empty one.
    public func difference(
        from path: String?, by identity: StoreDifference.Identity = .primaryKey
    ) throws(StoreError) -> StoreDifference {
        // A connection that may write takes the log of the other store away again at its end.
        let isFile = storeDescription.kind == .sqlite && storeDescription.options.mayWrite
        let reader =
            isFile
            ? try storing { () throws(SQLiteError) in
                try Connection(path: self.path, mode: .readWrite)
            } : try newReader()
        let comparison = StoreComparison(schema: schema, identity: identity)
        return try storing { () throws(SQLiteError) in
            guard let path else { return try comparison.insertions(reader) }
            let attach = try reader.prepare("ATTACH ? AS other")
            attach.bind(path, at: 1)
            try attach.run()
            return try comparison.run(reader)
        }
    }
}

/// The SQL of a comparison of `main` with `other`.
private struct StoreComparison {
    let schema: StoreSchema
    let identity: StoreDifference.Identity

    func insertions(_ connection: Connection) throws(SQLiteError) -> StoreDifference {
        var difference = StoreDifference()
        for entity in concrete {
            let count = try connection.integer(
                "SELECT count(*) FROM main.\(entity.table) WHERE Z_ENT = \(entity.number)")
            guard let count, count > 0 else { continue }
            difference.entities.append(.init(name: entity.name, inserted: Int(count)))
        }
        return difference
    }

    func run(_ connection: Connection) throws(SQLiteError) -> StoreDifference {
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

    private var concrete: [StoreSchema.Entity] {
        schema.entities.filter { !$0.isAbstract }.sorted { $0.name < $1.name }
    }

    /// The columns that tell objects of an entity apart.
    private func keyColumns(_ entity: StoreSchema.Entity) -> [String] {
        guard identity == .uniqueness,
            let names = schema.model.uniquenessConstraints(of: entity.name).first,
            case let columns = names.compactMap({ entity.attributes[$0]?.column }),
            columns.count == names.count
        else { return ["Z_PK"] }
        return columns
    }

    private func match(_ entity: StoreSchema.Entity) -> String {
        (["b.Z_ENT = \(entity.number)"] + keyColumns(entity).map { "b.\($0) = a.\($0)" })
            .joined(separator: " AND ")
    }

    private func missing(
        _ entity: StoreSchema.Entity, in lacking: String, of having: String,
        _ connection: Connection
    ) throws(SQLiteError) -> Int {
        Int(
            try connection.integer(
                """
                SELECT count(*) FROM \(having).\(entity.table) a WHERE a.Z_ENT = \(entity.number) \
                AND NOT EXISTS (SELECT 1 FROM \(lacking).\(entity.table) b WHERE \(match(entity)))
                """) ?? 0)
    }

    /// Counts in one pass the objects of both stores that differ, in each property and at all.
    private func compare(
        _ entity: StoreSchema.Entity, _ found: inout StoreDifference.Entity,
        _ connection: Connection
    ) throws(SQLiteError) {
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
        guard try statement.step() else { return }
        found.updated = Int(statement.integer(0))
        for (place, test) in tests.enumerated() where statement.integer(Int32(place + 1)) > 0 {
            found.properties[test.name] = Int(statement.integer(Int32(place + 1)))
        }
        statement.reset()
    }

    /// SQL for each property that tells whether it differs between `a` and `b`.
    private func differences(_ entity: StoreSchema.Entity) -> [(name: String, differs: String)] {
        var tests = entity.attributes.map { name, place in
            (name: name, differs: "a.\(place.column) IS NOT b.\(place.column)")
        }
        for (name, place) in entity.toOnes {
            let key = { (side: String, alias: String) in
                objectKey(
                    place.relationship.destinationEntityName, side, "\(alias).\(place.column)")
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

    /// What tells the object with a row number apart, whichever store it is in.
    private func objectKey(_ entity: String, _ side: String, _ primaryKey: String) -> String {
        guard let destination = schema.entity(named: entity),
            case let columns = keyColumns(destination), columns != ["Z_PK"]
        else { return primaryKey }
        let key = columns.map { "quote(k.\($0))" }.joined(separator: " || ',' || ")
        return "(SELECT \(key) FROM \(side).\(destination.table) k WHERE k.Z_PK = \(primaryKey))"
    }
}
