import GraphModel
import SQLite

/// Records changes that triggers of an app's store make in addition to our own, for its history.
///
/// Triggers maintain a derived attribute such as `books.@count`: a new book changes the row of its
/// author, which no code here has modified. Temporary triggers, which exist only in the connection
/// and not in the file, record each row whose columns changed:
/// ```sql
/// CREATE TEMP TRIGGER … AFTER UPDATE OF ZBOOKCOUNT ON ZAUTHOR
///     WHEN NEW.ZBOOKCOUNT IS NOT OLD.ZBOOKCOUNT BEGIN
///     INSERT INTO ETL_TOUCHED SELECT NEW.Z_ENT, NEW.Z_PK, 'ZBOOKCOUNT' WHERE NOT EXISTS …; END
/// ```
/// These notes are rolled back with the transaction.
final class TriggerNotes {
    private static let table = "ETL_TOUCHED"

    private let connection: Connection
    /// The property of each column, by entity number.
    private let properties: [Int64: [String: String]]

    /// Creates the temporary triggers; `nil` if no trigger of the store sets a column of an entity.
    init?(_ schema: StoreLayout, on connection: Connection) throws(StoreError) {
        var properties: [Int64: [String: String]] = [:]
        for entity in schema.entities where schema.holds(entity) {
            var names: [String: String] = [:]
            for (name, place) in entity.attributes { names[place.column] = name }
            for (name, place) in entity.toOnes {
                guard let columns = place.columns else { continue }
                names[columns.column] = name
                if let column = columns.entityColumn { names[column] = name }
            }
            properties[entity.number] = names
        }
        self.properties = properties
        self.connection = connection
        let tables = Set(schema.heldEntities.map(\.table))
        let known = Set(properties.values.flatMap(\.keys))
        var statements: [String] = []
        for table in tables.sorted() + schema.joinTables.map(\.name)
        where schema.found?.has(table) == true {
            statements += SchemaSQL.statements(touching: table, of: schema)
        }
        let columns = try connection.columnsSetByTriggers(of: statements)
            .filter { tables.contains($0.table) && known.contains($0.column) }
            .sorted { ($0.table, $0.column) < ($1.table, $1.column) }
        guard !columns.isEmpty else { return nil }
        try connection.execute(
            "CREATE TEMP TABLE IF NOT EXISTS \(Self.table) (ENT INTEGER, PK INTEGER, NAME TEXT,"
                + " PRIMARY KEY (ENT, PK, NAME)) WITHOUT ROWID")
        for place in columns {
            let (table, column) = (place.table, place.column)
            // The outer statement's conflict clause overrides a conflict clause in the trigger
            // (https://www.sqlite.org/lang_createtrigger.html), so this INSERT must never conflict.
            try connection.execute(
                """
                CREATE TEMP TRIGGER IF NOT EXISTS \(Self.table)_\(table)_\(column)
                AFTER UPDATE OF \(column) ON \(table) WHEN NEW.\(column) IS NOT OLD.\(column)
                BEGIN INSERT INTO \(Self.table) SELECT NEW.Z_ENT, NEW.Z_PK, '\(column)'
                WHERE NEW.Z_ENT IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(Self.table)
                WHERE ENT = NEW.Z_ENT AND PK = NEW.Z_PK AND NAME = '\(column)'); END
                """)
        }
    }

    /// Returns and clears the objects changed in the open transaction, by property.
    func take() throws(StoreError) -> TriggeredChanges {
        var changes = TriggeredChanges()
        let notes = try connection.cached("SELECT ENT, PK, NAME FROM temp.\(Self.table)")
        while try notes.step() {
            let id = ManagedObjectID(
                entityNumber: notes.integer(0), primaryKey: notes.integer(1))
            guard let name = properties[id.entityNumber]?[notes.string(2)] else { continue }
            changes.add(id, property: name)
        }
        notes.reset()
        if !changes.isEmpty { try connection.cached("DELETE FROM temp.\(Self.table)").run() }
        return changes
    }
}

/// The objects that triggers changed in a transaction, by property.
///
/// Sets of IDs instead of properties by ID, because one change may touch every object in the store.
struct TriggeredChanges {
    private var objects: [String: ManagedObjectIDSet] = [:]

    var isEmpty: Bool { objects.isEmpty }

    mutating func add(_ id: ManagedObjectID, property: String) {
        objects[property, default: ManagedObjectIDSet()].insert(id)
    }

    mutating func remove(_ ids: ManagedObjectIDSet) {
        for name in objects.keys { objects[name]?.subtract(ids) }
        objects = objects.filter { !$0.value.isEmpty }
    }

    /// Returns the names of an object's changed properties.
    func properties(of id: ManagedObjectID) -> [String] {
        objects.compactMap { $0.value.contains(id) ? $0.key : nil }
    }

    /// All changed objects.
    var all: ManagedObjectIDSet {
        objects.values.reduce(into: ManagedObjectIDSet()) { $0.formUnion($1) }
    }
}
