import Diagnostics
import GraphModel
import YAML

/// Relationships that imports fill.
extension StoreFit {
    /// A to-one relationship that a column fills with the key of an object.
    struct ColumnLink {
        var relationship: RelationshipDescription
        /// The attribute of the key.
        var key: String

        var name: String { relationship.name }
    }

    /// Returns the to-one relationship for a column that holds keys: `artist` for `artistId`.
    func relationship(_ name: String, _ source: String, of entity: String) -> ColumnLink? {
        let folded = InferredNames.folded(name)
        for relationship in model.relationships(of: entity) where !relationship.isToMany {
            guard let key = key(of: relationship.destinationEntityName) else { continue }
            let own = InferredNames.folded(relationship.name)
            if [own, own + "id", own + InferredNames.folded(key)].contains(folded) {
                return ColumnLink(relationship: relationship, key: key)
            }
        }
        return nil
    }

    /// Returns the to-many relationship for a column of a table that holds lists of keys, as exports
    /// write them: `tags`, with `red|blue`.
    func listRelationship(_ name: String, of entity: String) -> ColumnLink? {
        let folded = InferredNames.folded(name)
        let found = model.relationships(of: entity).first {
            $0.isToMany && InferredNames.folded($0.name) == folded
        }
        return found.flatMap { relationship in
            key(of: relationship.destinationEntityName).map {
                ColumnLink(relationship: relationship, key: $0)
            }
        }
    }

    /// Whether a column has the key of the object that another column fills a relationship with, as
    /// in exports: `order.id` beside `order`.
    ///
    /// - Parameter names: the store's property for each column that has one.
    func isKeyAgain(_ source: String, of link: ColumnLink, _ names: [String: String]) -> Bool {
        let column = source.replacing("\\", with: "")
        return names.contains { $0.value == link.name && column == "\($0.key).\(link.key)" }
    }

    /// Returns the attribute that identifies the objects of an entity by itself.
    private func key(of entity: String) -> String? {
        model.uniquenessConstraints(of: entity).first { $0.count == 1 }?.first
    }

    mutating func fill(_ relationship: RelationshipDescription) {
        current.links.append(relationship)
    }

    /// Fits one entry of `link`, or turns it into an attribute if the store has one.
    mutating func fit(
        link entry: YAMLEntry, in block: inout YAMLNode, _ set: inout YAMLNode, of own: String,
        to entity: String, _ names: inout [String: String]
    ) throws(RunFailure) {
        let source = entry.value["each"]?.text ?? Self.source(of: entry.value) ?? entry.key
        let declared = inferred.relationship(entry.key, of: own)
        let column = source.replacing("[*]", with: "")
        var found =
            model.relationships(of: entity).first { $0.name == entry.key }
            ?? model.relationships(of: entity).first {
                InferredNames.folded($0.name) == InferredNames.folded(entry.key)
            }
        if found == nil, entry.value["each"] == nil {
            let name = InferredNames.property([column])
            if let attribute = property(name, column, of: entity),
                !names.values.contains(attribute.name)
            {
                block["link"]?[entry.key] = nil
                set[attribute.name] = YAMLNode(text: column)
                names[column] = attribute.name
                current.attributes.append(attribute)
                return
            }
            found = relationship(name, column, of: entity)?.relationship
        }
        if found == nil, current.isJoin, let declared {
            found = manyToMany(of: entity, to: declared.destinationEntityName)
        }
        // Another column fills it.
        if let taken = found, names.values.contains(taken.name) { found = nil }
        if found == nil, let declared,
            addsColumns || newEntities.contains(entity) || isNew(declared) || current.isJoin
        {
            found = try add(declared, to: entity)
        }
        guard let found, let declared else {
            block["link"]?[entry.key] = nil
            current.skipped.append(column)
            return
        }
        names[column] = found.name
        names[entry.key] = found.name
        fill(found)
        var value = entry.value
        if value["each"] != nil {
            var inner: [String: String] = [:]
            let outer = current
            current = FittedImport(entity: found.destinationEntityName, files: outer.files)
            value = try fit(
                block: value, of: declared.destinationEntityName,
                to: found.destinationEntityName, &inner)
            let inside = current
            current = outer
            current.skipped += inside.skipped.map { "\(source).\($0)" }
            current.withoutKey += inside.withoutKey.map { "\(source).\($0)" }
            if let into = value["into"]?.text {
                value["into"] = YAMLNode(text: try self.entity(into))
            }
            let own = (value["key"]?.itemsOrOne ?? []).compactMap(\.text).map { name in
                inner[name] ?? (name == declared.inverseName ? found.inverseName : nil) ?? name
            }
            guard let key = nestedKey(own, found, Set(inner.values)) else {
                block["link"]?[entry.key] = nil
                names[column] = nil
                names[entry.key] = nil
                current.links.removeLast()
                current.withoutKey.append(column)
                return
            }
            let nodes = key.map { YAMLNode(text: $0) }
            value["key"] =
                nodes.count == 1 ? nodes[0] : YAMLNode(.sequence(nodes), at: entry.value.mark)
        } else {
            value["by"] = try by(value["by"], found.destinationEntityName)
        }
        guard found.name != entry.key else {
            block["link"]?[entry.key] = value
            return
        }
        block["link"]?[entry.key] = nil
        block["link"]?[found.name] = value
    }

