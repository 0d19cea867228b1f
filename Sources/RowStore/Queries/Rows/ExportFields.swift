package import GraphModel

/// The fields in which exports write objects and links.
extension StoreLayout {
    /// Returns the attributes and to-one relationships of an entity's first uniqueness constraint;
    /// empty without one.
    package func key(of entity: String) -> [String] {
        model.uniquenessConstraints(of: entity).first ?? []
    }

    /// Returns the paths of the attributes that identify an entity's objects in every store.
    ///
    /// They are its key, in which the key of the destination replaces each relationship. For a line
    /// with the key `order`, `product`, they are `order.id` and `product.sku`.
    ///
    /// - Returns: no paths if there is no key, or if its relationships lead to an entity without one
    ///   or back to the entity itself. Links to these objects are primary keys.
    package func linkKey(of entity: String) -> [[String]] {
        paths(of: key(of: entity), in: entity, below: [])
    }

    /// Returns the paths of the attributes that identify the destinations of one object.
    ///
    /// If the inverse of a to-many relationship is part of the key, it is the same object for all
    /// of them, so its paths are omitted.
    package func linkKey(of relationship: RelationshipDescription) -> [[String]] {
        let destination = relationship.destinationEntityName
        let key = key(of: destination)
        let rest = relationship.isToMany ? key.filter { $0 != relationship.inverseName } : key
        return paths(of: rest.isEmpty ? key : rest, in: destination, below: [])
    }

    private func paths(
        of key: [String], in entity: String, below owners: Set<String>
    ) -> [[String]] {
        guard let place = self.entity(named: entity), !owners.contains(entity) else { return [] }
        var paths: [[String]] = []
        for name in key {
            if place.attributes[name] != nil {
                paths.append([name])
            } else if let elements = model.elements(of: name, in: entity) {
                paths += elements.map { [$0.name] }
            } else if let toOne = place.toOnes[name] {
                let destination = toOne.relationship.destinationEntityName
                let rest = self.paths(
                    of: self.key(of: destination), in: destination, below: owners.union([entity]))
                guard !rest.isEmpty else { return [] }
                paths += rest.map { [name] + $0 }
            }
        }
        return paths
    }

    /// Returns the fields with each link to a composite key replaced by its attributes: `peers`
    /// becomes `peers.a` and `peers.b`.
    ///
    /// The lists of one to-many have the same order of objects.
    ///
    /// - Parameter withToManys: whether to replace to-manys, too.
    package func spelledOut(
        _ fields: [[String]], of entity: String, withToManys: Bool
    ) -> [[String]] {
        var seen: Set<[String]> = []
        return fields.flatMap { field in
            guard let key = keyOfLink(at: field, from: entity, withToManys: withToManys),
                key.count > 1
            else { return [field] }
            return key.map { field + $0 }
        }.filter { seen.insert($0).inserted }
    }

    /// Returns the key of the entity at the end of a path of relationships; `nil` for other paths.
    private func keyOfLink(
        at field: [String], from entity: String, withToManys: Bool
    ) -> [[String]]? {
        var here = entity
        var key = linkKey(of: entity)
        for name in field {
            guard let relationship = model.relationship(name, of: here),
                withToManys || !relationship.isToMany
            else { return nil }
            here = relationship.destinationEntityName
            key = linkKey(of: relationship)
        }
        return key
    }

    /// Returns the members of exported objects if the export names no fields.
    ///
    /// They are the default fields, but with complete composites, and the to-manys.
    package func defaultMembers(of entity: String) -> [[String]] {
        var seen: Set<[String]> = []
        return defaultFields(of: entity, withToManys: true).map { field in
            field.count == 1 ? [String(field[0].prefix { $0 != "." })] : field
        }.filter { seen.insert($0).inserted }
    }

    /// Returns the fields of an export that names none.
    ///
    /// They are the key, the other attributes and composite elements by name, the keys of to-one
    /// destinations, and optionally the to-manys. The primary key is the first of them if links to
    /// these objects contain it.
    package func defaultFields(of entity: String, withToManys: Bool) -> [[String]] {
        guard let place = self.entity(named: entity) else { return [] }
        let key = key(of: entity)
        var fields: [[String]] = []
        if isLinkedByNumber(entity, withToManys: withToManys) {
            let isFree = model.isObjectNumber(ObjectNumber.key, of: entity)
            fields.append([isFree ? ObjectNumber.key : ObjectNumber.explicitKey])
        }
        for name in key { fields += linkFields(name, of: place) }
        fields += place.attributes.keys.filter { !key.contains($0) }.sorted().map { [$0] }
        let toMany = withToManys ? Array(place.toManys.keys) : []
        for name in (Array(place.toOnes.keys) + toMany).sorted() {
            fields += linkFields(name, of: place)
        }
        var seen: Set<[String]> = []
        return fields.filter { seen.insert($0).inserted }
    }

    /// Returns the default fields of a property: a to-one relationship is the key of its
    /// destination.
    private func linkFields(_ name: String, of place: Entity) -> [[String]] {
        guard let toOne = place.toOnes[name] else { return [[name]] }
        let key = linkKey(of: toOne.relationship.destinationEntityName)
        return key.isEmpty ? [[name]] : key.map { [name] + $0 }
    }

    /// Returns whether an exported link to objects of an entity can be a primary key.
    private func isLinkedByNumber(_ entity: String, withToManys: Bool) -> Bool {
        let ancestors = Set(model.lineage(of: entity).map(\.name))
        let heirs = Set(model.family(of: entity).map(\.name))
        return model.entities.flatMap(\.ownRelationships).contains { relationship in
            let destination = relationship.destinationEntityName
            return (withToManys || !relationship.isToMany) && !relationship.isTransient
                && (ancestors.contains(destination) || heirs.contains(destination))
                && linkKey(of: relationship).isEmpty
        }
    }
}
