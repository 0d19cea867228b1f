import GraphModel
import SQLite

/// The folded texts of one table's searchable attributes, for searches with `[c]` and `[cd]`.
///
/// `ETL_FOLD_TASK` stores folded texts of `ZTASK` by primary key. The indexed column `ZTITLE` has
/// the text without case and diacritics. `C_ZTITLE` has the text without case only, or NULL if both
/// texts are equal.
///
/// Any program may write to the store, but only GraphStore can fold text. Triggers in plain SQL
/// therefore record the keys of new and changed rows in `ETL_UNFOLDED_TASK`. GraphStore's saves
/// fold these rows before they commit; a search reads the original texts of rows that are still
/// unfolded. Searches therefore also find rows that another program wrote or that a load folds only
/// at its end. A store is valid even if its writer stops at any moment.
package struct FoldTable: Sendable, Hashable {
    /// The maximum number of columns; more would exceed SQLite's limit of 1,000 expression levels.
    package static let columnsMax = 990

    /// The table that contains the original texts.
    package let source: String
    /// The names of the columns with the original texts, in order.
    package let columns: [String]

    /// The table that holds the folded texts.
    var name: String { "ETL_FOLD_" + source.dropFirst() }
    /// The table that holds the keys of rows whose texts are not folded.
    var unfolded: String { "ETL_UNFOLDED_" + source.dropFirst() }

    /// Returns the column for the text without case, used if it differs from the other form.
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
        // Without a conflict clause, because the clause of the outer statement would replace it
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

    /// Returns the fold tables that the model requires.
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

    /// Returns the store's fold tables by source table, except any that differ from our
    /// definitions.
    ///
    /// The content of a table with another definition is not known.
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

    /// Creates the fold tables that the model requires, in an open transaction.
    ///
    /// A fold table with more columns than the model requires keeps them.
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

    /// Returns whether `complete` has nothing to create.
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

    /// Returns whether any row has unfolded texts.
    func isBehind(on connection: Connection) throws(StoreError) -> Bool {
        try connection.integer("SELECT 1 FROM \(unfolded) LIMIT 1") != nil
    }

    /// Folds all unfolded rows, in an open transaction.
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

    /// Folds all unfolded rows at the end of a load, in an open transaction.
    ///
    /// If the unfolded rows exceed half of the folded rows, the indexes are dropped and rebuilt,
    /// which is faster.
    func foldAll(on connection: Connection) throws(StoreError) {
        let behind = try connection.count("SELECT count(*) FROM \(unfolded)")
        let folded = try connection.count("SELECT count(*) FROM \(name)")
        guard behind > folded / 2 else { return try fold(on: connection) }
        for index in indexes { try connection.execute("DROP INDEX \(index.name)") }
        try fold(on: connection)
        for index in indexes { try connection.execute(index.sql) }
    }

    /// Returns SQL for a text's two folded forms.
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

    /// Returns NULL if the text without case equals the text without case and diacritics.
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

    /// Returns how many rows differ from their folded texts.
    func countWrong(on connection: Connection) throws(StoreError) -> Int64 {
        let forms = columns.map { column in
            let texts = "(f.\(column), f.\(Self.caseColumn(column))) IS NOT ("
            return texts + folded("x.\(column)") + ")"
        }
        let count = try
            ("SELECT count(*) FROM \(source) x LEFT JOIN \(name) f ON f.Z_PK = x.Z_PK"
            + " WHERE x.Z_PK NOT IN (SELECT Z_PK FROM \(unfolded)) AND (f.Z_PK IS NULL OR "
            + forms.joined(separator: " OR ") + ")").integer(on: connection)
        return Int64(count)
    }
}
