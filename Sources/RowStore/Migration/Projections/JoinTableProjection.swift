import GraphModel

/// The rows of a new join table as queries over the old store.
struct JoinTableProjection {
    /// A source of old links, seen from the new relationship that names the table.
    struct Source {
        /// The tables that the query reads.
        var from: String
        var condition: String?
        /// The key of the object on the owner's side of a link, as SQL.
        var owner: String
        var destination: String
        var ownerEntity: StoreLayout.Entity
        var destinationEntity: StoreLayout.Entity
        /// The position of a link in the ordered relationship of the owner, as SQL; `nil` without
        /// an order.
        var forwardOrder: String?
        var backOrder: String?

        /// A string that is equal for the same links.
        var identity: String { from + (condition ?? "") + owner + destination }

        /// The same source with the two sides exchanged, so that the destination is the owner.
        var turned: Source {
            Source(
                from: from, condition: condition, owner: destination, destination: owner,
                ownerEntity: destinationEntity, destinationEntity: ownerEntity,
                forwardOrder: backOrder, backOrder: forwardOrder)
        }
    }

    let moves: ObjectMoves
    let pairing: ModelPairing
    /// The reasons why links would be lost.
    private(set) var unclear: [String] = []

    init(_ links: LinkProjection) {
        moves = links.moves
        pairing = links.pairing
    }

    /// Returns the statements that fill a table, one for each source of links.
    mutating func inserts(
        into table: StoreLayout.JoinTable
    ) throws(StoreError) -> [SQLFragment] {
        guard let end = moves.new.ends(of: table).first,
            let owner = moves.new.entity(named: declaring(end.name, in: end.entity.name, moves.new))
        else { return [] }
        let inverse = end.side.relationship.inverseName
        let back = inverse.flatMap { name -> StoreLayout.Join? in
            guard case .joinTable(let join)? = end.destination.toManys[name] else { return nil }
            return join
        }
        var inserts: [SQLFragment] = []
        for source in try sources(of: end, owner: owner) {
            guard
                let first = try moves.link(
                    source.owner, companion: nil, from: source.ownerEntity, to: owner)
            else {
                note(inverse, of: end.destination, leadingTo: owner, before: source.ownerEntity)
                continue
            }
            guard
                let second = try moves.link(
                    source.destination, companion: nil, from: source.destinationEntity,
                    to: end.destination)
            else {
                note(
                    end.name, of: end.entity, leadingTo: end.destination,
                    before: source.destinationEntity)
                continue
            }
            var names = [end.side.ownerColumn, end.side.destinationColumn]
            var values = [first.key + " AS a", second.key + " AS b"]
            if let column = end.side.orderColumn {
                names.append(column)
                values.append(
                    SQLFragment(
                        "\(source.forwardOrder ?? "\(source.destination) * \(OrderPositions.step)") AS c"
                    ))
            }
            if !end.side.isReflexive, let column = back?.orderColumn {
                names.append(column)
                values.append(
                    SQLFragment(
                        "\(source.backOrder ?? "\(source.owner) * \(OrderPositions.step)") AS e"))
            }
            let condition = source.condition.map { " WHERE \($0)" } ?? ""
            inserts.append(
                "INSERT OR IGNORE INTO new.\(table.name) (\(names.joined(separator: ", ")))"
                    + " SELECT * FROM (SELECT " + values.joined(separator: ", ")
                    + " FROM \(source.from)\(condition)) WHERE a NOT NULL AND b NOT NULL")
        }
        return inserts
    }

    /// Notes a relationship whose linked objects do not become objects of its new destination.
    private mutating func note(
        _ name: String?, of entity: StoreLayout.Entity, leadingTo new: StoreLayout.Entity,
        before old: StoreLayout.Entity
    ) {
        let isLookedUp = moves.all.contains { move in
            move.mapping?.lookups.contains { $0.relationship == name } == true
        }
        if let name, !isLookedUp {
            unclear.append("\(entity.name).\(name) leads to \(new.name), was \(old.name)")
        }
    }

