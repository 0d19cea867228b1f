import GraphModel
package import SQLite

/// A value that is bound to a parameter.
enum SQLParameter {
    case stored(StoredValue)
    /// The function that `etl_call` calls.
    case function(BoundFunction)
}

/// SQL with the values of its parameters in order; the SQL itself contains no values.
package struct SQLFragment {
    /// The text, with a question mark for each value.
    package var sql: String
    var values: [SQLParameter] = []
    /// The temporary tables of values that the SQL names.
    package var lists: [TemporaryList] = []
    /// The join tables that the SQL reads, if a load may defer their rows.
    var joinTables: Set<String> = []

    /// Creates a fragment from text and the values of its parameters.
    package init(_ sql: String, _ values: [StoredValue] = []) {
        self.sql = sql
        self.values = values.map { .stored($0) }
    }

    init(_ sql: String, calling function: BoundFunction) {
        self.sql = sql
        values = [.function(function)]
    }

    static func + (left: SQLFragment, right: SQLFragment) -> SQLFragment {
        var sum = left
        sum += right
        return sum
    }

    static func += (left: inout SQLFragment, right: SQLFragment) {
        left.sql += right.sql
        left.values += right.values
        left.lists += right.lists
        left.joinTables.formUnion(right.joinTables)
    }

    static func + (left: SQLFragment, right: String) -> SQLFragment {
        var sum = left
        sum.sql += right
        return sum
    }

    /// Returns the fragment with text before it.
    package static func + (left: String, right: SQLFragment) -> SQLFragment {
        var sum = right
        sum.sql = left + right.sql
        return sum
    }

    /// Prepares the SQL and binds the values.
    ///
    /// All predicates and sort orders are prepared here, so this method also registers the
    /// collations and functions that they need.
    package func prepare(on connection: Connection) throws(StoreError) -> Statement {
        if sql.contains(TextCollations.prefix) { try TextCollations.register(on: connection) }
        if sql.contains(NumberAggregates.prefix) {
            try NumberAggregates.register(on: connection)
        }
        if sql.contains(DecimalCollation.name) { try DecimalCollation.register(on: connection) }
        var tables: [TemporaryTable] = []
        for list in lists { tables.append(try TemporaryTable(list, on: connection)) }
        let statement = try connection.prepare(sql)
        if !tables.isEmpty { statement.attachment = TemporaryTables(tables) }
        statement.precondition = try connection.linksAreWritten(to: joinTables)
        for (index, value) in values.enumerated() {
            switch value {
            case .stored(let value): statement.bind(value, at: Int32(index) + 1)
            case .function(let function): statement.bind(function, at: Int32(index) + 1)
            }
        }
        return statement
    }

    /// Returns the integer in the first column of the first row; 0 if there is no row.
    func integer(on connection: Connection) throws(StoreError) -> Int {
        let rows = try prepare(on: connection)
        defer { rows.reset() }
        _ = try rows.step()
        return Int(rows.integer(0))
    }

    /// Runs a statement that returns no rows, and returns the number of changed rows.
    @discardableResult
    func run(on connection: Connection) throws(StoreError) -> Int {
        try prepare(on: connection).run()
    }
}

extension [SQLFragment] {
    func joined(separator: String) -> SQLFragment {
        var result = SQLFragment("")
        for (index, part) in enumerated() {
            if index > 0 { result.sql += separator }
            result += part
        }
        return result
    }
}

extension Statement {
    /// Binds a copy of the value.
    package func bind(_ value: StoredValue, at index: Int32) {
        switch value {
        case .null: bindNull(at: index)
        case .integer(let value): bind(value, at: index)
        case .real(let value): bind(value, at: index)
        case .text(let value): bind(value, at: index)
        case .blob(let value): bind(value, at: index)
        }
    }
}
