import GraphModel
import SQLite

/// A calculation of a migration's effects on a store.
struct MigrationPlanner {
    let source: MigrationSource
    let model: ManagedObjectModel

    /// Returns the plan, querying the store if the new model has stricter rules than the old one.
    func plan(_ script: MigrationScript) throws(StoreError) -> MigrationPlan {
        let diff = ModelDiff(
            ModelPairing(from: source.model, through: source.between, to: model))
        var plan = MigrationPlan()
        // An app does not migrate a store if the version hashes match.
        plan.isEmpty =
            source.schema.isOurs
            ? diff.isEmpty : source.model.versionHashes == model.versionHashes
        let counts = try source.counts()
        for change in diff.changes {
            let count = try self.count(change, script, counts)
            if change.effect == .none, count == nil, change.kind == .changed { continue }
            plan.steps.append(MigrationPlan.Step(change: change, count: count))
        }
        for entity in script.new.heldEntities where !entity.isAbstract {
            plan.objects[entity.name] = 0
        }
        for move in script.moves.all {
            plan.objects[move.new.name, default: 0] += try self.count(move, counts)
        }
        if script.unclear.isEmpty { try addLookedUp(script, to: &plan) }
        plan.needsTrial =
            !LinkCounts(script).isEmpty || script.moves.all.contains { $0.mapping != nil }
        plan.leftBehind = try leftBehind(script.moves, counts)
        plan.unclear = script.unclear
        if script.unclear.isEmpty {
            var found: [String] = []
            for check in script.checks {
                if let obstacle = try check.obstacle(on: source.connection) {
                    found.append(obstacle)
                }
            }
            plan.obstacles = found
        }
        if try ProgressNotes.exist(source.connection, source.path) {
            plan.obstacles.append(
                "a run on the store is unfinished, and `etl status` names it; complete it first: run"
                    + " its spec, import its files again, or replay its rejects")
        }
        let leftovers = try MigrationLeftovers(source, script.new)
        plan.notes = leftovers.notes
        if let frame = try AppStoreFrame(source, script) {
            plan.obstacles += frame.obstacles
            plan.obstacles += try frame.triggerObstacles(script.new, leftovers)
            plan.notes += frame.notes
        }
        return plan
    }

    private func count(_ move: ObjectMove, _ counts: [Int64: Int]) throws(StoreError) -> Int {
        guard move.predicate != nil else { return counts[move.old.number] ?? 0 }
        let sql =
            "SELECT count(*) FROM main.\(move.old.table) t WHERE "
            + (try move.condition(alias: "t", source.schema))
        return try number(sql)
    }

    /// Adds the objects that lookups create: one for each key without an object.
    private func addLookedUp(
        _ script: MigrationScript, to plan: inout MigrationPlan
    ) throws(StoreError) {
        let groups = Dictionary(grouping: script.lookups) {
            "\($0.destinationPlace.entity.number) \($0.destinationPlace.column)"
        }
        for lookups in groups.values {
            let (entity, column) = lookups[0].destinationPlace
            let keys = lookups.compactMap(\.keys)
            guard !keys.isEmpty else { continue }
            var sql =
                "SELECT count(DISTINCT value) FROM (" + keys.joined(separator: " UNION ")
                + ") WHERE value NOT NULL"
            let rows = script.tables.filter { $0.table == entity.table }
            if !rows.isEmpty {
                let family = entity.familyClause()
                sql =
                    sql + " AND value NOT IN (SELECT \(column) FROM ("
                    + rows.map { $0.select([column]) }.joined(separator: " UNION ALL ")
                    + ") WHERE \(column) NOT NULL\(family))"
            }
            plan.objects[entity.name, default: 0] += try number(sql)
        }
    }

    /// Returns the number of each old entity's objects that meet no condition of its mappings.
    private func leftBehind(
        _ moves: ObjectMoves, _ counts: [Int64: Int]
    ) throws(StoreError) -> [String: Int] {
        var found: [String: Int] = [:]
        for entity in source.schema.heldEntities {
            let own = moves.all.filter { $0.old.number == entity.number }
            guard let first = own.first, own.allSatisfy({ $0.predicate != nil }) else { continue }
            var condition = try first.condition(alias: "t", source.schema)
            for move in own.dropFirst() {
                condition =
                    condition + " OR " + (try move.condition(alias: "t", source.schema))
            }
            let kept = try number("SELECT count(*) FROM main.\(entity.table) t WHERE " + condition)
            let left = (counts[entity.number] ?? 0) - kept
            if left > 0 { found[entity.name] = left }
        }
        return found
    }

    private func number(_ sql: SQLFragment) throws(StoreError) -> Int {
        try sql.integer(on: source.connection)
    }

    /// Returns how many objects or values a difference removes or sets.
    private func count(
        _ change: ModelDiff.Change, _ script: MigrationScript, _ counts: [Int64: Int]
    ) throws(StoreError) -> Int? {
        let parts = change.subject.split(separator: ".", maxSplits: 1).map(String.init)
        guard let name = parts.first else { return nil }
        guard parts.count > 1 else {
            guard change.kind == .removed, let entity = source.schema.entity(named: name) else {
                return nil
            }
            return counts[entity.number] ?? 0
        }
        switch change.kind {
        case .changed: return nil
        case .added:
            guard let attribute = model.attribute(parts[1], of: name),
                attribute.defaultValue != nil, !attribute.isTransient
            else { return nil }
            let moves = script.moves.all.filter { script.new.isMember($0.new, of: name) }
            return moves.reduce(0) { $0 + (counts[$1.old.number] ?? 0) }
        case .removed:
            guard let old = script.pairing.oldName(of: name),
                let entity = source.schema.entity(named: old), source.schema.holds(entity)
            else { return nil }
            return try number(SQLFragment(Self.values(of: parts[1], in: entity)))
        }
    }

    /// Returns a query that counts a property's values.
    private static func values(of property: String, in entity: StoreLayout.Entity) -> String {
        let family = entity.familyClause(alias: "t.")
        let value =
            entity.attributes[property].map { "t.\($0.column)" }
            ?? entity.toOnes[property]?.key(of: "t")
        if let value {
            return "SELECT count(*) FROM main.\(entity.table) t WHERE \(value) NOT NULL\(family)"
        }
        switch entity.toManys[property] {
        case .foreignKey(let place):
            return "SELECT count(*) FROM main.\(place.table) WHERE \(place.column) NOT NULL"
        case .joinTable(let join): return "SELECT count(*) FROM main.\(join.table)"
        case nil: return "SELECT 0"
        }
    }
}