    private func declaring(_ name: String, in entity: String, _ schema: StoreLayout) -> String {
        schema.model.declaringEntityName(of: name, in: entity) ?? entity
    }

    /// Returns every source of links of the relationship, without duplicates.
    private func sources(
        of end: JoinTableEnd, owner: StoreLayout.Entity
    ) throws(StoreError) -> [Source] {
        let (name, inverse) = (end.name, end.side.relationship.inverseName)
        let (destination, keepsReflexive) = (end.destination, end.side.isReflexive)
        var found: [String: Source] = [:]
        func collect(
            _ name: String, of end: StoreLayout.Entity, turning: Bool
        ) throws(StoreError) {
            for move in moves.all where end.familyNumbers.contains(move.new.number) {
                let partners = pairing.relationships(of: move.new.name, from: move.old.name)
                let mapped = try path(of: name, in: move)
                let paired = partners[name].flatMap {
                    source(of: $0, from: move.old, keepsReflexive: keepsReflexive)
                }
                guard let source = mapped ?? paired else { continue }
                found[source.identity] = turning ? source.turned : source
            }
        }
        try collect(name, of: owner, turning: false)
        if found.isEmpty, let inverse { try collect(inverse, of: destination, turning: true) }
        return found.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Returns the links at the end of a path that a mapping sets a relationship to.
    private func path(
        of relationship: String, in move: ObjectMove
    ) throws(StoreError) -> Source? {
        guard let keys = move.mapping?.path(of: relationship) else { return nil }
        var paths = KeyPathSQL(moves.old, move.old, alias: "t", style: .subqueries)
        let key = try paths.column(keys)
        guard let end = paths.entity(at: keys) else { return nil }
        return Source(
            from: "main.\(move.old.table) t",
            condition: "t.Z_ENT = \(move.old.number) AND \(key) NOT NULL", owner: "t.Z_PK",
            destination: key, ownerEntity: move.old, destinationEntity: end)
    }

    /// Returns the links of an old relationship.
    private func source(
        of relationship: RelationshipDescription, from entity: StoreLayout.Entity,
        keepsReflexive: Bool
    ) -> Source? {
        let schema = moves.old
        guard let destination = schema.entity(named: relationship.destinationEntityName),
            let owner = schema.entity(
                named: declaring(relationship.name, in: entity.name, schema))
        else { return nil }
        if let place = entity.toOnes[relationship.name] {
            let family = owner.familyClause(alias: "t.")
            let key = place.key(of: "t")
            return Source(
                from: "main.\(entity.table) t", condition: "\(key) NOT NULL\(family)",
                owner: "t.Z_PK", destination: key, ownerEntity: owner,
                destinationEntity: destination,
                backOrder: place.columns?.orderColumn.map { "t.\($0)" })
        }
        switch entity.toManys[relationship.name] {
        case .foreignKey(let place):
            return Source(
                from: "main.\(place.table) t", condition: "t.\(place.column) NOT NULL",
                owner: "t.\(place.column)", destination: "t.Z_PK", ownerEntity: owner,
                destinationEntity: destination, forwardOrder: place.orderColumn.map { "t.\($0)" })
        case .joinTable(let join):
            var backOrder: String?
            if let inverse = relationship.inverseName,
                case .joinTable(let other)? = destination.toManys[inverse], !join.isReflexive
            {
                backOrder = other.orderColumn.map { "j.\($0)" }
            }
            // A join row of a relationship that was its own inverse applies in both directions.
            let isTurned = join.isReflexive && !keepsReflexive
            return Source(
                from: isTurned ? "\(join.pairs) j" : "main.\(join.table) j",
                owner: "j.\(join.ownerColumn)",
                destination: "j.\(join.destinationColumn)", ownerEntity: owner,
                destinationEntity: destination, forwardOrder: join.orderColumn.map { "j.\($0)" },
                backOrder: backOrder)
        case nil: return nil
        }
    }
}
