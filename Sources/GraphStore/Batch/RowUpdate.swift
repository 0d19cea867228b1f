import SQLite

/// Writes only the columns of a row that differ.
///
/// SQLite updates the indexes of every column that a statement names, even if its value is
/// unchanged.
///
/// There is one statement for each set of columns that has differed so far.
final class RowUpdate {
    /// The maximum number of statements; for further sets, all columns are written.
    private static let statementsMax = 64

    private let connection: Connection
    private let beginning: String
    private let names: [String]
    // Unchecked: only one thread uses it at a time, and no access is nested in another.
    @exclusivity(unchecked) private var statements: [[Int]: Statement] = [:]
    /// The columns that differ in the current row, as indexes in the plan.
    @exclusivity(unchecked) private(set) var columns: [Int] = []

    init(_ plan: ColumnPlan, on connection: Connection) {
        self.connection = connection
        beginning = "UPDATE \(plan.entity.table) SET Z_OPT = Z_OPT + 1"
        names = plan.columns[plan.storedColumns].map(\.name)
    }

    /// Starts another row.
    func begin() {
        columns.removeAll(keepingCapacity: true)
    }

    /// Notes that a column differs; ignores columns that are stored in other rows.
    func note(_ column: Int) {
        guard column < names.count else { return }
        columns.append(column)
    }

    /// Returns the statement for the row's columns; the parameter after theirs is the row's `Z_PK`.
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
