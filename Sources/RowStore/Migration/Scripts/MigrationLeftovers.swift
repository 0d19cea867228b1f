import GraphModel
import SQLite

/// The contents of a store's file other than its objects: other programs' tables, and our notes.
struct MigrationLeftovers {
    /// A table that is copied unchanged.
    struct Table {
        var name: String
        var sql: String
    }

    private(set) var tables: [Table] = []
    /// The SQL statements of the indexes of `tables`, and of views that this library did not
    /// create.
    private(set) var others: [String] = []
    /// Whether the views exist that this library creates.
    private(set) var hasViews = false
    /// Descriptions of everything that cannot be copied.
    private(set) var notes: [String] = []

    /// Tables whose rows the migration creates from scratch.
    private static let own: Set<String> = [
        "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ETL_MODEL", "ETL_PENDING", "ACHANGE",
        "ATRANSACTION", "ATRANSACTIONSTRING", ProgressNotes.table,
    ]

    init(_ source: MigrationSource, _ new: StoreLayout) throws(StoreError) {
        let model = Self.tables(source.schema)
        let taken = Set(Self.tables(new).map { $0.lowercased() })
        var strange: Set<String> = []
        var virtual: [String] = []
        let roots = Set(source.schema.tables.map(\.name))
        let made = Set(source.schema.tables.flatMap(\.indexes).map(\.name))
        for entity in new.model.entities where new.heldNames.contains(entity.name) {
            for index in entity.indexes {
                guard let reason = index.reasonNotBuilt else { continue }
                notes.append(
                    "the index '\(index.name)' of \(entity.name) \(reason), and is not built")
            }
        }
        for (type, name, table, sql) in try SchemaSQL.parts(of: source.connection) {
            let isOwn =
                model.contains(table) || Self.own.contains(table) || table.hasPrefix("ETL_FOLD_")
                || table.hasPrefix("ETL_UNFOLDED_") || name.hasPrefix("sqlite_")
            switch type {
            case "table" where !isOwn:
                // A virtual table's shadow tables are dropped with it.
                guard !virtual.contains(where: { name.hasPrefix("\($0)_") }) else { continue }
                let isVirtual = Self.isVirtual(sql)
                if isVirtual { virtual.append(name) }
                guard !taken.contains(name.lowercased()), !isVirtual else {
                    strange.insert(table)
                    // A virtual table prevents the migration of an app's store, so it needs no
                    // note.
                    if !isVirtual || source.schema.isOurs {
                        notes.append("the table \(name) is not copied")
                    }
                    continue
                }
                tables.append(Table(name: name, sql: sql))
            case "view" where sql.contains(StoreViews.mark): hasViews = true
            case "view": others.append(sql)
            case "index" where !isOwn && !strange.contains(table): others.append(sql)
            case "index" where roots.contains(table) && !made.contains(name):
                if let columns = try source.lostColumns(of: name, on: table, new) {
                    notes.append(
                        "the index \(name) of \(table), over \(columns), is not copied, because "
                            + "the model does not name it")
                }
            // A trigger may name columns that no longer exist, and then every save would fail. An
            // app's triggers are checked one by one.
            case "trigger" where source.schema.isOurs && !name.hasPrefix("ETL_FOLD_"):
                notes.append("the trigger \(name) is not copied")
            default: break
            }
        }
    }

    private static func tables(_ schema: StoreLayout) -> Set<String> {
        Set(schema.tables.map(\.name) + schema.joinTables.map(\.name))
    }

    /// Returns whether an SQLite extension implements a table.
    static func isVirtual(_ sql: String) -> Bool { sql.hasPrefix("CREATE VIRTUAL") }
}

extension MigrationSource {
    /// Returns the columns of an index, for a message.
    ///
    /// The result is `nil` if the new store has another index over the same columns.
    fileprivate func lostColumns(
        of index: String, on table: String, _ new: StoreLayout
    ) throws(StoreError) -> String? {
        let rows = try connection.prepare("SELECT name FROM pragma_index_info(?)")
        rows.bind(index, at: 1)
        var names: [String] = []
        while try rows.step() {
            names.append(rows.isNull(0) ? "an expression" : rows.string(0))
        }
        let columns = names
        let isThere = new.table(named: table)?.indexes.contains { other in
            other.columns.map { String($0.prefix { $0 != " " }) } == columns
        }
        return isThere == true ? nil : columns.joined(separator: ", ")
    }
}
