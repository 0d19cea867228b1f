import GraphModel
package import SQLite

/// The clauses of a SELECT over rows, and the only code that assembles them into SQL.
package struct SelectSQL {
    /// The selected terms.
    package var columns: [SQLFragment]
    var isDistinct = false
    /// A table and its alias.
    var table: SQLFragment
    /// The joins, each with a space before it.
    var joins = ""
    /// The conditions that every row must meet, joined by AND.
    var conditions: [SQLFragment] = []
    /// The terms of GROUP BY.
    package var groups: [String] = []
    /// The condition that groups must meet.
    var having: String?
    /// The terms of ORDER BY.
    package var order: [String] = []
    private var window = SQLFragment("")

    /// Selects the rows of a table, without values that need parameters.
    package init(
        _ columns: String, from table: String, joins: String = "",
        where conditions: [String] = [], order: [String] = []
    ) {
        self.columns = columns.isEmpty ? [] : [SQLFragment(columns)]
        self.table = SQLFragment(table)
        self.joins = joins
        self.conditions = conditions.map { SQLFragment($0) }
        self.order = order
    }

    /// Selects the rows of an entity and its sub-entities that meet the conditions.
    ///
    /// - Parameters:
    ///   - alias: the alias of the table; empty for none.
    ///   - isIndexed: whether SQLite may use an index.
    package init(
        _ columns: String, of entity: StoreLayout.Entity, alias: String = "",
        isIndexed: Bool = true, withSubentities: Bool = true, where conditions: [String] = []
    ) {
        let name = alias.isEmpty ? entity.table : "\(entity.table) \(alias)"
        let family = entity.familyCondition(
            alias: alias.isEmpty ? "" : alias + ".", withSubentities: withSubentities)
        self.init(
            columns, from: name + (isIndexed ? "" : " NOT INDEXED"),
            where: conditions + (family.map { [$0] } ?? []))
    }

    /// Restricts the statement to a range of its rows.
    ///
    /// - Parameters:
    ///   - count: the maximum number of rows; `nil` for no limit.
    ///   - isBound: whether the numbers are parameters, so the SQL is the same for every range.
    package mutating func take(_ count: Int?, from offset: Int, isBound: Bool = false) {
        guard count != nil || offset > 0 else { return }
        // A negative LIMIT means no limit: https://www.sqlite.org/lang_select.html#limitoffset
        let count = count ?? -1
        window =
            isBound
            ? SQLFragment(" LIMIT ? OFFSET ?", [.integer(Int64(count)), .integer(Int64(offset))])
            : SQLFragment(" LIMIT \(count) OFFSET \(offset)")
    }

    /// A statement that counts the rows, without the limit and the offset.
    package var counting: SelectSQL {
        var select = self
        select.columns = [SQLFragment("count(*)")]
        select.order = []
        select.window = SQLFragment("")
        return select
    }

    /// ` WHERE …`; empty if there are no conditions.
    var filter: SQLFragment {
        conditions.isEmpty
            ? SQLFragment("") : " WHERE " + conditions.joined(separator: " AND ")
    }

    /// The complete statement.
    package var fragment: SQLFragment {
        var select = SQLFragment(isDistinct ? "SELECT DISTINCT " : "SELECT ")
        select += columns.joined(separator: ", ")
        select.sql += " FROM "
        select += table
        select.sql += joins
        select += filter
        if !groups.isEmpty { select.sql += " GROUP BY \(groups.joined(separator: ", "))" }
        if let having { select.sql += " HAVING \(having)" }
        if !order.isEmpty { select.sql += " ORDER BY \(order.joined(separator: ", "))" }
        return select + window
    }

    /// The SQL of a statement without parameters.
    package var sql: String { fragment.sql }

    /// Prepares the statement and binds its values.
    package func prepare(on connection: Connection) throws(StoreError) -> Statement {
        try fragment.prepare(on: connection)
    }

    /// Returns the integer in the first column of the first row; 0 if there are no rows.
    package func integer(on connection: Connection) throws(StoreError) -> Int {
        try fragment.integer(on: connection)
    }
}

extension StoreLayout.Entity {
    /// Returns SQL for whether an object with a key exists.
    func hasObject(_ key: String) -> String {
        "EXISTS (\(SelectSQL("1", of: self, alias: "d", where: ["d.Z_PK = \(key)"]).sql))"
    }
}
