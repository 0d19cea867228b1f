import Diagnostics
import GraphModel
import RecordStreams
import YAML

/// The mapping of relationships that imports fill.
extension StoreFit {
    /// Whether a column repeats the key of an object that another column links.
    ///
    /// Exports have such columns: `order.id` next to `order`.
    ///
    /// - Parameter names: the store's property for each column that has one.
    func isKeyAgain(_ source: String, _ names: [String: String], of entity: String) -> Bool {
        let column = source.replacing("\\", with: "")
        return names.contains { name in
            guard let link = model.relationship(name.value, of: entity), !link.isToMany,
                let key = key(of: link.destinationEntityName)
            else { return false }
            return column == "\(name.key).\(key)"
        }
    }

    /// Returns the mapping of a relationship from a column of keys.
    ///
    /// A list of keys fills a to-many relationship, and a single key a to-one relationship. A
    /// column without a value clears either.
    ///
    /// - Parameter own: The inferred entity of the records.
    /// - Returns: `nil` if the column does not hold keys of the objects.
    mutating func keys(
        from source: String, _ content: ColumnContent, to link: RelationshipDescription,
        of own: String
    ) -> YAMLNode? {
        let isTable = inference.isTable(own, stage: stageName)
        guard let key = key(of: link.destinationEntityName) else {
            return content == .nothing ? nothing(from: source, to: link, isTable) : nil
        }
        guard content != .others, link.isToMany || content != .lists else { return nil }
        let field =
            !link.isToMany
            ? YAMLNode(text: source)
            : isTable
                ? YAMLNode([
                    ("from", YAMLNode(text: source)),
                    ("split", YAMLNode(text: RecordEncoder.listSplit)),
                ])
                : YAMLNode(text: source + "[*]")
        var node = YAMLNode([("by", YAMLNode([(key, field)]))])
        if link.isToMany, isNameAlone(link.destinationEntityName) {
            node["missing"] = YAMLNode(text: "create")
        } else if mayStayEmpty(link, source, content, own) {
            node["missing"] = YAMLNode(text: "report")
        }
        return node
    }

    /// Whether keys that no object has leave the link empty, because the first import decided so
    /// and these files have only a few of them.
    ///
    /// Otherwise, the records are rejected, so that they do not empty links of the store.
    private mutating func mayStayEmpty(
        _ link: RelationshipDescription, _ source: String, _ content: ColumnContent,
        _ own: String
    ) -> Bool {
        guard PropertyOrigin(link.userInfo).reportsMissing else { return false }
        guard content != .nothing else { return true }
        guard let keys = inference.keys(in: source, of: own, stage: stageName, for: link.name),
            keys.areFewUnknown
        else {
            return false
        }
        current.unknownKeys += [keys.unknown].compactMap(\.self)
        return true
    }

    /// Returns a mapping that only clears a to-many relationship, for records without its objects.
    ///
    /// It is used if no single attribute identifies these objects. Returns `nil` if none is
    /// possible.
    private func nothing(
        from source: String, to link: RelationshipDescription, _ isTable: Bool
    ) -> YAMLNode? {
        let entity = link.destinationEntityName
        guard link.isToMany, !isTable,
            let key = model.uniquenessConstraints(of: entity).first(where: { key in
                key.allSatisfy { $0 == link.inverseName || model.attribute($0, of: entity) != nil }
            })
        else { return nil }
        let attributes = key.filter { $0 != link.inverseName }
        return YAMLNode([
            ("each", YAMLNode(text: source + "[*]")),
            ("key", YAMLNode(names: key)),
            ("set", YAMLNode(attributes.map { ($0, YAMLNode(text: $0)) })),
            ("set-only", .yes),
        ])
    }

    /// Returns whether an entity has only its key, as tags do, so that a link may create its
    /// objects.
    private func isNameAlone(_ entity: String) -> Bool {
        let attributes = model.attributes(of: entity).filter(\.takesValues)
        return attributes.count == 1 && attributes[0].type == .string
            && model.relationships(of: entity).allSatisfy(\.isToMany)
    }

