import GraphModel
package import SQLite

/// SQL views of a store for users of `sqlite3`: one per entity, with its name, and with columns
/// named after its attributes and to-ones.
///
/// ```
/// CREATE VIEW "Task" AS /* etl */ SELECT Z_PK AS "_id", ZTITLE AS "title", ZOWNER AS "owner", …
/// ```
/// `_id` is the object's primary key, to which to-one columns of other views refer. If an entity
/// has sub-entities, its view includes their objects and has the column `_entity`. Dates are ISO
/// 8601 in UTC, UUIDs have hyphens, and external values are NULL. The comment marks the views of
/// etl.
package struct StoreViews {
    static let mark = " AS /* etl */ "

    private let schema: StoreLayout

    /// Creates the views of a layout; nothing is written yet.
    package init(_ schema: StoreLayout) {
        self.schema = schema
    }

    /// Creates the views of the model, and drops views that the model no longer defines.
    ///
    /// - Parameter isWanted: Whether to create the views; `false` drops all of them.
    /// - Returns: Whether anything changed.
    @discardableResult
    package func renew(on connection: Connection, isWanted: Bool) throws(StoreError) -> Bool {
        var own: [String: String] = [:]
        var taken: Set<String> = []
        let rows = try connection.prepare("SELECT type, name, sql FROM sqlite_master")
        while try rows.step() {
            let (name, sql) = (rows.string(1), rows.string(2))
            if rows.string(0) == "view", sql.contains(Self.mark) {
                own[name] = sql
            } else {
                taken.insert(name.lowercased())
            }
        }
        var wanted: [String: String] = [:]
        for entity in isWanted ? schema.heldEntities : [] {
            let name = Self.free(entity.name, &taken)
            wanted[name] = "CREATE VIEW \(Connection.quoted(name))\(Self.mark)\(select(entity))"
        }
        guard wanted != own else { return false }
        try connection.writing { () throws(StoreError) in
            for name in own.keys where own[name] != wanted[name] {
                try connection.execute("DROP VIEW \(Connection.quoted(name))")
            }
            for (name, sql) in wanted.sorted(by: { $0.key < $1.key }) where own[name] != sql {
                try connection.execute(sql)
            }
        }
        return true
    }

    /// Returns the name, with the suffix `_view` and a number if another object has it.
    ///
    /// SQLite compares names case-insensitively.
    private static func free(_ name: String, _ taken: inout Set<String>) -> String {
        // SQLite reserves names with this prefix.
        let name = name.lowercased().hasPrefix("sqlite_") ? "view_" + name : name
        var free = name
        var number = 1
        while !taken.insert(free.lowercased()).inserted {
            free = name + "_view" + (number > 1 ? "\(number)" : "")
            number += 1
        }
        return free
    }

    private func select(_ entity: StoreLayout.Entity) -> String {
        var columns = ["Z_PK AS \(Connection.quoted("_id"))"]
        if entity.familyNumbers.count > 1 {
            let names = entity.familyNumbers.compactMap { number in
                schema.entity(number: number).map { "WHEN \(number) THEN '\($0.name)'" }
            }
            columns.append("CASE Z_ENT \(names.joined(separator: " ")) END AS _entity")
        }
        for (name, place) in entity.attributes.sorted(by: { $0.key < $1.key }) {
            columns.append("\(Self.readable(place)) AS \(Connection.quoted(name))")
        }
        for (name, place) in entity.toOnes.sorted(by: { $0.key < $1.key }) {
            columns.append(
                "\(place.column ?? place.key(of: entity.table)) AS \(Connection.quoted(name))")
        }
        return SelectSQL(columns.joined(separator: ", "), of: entity).sql
    }

    /// Returns the SQL for the text of a UUID that is not NULL.
    static func uuidText(_ column: String) -> String {
        [(1, 4), (5, 2), (7, 2), (9, 2), (11, 6)].map { start, count in
            "hex(substr(\(column), \(start), \(count)))"
        }.joined(separator: "||'-'||")
    }

    /// Returns the SQL for a column's value in readable form.
    private static func readable(_ place: StoreLayout.AttributeColumn) -> String {
        let column = place.column
        switch place.attribute.type {
        case .date:
            let moment = "\(column) + 978307200, 'unixepoch'"
            return "CASE WHEN \(column) = CAST(\(column) AS INTEGER)"
                + " THEN strftime('%Y-%m-%dT%H:%M:%SZ', \(moment))"
                + " ELSE strftime('%Y-%m-%dT%H:%M:%fZ', \(moment)) END"
        case .uuid:
            return "CASE WHEN \(column) NOT NULL THEN \(uuidText(column)) END"
        default:
            guard place.attribute.allowsExternalBinaryDataStorage else { return column }
            return "CASE WHEN substr(\(column), 1, 1) = x'01' THEN substr(\(column), 2) END"
        }
    }
}
