import GraphModel
import SQLite

/// The folded texts of one table's searchable attributes, in which `[c]` and `[cd]` search.
///
/// `ETL_FOLD_TASK` holds, by an object's key, each text of `ZTASK` without case and marks
/// (`ZTITLE`, which has an index), and the text without case alone where that is another one
/// (`C_ZTITLE`).
///
/// Anyone may write the store, but only we can fold. So triggers in plain SQL put the keys of new
/// and changed rows into `ETL_UNFOLDED_TASK`. Our saves fold what stands there before they commit;
/// a search looks at the texts themselves of what still does. So what another program wrote is
/// found like everything else, whatever a load leaves to its end is, too, and a store that was
/// left at any moment is right.
package struct FoldTable: Sendable, Hashable {
    /// More columns are nested deeper in a condition than SQLite's 1,000 levels.
    package static let columnsMax = 990

    /// The table whose texts they are.
    package let source: String
    /// The columns with those texts, in order.
    package let columns: [String]

    /// Holds the folded texts.
    var name: String { "ETL_FOLD_" + source.dropFirst() }
    /// Holds the keys of rows whose texts are not folded.
    var unfolded: String { "ETL_UNFOLDED_" + source.dropFirst() }

    /// The text without case, where it is another than that without case and marks.
    static func caseColumn(_ column: String) -> String { "C_" + column }

    private var indexes: [(name: String, sql: String)] {
        columns.map { column in
            let index = "ETL_FOLDED_\(source.dropFirst())_\(column)"
            return (index, "CREATE INDEX \(index) ON \(name) (\(column))")
        }
    }

    private var tables: [(name: String, sql: String)] {
        let texts = columns.map { ", \($0) TEXT, \(Self.caseColumn($0)) TEXT" }.joined()
        return [
            (name, "CREATE TABLE \(name) (Z_PK INTEGER PRIMARY KEY\(texts))"),
            (unfolded, "CREATE TABLE \(unfolded) (Z_PK INTEGER PRIMARY KEY)"),
        ]
    }

    private var triggers: [(name: String, sql: String)] {
        // Without a conflict clause, which that of the statement outside would take the place of
        // (https://www.sqlite.org/lang_createtrigger.html).
        let note =
            "INSERT INTO \(unfolded) SELECT new.Z_PK WHERE NOT EXISTS"
            + " (SELECT 1 FROM \(unfolded) WHERE Z_PK = new.Z_PK);"
        let forget =
            "DELETE FROM \(name) WHERE Z_PK = old.Z_PK;"
            + " DELETE FROM \(unfolded) WHERE Z_PK = old.Z_PK;"
        let differs = columns.map { "new.\($0) IS NOT old.\($0)" }.joined(separator: " OR ")
        let list = columns.joined(separator: ", ")
        func trigger(_ suffix: String, _ rest: String) -> (name: String, sql: String) {
            ("\(name)_\(suffix)", "CREATE TRIGGER \(name)_\(suffix) AFTER \(rest) END")
        }
        return [
            trigger("INSERT", "INSERT ON \(source) BEGIN \(note)"),
            trigger("UPDATE", "UPDATE OF \(list) ON \(source) WHEN \(differs) BEGIN \(note)"),
            trigger(
                "KEY",
                "UPDATE OF Z_PK ON \(source) WHEN new.Z_PK IS NOT old.Z_PK"
                    + " BEGIN \(forget) \(note)"),
            trigger("DELETE", "DELETE ON \(source) BEGIN \(forget)"),
        ]
    }

    // MARK: Making

    /// What the model wants of each table.
    package static func wanted(_ schema: StoreLayout) -> [FoldTable] {
        var columns: [String: Set<String>] = [:]
        for entity in schema.entities where schema.holds(entity) {
            for place in entity.attributes.values
            where place.attribute.isSearchable && SQLType(place.attribute) == .text {
                columns[entity.table, default: []].insert(place.column)
            }
        }
        return columns.sorted { $0.key < $1.key }.map { table, columns in
            FoldTable(source: table, columns: columns.sorted())
        }
    }

    /// Those that a store has, by the tables whose texts they are; one that is not as we make
    /// them, so that nobody can tell what it holds, is left out.
    static func find(
        _ schema: StoreLayout, on connection: Connection
    ) throws(StoreError) -> [String: FoldTable] {
        var definitions: [String: String] = [:]
        let rows = try connection.prepare(
            "SELECT name, sql FROM sqlite_master WHERE name LIKE 'ETL\\_FOLD%' ESCAPE '\\'"
                + " OR name LIKE 'ETL\\_UNFOLDED\\_%' ESCAPE '\\'")
        while try rows.step() { definitions[rows.string(0)] = rows.string(1) }
        var found: [String: FoldTable] = [:]
        for table in schema.tables where !definitions.isEmpty {
            let columns = table.columns.map(\.name).filter { column in
                definitions["ETL_FOLDED_\(table.name.dropFirst())_\(column)"] != nil
            }
            let fold = FoldTable(source: table.name, columns: columns.sorted())
            let parts = fold.tables + fold.indexes + fold.triggers
            if !columns.isEmpty, parts.allSatisfy({ definitions[$0.name] == $0.sql }) {
                found[table.name] = fold
            }
        }
        return found
    }

    /// Makes those that the model wants, in a transaction that is open; a table that has more than
    /// the model asks for keeps it.
    static func complete(_ schema: StoreLayout, on connection: Connection) throws(StoreError) {
        let found = try find(schema, on: connection)
        for wanted in wanted(schema) {
            let known = found[wanted.source]?.columns ?? []
            if Set(wanted.columns).isSubset(of: known) { continue }
            try FoldTable(
                source: wanted.source, columns: Set(known + wanted.columns).sorted()
            ).make(on: connection)
        }
    }

    /// Whether `complete` has anything to do.
    static func isComplete(
        _ schema: StoreLayout, on connection: Connection
    ) throws(StoreError) -> Bool {
        let wanted = wanted(schema)
        if wanted.isEmpty { return true }
        let found = try find(schema, on: connection)
        return wanted.allSatisfy {
            Set($0.columns).isSubset(of: found[$0.source]?.columns ?? [])
        }
    }

    private func make(on connection: Connection) throws(StoreError) {
        for trigger in triggers {
            try connection.execute("DROP TRIGGER IF EXISTS \(trigger.name)")
        }
        for table in tables { try connection.execute("DROP TABLE IF EXISTS \(table.name)") }
        for part in tables + indexes + triggers { try connection.execute(part.sql) }
        try connection.execute("INSERT INTO \(unfolded) SELECT Z_PK FROM \(source)")
    }

    // MARK: Folding

    /// Whether texts of a row are not folded.
    func isBehind(on connection: Connection) throws(StoreError) -> Bool {
        try connection.integer("SELECT 1 FROM \(unfolded) LIMIT 1") != nil
    }

    /// Folds what is not folded, in a transaction that is open.
    func fold(on connection: Connection) throws(StoreError) {
        guard try isBehind(on: connection) else { return }
        let names = columns.flatMap { [$0, Self.caseColumn($0)] }
        let texts = columns.map { folded("x.\($0)") }.joined(separator: ", ")
        try
            ("INSERT OR REPLACE INTO \(name) (Z_PK, \(names.joined(separator: ", ")))"
            + " SELECT x.Z_PK, " + texts
            + " FROM \(unfolded) u JOIN \(source) x ON x.Z_PK = u.Z_PK ORDER BY u.Z_PK")
            .run(on: connection)
        try connection.execute("DELETE FROM \(unfolded)")
    }

    /// The same at the end of a load: most of the table's rows, so that the indexes are made
    /// afterwards.
    func foldAll(on connection: Connection) throws(StoreError) {
        let behind = try connection.integer("SELECT count(*) FROM \(unfolded)") ?? 0
        let folded = try connection.integer("SELECT count(*) FROM \(name)") ?? 0
        guard behind > folded / 2 else { return try fold(on: connection) }
        for index in indexes { try connection.execute("DROP INDEX \(index.name)") }
        try fold(on: connection)
        for index in indexes { try connection.execute(index.sql) }
    }

    /// A text's two folded forms, as SQL.
    private func folded(_ text: String) -> SQLFragment {
        SQLFragment("etl_call(?, ", calling: Self.foldsCaseAndMarks) + "\(text)), "
            + (SQLFragment("etl_call(?, ", calling: Self.foldsCase) + "\(text))")
    }

    private static var foldsCaseAndMarks: BoundFunction {
        BoundFunction { call throws(FunctionError) in
            guard call.storage(0) == .text else { return }
            let folded = TextComparison.folded(
                call.bytes(0), [.caseInsensitive, .diacriticInsensitive])
            folded.withUnsafeBufferPointer { call.setResult(text: $0) }
        }
    }

    /// NULL where it is the same as without marks, too.
    private static var foldsCase: BoundFunction {
        BoundFunction { call throws(FunctionError) in
            guard call.storage(0) == .text, call.bytes(0).contains(where: { $0 >= 0x80 }) else {
                return
            }
            let folded = TextComparison.folded(call.bytes(0), .caseInsensitive)
            let both = TextComparison.folded(
                call.bytes(0), [.caseInsensitive, .diacriticInsensitive])
            guard folded != both else { return }
            folded.withUnsafeBufferPointer { call.setResult(text: $0) }
        }
    }

    // MARK: Checking

    /// How many rows have other texts than those folded for them.
    func countWrong(on connection: Connection) throws(StoreError) -> Int64 {
        let forms = columns.map { column in
            let texts = "(f.\(column), f.\(Self.caseColumn(column))) IS NOT ("
            return texts + folded("x.\(column)") + ")"
        }
        let rows = try
            ("SELECT count(*) FROM \(source) x LEFT JOIN \(name) f ON f.Z_PK = x.Z_PK"
            + " WHERE x.Z_PK NOT IN (SELECT Z_PK FROM \(unfolded)) AND (f.Z_PK IS NULL OR "
            + forms.joined(separator: " OR ") + ")").prepare(on: connection)
        return try rows.step() ? rows.integer(0) : 0
    }
}
