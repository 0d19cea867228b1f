import GraphModel

/// The move of one old entity's objects to a new entity.
struct ObjectMove {
    let old: StoreLayout.Entity
    let new: StoreLayout.Entity
    /// The offset of their new keys, which separates them from another hierarchy's keys.
    var offset: Int64 = 0
    /// The mapping of this move; `nil` if it is inferred.
    var mapping: EntityMapping?
    /// A predicate that selects the objects to move; `nil` moves all objects.
    var predicate: GraphPredicate?

    /// Returns the condition for old rows that move, as SQL.
    func condition(alias: String, _ schema: StoreLayout) throws(StoreError) -> SQLFragment {
        let entity = "\(alias).Z_ENT = \(old.number)"
        guard let predicate else { return SQLFragment(entity) }
        var compiler = PredicateSQL(
            KeyPathSQL(schema, old, alias: alias, style: .subqueries))
        return "\(entity) AND (" + (try compiler.condition(predicate)) + ")"
    }
}

/// The moves of all objects of a store, and the resulting keys of links.
struct ObjectMoves {
    let old: StoreLayout
    let new: StoreLayout
    let all: [ObjectMove]

    /// A link's key and entity in the new store, as SQL over the old one.
    struct Link {
        var key: SQLFragment
        var entity: SQLFragment
        /// Whether every object that it may refer to is kept.
        var isWhole: Bool
    }

    /// Returns the first move of each old entity of a family into a new family.
    private func moves(
        from target: StoreLayout.Entity, into destination: StoreLayout.Entity
    ) -> (moves: [ObjectMove], isWhole: Bool) {
        var moves: [ObjectMove] = []
        var isWhole = true
        for number in target.familyNumbers {
            guard let entity = old.entity(number: number), !entity.isAbstract else { continue }
            let move = all.first {
                $0.old.number == number && destination.familyNumbers.contains($0.new.number)
            }
            if let move { moves.append(move) }
            isWhole = isWhole && move != nil && move?.predicate == nil
        }
        return (moves, isWhole)
    }

    /// Returns the new value of a foreign key that refers to an object of an old family.
    ///
    /// - Parameters:
    ///   - key: The old key, as SQL.
    ///   - companion: The destination's entity, as SQL, if a column stores it.
    /// - Returns: `nil` if no object of the old family moves into the new one.
    func link(
        _ key: String, companion: String?, from target: StoreLayout.Entity,
        to destination: StoreLayout.Entity
    ) throws(StoreError) -> Link? {
        let (moves, isWhole) = moves(from: target, into: destination)
        guard let first = moves.first else { return nil }
        let isShifted = moves.contains { $0.offset != 0 }
        let isOneEntity = moves.allSatisfy { $0.new.number == first.new.number }
        guard !isWhole || isShifted else {
            let entity: String
            if isOneEntity {
                entity = "CASE WHEN \(key) NOT NULL THEN \(first.new.number) END"
            } else if let companion {
                entity = Self.choice(of: companion, moves.map { ($0.old.number, $0.new.number) })
            } else {
                entity =
                    "(SELECT \(Self.choice(of: "d.Z_ENT", moves.map { ($0.old.number, $0.new.number) }))"
                    + " FROM \(target.table) d WHERE d.Z_PK = \(key))"
            }
            return Link(key: SQLFragment(key), entity: SQLFragment(entity), isWhole: true)
        }
        var conditions: [SQLFragment] = []
        for move in moves { conditions.append("(" + (try move.condition(alias: "d", old)) + ")") }
        func found(_ value: String) -> SQLFragment {
            "(SELECT \(value) FROM \(target.table) d WHERE d.Z_PK = \(key) AND ("
                + conditions.joined(separator: " OR ") + "))"
        }
        let shift =
            isShifted
            ? " + " + Self.choice(of: "d.Z_ENT", moves.map { ($0.old.number, $0.offset) })
            : ""
        return Link(
            key: found("d.Z_PK\(shift)"),
            entity: found(Self.choice(of: "d.Z_ENT", moves.map { ($0.old.number, $0.new.number) })),
            isWhole: isWhole)
    }

    /// Returns `CASE … WHEN … END`, or only the value if there is one pair.
    static func choice(of column: String, _ pairs: [(Int64, Int64)]) -> String {
        if let first = pairs.first, pairs.count == 1 { return "\(first.1)" }
        return "CASE \(column)" + pairs.map { " WHEN \($0.0) THEN \($0.1)" }.joined() + " END"
    }
}
