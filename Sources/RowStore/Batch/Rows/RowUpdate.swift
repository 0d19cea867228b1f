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

    /// The columns that a statement writes, and whether it raises the version.
    private struct Key: Hashable {
        var columns: [Int]
        var raises: Bool
    }

    private let connection: Connection
    private let table: String
    private let names: [String]
    // Unchecked: only one thread uses it at a time, and no access is nested in another.
    @exclusivity(unchecked) private var statements: [Key: Statement] = [:]
    /// The columns that differ in the current row, as indexes in the plan.
    @exclusivity(unchecked) private(set) var columns: [Int] = []

    init(_ plan: ColumnPlan, on connection: Connection) {
        self.connection = connection
        table = plan.entity.table
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
    ///
    /// - Parameter raises: Whether the row gets a new version.
    /// - Returns: `nil` if the row needs no update: only columns of other rows differ, and the row
    ///   already has its new version.
    func statement(raises: Bool) throws(StoreError) -> Statement? {
        let key = Key(columns: columns, raises: raises)
        if let statement = statements[key] { return statement }
        guard raises || !columns.isEmpty else { return nil }
        if statements.count >= Self.statementsMax, columns.count < names.count {
            columns = Array(names.indices)
            return try statement(raises: raises)
        }
        let sets = (raises ? [RowVersion.raise] : []) + columns.map { "\(names[$0]) = ?" }
        let statement = try connection.prepare(
            "UPDATE \(table) SET \(sets.joined(separator: ", ")) WHERE Z_PK = ?")
        statements[key] = statement
        return statement
    }
}
