import Diagnostics
import YAML

/// Reads one entity of a model.
enum EntityReader {
    static func read(
        _ name: String, _ place: SourceLocation, _ value: YAMLValue
    ) -> EntityDeclaration {
        var declared = EntityDeclaration(description: EntityDescription(name: name), place: place)
        guard let entity = value.mapping() else { return declared }
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
        for entry in entity.optional("indexes")?.mapping()?.all() ?? [] {
            readIndex(entry.key, entry.value, &declared)
        }
        for rule in entity.optional("validate")?.list() ?? [] {
            readRule(rule, &declared)
        }
        entity.notSupportedYet("fetched", "xcode")
        entity.finish()
        return declared
    }

    private static func readProperties(_ entity: YAMLMapping, _ declared: inout EntityDeclaration) {
        for entry in entity.optional("attributes")?.mapping()?.all() ?? [] {
            declared.description.ownAttributes.append(AttributeReader.read(entry.key, entry.value))
            declared.attributePlaces.append(entry.keyLocation)
        }
        for entry in entity.optional("relationships")?.mapping()?.all() ?? [] {
            let read = RelationshipReader.read(entry.key, entry.keyLocation, entry.value)
            guard let read else { continue }
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

    /// `[a, b desc]`, or `{ properties: [a, b desc] }`.
    private static func readIndex(
        _ name: String, _ value: YAMLValue, _ declared: inout EntityDeclaration
    ) {
        var items: [YAMLValue] = []
        if value.isMapping, let index = value.mapping() {
            items = index.required("properties")?.listOrOne() ?? []
            index.notSupportedYet("where")
            index.finish()
        } else {
            items = value.listOrOne() ?? []
        }
        var elements: [FetchIndexDescription.Element] = []
        var places: [PlacedName] = []
        for item in items {
            guard let text = item.filledText() else { continue }
            let words = text.split(separator: " ").map(String.init)
            let order = words.count == 2 ? words[1].lowercased() : "asc"
            guard let property = words.first, words.count <= 2, ["asc", "desc"].contains(order)
            else {
                item.fail(
                    "type", "'\(item.label)' must be a property, then asc or desc, not '\(text)'")
                continue
            }
            elements.append(.init(propertyName: property, isAscending: order == "asc"))
            places.append(PlacedName(name: property, place: item.location))
        }
        declared.description.indexes.append(FetchIndexDescription(name: name, elements: elements))
        declared.indexElements.append(places)
    }

    private static func readRule(_ value: YAMLValue, _ declared: inout EntityDeclaration) {
        guard let rule = value.mapping() else { return }
        let text = rule.required("rule")
        let predicate = text?.filledText()
        let message = rule.required("message")?.filledText()
        rule.finish()
        guard let text, let predicate, let message else { return }
        declared.rulePlaces.append(text.location)
        declared.description.validationRules.append(
            ValidationRule(predicate: predicate, message: message))
    }
}
