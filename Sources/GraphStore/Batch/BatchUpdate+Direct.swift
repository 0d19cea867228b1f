import GraphModel
import SQLite

extension BatchUpdate {
    /// Whether one statement can do the update: the rows' own columns tell which ones change, and
    /// one row tells for all of them what the new values do.
    func isDirect(_ predicate: GraphPredicate?, _ request: BatchUpdateRequest) -> Bool {
        links.isEmpty && request.fetchLimit == nil && !hasRules
            && assignments.allSatisfy(\.value.isConstant)
            && (predicate?.keyPaths ?? []).allSatisfy { path in
                path.count == 1 && entity.attributes[path[0]] != nil
            }
    }

    private var hasRules: Bool {
        entity.familyNumbers.contains { number in
            guard let member = session.schema.entity(number: number) else { return false }
            // What cannot be read is told where they are checked.
            return (try? ValidationRules(of: member.name, in: session.schema.model).isEmpty) != true
        }
    }

    /// Updates without gathering the objects in a table first.
    ///
    /// - Returns: nil where the new values are taken already; nothing was done then.
    func runDirectly(
        where predicate: GraphPredicate?, sets values: [SQLFragment],
        _ differences: [SQLFragment], _ request: BatchUpdateRequest
    ) throws(StoreError) -> BatchUpdateResult? {
        try session.schema.requireWriting(entity)
        var compiler = PredicateSQL(KeyPathSQL(session.schema, entity, style: .subqueries))
        var conditions: [SQLFragment] = []
        if let family = entity.familyFilter(alias: "t.") {
            conditions.append(SQLFragment(family))
        }
        if let predicate { conditions.append(try compiler.condition(predicate)) }
        let connection = session.connection
        let differing = "(" + differences.joined(separator: " OR ") + ")"
        let notes = BatchUpdateNotes(properties)
        var (matched, updated) = (0, 0)
        for piece in try storing({ () throws(SQLiteError) in try pieces(conditions, request) }) {
            let conditions = conditions + piece
            matched += try storing { () throws(SQLiteError) in
                try read(conditions, differing, notes)
            }
            try request.limit?.check(matched, of: entity, on: connection)
            do throws(SQLiteError) {
                updated += try write(values, conditions + [differing])
            } catch {
                // What gathers the objects first can tell which of them are in each other's way.
                guard error.isUniqueness else { throw StoreError(error) }
                return nil
            }
        }
        if let someKey = notes.someKey {
            for assignment in assignments {
                let problem = try storing { () throws(SQLiteError) in
                    try broken(
                        assignment.column, "Z_PK = \(someKey)", connection, each: updated,
                        request.rules)
                }
                if let problem { throw StoreError(.validation, problem) }
            }
        }
        let ids = notes.tell(session)
        return BatchUpdateResult(
            matched: matched, updated: updated,
            objectIDs: request.resultType == .objectIDs ? ids : nil)
    }

    /// Notes which objects change.
    ///
    /// - Returns: how many match.
    private func read(
        _ conditions: [SQLFragment], _ differing: SQLFragment, _ notes: BatchUpdateNotes
    ) throws(SQLiteError) -> Int {
        let rows = try Self.reading(differing, entity, conditions).prepare(on: session.connection)
        var matched = 0
        while try rows.step() {
            matched += 1
            if rows.integer(2) != 0 { notes.add(rows.integer(0), entity: rows.integer(1)) }
        }
        return matched
    }

    private static func reading(
        _ differing: SQLFragment, _ entity: StoreSchema.Entity, _ conditions: [SQLFragment]
    ) -> SQLFragment {
        "SELECT t.Z_PK, t.Z_ENT, " + differing + " FROM \(entity.table) t"
            + whereClause(conditions)
    }

    /// Updates the objects that change, without a function in the statement: SQLite would keep
    /// every page as it was before, in case the function fails.
    ///
    /// - Returns: how many.
    private func write(
        _ values: [SQLFragment], _ conditions: [SQLFragment]
    ) throws(SQLiteError) -> Int {
        let sets =
            zip(assignments, values).map { "\($0.column.column) = " + $1 }
            + [SQLFragment("Z_OPT = Z_OPT + 1")]
        let update =
            "UPDATE \(entity.table) AS t SET " + sets.joined(separator: ", ")
            + Self.whereClause(conditions)
        return try update.run(on: session.connection)
    }

    /// Conditions for the parts in which the objects are read and written, so that what was read
    /// is still in the page cache when it is written; one empty list for all of it at once.
    ///
    /// There are parts where the whole table is read anyway, and nothing can end the update but
    /// its values, which are judged when all is done.
    private func pieces(
        _ conditions: [SQLFragment], _ request: BatchUpdateRequest
    ) throws(SQLiteError) -> [[SQLFragment]] {
        let connection = session.connection
        let columns = assignments.map { "'\($0.column.column)'" }.joined(separator: ", ")
        let unique = try connection.integer(
            """
            SELECT 1 FROM pragma_index_list('\(entity.table)') l, pragma_index_info(l.name) i \
            WHERE l."unique" AND (i.name IS NULL OR i.name IN (\(columns))) LIMIT 1
            """)
        let bounds = try connection.prepare("SELECT min(Z_PK), max(Z_PK) FROM \(entity.table)")
        defer { bounds.reset() }
        guard request.limit == nil, unique == nil, try bounds.step(),
            try scansAll(conditions), bounds.integer(0) < bounds.integer(1)
        else { return [[]] }
        let (first, last) = (bounds.integer(0), bounds.integer(1))
        let pages = max(1, try connection.integer("PRAGMA page_count") ?? 1)
        let kept = max(1, Int64(try connection.pageCacheKibibytes()) / 8)
        let keys = max(1000, (last - first + 1) / max(1, pages / kept))
        return stride(from: first, through: last, by: Int(keys)).map { low in
            let high = min(last, low + (keys - 1))
            return [
                SQLFragment("t.Z_PK BETWEEN ? AND ?", [.integer(low), .integer(high)])
            ]
        }
    }

    private func scansAll(_ conditions: [SQLFragment]) throws(SQLiteError) -> Bool {
        let reading = Self.reading(SQLFragment("1"), entity, conditions)
        let plan = try ("EXPLAIN QUERY PLAN " + reading).prepare(on: session.connection)
        defer { plan.reset() }
        return try plan.step() && plan.string(3).hasPrefix("SCAN t")
    }

    private static func whereClause(_ conditions: [SQLFragment]) -> SQLFragment {
        conditions.isEmpty
            ? SQLFragment("") : " WHERE " + conditions.joined(separator: " AND ")
    }
}
