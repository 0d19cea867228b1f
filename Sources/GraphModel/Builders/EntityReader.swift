import Diagnostics
import YAML

/// Reads one entity of a model.
enum EntityReader {
    static func read(
        _ name: String, _ place: SourceLocation, _ value: YAMLValue
    ) -> EntityDeclaration {
        var declared = EntityDeclaration(description: EntityDescription(name: name), place: place)
        guard let entity = value.mapping() else {
            declared.isLegible = false
            return declared
        }
        if let parent = entity.optional("parent") {
            declared.description.superentityName = parent.filledText()
            declared.parentPlace = parent.location
        }
        declared.description.isAbstract = entity.optional("abstract")?.boolean() ?? false
        declared.description.managedObjectClassName = entity.optional("class")?.filledText()
        declared.description.renamingIdentifier = entity.optional("renamed-from")?.filledText()
        declared.description.versionHashModifier = entity.optional("hash-modifier")?.scalarText()
        declared.description.userInfo = ModelReader.userInfo(entity.optional("info"))
        readProperties(entity, &declared)
        readConstraints(entity.optional("unique"), &declared)
        readIndexes(entity.optional("indexes"), &declared)
        for rule in entity.optional("validate")?.list() ?? [] {
            readRule(rule, &declared)
        }
        for entry in entity.optional("fetched")?.mapping()?.all() ?? [] {
            readFetched(entry.key, entry.value, &declared)
        }
        declared.description.extras = ModelReader.userInfo(entity.optional("xcode"))
        entity.finish()
        if !entity.misspelled.isDisjoint(with: ["attributes", "relationships", "parent"]) {
            declared.isLegible = false
        }
        return declared
    }

    private static func readProperties(_ entity: YAMLMapping, _ declared: inout EntityDeclaration) {
        let attributes = entity.optional("attributes")
        let relationships = entity.optional("relationships")
        declared.isLegible = attributes?.isMapping != false && relationships?.isMapping != false
        for entry in attributes?.mapping()?.all() ?? [] {
            declared.description.ownAttributes.append(AttributeReader.read(entry.key, entry.value))
            declared.attributePlaces.append(entry.keyLocation)
        }
        for entry in relationships?.mapping()?.all() ?? [] {
            let read = RelationshipReader.read(entry.key, entry.keyLocation, entry.value)
            declared.description.ownRelationships.append(read.description)
            declared.relationshipPlaces.append(read.places)
        }
    }

    private static func readConstraints(_ value: YAMLValue?, _ declared: inout EntityDeclaration) {
        for item in value?.list() ?? [] {
            guard item.isList else {
                item.fail(
                    "type", "'\(item.label)' must be a list of attributes, not \(item.kind)",
                    fix: "write one list for each constraint: `unique: [[name], [code, year]]`")
                continue
            }
            let names = ModelReader.names(item)
            if names.isEmpty { item.fail("type", "'\(item.label)' names no attribute") }
            declared.constraints.append(names)
            declared.description.uniquenessConstraints.append(names.map(\.name))
        }
    }

    /// Reads indexes from a mapping by name, or from a list of mappings with `name`.
    ///
    /// A list can repeat a name, as some Xcode models do.
    private static func readIndexes(_ value: YAMLValue?, _ declared: inout EntityDeclaration) {
        guard let value else { return }
        guard value.isList else {
            for entry in value.mapping()?.all() ?? [] {
                readIndex(entry.key, entry.value, &declared)
            }
            return
        }
        for item in value.list() ?? [] {
            guard let index = item.mapping() else { continue }
            readIndex(index.required("name")?.filledText(), index, item, &declared)
        }
    }

    /// Reads an index: `[a, b desc]`, or `{ properties: [a, b desc], where: "a != nil" }`.
    private static func readIndex(
        _ name: String, _ value: YAMLValue, _ declared: inout EntityDeclaration
    ) {
        if value.isMapping, let index = value.mapping() {
            readIndex(name, index, value, &declared)
        } else {
            addIndex(name, value.listOrOne() ?? [], nil, value, &declared)
        }
    }

