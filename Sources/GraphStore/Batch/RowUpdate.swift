import SQLite

/// Writes the columns of a row that differ, and only them: SQLite writes the indexes of every column
/// that a statement names, whether its value changes or not.
///
/// There is a statement for each set of columns that has differed so far.
final class RowUpdate {
    /// Sets of columns with a statement of their own; for a set beyond, all columns are written.
    private static let statementsMax = 64

    private let connection: Connection
    private let beginning: String
    private let names: [String]
    // As in `BulkWriter`.
    @exclusivity(unchecked) private var statements: [[Int]: Statement] = [:]
    /// The columns that differ in the row at hand, by their places in the plan.
    @exclusivity(unchecked) private(set) var columns: [Int] = []

    init(_ plan: ColumnPlan, on connection: Connection) {
        self.connection = connection
        beginning = "UPDATE \(plan.entity.table) SET Z_OPT = Z_OPT + 1"
        names = plan.columns[plan.storedColumns].map(\.name)
    }

    /// Begins with another row.
    func begin() {
        columns.removeAll(keepingCapacity: true)
    }

    /// The column differs; one that is in other rows is written there.
    func note(_ column: Int) {
        guard column < names.count else { return }
        columns.append(column)
    }

    /// The statement for the row's columns; the row's `Z_PK` is the parameter behind theirs.
    func statement() throws(StoreError) -> Statement {
        if let statement = statements[columns] { return statement }
        if statements.count >= Self.statementsMax, columns.count < names.count {
            columns = Array(names.indices)
            return try statement()
        }
        let statement = try connection.prepare(
            beginning + columns.map { ", \(names[$0]) = ?" }.joined() + " WHERE Z_PK = ?")
        statements[columns] = statement
        return statement
    }
}
