import Diagnostics
import GraphModel

/// Links.
extension SpecificationChecker {
    mutating func checkLink(_ link: LinkMapping, _ entity: EntityDescription) {
        guard let relationship = relationship(link.relationship, of: entity) else { return }
        guard let target = target(of: link, relationship) else { return }
        checkBy(link, target)
        if link.many != nil, !relationship.isToMany {
            error(
                "rule", "'many' is for relationships to many objects",
                link.relationship.location, fix: "remove it")
        }
        if link.missing == .null, !relationship.isOptional {
            error(
                "rule",
                "`missing: null` would leave '\(relationship.name)' empty, which is not optional",
                link.missingLocation, fix: "use create or reject")
        }
        if link.missing == .create { checkCreation(link, target) }
    }

    private mutating func relationship(
        _ name: PlacedText, of entity: EntityDescription
    ) -> RelationshipDescription? {
        if let found = model.relationship(name.text, of: entity.name) { return found }
        if model.attribute(name.text, of: entity.name) != nil {
            error(
                "unknown-relationship",
                "'\(entity.name).\(name.text)' is an attribute, not a relationship",
                name.location, fix: "put it under `set`")
            return nil
        }
        let names = model.relationships(of: entity.name).map(\.name)
        error(
            "unknown-relationship",
            "'\(entity.name)' has no relationship '\(name.text)'"
                + Suggestion.phrase(for: name.text, among: names), name.location)
        return nil
    }

    private mutating func target(
        of link: LinkMapping, _ relationship: RelationshipDescription
    ) -> EntityDescription? {
        let destination = relationship.destinationEntityName
        guard let to = link.to else { return model.entity(named: destination) }
        guard let target = entity(to) else { return nil }
        let family = model.family(of: destination).map(\.name)
        guard !family.contains(target.name) else { return target }
        error(
            "link-target",
            "'\(relationship.name)' leads to '\(destination)', and '\(to.text)' is none",
            to.location, fix: "use \(family.joined(separator: " or "))")
        return nil
    }

    private mutating func checkBy(_ link: LinkMapping, _ target: EntityDescription) {
        guard let found = attribute(link.by, of: target, or: "link") else { return }
        checkField(link.field, found)
        guard !model.uniquenessConstraints(of: target.name).contains([found.name]) else { return }
        error(
            "link-key",
            "'\(target.name).\(found.name)' is not unique, so it names no single object",
            link.by.location,
            fix: "give '\(target.name)' `unique: [[\(found.name)]]` in the model")
    }

    private mutating func checkCreation(_ link: LinkMapping, _ target: EntityDescription) {
        if target.isAbstract {
            error(
                "abstract-entity",
                "'\(target.name)' is abstract, so `missing: create` cannot make one",
                link.missingLocation, fix: "name a sub-entity: `to: …`")
        }
        let attributes = model.attributes(of: target.name)
            .filter { Self.isDemanding($0) && $0.name != link.by.text }.map(\.name)
        let relationships = model.relationships(of: target.name)
            .filter { !$0.isOptional && $0.inverseName != link.relationship.text }.map(\.name)
        let demanding = attributes + relationships
        guard !demanding.isEmpty else { return }
        let names = demanding.map { "'\($0)'" }.joined(separator: " and ")
        error(
            "link-create",
            "`missing: create` would make a '\(target.name)' without \(names), which must not be "
                + "empty", link.missingLocation, fix: "use reject or null, or import them first")
    }
}
