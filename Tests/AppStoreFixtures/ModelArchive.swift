package import GraphModel

/// Archives a model as the framework of an app does in `Z_MODELCACHE`.
package struct ModelArchive {
    private let writer = ArchiveWriter()
    private let model: ManagedObjectModel
    private var entities: [String: Int] = [:]
    private var properties: [String: Int] = [:]

    package init(_ model: ManagedObjectModel) {
        self.model = model
    }

    /// The archive, not deflated yet.
    package static func bytes(of model: ManagedObjectModel) -> [UInt8] {
        var archive = ModelArchive(model)
        return archive.make()
    }

    private mutating func make() -> [UInt8] {
        let root = writer.reserve()
        for entity in model.entities {
            entities[entity.name] = writer.reserve()
            for name in names(of: entity) {
                properties["\(entity.name).\(name)"] = writer.reserve()
            }
        }
        for entity in model.entities { add(entity, root) }
        let byName = writer.dictionary(
            model.entities.map { (writer.text($0.name), entities[$0.name] ?? 0) })
        let identifiers = writer.list(model.versionIdentifiers.map(writer.text), kind: "NSSet")
        let requests = model.fetchRequestTemplates.map { template in
            (writer.text(template.name), request(template))
        }
        var entries: [(String, BinaryPlist)] = [
            ("NSEntities", .uid(byName)), ("NSVersionIdentifiers", .uid(identifiers)),
            ("NSFetchRequestTemplates", .uid(writer.dictionary(requests))),
            ("NSSomethingOfLater", .integer(7)),
        ]
        if !model.configurations.isEmpty {
            let members = model.configurations.sorted { $0.key < $1.key }.map { name, entities in
                let list = entities.map { self.entities[$0] ?? 0 }
                return (writer.text(name), writer.list(list, kind: "NSMutableSet"))
            }
            entries.append(("NSConfigurations", .uid(writer.dictionary(members))))
        }
        writer.fill(root, "NSManagedObjectModel", entries)
        return writer.archive(root: root)
    }

    private func names(of entity: EntityDescription) -> [String] {
        entity.ownAttributes.map(\.name) + entity.ownRelationships.map(\.name)
            + entity.fetchedProperties.map(\.name)
    }

    // MARK: Requests and indexes

    private func request(_ template: FetchRequestTemplate) -> Int {
        var entries: [(String, BinaryPlist)] = [
            ("NSEntity", .uid(entities[template.entityName] ?? 0)),
            ("NSFetchLimit", .integer(template.fetchLimit ?? 0)),
        ]
        appendPredicate(template.predicate, "NSPredicate", to: &entries)
        if let size = template.extras["fetchBatchSize"].flatMap({ Int($0) }) {
            entries.append(("NSBatchSize", .integer(size)))
        }
        return writer.object("NSFetchRequest", entries)
    }

    private func appendPredicate(
        _ text: String?, _ key: String, to entries: inout [(String, BinaryPlist)]
    ) {
        guard let predicate = text.flatMap({ try? GraphPredicate(format: $0) }) else { return }
        entries.append((key, .uid(PredicateArchive(writer).number(of: predicate))))
    }

    private func add(_ property: FetchedPropertyDescription, to entity: EntityDescription) {
        var entries = common(
            property.name, property.isOptional, entity, property.renamingIdentifier, nil)
        entries.append(("NSFetchRequest", .uid(request(property.request))))
        writer.fill(
            properties["\(entity.name).\(property.name)"] ?? 0, "NSFetchedPropertyDescription",
            entries)
    }

    private func number(of index: FetchIndexDescription, in entity: EntityDescription) -> Int {
        let elements = index.elements.map { element in
            writer.object(
                "NSFetchIndexElementDescription",
                [
                    ("NSPropertyName", .uid(writer.text(element.propertyName))),
                    ("NSFetchIndexElementType", .integer(element.collation == .rTree ? 1 : 0)),
                    ("NSAscending", .boolean(element.isAscending)),
                ])
        }
        var entries: [(String, BinaryPlist)] = [
            ("NSIndexName", .uid(writer.text(index.name))),
            ("NSIndexElements", .uid(writer.list(elements))),
            ("NSEntity", .uid(entities[entity.name] ?? 0)),
        ]
        appendPredicate(index.partialIndexPredicate, "NSPartialIndexPredicate", to: &entries)
        return writer.object("NSFetchIndexDescription", entries)
    }

    private func add(_ entity: EntityDescription, _ root: Int) {
        for attribute in entity.ownAttributes { add(attribute, to: entity) }
        for relationship in entity.ownRelationships { add(relationship, to: entity) }
        for property in entity.fetchedProperties { add(property, to: entity) }
        var all: [(Int, Int)] = []
        for ancestor in model.lineage(of: entity.name) {
            for name in names(of: ancestor) {
                let property = properties["\(ancestor.name).\(name)"] ?? 0
                // What is inherited is stood in for.
                let shown =
                    ancestor.name == entity.name
                    ? property
                    : writer.object(
                        "_NSPropertyDescriptionProxy",
                        [
                            ("NSUnderlyingProperty", .uid(property)),
                            ("NSEntityDescription", .uid(entities[entity.name] ?? 0)),
                        ])
                all.append((writer.text(name), shown))
            }
        }
        let children = model.entities.filter { $0.superentityName == entity.name }
        let tuples = entity.uniquenessConstraints.map { names in
            writer.list(names.map { properties["\(entity.name).\($0)"] ?? 0 })
        }
        var entries: [(String, BinaryPlist)] = [
            ("NSEntityName", .uid(writer.mutableText(entity.name))),
            ("NSManagedObjectModel", .uid(root)),
            (
                "NSClassNameForEntity",
                .uid(writer.text(entity.managedObjectClassName ?? entity.name))
            ),
            ("NSProperties", .uid(writer.dictionary(all))),
            (
                "NSSubentities",
                .uid(
                    writer.dictionary(
                        children.map { (writer.text($0.name), entities[$0.name] ?? 0) }))
            ),
            ("NSUniqueTuples", .uid(writer.list(tuples))),
            (
                "NSFetchIndexDescriptions",
                .uid(writer.list(entity.indexes.map { number(of: $0, in: entity) }))
            ),
        ]
        if entity.isAbstract { entries.append(("NSIsAbstract", .boolean(true))) }
        if let parent = entity.superentityName {
            entries.append(("NSSuperentity", .uid(entities[parent] ?? 0)))
        }
        append(entity.renamingIdentifier, "NSRenamingIdentifier", to: &entries)
        append(entity.versionHashModifier, "NSVersionHashModifier", to: &entries)
        writer.fill(entities[entity.name] ?? 0, "NSEntityDescription", entries)
    }

    private func append(
        _ text: String?, _ key: String, to entries: inout [(String, BinaryPlist)]
    ) {
        if let text { entries.append((key, .uid(writer.text(text)))) }
    }

    private func common(
        _ name: String, _ isOptional: Bool, _ entity: EntityDescription, _ renaming: String?,
        _ modifier: String?
    ) -> [(String, BinaryPlist)] {
        var entries: [(String, BinaryPlist)] = [
            ("NSPropertyName", .uid(writer.text(name))),
            ("NSEntity", .uid(entities[entity.name] ?? 0)),
        ]
        if isOptional { entries.append(("NSIsOptional", .boolean(true))) }
        append(renaming, "NSRenamingIdentifier", to: &entries)
        append(modifier, "NSVersionHashModifier", to: &entries)
        return entries
    }

    private func add(_ attribute: AttributeDescription, to entity: EntityDescription) {
        var entries = common(
            attribute.name, attribute.isOptional, entity, attribute.renamingIdentifier,
            attribute.versionHashModifier)
        entries.append(("NSAttributeType", .integer(Int(attribute.type.code))))
        var flags = 0
        if attribute.allowsExternalBinaryDataStorage { flags |= 4 }
        if attribute.preservesValueInHistoryOnDeletion { flags |= 16 }
        if flags != 0 { entries.append(("NSFlagsKey", .integer(flags))) }
        if attribute.isTransient { entries.append(("NSIsTransient", .boolean(true))) }
        append(attribute.transformerName, "NSValueTransformerName", to: &entries)
        switch attribute.defaultValue {
        case .integer(let value):
            entries.append(("NSDefaultValue", .uid(writer.add(.integer(Int(value))))))
        case .real(let value): entries.append(("NSDefaultValue", .uid(writer.add(.real(value)))))
        case .text(let value): append(value, "NSDefaultValue", to: &entries)
        case .blob, .null, nil: break
        }
        var kind = "NSAttributeDescription"
        if let derivation = attribute.derivationExpression {
            kind = "NSDerivedAttributeDescription"
            let path = writer.object(
                "NSKeyPathExpression", [("NSKeyPath", .uid(writer.text(derivation)))])
            entries.append(("NSDerivationExpression", .uid(path)))
        }
        writer.fill(properties["\(entity.name).\(attribute.name)"] ?? 0, kind, entries)
    }

    private func add(_ relationship: RelationshipDescription, to entity: EntityDescription) {
        let destination = relationship.destinationEntityName
        var entries = common(
            relationship.name, relationship.isOptional, entity, relationship.renamingIdentifier,
            relationship.versionHashModifier)
        let rules: [DeleteRule] = [.noAction, .nullify, .cascade, .deny]
        entries += [
            ("_NSDestinationEntityName", .uid(writer.text(destination))),
            ("NSDestinationEntity", .uid(entities[destination] ?? 0)),
            ("NSMaxCount", .integer(relationship.maximumCount)),
            ("NSMinCount", .integer(relationship.minimumCount)),
            ("NSDeleteRule", .integer(rules.firstIndex(of: relationship.deleteRule) ?? 1)),
        ]
        if let inverse = relationship.inverseName {
            let owner = model.declaringEntityName(of: inverse, in: destination) ?? destination
            entries += [
                ("_NSInverseRelationshipName", .uid(writer.text(inverse))),
                ("NSInverseRelationship", .uid(properties["\(owner).\(inverse)"] ?? 0)),
            ]
        }
        if relationship.isOrdered { entries.append(("NSIsOrdered", .boolean(true))) }
        writer.fill(
            properties["\(entity.name).\(relationship.name)"] ?? 0, "NSRelationshipDescription",
            entries)
    }
}
