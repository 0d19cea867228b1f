import GraphModel
import SQLite

/// What a store's file holds beside its objects: tables of other programs, and notes of ours.
struct MigrationLeftovers {
    /// A table that comes along as it is.
    struct Table {
        var name: String
        var sql: String
    }

    private(set) var tables: [Table] = []
    /// Indexes of those tables, and views that are not ours.
    private(set) var others: [String] = []
    /// Whether our views are there.
    private(set) var hasViews = false
    /// What cannot come along, in words.
    private(set) var notes: [String] = []

    /// Tables whose rows are made anew.
    private static let own: Set<String> = [
        "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ETL_MODEL", "ETL_PENDING", "ACHANGE",
        "ATRANSACTION", "ATRANSACTIONSTRING", ProgressNotes.table,
    ]

    init(_ source: MigrationSource, _ new: StoreSchema) throws(StoreError) {
        let model = Self.tables(source.schema)
        let taken = Set(Self.tables(new).map { $0.lowercased() })
        var strange: Set<String> = []
        for (type, name, table, sql) in try source.parts() {
            let isOwn =
                model.contains(table) || Self.own.contains(table) || table.hasPrefix("ETL_FOLD_")
                || table.hasPrefix("ETL_UNFOLDED_") || name.hasPrefix("sqlite_")
            switch type {
            case "table" where !isOwn:
                guard !taken.contains(name.lowercased()), !sql.hasPrefix("CREATE VIRTUAL") else {
                    strange.insert(table)
                    notes.append("the table \(name) is left behind")
                    continue
                }
                tables.append(Table(name: name, sql: sql))
            case "view" where sql.contains(StoreViews.mark): hasViews = true
            case "view": others.append(sql)
            case "index" where !isOwn && !strange.contains(table): others.append(sql)
            // A trigger may name columns that are no more, and then nothing could be saved.
            // Those of an app are looked at one by one.
            case "trigger" where source.schema.isOurs && !name.hasPrefix("ETL_FOLD_"):
                notes.append("the trigger \(name) is left behind")
            default: break
            }
        }
    }

    private static func tables(_ schema: StoreSchema) -> Set<String> {
        Set(schema.tables.map(\.name) + schema.joinTables.map(\.name))
    }
}
