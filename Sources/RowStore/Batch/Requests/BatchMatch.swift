import GraphModel
import SQLite

/// The objects that a batch request affects, in a temporary table with the columns
/// `pk, ent, changes`.
package struct BatchMatch {
    let table: String
    let count: Int

    /// Collects the objects, and checks the limit.
    ///
    /// - Parameters:
    ///   - fetchLimit: The maximum number of objects, in the order of their keys.
    ///   - changes: An SQL condition for the rows that would change, over the alias `t`.
    ///   - values: SQL expressions over the same alias, whose results are stored for
    ///     `value(_:ofRow:)`.
    package init(
        _ entity: StoreLayout.Entity, where predicate: GraphPredicate?,
        changes: SQLFragment = SQLFragment("1"), values: [SQLFragment] = [], limit: ObjectLimit?,
        fetchLimit: Int? = nil, sparing load: BulkWriter? = nil, in session: WriteSession
    ) throws(StoreError) {
        try session.schema.requireWriting(entity)
        let connection = session.connection
        let table = "temp.ETL_MATCHED"
        self.table = table
        var select = try EntitySelect(entity, where: predicate, in: session.schema)
        select.clauses.columns = [SQLFragment("t.Z_PK, t.Z_ENT"), changes] + values
        if let fetchLimit {
            select.clauses.order = ["t.Z_PK"]
            select.clauses.take(fetchLimit, from: 0)
        }
        let kept = values.indices.map { ", v\($0)" }.joined()
        try connection.execute(
            """
            DROP TABLE IF EXISTS \(table);
            CREATE TABLE \(table) (pk INTEGER PRIMARY KEY, ent INTEGER, changes INTEGER\(kept))
            """)
        let matched = try ("INSERT INTO \(table) " + select.statement.fragment).run(
            on: connection)
        if let load {
            count = matched - (try Self.spare(load, in: table, connection))
            // A percentage refers to all matching objects.
            guard let limit, try !limit.allows(count, of: { () throws(StoreError) in matched })
            else { return }
            throw StoreError(
                .tooMany,
                "\(count) of \(matched) objects of \(entity.name) are in no record, and at most"
                    + " \(limit) may be deleted; none was")
        }
        count = matched
        try limit?.check(count, of: entity, on: connection)
    }

    /// Removes the objects that a load has read a record of, or has created.
    ///
    /// - Returns: The number of removed objects.
    private static func spare(
        _ load: BulkWriter, in table: String, _ connection: Connection
    ) throws(StoreError) -> Int {
        var spared: [Int64] = []
        let rows = try connection.prepare("SELECT pk FROM \(table)")
        while try rows.step() {
            if load.hasTouched(rows.integer(0)) { spared.append(rows.integer(0)) }
        }
        let remove = try connection.prepare("DELETE FROM \(table) WHERE pk = ?")
        for key in spared {
            remove.bind(key, at: 1)
            try remove.run()
        }
        return spared.count
    }

    /// Returns SQL for the stored value of a row.
    func value(_ place: Int, ofRow primaryKey: String) -> SQLFragment {
        SQLFragment("(SELECT v\(place) FROM \(table) WHERE pk = \(primaryKey))")
    }

    /// Numbers the changing objects from 1, in the order of their keys.
    ///
    /// - Returns: SQL for the number of an object, over the alias `t`.
    func numberChanging(on connection: Connection) throws(StoreError) -> String {
        let numbers = "temp.ETL_NUMBERED"
        try connection.execute(
            """
            DROP TABLE IF EXISTS \(numbers);
            CREATE TABLE \(numbers) (pk INTEGER PRIMARY KEY, number INTEGER);
            INSERT INTO \(numbers)
            SELECT pk, row_number() OVER (ORDER BY pk) FROM \(table) WHERE changes
            """)
        return "(SELECT number FROM \(numbers) WHERE pk = t.Z_PK)"
    }
}

extension ObjectLimit {
    /// Checks the number of objects against the limit.
    ///
    /// - Throws: `StoreError` if `count` objects of the entity exceed the limit.
    func check(
        _ count: Int, of entity: StoreLayout.Entity, on connection: Connection
    ) throws(StoreError) {
        let allowed = try allows(count) { () throws(StoreError) in
            try SelectSQL("count(*)", of: entity).integer(on: connection)
        }
        guard allowed else {
            throw StoreError(
                .tooMany,
                "\(count) objects of \(entity.name) match, and at most \(self) may;"
                    + " nothing was done")
        }
    }
}
