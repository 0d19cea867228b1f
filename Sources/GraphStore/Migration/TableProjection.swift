import GraphModel
import SQLite

/// Rows of one new table as a query over one old table.
struct TableProjection {
    /// The key behind which a chunk of rows begins.
    static let lowerParameter: Int32 = 10_001
    /// The key with which it ends.
    static let upperParameter: Int32 = 10_002

    /// The new table.
    let table: String
    /// The old table, which the query calls `t`.
    let source: String
    /// What is added to the keys.
    let offset: Int64
    /// The moves of the objects, one for each old entity.
    let moves: [ObjectMove]
    /// What a row must meet to come along, as SQL.
    let condition: SQLFragment
    /// The new columns that get anything, with their values.
    let columns: [(name: String, value: SQLFragment)]

    /// - Parameter values: what each move gives the new columns.
    init(
        _ table: StoreLayout.Table, _ moves: [ObjectMove], _ values: [[String: SQLFragment]],
        _ schema: StoreLayout
    ) throws(StoreError) {
        self.table = table.name
        self.moves = moves
        source = moves.first?.old.table ?? ""
        offset = moves.first?.offset ?? 0
        var conditions: [SQLFragment] = []
        for move in moves {
            conditions.append("(" + (try move.condition(alias: "t", schema)) + ")")
        }
        condition = "(" + conditions.joined(separator: " OR ") + ")"
        columns = table.columns.compactMap { column in
            let found = values.map { $0[column.name] }
            guard let value = Self.merged(found, moves) else { return nil }
            return (column.name, value)
        }
    }

    /// One value where all rows have the same, else one for each entity; nil where there is none.
    private static func merged(
        _ values: [SQLFragment?], _ moves: [ObjectMove]
    ) -> SQLFragment? {
        guard let first = values.lazy.compactMap({ $0 }).first else { return nil }
        if values.allSatisfy({ $0?.sql == first.sql && $0?.values.isEmpty == true })
            || values.count == 1
        {
            return first
        }
        var result = SQLFragment("CASE t.Z_ENT")
        for (value, move) in zip(values, moves) {
            guard let value else { continue }
            result = result + " WHEN \(move.old.number) THEN " + value
        }
        return result + " END"
    }

    /// The new entities, and those columns.
    func select(_ names: [String]) -> SQLFragment {
        let list = names.map { name in
            (columns.first { $0.name == name }?.value ?? SQLFragment("NULL")) + " AS \(name)"
        }
        return "SELECT " + ([SQLFragment("\(entity) AS Z_ENT")] + list).joined(separator: ", ")
            + " FROM main.\(source) t WHERE " + condition
    }

    private var entity: String {
        ObjectMoves.choice(of: "t.Z_ENT", moves.map { ($0.old.number, $0.new.number) })
    }

    /// The same rows with further columns of the old ones, between two keys.
    func select(appending names: [String]) -> SQLFragment {
        rows(names.map { SQLFragment($0) }) + Self.chunk
    }

    /// The new keys, entities and versions, then the columns.
    private func rows(_ more: [SQLFragment]) -> SQLFragment {
        let key = offset == 0 ? "t.Z_PK" : "t.Z_PK + \(offset)"
        let fixed = SQLFragment(
            "\(key) AS Z_PK, \(entity) AS Z_ENT, ifnull(t.Z_OPT, 1) AS Z_OPT")
        let list = columns.map { $0.value + " AS \($0.name)" }
        return "SELECT " + ([fixed] + list + more).joined(separator: ", ")
            + " FROM main.\(source) t WHERE " + condition
    }

    private static let chunk =
        " AND t.Z_PK > ?\(lowerParameter) AND t.Z_PK <= ?\(upperParameter) ORDER BY t.Z_PK"

    /// Fills the new table from the old rows behind one key, up to another.
    var insert: SQLFragment {
        let names = (["Z_PK", "Z_ENT", "Z_OPT"] + columns.map(\.name)).joined(separator: ", ")
        return "INSERT INTO new.\(table) (\(names)) " + rows([]) + Self.chunk
    }
}