    /// Fills properties from the fields of an object that is null.
    ///
    /// - Returns: whether the store has any such property.
    mutating func fill(
        partsOf source: String, _ content: ColumnContent, in block: inout FittedBlock,
        _ names: inout [String: String]
    ) -> Bool {
        guard !inference.isTable(block.own, stage: stageName), content == .nothing else {
            return false
        }
        var isFound = false
        for property in properties(of: block.entity) {
            guard let path = property.column, path.hasPrefix(source + "."),
                !names.values.contains(property.name)
            else { continue }
            if let attribute = model.attribute(property.name, of: block.entity) {
                current.attributes.append(attribute)
                block.fill(attribute.name, by: nil, path)
            } else if let link = model.relationship(property.name, of: block.entity),
                let node = keys(from: path, .nothing, to: link, of: block.own)
            {
                fill(link)
                block.links[link.name] = node
            } else {
                continue
            }
            names[path] = property.name
            isFound = true
        }
        return isFound
    }

    /// Returns the attribute that identifies the objects of an entity by itself.
    func key(of entity: String) -> String? {
        model.uniquenessConstraints(of: entity).first { $0.count == 1 }?.first
    }

    mutating func fill(_ relationship: RelationshipDescription) {
        current.links.append(relationship)
    }

    /// Fits one entry of `link`, or turns it into an attribute if the store has one.
    ///
    /// - Parameter match: the store's property for each column that has one.
    mutating func fit(
        link entry: YAMLEntry, _ match: [String: String], in block: inout FittedBlock,
        _ names: inout [String: String]
    ) throws(RunFailure) {
        let column = Self.column(of: entry)
        let declared = inferred.relationship(entry.key, of: block.own)
        if let name = match[column], let attribute = model.attribute(name, of: block.entity) {
            block.fill(attribute.name, by: nil, column)
            names[column] = attribute.name
            current.attributes.append(attribute)
            noteUnlinked(attribute, declared, of: block.entity)
            return
        }
        var found = match[column].flatMap { model.relationship($0, of: block.entity) }
        if found == nil, fill(wholeOf: column, in: &block, &names) { return }
        if found == nil, current.isJoin, let declared {
            found = manyToMany(of: block.entity, to: declared.destinationEntityName)
        }
        if found == nil, let declared,
            addsColumns || newEntities.contains(block.entity) || isNew(declared) || current.isJoin
        {
            found = try add(declared, from: column, to: block.entity)
        }
        guard let found, let declared else {
            current.skipped.append(column)
            return
        }
        guard let value = try value(of: entry, declared, to: found, in: block) else {
            current.withoutKey.append(column)
            return
        }
        names[column] = found.name
        names[entry.key] = found.name
        fill(found)
        block.links[found.name] = value
    }

    /// Records that the store has an attribute for a column of keys, as after an import without the
    /// file of the other entity.
    private mutating func noteUnlinked(
        _ attribute: AttributeDescription, _ declared: RelationshipDescription?, of entity: String
    ) {
        guard !isOfApp, !current.isJoin, let declared else { return }
        let other = declared.destinationEntityName
        let destination = InferredNames.match(other, model.entities.map(\.name)) ?? other
        let isLinked = model.relationships(of: entity).contains {
            $0.destinationEntityName == destination
        }
        guard !isLinked else { return }
        current.unlinked.append((attribute.name, destination))
    }

    /// Returns the mapping of a relationship; `nil` if the column holds neither its objects nor
    /// their keys.
    private mutating func value(
        of entry: YAMLEntry, _ declared: RelationshipDescription,
        to found: RelationshipDescription, in block: FittedBlock
    ) throws(RunFailure) -> YAMLNode? {
        guard entry.value["each"] == nil else {
            return try nested(entry.value, declared, to: found)
        }
        guard !newLinks.contains(where: { $0 == (block.entity, found.name) }), !current.isJoin,
            !newEntities.contains(block.entity)
        else {
            var value = entry.value
            value["by"] = by(value["by"], found.destinationEntityName)
            return value
        }
        let field = entry.value["by"]?.entries.first?.value
        let isList =
            Self.source(of: entry.value)?.hasSuffix("[*]") == true || field?["split"] != nil
        return keys(
            from: Self.column(of: entry), isList ? .lists : .scalars, to: found, of: block.own)
    }

