import GraphModel
import SQLite

/// SQL text with the values for its parameters, in order; values are never text in the SQL.
struct SQLFragment {
    var sql: String
    var values: [StoredValue] = []

    init(_ sql: String, _ values: [StoredValue] = []) {
        self.sql = sql
        self.values = values
    }

    static func + (left: SQLFragment, right: SQLFragment) -> SQLFragment {
        SQLFragment(left.sql + right.sql, left.values + right.values)
    }

    static func + (left: SQLFragment, right: String) -> SQLFragment {
        SQLFragment(left.sql + right, left.values)
    }

    static func + (left: String, right: SQLFragment) -> SQLFragment {
        SQLFragment(left + right.sql, right.values)
    }

    /// Prepares the text and binds the values.
    func prepare(on connection: Connection) throws(SQLiteError) -> Statement {
        let statement = try connection.prepare(sql)
        for (index, value) in values.enumerated() {
            statement.bind(value, at: Int32(index) + 1)
        }
        return statement
    }

    /// Runs a statement that returns no rows and gives the number of rows it changed.
    @discardableResult
    func run(on connection: Connection) throws(SQLiteError) -> Int {
        try prepare(on: connection).run()
    }
}

extension [SQLFragment] {
    func joined(separator: String) -> SQLFragment {
        SQLFragment(map(\.sql).joined(separator: separator), flatMap(\.values))
    }
}

extension Statement {
    /// Binds a copy of the value.
    func bind(_ value: StoredValue, at index: Int32) {
        switch value {
        case .null: bindNull(at: index)
        case .integer(let value): bind(value, at: index)
        case .real(let value): bind(value, at: index)
        case .text(let value): bind(value, at: index)
        case .blob(let value): bind(value, at: index)
        }
    }
}
