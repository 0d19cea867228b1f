package import GraphModel
package import SQLite

extension Statement {
    /// Returns a copy of the column's value.
    package func value(_ column: Int32) -> StoredValue {
        switch storage(column) {
        case .null: .null
        case .integer: .integer(integer(column))
        case .real: .real(double(column))
        case .text: .text(string(column))
        case .blob: .blob(Array(bytes(column)))
        }
    }

    /// Returns copies of the values of some columns, in one call per row.
    ///
    /// - Parameters:
    ///   - columns: The columns; `nil` takes the default.
    ///   - defaults: A default for each column.
    package func values(_ columns: [Int32?], defaults: [StoredValue]) -> [StoredValue] {
        var values: [StoredValue] = []
        values.reserveCapacity(columns.count)
        for place in columns.indices {
            values.append(columns[place].map(value) ?? defaults[place])
        }
        return values
    }
}
