import Diagnostics
package import GraphModel

extension ImportSpec {
    /// The attributes that tell objects apart: those the spec names, or the entity's only
    /// uniqueness constraint; nil where there is no such constraint.
    package func resolvedKey(in model: ManagedObjectModel) -> [String]? {
        let constraints = model.uniquenessConstraints(of: into.text)
        guard key.isEmpty else {
            let names = Set(key.map(\.text))
            return constraints.first { Set($0) == names }
        }
        return constraints.count == 1 ? constraints[0] : nil
    }
}

/// Import stages.
extension SpecificationChecker {
    mutating func checkImport(_ spec: ImportSpec) {
        guard let entity = entity(spec.into) else { return }
        if entity.isAbstract {
            let concrete = model.family(of: entity.name).filter { !$0.isAbstract }.map(\.name)
            error(
                "abstract-entity", "'\(entity.name)' is abstract, so no object can be one",
                spec.into.location,
                fix: concrete.isEmpty ? nil : "import into \(concrete.joined(separator: " or "))")
        } else {
            checkKey(spec, entity)
        }
        for mapping in spec.set { checkMapping(mapping, entity) }
        for link in spec.link { checkLink(link, entity) }
        checkUnmapped(spec, entity)
    }

    private mutating func checkKey(_ spec: ImportSpec, _ entity: EntityDescription) {
        let constraints = model.uniquenessConstraints(of: entity.name)
        let listed = constraints.map { "[\($0.joined(separator: ", "))]" }.joined(separator: " or ")
        if spec.key.isEmpty {
            guard constraints.count != 1 else { return }
            if constraints.isEmpty {
                error(
                    "no-key",
                    "'\(entity.name)' has no uniqueness constraint, so an import cannot tell new "
                        + "records from known ones, and imports that only append are not supported",
                    spec.into.location,
                    fix: "give the entity `unique: [[…]]` in the model")
            } else {
                error(
                    "no-key", "'\(entity.name)' has several uniqueness constraints",
                    spec.into.location, fix: "add `key:` with \(listed)")
            }
            return
        }
        let known = spec.key.filter { attribute($0, of: entity, or: "key") != nil }
        guard known.count == spec.key.count, spec.resolvedKey(in: model) == nil else { return }
        let names = spec.key.map(\.text).joined(separator: ", ")
        error(
            "key", "[\(names)] is no uniqueness constraint of '\(entity.name)'",
            spec.key[0].location,
            fix: constraints.isEmpty
                ? "give the entity `unique: [[\(names)]]` in the model" : "use \(listed)")
    }

    private mutating func checkMapping(_ mapping: AttributeMapping, _ entity: EntityDescription) {
        let found = attribute(mapping.attribute, of: entity, or: "import")
        guard let found else { return }
        switch mapping.origin {
        case .constant(let constant, let place): checkConstant(constant, for: found, at: place)
        case .field(let field):
            if let separator = field.separator, found.type != .transformable {
                error(
                    "rule",
                    "'split' makes a list, and '\(found.name)' is \(found.type.rawValue)",
                    separator.location)
            }
            checkField(field, found)
        }
    }

    private mutating func checkField(_ field: FieldMapping, _ attribute: AttributeDescription) {
        if let pattern = field.datePattern, attribute.type != .date {
            error(
                "rule", "'date' is for Date, and '\(attribute.name)' is \(attribute.type.rawValue)",
                pattern.location)
        }
        for entry in field.map ?? [] {
            if case .null = entry.to { continue }
            checkConstant(entry.to, for: attribute, at: entry.location)
        }
    }

    private mutating func checkUnmapped(_ spec: ImportSpec, _ entity: EntityDescription) {
        let set = Set(spec.set.map(\.attribute.text))
        let isFilled = { (name: String) in
            if set.contains(name) { return true }
            if spec.isSetOnly { return false }
            return spec.read.columns?.contains(name) ?? true
        }
        if let missing = spec.resolvedKey(in: model)?.first(where: { !isFilled($0) }) {
            error(
                "unmapped-key", "Nothing fills '\(missing)', which is part of the key",
                spec.into.location, fix: "add it to `set`")
        }
        let key = spec.resolvedKey(in: model) ?? []
        for attribute in model.attributes(of: entity.name)
        where Self.isDemanding(attribute) && !isFilled(attribute.name)
            && !key.contains(attribute.name)
        {
            warn(
                "unmapped",
                "Nothing fills '\(attribute.name)', which is not optional and has no default",
                spec.into.location, fix: "add it to `set`")
        }
        let linked = Set(spec.link.map(\.relationship.text))
        for relationship in model.relationships(of: entity.name)
        where !relationship.isOptional && !linked.contains(relationship.name) {
            warn(
                "unmapped", "Nothing fills '\(relationship.name)', which is not optional",
                spec.into.location, fix: "add it to `link`")
        }
    }

    /// Whether a new object cannot be saved unless something fills the attribute.
    private static func isDemanding(_ attribute: AttributeDescription) -> Bool {
        !attribute.isOptional && !attribute.isTransient && attribute.defaultValue == nil
    }
}

/// Links.
extension SpecificationChecker {
    private mutating func checkLink(_ link: LinkMapping, _ entity: EntityDescription) {
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
