import Diagnostics
import YAML

/// Reads one relationship.
enum RelationshipReader {
    /// Reads a relationship; if it cannot be read, its name is kept and its destination is empty.
    static func read(
        _ name: String, _ place: SourceLocation, _ value: YAMLValue
    ) -> (description: RelationshipDescription, places: RelationshipPlaces) {
        guard let mapping = value.mapping() else {
            let nowhere = RelationshipDescription(
                name: name, destinationEntityName: "", isToMany: false)
            return (
                nowhere,
                RelationshipPlaces(
                    place: place, destination: place, inverse: nil, deleteRule: nil)
            )
        }
        let to = mapping.required("to")
        let isToMany = mapping.optional("many")?.boolean() ?? false
        var relationship = RelationshipDescription(
            name: name, destinationEntityName: to?.filledText() ?? "", isToMany: isToMany)
        let inverse = mapping.optional("inverse")
        relationship.inverseName = inverse?.filledText()
        relationship.isOptional = mapping.optional("optional")?.boolean() ?? true
        relationship.isTransient = mapping.optional("transient")?.boolean() ?? false
        relationship.renamingIdentifier = mapping.optional("renamed-from")?.filledText()
        relationship.versionHashModifier = mapping.optional("hash-modifier")?.scalarText()
        relationship.userInfo = ModelReader.userInfo(mapping.optional("info"))
        let deleteRule = mapping.optional("delete")
        relationship.deleteRule = deleteRule?.choice(DeleteRule.self) ?? .nullify
        readMany(mapping, &relationship)
        relationship.extras = ModelReader.userInfo(mapping.optional("xcode"))
        mapping.finish()
        var places = RelationshipPlaces(
            place: place, destination: to?.location ?? place, inverse: inverse?.location,
            deleteRule: deleteRule?.location)
        places.isInverseLegible = !mapping.misspelled.contains("inverse")
        return (relationship, places)
    }

    private static func readMany(
        _ mapping: YAMLMapping, _ relationship: inout RelationshipDescription
    ) {
        if let value = mapping.optional("ordered") {
            relationship.isOrdered = value.boolean() ?? false
            if relationship.isOrdered, !relationship.isToMany { warnUnlessMany(value) }
        }
        guard let value = mapping.optional("count") else { return }
        guard let count = RangeReader.objectCounts(value) else { return }
        // Xcode's models can also set a minimum of 1 for a to-one relationship.
        if !relationship.isToMany, count.maximum != 1 { warnUnlessMany(value) }
        if count.maximum == 0, !(value.scalar?.text.hasSuffix("..") ?? false) {
            value.fail("range", "'count' allows no object at all")
        }
        relationship.minimumCount = count.minimum
        relationship.maximumCount = count.maximum
    }

    private static func warnUnlessMany(_ value: YAMLValue) {
        value.warn(
            "rule", RelationshipDescription.toOneProblem(key: value.label),
            fix: "remove it, or add `many: true`")
    }
}
