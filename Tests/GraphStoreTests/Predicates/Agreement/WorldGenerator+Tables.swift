import GraphModel
import SQLite

@testable import GraphStore
@testable import RowStore

/// Direct writes of generated objects into a store's tables, without the tested code.
extension WorldGenerator {
    func write(_ objects: [WorldObject], _ ranks: Ranks, into store: TestStore) throws {
        let connection = try store.foreign()
        try connection.execute("BEGIN")
        for object in objects { try write(object, ranks, connection) }
        try writePairs(objects, connection)
        for root in Set(objects.map(\.entity.rootNumber)) {
            let keys = objects.filter { $0.entity.rootNumber == root }.map(\.primaryKey)
            try connection.execute(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = \(keys.max() ?? 0) WHERE Z_ENT = \(root)")
        }
        try connection.execute("COMMIT")
        for object in objects {
            for (name, place) in object.entity.toManys where !place.relationship.isOrdered {
                object.toManys[name]?.sort { $0.primaryKey < $1.primaryKey }
            }
        }
    }

    private func write(
        _ object: WorldObject, _ ranks: Ranks, _ connection: Connection
    ) throws {
        var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
        var values: [StoredValue] = [
            .integer(object.primaryKey), .integer(object.entity.number), .integer(1),
        ]
        for (name, column) in object.entity.attributes {
            columns.append(column.column)
            values.append((object.values[name] ?? .null).stored)
        }
        for (name, place) in object.entity.toOnes {
            guard let other = object.toOnes[name], let place = place.columns else { continue }
            columns.append(place.column)
            values.append(.integer(other.primaryKey))
            if let column = place.entityColumn {
                columns.append(column)
                values.append(.integer(other.entity.number))
            }
            if let column = place.orderColumn {
                columns.append(column)
                let rank = ranks[name]?[ObjectIdentifier(object)] ?? 0
                values.append(.integer(Int64(rank + 1) * 1024))
            }
        }
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        try SQLFragment(
            "INSERT INTO \(object.entity.table) (\(columns.joined(separator: ", ")))"
                + " VALUES (\(marks))", values
        ).run(on: connection)
    }

    private func writePairs(_ objects: [WorldObject], _ connection: Connection) throws {
        for object in objects {
            for (_, place) in object.entity.toManys.sorted(by: { $0.key < $1.key }) {
                guard case .joinTable(let join) = place else { continue }
                let others = object.toManys[join.relationship.name] ?? []
                for (rank, other) in others.enumerated() {
                    // A third of a reflexive relationship's join rows exist in one direction only.
                    if join.isReflexive, object.primaryKey > other.primaryKey,
                        (object.primaryKey + other.primaryKey) % 3 == 0
                    {
                        continue
                    }
                    try SQLFragment(
                        "INSERT OR IGNORE INTO \(join.table)"
                            + " (\(join.ownerColumn), \(join.destinationColumn)) VALUES (?, ?)",
                        [.integer(object.primaryKey), .integer(other.primaryKey)]
                    ).run(on: connection)
                    guard let column = join.orderColumn else { continue }
                    try connection.execute(
                        "UPDATE \(join.table) SET \(column) = \((rank + 1) * 1024)"
                            + " WHERE \(join.ownerColumn) = \(object.primaryKey)"
                            + " AND \(join.destinationColumn) = \(other.primaryKey)")
                }
            }
        }
    }
}
