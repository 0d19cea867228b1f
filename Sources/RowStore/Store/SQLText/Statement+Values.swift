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
}