    private static func readIndex(
        _ name: String?, _ index: YAMLMapping, _ value: YAMLValue,
        _ declared: inout EntityDeclaration
    ) {
        let items = index.required("properties")?.listOrOne() ?? []
        let predicate = index.optional("where")
        index.finish()
        if let name { addIndex(name, items, predicate, value, &declared) }
    }

    private static func addIndex(
        _ name: String, _ items: [YAMLValue], _ predicate: YAMLValue?, _ value: YAMLValue,
        _ declared: inout EntityDeclaration
    ) {
        var elements: [FetchIndexDescription.Element] = []
        var places: [PlacedName] = []
        for item in items {
            guard let element = readIndexElement(item) else { continue }
            elements.append(element)
            guard !element.isExpression else { continue }
            places.append(PlacedName(name: element.propertyName, place: item.location))
        }
        declared.description.indexes.append(
            FetchIndexDescription(
                name: name, elements: elements, partialIndexPredicate: predicate?.filledText()))
        declared.indexElements.append(places)
        declared.indexPredicatePlaces.append((predicate ?? value).location)
    }

    /// Reads a property name with an optional `asc` or `desc` after it.
    static func directed(_ item: YAMLValue) -> (property: String, isAscending: Bool)? {
        guard let text = item.filledText() else { return nil }
        let words = text.split(separator: " ").map(String.init)
        let order = words.count == 2 ? words[1].lowercased() : "asc"
        guard let property = words.first, words.count <= 2, ["asc", "desc"].contains(order)
        else {
            item.fail(
                "type", "'\(item.label)' must be a property, then asc or desc, not '\(text)'")
            return nil
        }
        return (property, order == "asc")
    }

    /// Reads an index element: `a desc`, or `{ expression: "…", order: desc, collation: RTree }`.
    private static func readIndexElement(_ item: YAMLValue) -> FetchIndexDescription.Element? {
        if item.isMapping, let element = item.mapping() {
            let expression = element.optional("expression")?.filledText()
            let property =
                expression == nil ? element.required("property")?.filledText() : nil
            let order = element.optional("order")?.choice(among: ["asc", "desc"])
            let collation = element.optional("collation")?
                .choice(FetchIndexDescription.Collation.self)
            element.finish()
            return (expression ?? property).map {
                .init(
                    propertyName: $0, isAscending: order != "desc",
                    collation: collation ?? .binary, isExpression: expression != nil)
            }
        }
        return directed(item).map { .init(propertyName: $0.property, isAscending: $0.isAscending) }
    }

    private static func readFetched(
        _ name: String, _ value: YAMLValue, _ declared: inout EntityDeclaration
    ) {
        guard let mapping = value.mapping() else { return }
        let requestName =
            mapping.optional("request")?.filledText() ?? FetchedPropertyDescription.requestName
        let request = ModelReader.template(requestName, mapping)
        let isOptional = mapping.optional("optional")?.boolean() ?? true
        let renamingIdentifier = mapping.optional("renamed-from")?.filledText()
        let info = ModelReader.userInfo(mapping.optional("info"))
        let extras = ModelReader.userInfo(mapping.optional("xcode-property"))
        mapping.finish()
        guard let request else { return }
        declared.description.fetchedProperties.append(
            FetchedPropertyDescription(
                name: name, request: request.description, isOptional: isOptional,
                renamingIdentifier: renamingIdentifier, userInfo: info, extras: extras))
        declared.fetchedPlaces.append(request.place)
    }

    private static func readRule(_ value: YAMLValue, _ declared: inout EntityDeclaration) {
        guard let rule = value.mapping() else { return }
        let text = rule.required("rule")
        let predicate = text?.filledText()
        let message = rule.required("message")?.filledText()
        rule.finish()
        guard let text, let predicate else { return }
        declared.rulePlaces.append(text.location)
        declared.description.validationRules.append(
            ValidationRule(predicate: predicate, message: message ?? ""))
    }
}
