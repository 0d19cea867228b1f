import GraphModel
import SQLite

/// Views over a store's tables for people with `sqlite3`: one for each entity, named after it, with
/// columns named after its attributes and to-ones.
///
/// ```
/// CREATE VIEW "Task" AS /* etl */ SELECT Z_PK AS "_id", ZTITLE AS "title", ZOWNER AS "owner", …
/// ```
/// `_id` is the object's number, and what a to-one holds of the other's; `_entity` is there where an
/// entity has sub-entities, whose objects are in its view, too. Dates are ISO 8601 in UTC, UUIDs
/// have hyphens, large values in files are NULL. The comment tells these views from anybody else's.
struct StoreViews {
    static let mark = " AS /* etl */ "

    private let schema: StoreLayout

    init(_ schema: StoreLayout) {
        self.schema = schema
    }

    /// Makes the views as the model says, and takes those away that it no longer says.
    ///
    /// - Parameter isWanted: without it all of them go.
    /// - Returns: whether there was anything to be done.
    @discardableResult
    func renew(on connection: Connection, isWanted: Bool) throws(StoreError) -> Bool {
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

    /// The name, or with `_view` and so on behind it where something has it; SQLite's names differ
    /// by more than their case.
    private static func free(_ name: String, _ taken: inout Set<String>) -> String {
        // SQLite keeps names that begin so for itself.
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

    /// The text of a UUID that is not NULL.
    static func uuidText(_ column: String) -> String {
        [(1, 4), (5, 2), (7, 2), (9, 2), (11, 6)].map { start, count in
            "hex(substr(\(column), \(start), \(count)))"
        }.joined(separator: "||'-'||")
    }

    /// A column as people read it.
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

extension PersistentContainer {
    /// Makes a view for each entity, named after it, for people with `sqlite3`; views of an earlier
    /// model go.
    ///
    /// - Parameter isWanted: without it all of these views go; anybody else's stay.
    /// - Returns: whether there was anything to be done.
    @discardableResult
    package func renewViews(isWanted: Bool = true) throws(StoreError) -> Bool {
        guard schema.isOurs else {
            throw StoreError(
                .invalidRequest, "\(path) was made by an app, and gets no views of ours")
        }
        let session = try beginWriting()
        defer { endWriting() }
        session.rollback()
        let views = StoreViews(schema)
        return try views.renew(on: session.connection, isWanted: isWanted)
    }
}
