import GraphModel
import SQLite

/// A query over the old store whose result may prevent a migration.
struct MigrationCheck {
    /// A query that returns one row with the number of problems and, optionally, an example.
    private let sql: SQLFragment
    private let message: (_ count: Int, _ example: String) -> String

    /// Returns a description of the problem; `nil` if there is none.
    func obstacle(on connection: Connection) throws(StoreError) -> String? {
        let row = try sql.prepare(on: connection)
        // An aggregate always has one row.
        _ = try row.step()
        let (count, example) = (Int(row.integer(0)), row.columnCount > 1 ? row.string(1) : "")
        row.reset()
        return count > 0 ? message(count, example) : nil
    }

    /// Returns a check for objects of an entity that becomes abstract.
    static func abstract(_ move: ObjectMove, _ condition: SQLFragment) -> MigrationCheck {
        MigrationCheck(
            sql: "SELECT count(*) FROM main.\(move.old.table) t WHERE " + condition
        ) { count, _ in
            "\(move.new.name) is abstract now, and has \(count.counting("object", "objects"));"
                + " set the new entity in a mapping"
        }
    }

    /// Returns a check for objects without a required value.
    static func required(
        _ name: String, _ value: SQLFragment, _ move: ObjectMove, _ condition: SQLFragment
    ) -> MigrationCheck {
        MigrationCheck(
            sql: "SELECT count(*) FROM main.\(move.old.table) t WHERE " + condition + " AND ("
                + value + ") IS NULL"
        ) { count, _ in
            "\(move.new.name).\(name) is required, and "
                + count.counting("object has", "objects have")
                + " none; set it in a mapping"
        }
    }

    /// Returns a check for values outside an integer type; `nil` if the type is not an integer.
    static func limits(
        _ name: String, _ value: SQLFragment, _ type: AttributeType, _ move: ObjectMove,
        _ condition: SQLFragment
    ) -> MigrationCheck? {
        guard let (low, high) = type.integerLimits else { return nil }
        return MigrationCheck(
            sql: "SELECT count(*), min(v) FROM (SELECT " + value
                + " AS v FROM main.\(move.old.table) t WHERE " + condition
                + ") WHERE v NOT NULL AND (v NOT BETWEEN \(low) AND \(high)"
                + " OR typeof(v) <> 'integer')"
        ) { count, example in
            "\(move.new.name).\(name) would not be a valid \(type.rawValue) for"
                + " \(count.counting("object", "objects")), such as \(example)"
        }
    }

    /// Returns a check for several objects with the same key.
    static func unique(
        _ constraint: [String], _ columns: [String], _ entity: StoreLayout.Entity,
        _ rows: [SQLFragment]
    ) -> MigrationCheck {
        let list = columns.joined(separator: ", ")
        let values = columns.map { "\($0) NOT NULL" }.joined(separator: " AND ")
        let family = entity.familyClause()
        // The example is the first key, as text.
        let example = columns.map { "quote(\($0))" }.joined(separator: "||', '||")
        let groups =
            "SELECT \(example) AS example FROM (" + rows.joined(separator: " UNION ALL ")
            + ") WHERE \(values)\(family) GROUP BY \(list) HAVING count(*) > 1"
        return MigrationCheck(sql: "SELECT count(*), min(example) FROM (" + groups + ")") {
            count, example in
            "\(entity.name) is unique by (\(constraint.joined(separator: ", "))) now, and \(count)"
                + " \(count == 1 ? "key has" : "keys have") several objects, such as \(example)"
        }
    }
}
