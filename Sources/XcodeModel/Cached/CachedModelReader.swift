import GraphModel

/// A reader that creates a model from its archive.
struct CachedModelReader {
    /// Limits that no real model exceeds.
    private static let entitiesMax = 10_000
    private static let propertiesMax = 200_000
    private static let depthMax = 100

    private(set) var leftOut: [String] = []
    /// Each composite that was left out, as `Entity.attribute`.
    private(set) var composites: [String] = []
    private var propertyCount = 0

    mutating func model(_ root: ArchivedNode) throws(ArchiveFault) -> ManagedObjectModel {
        guard let archived = root["NSEntities"]?.entries, !archived.isEmpty else {
            throw ArchiveFault("the archived model has no entities")
        }
        guard archived.count <= Self.entitiesMax else {
            throw ArchiveFault("the archived model has \(archived.count) entities")
        }
        var entities: [EntityDescription] = []
        for (_, node) in archived { entities.append(try entity(node)) }
        let names = Set(entities.map(\.name))
        for place in entities.indices { leaveOutLinks(of: &entities[place], into: names) }
        leaveOutIndexes(of: &entities)
        do throws(ModelError) {
            return try ManagedObjectModel(
                entities: entities,
                versionIdentifiers: (root["NSVersionIdentifiers"]?.items ?? []).compactMap(\.text)
                    .sorted(),
                configurations: Self.configurations(root, names),
                fetchRequestTemplates: templates(root, names))
        } catch {
            throw ArchiveFault("the archived model is inconsistent: \(error)")
        }
    }

    /// Records a part of the archive that the model omits.
    mutating func leaveOut(_ sentence: String) {
        leftOut.append(sentence)
    }

    /// Removes relationships and fetched properties whose destination entities do not exist.
    ///
    /// No store has objects of these entities.
    private mutating func leaveOutLinks(of entity: inout EntityDescription, into names: Set<String>)
    {
        for relationship in entity.ownRelationships
        where !names.contains(relationship.destinationEntityName) {
            leftOut.append(
                "\(entity.name).\(relationship.name) leads to"
                    + " '\(relationship.destinationEntityName)', which the model does not have")
        }
        entity.ownRelationships.removeAll { !names.contains($0.destinationEntityName) }
        for property in entity.fetchedProperties
        where !names.contains(property.request.entityName) {
            leftOut.append(
                "\(entity.name).\(property.name) fetches '\(property.request.entityName)', which the"
                    + " model does not have")
        }
        entity.fetchedProperties.removeAll { !names.contains($0.request.entityName) }
        // The archive has them in the order of a hash table.
        entity.fetchedProperties.sort { $0.name < $1.name }
    }

    // MARK: Entities

    private mutating func entity(_ node: ArchivedNode) throws(ArchiveFault) -> EntityDescription {
        guard let name = node["NSEntityName"]?.text, Self.isName(name) else {
            throw ArchiveFault("an archived entity has no name")
        }
        let parent = try parent(of: node, name)
        let inherited = Set((parent?["NSProperties"]?.entries ?? []).compactMap(\.key.text))
        // A class without a name is `NSManagedObject`; `nil` means the entity's own name.
        let className = node["NSClassNameForEntity"]?.text ?? "NSManagedObject"
        var entity = EntityDescription(
            name: name, superentityName: parent?["NSEntityName"]?.text,
            isAbstract: node.isTrue("NSIsAbstract"),
            managedObjectClassName: className == name ? nil : className,
            uniquenessConstraints: Self.constraints(node),
            renamingIdentifier: Self.renaming(node, name),
            versionHashModifier: node["NSVersionHashModifier"]?.text, userInfo: Self.userInfo(node))
        // Sort by name: the archive has the order of a hash table.
        let properties = (node["NSProperties"]?.entries ?? []).compactMap { key, value in
            key.text.map { ($0, value) }
        }.sorted { $0.0 < $1.0 }
        for (key, value) in properties where !inherited.contains(key) {
            try add(underlying(value), to: &entity)
        }
        entity.indexes = indexes(node, of: name, inheriting: parent)
        entity.extras = Self.compoundIndexes(node, inAdditionTo: entity.indexes)
        leaveOutImpliedIndexes(of: &entity)
        return entity
    }

