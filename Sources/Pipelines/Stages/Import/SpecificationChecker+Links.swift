import Diagnostics
import GraphModel

extension LinkMapping {

    /// Returns whether the key is the primary key of an object.
    func isByNumber(of destination: String, in model: ManagedObjectModel) -> Bool {
        by.count == 1 && model.isObjectNumber(by[0].property.text, of: destination)
    }
}

extension [LinkMapping.KeyPart] {
    /// Returns the parts, in the order of the entity's uniqueness constraint if they form one.
    func resolved(of entity: String, in model: ManagedObjectModel) -> Self {
        constraint(of: entity, in: model)?.compactMap { name in
            first { $0.property.text == name }
        } ?? self
    }

    /// Returns the entity's uniqueness constraint that consists of the parts, or `nil`.
    func constraint(of entity: String, in model: ManagedObjectModel) -> [String]? {
        let names = Set(map(\.property.text))
        return model.uniquenessConstraints(of: entity).first {
            Set($0) == names && $0.count == count
        }
    }
}

/// The checks of links.
extension SpecificationChecker {
    mutating func checkLink(_ link: LinkMapping, _ entity: EntityDescription) {
        guard let relationship = relationship(link.relationship, of: entity) else {
            // The link itself names the entity, so its key can still be checked.
            if let to = link.to, let target = self.entity(to), link.nested == nil {
                checkBy(link.by, target)
            }
            return
        }
        guard let target = target(link.to, relationship) else { return }
        if let nested = link.nested {
            checkNested(nested, link, relationship, target)
        } else {
            checkBy(link.by, target)
        }
        if link.many != nil, !relationship.isToMany {
            error(
                "rule", "'many' is for relationships to many objects",
                link.relationship.location, fix: "remove it")
        }
        if [.null, .report].contains(link.missing), !relationship.isOptional {
            error(
                "rule",
                "`missing: \(link.missing.rawValue)` would leave '\(relationship.name)' empty, which is not optional",
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
        _ to: PlacedText?, _ relationship: RelationshipDescription
    ) -> EntityDescription? {
        let destination = relationship.destinationEntityName
        guard let to else { return model.entity(named: destination) }
        guard let target = entity(to) else { return nil }
        let family = model.family(of: destination).map(\.name)
        guard !family.contains(target.name) else { return target }
        error(
            "link-target",
            "'\(relationship.name)' leads to '\(destination)', and '\(to.text)' is not such an entity",
            to.location, fix: "use \(family.joined(separator: " or "))")
        return nil
    }

    private mutating func checkBy(_ by: [LinkMapping.KeyPart], _ target: EntityDescription) {
        guard !by.isEmpty else { return }
        var names: [String] = []
        for part in by {
            if case .field(let field) = part.content,
                model.isObjectNumber(part.property.text, of: target.name)
            {
                checkField(field, ObjectNumber.attribute)
                guard by.count > 1 else { continue }
                return error(
                    "link-key",
                    "'\(part.property.text)' alone names one object, so it takes no other "
                        + "attribute", part.property.location,
                    fix: "remove the other attributes, or '\(part.property.text)'")
            }
            if checkKeyPart(part, target) { names.append(part.property.text) }
        }
        guard names.count == by.count, by.constraint(of: target.name, in: model) == nil
        else { return }
        note(
            "link-key",
            "No uniqueness constraint of '\(target.name)' covers [\(names.joined(separator: ", "))]; "
                + "records whose key several objects share are rejected",
            by[0].property.location)
    }

    /// Returns whether an attribute or a relationship may be part of the key, and reports it if
    /// not.
    private mutating func checkKeyPart(
        _ part: LinkMapping.KeyPart, _ target: EntityDescription
    ) -> Bool {
        let name = part.property
        guard let relationship = model.relationship(name.text, of: target.name) else {
            guard let found = attribute(name, of: target, or: "link") else { return false }
            guard case .field(let field) = part.content else {
                error(
                    "rule", "'\(name.text)' is an attribute, which a field fills",
                    name.location, fix: "name the field: `\(name.text): FIELD`")
                return false
            }
            checkField(field, found)
            return true
        }
        guard !relationship.isToMany else {
            error(
                "rule", "'\(name.text)' leads to many objects, so it cannot be part of a key",
                name.location, fix: "use attributes and to-one relationships")
            return false
        }
        guard case .object(let to, let parts) = part.content else {
            error(
                "rule",
                "'\(name.text)' is a relationship, and a field does not identify its object",
                name.location,
                fix: "give the key of the object: `\(name.text): { by: { ATTRIBUTE: FIELD } }`")
            return false
        }
        guard let inner = self.target(to, relationship) else { return false }
        checkBy(parts, inner)
        return true
    }

    private mutating func checkCreation(_ link: LinkMapping, _ target: EntityDescription) {
        if target.isAbstract {
            error(
                "abstract-entity",
                "'\(target.name)' is abstract, so `missing: create` cannot make one",
                link.missingLocation, fix: "name a sub-entity: `to: …`")
        }
        let key = link.by.map(\.property.text)
        let inKey = key.filter { model.relationship($0, of: target.name) != nil }
        if let first = inKey.first {
            return error(
                "link-create",
                "`missing: create` cannot make a '\(target.name)', since '\(first)' in its key leads "
                    + "to another object", link.missingLocation,
                fix: "use reject, null, or skip, or import the objects first")
        }
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
