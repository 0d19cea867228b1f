import GraphModel

/// Where the objects of one old entity go.
struct ObjectMove {
    let old: StoreLayout.Entity
    let new: StoreLayout.Entity
    /// What is added to their keys, so that they stay apart from those of another hierarchy.
    var offset: Int64 = 0
    /// What is said of this move; nil where everything is inferred.
    var mapping: EntityMapping?
    /// Which of the objects go there; nil is all of them.
    var predicate: GraphPredicate?

    /// What a row of the old table must meet, as SQL.
    func condition(alias: String, _ schema: StoreLayout) throws(StoreError) -> SQLFragment {
        let entity = "\(alias).Z_ENT = \(old.number)"
        guard let predicate else { return SQLFragment(entity) }
        var compiler = PredicateSQL(
            KeyPathSQL(schema, old, alias: alias, style: .subqueries))
        return "\(entity) AND (" + (try compiler.condition(predicate)) + ")"
    }
}

/// Where all objects of a store go, and what that makes of the keys by which they are linked.
struct ObjectMoves {
    let old: StoreLayout
    let new: StoreLayout
    let all: [ObjectMove]

    /// A link's key and entity in the new store, as SQL over the old one.
    struct Link {
        var key: SQLFragment
        var entity: SQLFragment
        /// Whether each object that it may lead to is kept.
        var isWhole: Bool
    }

    /// The first move of each old entity of a family into a new family.
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

    /// What becomes of a key of an old family's object.
    ///
    /// - Parameters:
    ///   - key: the old key, as SQL.
    ///   - companion: the entity of the object that it leads to, as SQL, where a column has it.
    /// - Returns: nil where no object of the old family comes into the new one.
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

    /// `CASE … WHEN … END`, or the value alone where there is one.
    static func choice(of column: String, _ pairs: [(Int64, Int64)]) -> String {
        if let first = pairs.first, pairs.count == 1 { return "\(first.1)" }
        return "CASE \(column)" + pairs.map { " WHEN \($0.0) THEN \($0.1)" }.joined() + " END"
    }
}