    /// Returns the parent entity; throws if it has more than 100 ancestors or a cycle of them.
    private func parent(of node: ArchivedNode, _ name: String) throws(ArchiveFault) -> ArchivedNode?
    {
        let parent = node["NSSuperentity"]
        var (next, depth) = (parent, 0)
        while let ancestor = next {
            depth += 1
            guard depth <= Self.depthMax else {
                throw ArchiveFault("the entity '\(name)' has no root")
            }
            next = ancestor["NSSuperentity"]
        }
        return parent
    }

    /// Returns the property itself if the node is a proxy for it.
    ///
    /// Inherited and shared properties may be archived as proxies.
    private func underlying(_ node: ArchivedNode) -> ArchivedNode {
        var node = node
        for _ in 0..<Self.depthMax {
            guard let inner = node["NSUnderlyingProperty"] else { break }
            node = inner
        }
        return node
    }

    private mutating func add(
        _ node: ArchivedNode, to entity: inout EntityDescription
    ) throws(ArchiveFault) {
        propertyCount += 1
        guard propertyCount <= Self.propertiesMax else {
            throw ArchiveFault("the archived model has too many properties")
        }
        guard let name = node["NSPropertyName"]?.text, Self.isName(name) else {
            throw ArchiveFault("a property of the entity '\(entity.name)' has no name")
        }
        if node["NSAttributeType"] != nil {
            if let attribute = attribute(node, name, of: entity.name) {
                entity.ownAttributes.append(attribute)
            }
        } else if let destination = Self.destination(node) {
            entity.ownRelationships.append(Self.relationship(node, name, to: destination))
        } else if let request = node["NSFetchRequest"] {
            guard let property = fetchedProperty(node, name, request, of: entity.name) else {
                return
            }
            entity.fetchedProperties.append(property)
        } else {
            leftOut.append(
                "\(entity.name).\(name) is a \(node.className ?? "thing") without a column")
        }
    }

    // MARK: Attributes

    private mutating func attribute(
        _ node: ArchivedNode, _ name: String, of entity: String
    ) -> AttributeDescription? {
        let code = node["NSAttributeType"]?.integer ?? 0
        guard let type = AttributeType.allCases.first(where: { Int64($0.code) == code }) else {
            leftOut.append("\(entity).\(name) is of the type \(code), which is not known")
            return nil
        }
        guard type != .composite else {
            composites.append("\(entity).\(name)")
            leftOut.append(
                "\(entity).\(name) is a composite, and where an app's store keeps one is not known")
            return nil
        }
        let flags = node["NSFlagsKey"]?.integer ?? 0
        let isDerived =
            node.className?.contains("Derived") == true || node["NSDerivationExpression"] != nil
        let derivation = node["NSDerivationExpression"].flatMap { ArchivedExpression.text(of: $0) }
        var attribute = AttributeDescription(
            name: name, type: type, isOptional: node.isTrue("NSIsOptional"),
            defaultValue: node["NSDefaultValue"].flatMap { Self.stored($0, type) },
            isTransient: node.isTrue("NSIsTransient"),
            allowsExternalBinaryDataStorage: type == .binary && flags & 4 != 0,
            preservesValueInHistoryOnDeletion: flags & 16 != 0,
            derivationExpression: derivation, renamingIdentifier: Self.renaming(node, name),
            versionHashModifier: node["NSVersionHashModifier"]?.text,
            transformerName: type == .transformable
                ? node["NSValueTransformerName"]?.text.map(TransformerNames.ours) : nil,
            userInfo: Self.userInfo(node))
        if type == .transformable {
            attribute.extras["customClassName"] = node["NSAttributeValueClassName"]?.text
            if let value = node["NSDefaultValue"] {
                leftOut.append(
                    "The default value of \(entity).\(name) is left out: it is an object of the"
                        + " app's class '\(value.className ?? "unknown")'")
            }
        }
        if node.isTrue("NSIsIndexed") { attribute.extras["indexed"] = "YES" }
        readRules(node, &attribute, of: entity)
        if isDerived, derivation == nil {
            attribute.extras["derived"] = "YES"
            leftOut.append("\(entity).\(name) is derived by an expression that cannot be read")
        }
        return attribute
    }

