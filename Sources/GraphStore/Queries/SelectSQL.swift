import GraphModel
import SQLite

/// The clauses of a SELECT over rows; the one place that makes a text of them.
struct SelectSQL {
    var columns: [SQLFragment]
    var isDistinct = false
    /// A table and its alias.
    var table: SQLFragment
    /// What is joined to the table, with a space before it.
    var joins = ""
    /// What the rows must meet, all of it.
    var conditions: [SQLFragment] = []
    var groups: [String] = []
    /// What the groups must meet.
    var having: String?
    var order: [String] = []
    private var window = SQLFragment("")

    init(
        _ columns: String, from table: String, joins: String = "",
        where conditions: [String] = [], order: [String] = []
    ) {
        self.columns = columns.isEmpty ? [] : [SQLFragment(columns)]
        self.table = SQLFragment(table)
        self.joins = joins
        self.conditions = conditions.map { SQLFragment($0) }
        self.order = order
    }

    /// Over the rows of an entity and its sub-entities that meet the conditions.
    ///
    /// - Parameters:
    ///   - alias: the table's; empty for none.
    ///   - isIndexed: whether SQLite may read an index in place of the table.
    init(
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

    /// Takes a part of the rows.
    ///
    /// - Parameters:
    ///   - count: how many at most; nil for no limit.
    ///   - isBound: whether the numbers are parameters, so that every part has one text.
    mutating func take(_ count: Int?, from offset: Int, isBound: Bool = false) {
        guard count != nil || offset > 0 else { return }
        // https://www.sqlite.org/lang_select.html#limitoffset: below zero is no limit.
        let count = count ?? -1
        window =
            isBound
            ? SQLFragment(" LIMIT ? OFFSET ?", [.integer(Int64(count)), .integer(Int64(offset))])
            : SQLFragment(" LIMIT \(count) OFFSET \(offset)")
    }

    /// The number of its rows, whatever part of them it takes.
    var counting: SelectSQL {
        var select = self
        select.columns = [SQLFragment("count(*)")]
        select.order = []
        select.window = SQLFragment("")
        return select
    }

    /// ` WHERE …`; empty where every row is meant.
    var filter: SQLFragment {
        conditions.isEmpty
            ? SQLFragment("") : " WHERE " + conditions.joined(separator: " AND ")
    }

    var fragment: SQLFragment {
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

    /// The text of one that has no parameters of its own.
    var sql: String { fragment.sql }

    /// Prepares it and binds its values.
    func prepare(on connection: Connection) throws(StoreError) -> Statement {
        try fragment.prepare(on: connection)
    }

    /// The number in the first column of the first row; 0 where there is none.
    func integer(on connection: Connection) throws(StoreError) -> Int {
        try fragment.integer(on: connection)
    }
}

extension StoreLayout.Entity {
    /// Whether there is an object with a key, as SQL.
    func hasObject(_ key: String) -> String {
        "EXISTS (\(SelectSQL("1", of: self, alias: "d", where: ["d.Z_PK = \(key)"]).sql))"
    }
}
