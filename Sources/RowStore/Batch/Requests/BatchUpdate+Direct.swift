import GraphModel
import SQLite

extension BatchUpdate {
    /// Returns whether one statement can perform the update.
    ///
    /// This requires that a row's own columns decide whether it changes, and that all rows get the
    /// same new values, so that checking one row is enough. All rows must also get a new version.
    func isDirect(_ predicate: GraphPredicate?, _ request: BatchUpdateRequest) -> Bool {
        links.isEmpty && request.fetchLimit == nil && !hasRules
            && !session.hasWritten(entities: entity.familyNumbers)
            && assignments.allSatisfy(\.value.isConstant)
            && (predicate?.keyPaths ?? []).allSatisfy { path in
                path.count == 1 && entity.attributes[path[0]] != nil
            }
    }

    private var hasRules: Bool {
        session.schema.family(of: entity).contains { member in
            // An unreadable rule is reported by the code that checks the rules.
            (try? ValidationRules(of: member.name, in: session.schema.model).isEmpty) != true
        }
    }

    private func columns(of predicate: GraphPredicate?) -> [String] {
        (predicate?.keyPaths ?? []).compactMap { path in
            path.first.flatMap { entity.attributes[$0]?.column }
        }
    }

    /// Updates the objects without collecting them in a table first.
    ///
    /// - Returns: `nil` if a uniqueness constraint was violated; then nothing was changed.
    func runDirectly(
        where predicate: GraphPredicate?, sets values: [SQLFragment],
        _ differences: [SQLFragment], _ request: BatchUpdateRequest
    ) throws(StoreError) -> BatchUpdateResult? {
        try session.schema.requireWriting(entity)
        let connection = session.connection
        let differing = "(" + differences.joined(separator: " OR ") + ")"
        let isTold = try receivesUpdates()
        var reading = try EntitySelect(entity, where: predicate, in: session.schema)
        reading.clauses.columns =
            isTold ? [SQLFragment("count(*)")] : [SQLFragment("t.Z_PK, t.Z_ENT"), differing]
        let select = reading.statement
        let columns = assignments.map(\.column.column) + columns(of: predicate)
        var notes = BatchUpdateNotes(properties)
        // A limit must be checked before anything is written.
        let counting =
            isTold && request.limit == nil
            ? try ConcurrentCount(select.fragment, of: entity, alongside: session) : nil
        defer { counting?.stop() }
        var matched = 0
        if counting == nil {
            matched = try connection.withScanCache(of: entity.table, columns: columns) {
                () throws(StoreError) in try read(select, isCount: isTold, &notes)
            }
            try request.limit?.check(matched, of: entity, on: connection)
        }
        // The statement contains no function calls: with one, SQLite would journal every changed
        // page, in case the function fails.
        let sets =
            zip(assignments, values).map { "\($0.column.column) = " + $1 }
            + [SQLFragment(RowVersion.raise)]
        var changing = try EntitySelect(
            entity, where: predicate, in: session.schema, style: .subqueries)
        changing.keep(differing)
        let update =
            "UPDATE \(entity.table) AS t SET " + sets.joined(separator: ", ")
            + changing.clauses.filter
        let updated: Int
        do throws(StoreError) {
            updated = try connection.withScanCache(of: entity.table, columns: columns) {
                () throws(StoreError) in try write(update, isTold: isTold, &notes)
            }
            if let counting { matched = try counting.value() }
        } catch {
            // The path that collects the objects first can report which objects conflict.
            guard error.isUniqueness else { throw error }
            return nil
        }
        if let someKey = notes.someKey {
            for assignment in assignments {
                let problem = try broken(
                    assignment.column, "Z_PK = \(someKey)", connection, each: updated,
                    request.rules)
                if let problem { throw StoreError(.validation, problem) }
            }
        }
        let ids = notes.emit(session)
        return BatchUpdateResult(
            matched: matched, updated: updated,
            objectIDs: request.resultType == .objectIDs ? ids : nil)
    }

    /// Returns whether SQLite's update hook reports all updates.
    ///
    /// It gives the row ID but not the entity, and does not distinguish updates by triggers.
    private func receivesUpdates() throws(StoreError) -> Bool {
        guard entity.familyNumbers.count == 1 else { return false }
        return try !session.connection.hasTriggers(
            on: entity.table, of: session.schema.database(ofRoot: entity.rootNumber))
    }

    /// Counts the matching rows, and notes the rows to change if the update hook does not report
    /// them.
    private func read(
        _ select: SelectSQL, isCount: Bool, _ notes: inout BatchUpdateNotes
    ) throws(StoreError) -> Int {
        if isCount { return try select.integer(on: session.connection) }
        let rows = try select.prepare(on: session.connection)
        var matched = 0
        while try rows.step() {
            matched += 1
            if rows.integer(2) != 0 { notes.add(rows.integer(0), entity: rows.integer(1)) }
        }
        return matched
    }

    /// Runs the update, and returns the number of changed rows.
    private func write(
        _ update: SQLFragment, isTold: Bool, _ notes: inout BatchUpdateNotes
    ) throws(StoreError) -> Int {
        guard isTold else { return try update.run(on: session.connection) }
        return try session.connection.noteUpdates(of: entity.table) {
            notes.add($0, entity: entity.number)
        } during: { () throws(StoreError) in
            try update.run(on: session.connection)
        }
    }
}