    /// Reads the predicates on the attribute's value, each with its message.
    private mutating func readRules(
        _ node: ArchivedNode, _ attribute: inout AttributeDescription, of entity: String
    ) {
        let messages = node["NSValidationWarnings"]?.items ?? []
        var rules: [ValidationRule] = []
        for (place, item) in (node["NSValidationPredicates"]?.items ?? []).enumerated() {
            guard let predicate = ArchivedPredicate.text(of: item) else {
                leftOut.append(
                    "A rule of \(entity).\(attribute.name) has a predicate that cannot be read")
                continue
            }
            let message = messages.indices.contains(place) ? messages[place] : nil
            rules.append(
                ValidationRule(
                    predicate: predicate,
                    message: message?.text ?? message?.integer.map { "\($0)" } ?? ""))
        }
        if !rules.isEmpty { ArchivedRules.apply(rules, to: &attribute) }
    }

    private static func stored(_ node: ArchivedNode, _ type: AttributeType) -> StoredValue? {
        switch type {
        case .integer16, .integer32, .integer64, .boolean: node.integer.map(StoredValue.integer)
        case .double, .float: node.real.map(StoredValue.real)
        case .decimal: (node.real ?? ArchivedDecimal.value(of: node)).map(StoredValue.real)
        case .date: (node.date ?? node.real).map(StoredValue.real)
        case .string: node.text.map(StoredValue.text)
        case .uri: (node.text ?? node["NS.relative"]?.text).map(StoredValue.text)
        case .uuid: (node["NS.uuidbytes"]?.data).map(StoredValue.blob)
        case .binary: node.data.map(StoredValue.blob)
        case .transformable, .composite, .undefined: nil
        }
    }

    // MARK: Relationships

    private static func destination(_ node: ArchivedNode) -> String? {
        node["_NSDestinationEntityName"]?.text
            ?? node["NSDestinationEntity"]?["NSEntityName"]?.text
    }

    private static func relationship(
        _ node: ArchivedNode, _ name: String, to destination: String
    ) -> RelationshipDescription {
        let maximum = Int(node["NSMaxCount"]?.integer ?? 0)
        let rules: [DeleteRule] = [.noAction, .nullify, .cascade, .deny]
        let rule = Int(node["NSDeleteRule"]?.integer ?? 0)
        return RelationshipDescription(
            name: name, destinationEntityName: destination,
            inverseName: node["_NSInverseRelationshipName"]?.text
                ?? node["NSInverseRelationship"]?["NSPropertyName"]?.text,
            isToMany: maximum != 1, isOrdered: node.isTrue("NSIsOrdered"),
            isOptional: node.isTrue("NSIsOptional"),
            deleteRule: rules.indices.contains(rule) ? rules[rule] : .nullify,
            minimumCount: Int(node["NSMinCount"]?.integer ?? 0), maximumCount: maximum,
            isTransient: node.isTrue("NSIsTransient"),
            renamingIdentifier: renaming(node, name),
            versionHashModifier: node["NSVersionHashModifier"]?.text, userInfo: userInfo(node))
    }

    // MARK: Parts

    private static func constraints(_ node: ArchivedNode) -> [[String]] {
        (node["NSUniqueTuples"]?.items ?? []).compactMap { tuple in
            let names = (tuple.items ?? [tuple]).compactMap {
                $0.text ?? $0["NSPropertyName"]?.text
            }
            return names.isEmpty ? nil : names
        }
    }

    /// Returns the old name of a renamed element; `nil` if the element was not renamed.
    ///
    /// Core Data stores the current name there if the element was not renamed.
    static func renaming(_ node: ArchivedNode, _ name: String) -> String? {
        let identifier = node["NSRenamingIdentifier"]?.text
        return identifier == name ? nil : identifier
    }

    static func userInfo(_ node: ArchivedNode) -> [String: String] {
        Dictionary(
            (node["NSUserInfo"]?.entries ?? []).compactMap { key, value in
                guard let key = key.text, let value = value.text else { return nil }
                return (key, value)
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns whether a name is valid; names become columns and therefore SQL.
    static func isName(_ name: String) -> Bool {
        name.utf8.count <= 512 && ColumnNames.isSafe(name)
    }
}