    /// Returns the key of the objects of a relationship: the store's, as of all objects.
    ///
    /// - Parameters:
    ///   - own: the inferred key, by the store's names.
    ///   - filled: the properties that the objects in the records fill.
    /// - Returns: nil if the store has a key, and the records do not fill it.
    private func nestedKey(
        _ own: [String], _ relationship: RelationshipDescription, _ filled: Set<String>
    ) -> [String]? {
        let entity = relationship.destinationEntityName
        let keys = model.uniquenessConstraints(of: entity)
        guard !newEntities.contains(entity), !keys.isEmpty else { return own }
        if keys.contains(where: { Set($0) == Set(own) }) { return own }
        let known = filled.union([relationship.inverseName].compactMap(\.self))
        return keys.first(where: known.isSuperset)
    }

    /// The column of a link that looks objects up by one key.
    private static func source(of link: YAMLNode) -> String? {
        guard let by = link["by"]?.entries, by.count == 1 else { return nil }
        return StoreFit.source(by[0].value, by[0].key)
    }

    /// Returns the keys of a link by the names that the store has for them.
    private func by(_ node: YAMLNode?, _ destination: String) throws(RunFailure) -> YAMLNode? {
        guard let node else { return nil }
        return YAMLNode(
            node.entries.map { entry in
                if property(entry.key, entry.key, of: destination)?.name == entry.key {
                    return (entry.key, entry.value)
                }
                let other = property(entry.key, entry.key, of: destination)?.name
                return (other ?? key(of: destination) ?? entry.key, entry.value)
            })
    }

    /// Returns the only relationship between two entities of the kind that a join table fills.
    private func manyToMany(of entity: String, to own: String) -> RelationshipDescription? {
        let destination = InferredNames.match(own, model.entities.map(\.name)) ?? own
        let found = model.relationships(of: entity).filter { relationship in
            guard relationship.isToMany, relationship.destinationEntityName == destination else {
                return false
            }
            let inverse = relationship.inverseName
            return model.relationships(of: destination).contains {
                $0.name == inverse && $0.isToMany
            }
        }
        return found.count == 1 ? found.first : nil
    }

    /// Whether the relationship leads to an entity that this import adds.
    private func isNew(_ relationship: RelationshipDescription) -> Bool {
        newEntities.contains(relationship.destinationEntityName)
    }

    private mutating func add(
        _ declared: RelationshipDescription, to entity: String
    ) throws(RunFailure) -> RelationshipDescription {
        let destination = try self.entity(declared.destinationEntityName)
        let own = inferred.relationship(
            declared.inverseName ?? "", of: declared.destinationEntityName)
        var relationship = declared
        var inverse = own ?? RelationshipDescription(name: "", destinationEntityName: entity)
        var taken = model.takenNames(in: entity)
        relationship.name = taken.claim(declared.name)
        if destination != entity { taken = model.takenNames(in: destination) }
        inverse.name = taken.claim(own?.name ?? InferredNames.lowered(entity))
        relationship.destinationEntityName = destination
        relationship.inverseName = inverse.name
        inverse.destinationEntityName = entity
        inverse.inverseName = relationship.name
        if !newEntities.contains(entity) {
            try add(property: "\(entity).\(relationship.name) → \(destination)")
        } else if !newEntities.contains(destination) {
            try add(property: "\(destination).\(inverse.name) → \(entity)")
        }
        let (added, back) = (relationship, inverse)
        try change { model throws(ModelError) in
            try model.adding(added, to: entity, inverse: back)
        }
        return relationship
    }
}
