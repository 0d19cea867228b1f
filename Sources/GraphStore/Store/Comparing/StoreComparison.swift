import GraphModel
import SQLite

/// The SQL of a comparison of `main` with `other`.
struct StoreComparison {
    let schema: StoreLayout
    let identity: StoreDifference.Identity

    func insertions(_ connection: Connection) throws(StoreError) -> StoreDifference {
        var difference = StoreDifference()
        for entity in concrete {
            let count = try connection.integer(
                "SELECT count(*) FROM main.\(entity.table) WHERE Z_ENT = \(entity.number)")
            guard let count, count > 0 else { continue }
            difference.entities.append(.init(name: entity.name, inserted: Int(count)))
        }
        return difference
    }

    func run(_ connection: Connection) throws(StoreError) -> StoreDifference {
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
        Int(
            try connection.integer(
                """
                SELECT count(*) FROM \(having).\(entity.table) a WHERE a.Z_ENT = \(entity.number) \
                AND NOT EXISTS (SELECT 1 FROM \(lacking).\(entity.table) b WHERE \(match(entity)))
                """) ?? 0)
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
        guard try statement.step() else { return }
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
