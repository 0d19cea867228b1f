import GraphModel
import SQLite

/// The prepared statements of a load.
package struct RowStatements {
    /// The number of rows in one INSERT; more rows were not faster in measurements.
    package static let groupSize = 16

    let insertOne: Statement
    let insertGroup: Statement
    /// Selects `Z_PK, Z_ENT, columns…` of one row by `Z_PK`.
    let selectByPrimaryKey: Statement
    /// Selects the same columns by the key.
    let selectByKey: Statement
    let raiseVersion: Statement
    let lowerVersion: Statement
    /// Selects the same columns of all rows, starting at a `Z_PK`.
    let selectFrom: Statement
    /// The index of the plan's first column in the selects.
    let firstColumn: Int32 = 2
    /// The indexes of the key's columns in the selects.
    let keyPlaces: [Int32]

    init(_ plan: ColumnPlan, on connection: Connection) throws(StoreError) {
        let table = plan.entity.table
        let names = plan.columns.map(\.name)
        let stored = names[plan.storedColumns]
        let insert =
            "INSERT INTO \(table) (Z_PK, Z_ENT, Z_OPT"
            + (plan.constants.map(\.column) + stored).map { ", \($0)" }.joined() + ") VALUES "
        let row =
            "(?, \(plan.entity.number), 1" + plan.constants.map { ", \($0.literal)" }.joined()
            + String(repeating: ", ?", count: stored.count) + ")"
        insertOne = try connection.prepare(insert + row)
        insertGroup = try connection.prepare(
            insert + Array(repeating: row, count: Self.groupSize).joined(separator: ", "))
        let select =
            "SELECT "
            + (["Z_PK", "Z_ENT"] + names + plan.rules.extraColumns)
            .joined(separator: ", ")
            + " FROM \(table) WHERE "
        selectByPrimaryKey = try connection.prepare(select + "Z_PK = ?")
        selectFrom = try connection.prepare(select + "Z_PK >= ? ORDER BY Z_PK")
        let byKey = plan.keyColumns.map { "\($0) = ?" }.joined(separator: " AND ")
        selectByKey = try connection.prepare(select + (byKey.isEmpty ? "0" : byKey))
        raiseVersion = try connection.prepare(
            "UPDATE \(table) SET \(RowVersion.raise) WHERE Z_PK = ?")
        lowerVersion = try connection.prepare(
            "UPDATE \(table) SET \(RowVersion.lower) WHERE Z_PK = ?")
        keyPlaces = plan.keyColumns.compactMap { key in
            names.firstIndex(of: key).map { Int32($0) + 2 }
        }
    }
}
