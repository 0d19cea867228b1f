import GraphModel

/// A foreign key column in the rows of one entity: each row's key refers to a linked object.
struct LinkColumn {
    /// The name of the key's column.
    let column: String
    /// The relationship that names the column: the row's own one, if there is one, or `back`.
    let name: String
    /// The column with the number of the linked object's entity; `nil` if only one entity is
    /// possible.
    let entityColumn: String?
    /// The column with the row's position in the ordered relationship of the linked object.
    let orderColumn: String?
    /// The row's own to-one relationship; `nil` if only the linked object's entity has a
    /// relationship.
    let forward: String?
    /// The relationship of the linked object's entity that refers back to the rows.
    let back: String?
    /// The entity that the keys refer to.
    let target: StoreLayout.Entity
    /// Whether the row must have a link.
    let isRequired: Bool

    /// Returns the values of the column and its entity and order columns, by column name.
    func values(
        key: SQLFragment, entity: SQLFragment, order: SQLFragment
    ) -> [String: SQLFragment] {
        var values = [column: key]
        if let entityColumn { values[entityColumn] = entity }
        if let orderColumn { values[orderColumn] = order }
        return values
    }

    /// Returns the position among the other object's ordered objects, as SQL over the alias `t`;
    /// NULL without a key.
    static func order(ifKey key: String) -> SQLFragment {
        SQLFragment("CASE WHEN \(key) NOT NULL THEN t.Z_PK * \(OrderPositions.step) END")
    }
}

/// The rows' links to other objects through one key column, as SQL that reads an existing store.
struct StoredLink {
    /// The linked object's key, as SQL that names the rows' table `t`.
    let key: String
    /// The number of the linked object's entity, as SQL; `nil` if there is only one, or if no
    /// column has it.
    let entity: String?
    /// The row's position in the ordered relationship of the linked object, as SQL.
    let order: String?
    /// The row's own to-one relationship; `nil` if only the linked object's entity has a
    /// relationship.
    let forward: String?
    /// The relationship of the linked object's entity that refers back to the rows.
    let back: String?
    /// The entity that the keys refer to.
    let target: StoreLayout.Entity

    fileprivate init(_ link: LinkColumn) {
        key = "t.\(link.column)"
        entity = link.entityColumn.map { "t.\($0)" }
        order = link.orderColumn.map { "t.\($0)" }
        (forward, back, target) = (link.forward, link.back, link.target)
    }

    fileprivate init(_ place: StoreLayout.ToOnePlace, _ target: StoreLayout.Entity) {
        key = place.key(of: "t")
        entity = place.entity(of: "t")
        order = nil
        forward = place.relationship.name
        back = place.relationship.inverseName
        self.target = target
    }
}

extension StoreLayout {
    /// Returns the links stored in an entity's rows, and those stored only at the inverse end.
    func storedLinks(of entity: Entity) -> [StoredLink] {
        let elsewhere = entity.toOnes.sorted { $0.key < $1.key }.map(\.value).filter {
            $0.columns == nil
        }
        return linkColumns(of: entity).map { StoredLink($0) }
            + elsewhere.compactMap { place in
                self.entity(named: place.relationship.destinationEntityName).map {
                    StoredLink(place, $0)
                }
            }
    }

    /// Returns the columns of an entity's rows that hold keys of other objects.
    func linkColumns(of entity: Entity) -> [LinkColumn] {
        var links = entity.toOnes.values.compactMap(\.columns).compactMap { columns in
            self.entity(named: columns.relationship.destinationEntityName).map { target in
                LinkColumn(
                    column: columns.column, name: columns.relationship.name,
                    entityColumn: columns.entityColumn, orderColumn: columns.orderColumn,
                    forward: columns.relationship.name, back: columns.relationship.inverseName,
                    target: target,
                    isRequired: !columns.relationship.isOptional)
            }
        }
        for owner in entities {
            for relationship in model.ownRelationships(named: owner.name)
            where relationship.inverseName == nil
                && isMember(
                    entity, of: relationship.destinationEntityName)
            {
                guard case .foreignKey(let place)? = owner.toManys[relationship.name] else {
                    continue
                }
                links.append(
                    LinkColumn(
                        column: place.column, name: relationship.name,
                        entityColumn: place.entityColumn, orderColumn: place.orderColumn,
                        forward: nil, back: relationship.name, target: owner, isRequired: false))
            }
        }
        return links.sorted { $0.column < $1.column }
    }

