import Diagnostics
import GraphModel

extension LinkMapping {
    /// The parts of the key; those that form a uniqueness constraint of the destination are in its
    /// order.
    func resolvedKey(of destination: String, in model: ManagedObjectModel) -> [KeyPart] {
        constraint(of: destination, in: model)?.compactMap { name in
            by.first { $0.attribute.text == name }
        } ?? by
    }

    /// The destination's uniqueness constraint that the key consists of.
    func constraint(of destination: String, in model: ManagedObjectModel) -> [String]? {
        let names = Set(by.map(\.attribute.text))
        return model.uniquenessConstraints(of: destination).first {
            Set($0) == names && $0.count == by.count
        }
    }

    /// Whether the key is the number of an object.
    func isByNumber(of destination: String, in model: ManagedObjectModel) -> Bool {
        by.count == 1 && model.isObjectNumber(by[0].attribute.text, of: destination)
    }
}

/// Links.
extension SpecificationChecker {
    mutating func checkLink(_ link: LinkMapping, _ entity: EntityDescription) {
        guard let relationship = relationship(link.relationship, of: entity) else {
            // What the link names itself can be looked at all the same.
            if let to = link.to, let target = self.entity(to), link.nested == nil {
                checkBy(link, target)
            }
            return
        }
        guard let target = target(of: link, relationship) else { return }
        if let nested = link.nested {
            checkNested(nested, link, relationship, target)
        } else {
            checkBy(link, target)
        }
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
        if let attribute = model.attribute(name.text, of: entity.name) {
            guard !attribute.isDoubtful else { return nil }
            error(
                "unknown-relationship",
                "'\(entity.name).\(name.text)' is an attribute, not a relationship",
                name.location, fix: "put it under `set`")
            return nil
        }
        guard !isTransientRelationship(name, of: entity) else { return nil }
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
        guard !link.by.isEmpty else { return }
        var names: [String] = []
        for part in link.by {
            if model.isObjectNumber(part.attribute.text, of: target.name) {
                checkField(part.field, ObjectNumber.attribute)
                guard link.by.count > 1 else { continue }
                return error(
                    "link-key",
                    "'\(part.attribute.text)' alone names one object, so it takes no other "
                        + "attribute", part.attribute.location,
                    fix: "remove the other attributes, or '\(part.attribute.text)'")
            }
            guard let found = attribute(part.attribute, of: target, or: "link") else { continue }
            checkField(part.field, found)
            names.append(found.name)
        }
        guard names.count == link.by.count, link.constraint(of: target.name, in: model) == nil
        else { return }
        note(
            "link-key",
            "No uniqueness constraint of '\(target.name)' covers [\(names.joined(separator: ", "))]; "
                + "records whose key several objects share are rejected",
            link.by[0].attribute.location)
    }

    private mutating func checkCreation(_ link: LinkMapping, _ target: EntityDescription) {
        if target.isAbstract {
            error(
                "abstract-entity",
                "'\(target.name)' is abstract, so `missing: create` cannot make one",
                link.missingLocation, fix: "name a sub-entity: `to: …`")
        }
        let key = link.by.map(\.attribute.text)
        if link.isByNumber(of: target.name, in: model) {
            return error(
                "link-create",
                "`missing: create` cannot make a '\(target.name)' of a given number, since the "
                    + "store assigns the numbers", link.missingLocation,
                fix: "use reject, null, or skip, or find the objects by an attribute")
        }
        let attributes = model.attributes(of: target.name)
            .filter { Self.isDemanding($0) && !key.contains($0.name) }.map(\.name)
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