    /// Fits a relationship to objects that are nested in the records.
    private mutating func nested(
        _ block: YAMLNode, _ declared: RelationshipDescription,
        to found: RelationshipDescription
    ) throws(RunFailure) -> YAMLNode? {
        let source = block["each"]?.text ?? ""
        guard found.isToMany || !source.hasSuffix("[*]") else { return nil }
        var inner: [String: String] = [:]
        let outer = current
        current = FittedImport(entity: found.destinationEntityName, files: outer.files)
        var value = try fit(
            block: block, of: declared.destinationEntityName, to: found.destinationEntityName,
            &inner)
        let inside = current
        current = outer
        current.skipped += inside.skipped.map { "\(source).\($0)" }
        current.unknownKeys += inside.unknownKeys
        current.withoutKey += inside.withoutKey.map { "\(source).\($0)" }
        if let into = value["into"]?.text {
            value["into"] = YAMLNode(text: try self.entity(into))
        }
        let own = (value["key"]?.itemsOrOne ?? []).compactMap(\.text).map { name in
            inner[name] ?? (name == declared.inverseName ? found.inverseName : nil) ?? name
        }
        guard let key = nestedKey(own, found, Set(inner.values)) else { return nil }
        value["key"] = YAMLNode(names: key)
        return value
    }

    /// Returns the key of nested objects, which is the store's as for all objects.
    ///
    /// - Parameters:
    ///   - own: the inferred key, by the store's names.
    ///   - filled: the properties that the nested objects fill.
    /// - Returns: `nil` if the store has a key and the records do not fill it.
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

    /// Returns the column that fills a relationship.
    static func column(of entry: YAMLEntry) -> String {
        let source = entry.value["each"]?.text ?? source(of: entry.value) ?? entry.key
        return source.replacing("[*]", with: "")
    }

    /// Returns the field that a link reads, if a single key identifies its objects.
    private static func source(of link: YAMLNode) -> String? {
        guard let by = link["by"]?.entries, by.count == 1 else { return nil }
        return StoreFit.source(by[0].value, by[0].key)
    }

    /// Returns the keys of a link with the store's names.
    private func by(_ node: YAMLNode?, _ destination: String) -> YAMLNode? {
        guard let node else { return nil }
        let names = model.attributes(of: destination).map(\.name)
        return YAMLNode(
            node.entries.map { entry in
                let folded = InferredNames.folded(entry.key)
                let name =
                    names.first { $0 == entry.key }
                    ?? names.first { InferredNames.folded($0) == folded } ?? key(of: destination)
                return (name ?? entry.key, entry.value)
            })
    }

    /// Returns the many-to-many relationship between two entities; `nil` if there is not exactly
    /// one.
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

    /// Whether this import adds the relationship, under its inferred name, to an entity.
    func isNewLink(_ entity: String, _ relationship: String) -> Bool {
        newLinks.contains {
            InferredNames.match(entity, [$0.entity]) != nil && $0.relationship == relationship
        }
    }

    /// Whether the relationship leads to an entity that this import adds.
    private func isNew(_ relationship: RelationshipDescription) -> Bool {
        newEntities.contains(relationship.destinationEntityName)
    }

    private mutating func add(
        _ declared: RelationshipDescription, from column: String, to entity: String
    ) throws(RunFailure) -> RelationshipDescription {
        let destination = try self.entity(declared.destinationEntityName)
        let own = inferred.relationship(
            declared.inverseName ?? "", of: declared.destinationEntityName)
        var relationship = declared
        var inverse = own ?? RelationshipDescription(name: "", destinationEntityName: entity)
        var taken = model.takenNames(in: entity)
        relationship.name = taken.claim(declared.name)
        if !current.isJoin {
            relationship.userInfo = PropertyOrigin.userInfo(
                declared.userInfo, of: column, fills: relationship.name)
        }
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
        newLinks.append((entity, relationship.name))
        let (added, back) = (relationship, inverse)
        try change { model throws(ModelError) in
            try model.adding(added, to: entity, inverse: back)
        }
        return relationship
    }
}