    /// Returns whether an entity is the named entity or one of its descendants.
    func isMember(_ entity: Entity, of name: String) -> Bool {
        model.lineage(of: entity.name).contains { $0.name == name }
    }
}

/// A lookup of the old link that a new link column continues.
struct LinkProjection {
    /// The result of the lookup.
    enum Source {
        /// The old store has the link.
        case stored(StoredLink)
        /// The link is new.
        case none
        /// The link is ambiguous, for the given reason.
        case unclear(String)
    }

    let moves: ObjectMoves
    let pairing: ModelPairing

    /// Returns the source of a new column's keys.
    func source(of link: LinkColumn, for move: ObjectMove) -> Source {
        let name = "\(move.new.name).\(link.forward ?? "")"
        let here = pairing.relationships(of: move.new.name, from: move.old.name)
        let forward = link.forward.flatMap { here[$0] }
        let back = link.back.flatMap { name in
            backPartner(name, of: link.target).map {
                (relationship: $0.relationship, path: "\(link.target.name).\(name)")
            }
        }
        if let forward, let back, back.relationship.inverseName != forward.name {
            return .unclear("\(name) and \(back.path) were not inverses of each other")
        }
        if let forward {
            guard !forward.isToMany else { return .unclear("\(name) leads to one object now") }
            if let problem = oneSided(forward, link, back: back?.relationship) {
                return .unclear(problem)
            }
            return found(move.old) { $0.forward == forward.name }
        }
        guard let back, moves.old.isMember(move.old, of: back.relationship.destinationEntityName)
        else { return .none }
        if let inverse = back.relationship.inverseName {
            guard moves.old.model.relationship(inverse, of: move.old.name)?.isToMany == false
            else {
                return .unclear("\(back.path) is no longer many-to-many")
            }
            return found(move.old) { $0.forward == inverse }
        }
        guard back.relationship.isToMany else {
            return .unclear("the links of \(back.path) are stored at the inverse end now")
        }
        return found(move.old) { $0.forward == nil && $0.back == back.relationship.name }
    }

    private func found(
        _ entity: StoreLayout.Entity, _ matches: (StoredLink) -> Bool
    ) -> Source {
        moves.old.storedLinks(of: entity).first(where: matches).map(Source.stored) ?? .none
    }

    /// Returns why a link cannot become one-to-one, which stores a key at both ends; `nil` if it
    /// can.
    private func oneSided(
        _ forward: RelationshipDescription, _ link: LinkColumn, back: RelationshipDescription?
    ) -> String? {
        guard let name = link.back,
            let inverse = moves.new.model.relationship(name, of: link.target.name),
            !inverse.isToMany
        else { return nil }
        let old = forward.inverseName.flatMap {
            moves.old.model.relationship($0, of: forward.destinationEntityName)
        }
        guard old?.isToMany != false else { return nil }
        return "\(link.target.name).\(name) leads to one object now, and several may lead to it"
    }

    /// Returns the old relationship that a relationship of a family continues.
    func backPartner(
        _ name: String, of entity: StoreLayout.Entity
    ) -> (relationship: RelationshipDescription, owner: StoreLayout.Entity)? {
        for move in moves.all where entity.familyNumbers.contains(move.new.number) {
            let partners = pairing.relationships(of: move.new.name, from: move.old.name)
            if let found = partners[name] { return (found, move.old) }
        }
        return nil
    }

    /// Returns the values of the column and its entity and order columns, by column name.
    ///
    /// - Returns: `nil` if no object moves to the target's family.
    func values(
        of link: LinkColumn, from source: StoredLink
    ) throws(StoreError) -> [String: SQLFragment]? {
        guard
            let found = try moves.link(
                source.key, companion: source.entity, from: source.target, to: link.target)
        else { return nil }
        return link.values(
            key: found.key, entity: found.entity,
            order: source.order.map { SQLFragment($0) } ?? LinkColumn.order(ifKey: source.key))
    }
}
