import GraphModel

/// The rows of one new table as a query over one old table.
struct TableProjection {
    /// The parameter for the key after which a chunk of rows starts.
    static let lowerParameter: Int32 = 10_001
    /// The parameter for the chunk's last key.
    static let upperParameter: Int32 = 10_002

    /// The new table.
    let table: String
    /// The old table, with the alias `t` in the query.
    let source: String
    /// The offset of the new keys.
    let offset: Int64
    /// The moves of the objects, one for each old entity.
    let moves: [ObjectMove]
    /// The condition for rows that are copied, as SQL.
    let condition: SQLFragment
    /// The new columns that are set, with their values.
    let columns: [(name: String, value: SQLFragment)]

    /// Combines the values of several moves.
    ///
    /// - Parameters:
    ///   - moves: One or more moves from the same old table.
    ///   - values: The values of the new columns, for each move.
    init(
        _ table: StoreLayout.Table, _ moves: [ObjectMove], _ values: [[String: SQLFragment]],
        _ schema: StoreLayout
    ) throws(StoreError) {
        self.table = table.name
        self.moves = moves
        source = moves[0].old.table
        offset = moves[0].offset
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

    /// Returns one value if all rows have the same, or else one for each entity.
    ///
    /// The result is `nil` if there is no value.
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

    /// Returns a query for the new entities and the given columns.
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

    /// Returns a query for a chunk of rows, with additional columns of the old table.
    func select(appending names: [String]) -> SQLFragment {
        rows(names.map { SQLFragment($0) }) + Self.chunk
    }

    /// Returns a query for the new keys, entities, and versions, followed by the columns.
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

    /// The statement that fills the new table from a chunk of old rows.
    var insert: SQLFragment {
        let names = (["Z_PK", "Z_ENT", "Z_OPT"] + columns.map(\.name)).joined(separator: ", ")
        return "INSERT INTO new.\(table) (\(names)) " + rows([]) + Self.chunk
    }
}
