import Diagnostics

/// Lints for destinations, inverses, and delete rules.
extension ModelLints {
    func checkRelationships(_ entity: EntityDeclaration) {
        for (relationship, places) in entity.placedRelationships {
            guard entities[relationship.destinationEntityName] != nil else {
                let name = relationship.destinationEntityName
                // An empty name was already reported by the reader.
                if !name.isEmpty { unknownEntity(name, places.destination) }
                continue
            }
            if let inverse = relationship.inverseName {
                checkInverse(inverse, of: relationship, in: entity, places)
            } else if !relationship.isTransient, places.isInverseLegible,
                hasLegibleProperties(relationship.destinationEntityName)
            {
                // A transient relationship is not stored, so a deletion cannot leave a dangling
                // link.
                warnWithoutInverse(relationship, in: entity, places)
            }
            checkDeleteRule(relationship, places)
        }
    }

    private func checkInverse(
        _ name: String, of relationship: RelationshipDescription, in entity: EntityDeclaration,
        _ places: RelationshipPlaces
    ) {
        let place = places.inverse ?? places.place
        let destination = relationship.destinationEntityName
        let inherited = self.relationship(name, of: destination)
        guard let inverse = inherited ?? relationshipBelow(name, destination) else {
            guard hasLegibleProperties(destination) else { return }
            let names = lineage(destination).flatMap(\.description.ownRelationships).map(\.name)
            let message =
                attribute(name, of: destination) == nil
                ? "'\(destination)' has no relationship '\(name)'"
                    + Suggestion.phrase(for: name, among: names)
                : "'\(destination).\(name)' is an attribute, not a relationship"
            return error("inverse", message, place)
        }
        if let other = inverse.inverseName, other != relationship.name,
            entities[inverse.destinationEntityName] == nil
                || self.relationship(other, of: inverse.destinationEntityName) == nil
        {
            // The error is on the other side, which is reported there.
            return
        }
        guard entities[inverse.destinationEntityName] != nil,
            isInverseLegible(of: name, in: destination)
        else { return }
        if inverse.inverseName != relationship.name {
            let other = inverse.inverseName.map { "its inverse is '\($0)'" } ?? "it has no inverse"
            error(
                "inverse", "'\(destination).\(name)' does not point back: \(other)", place,
                fix: "give '\(destination).\(name)' `inverse: \(relationship.name)`")
        } else if inverse.destinationEntityName != entity.name {
            let message =
                "'\(destination).\(name)' does not point back: it leads to "
                + "'\(inverse.destinationEntityName)', not to '\(entity.name)'"
            let isRelated =
                lineage(entity.name).contains { $0.name == inverse.destinationEntityName }
                || lineage(inverse.destinationEntityName).contains { $0.name == entity.name }
            isRelated ? warn("inverse", message, place) : error("inverse", message, place)
        } else if inherited == nil {
            warn(
                "inverse",
                "An entity below '\(destination)' declares the inverse '\(name)', so not every "
                    + "'\(destination)' has it", place, fix: "declare '\(name)' in '\(destination)'"
            )
        }
    }

    /// Returns whether the inverse of a relationship, or its absence, could be read from the file.
    private func isInverseLegible(of name: String, in entity: String) -> Bool {
        lineage(entity).allSatisfy { ancestor in
            ancestor.placedRelationships.allSatisfy { $0.name != name || $1.isInverseLegible }
        }
    }

    /// Returns the relationship of that name that a descendant declares, or `nil`.
    private func relationshipBelow(
        _ name: String, _ entity: String
    ) -> RelationshipDescription? {
        for child in children[entity] ?? [] where lineage(child.name).count <= Self.ancestorsMax {
            let own = child.description.ownRelationships.first { $0.name == name }
            if let found = own ?? relationshipBelow(name, child.name) { return found }
        }
        return nil
    }

    private func warnWithoutInverse(
        _ relationship: RelationshipDescription, in entity: EntityDeclaration,
        _ places: RelationshipPlaces
    ) {
        let destination = relationship.destinationEntityName
        let candidate = lineage(destination).flatMap(\.description.ownRelationships).first {
            $0.inverseName == relationship.name && $0.destinationEntityName == entity.name
        }
        warn(
            "no-inverse",
            "'\(entity.name).\(relationship.name)' has no inverse, so no delete "
                + "rule of '\(destination)' applies to it", places.place,
            fix: candidate.map { "add `inverse: \($0.name)`" }
                ?? "add a relationship to '\(entity.name)' in '\(destination)', and name it here")
    }

    private func checkDeleteRule(
        _ relationship: RelationshipDescription, _ places: RelationshipPlaces
    ) {
        let place = places.deleteRule ?? places.place
        let isRequired = !relationship.isOptional
        if relationship.deleteRule == .deny, isRequired {
            warn(
                "delete-rule",
                "'\(relationship.name)' is never empty, so `deny` forbids every deletion", place,
                fix: "use nullify, or let it be optional")
        }
        guard relationship.deleteRule == .nullify, let name = relationship.inverseName,
            let inverse = self.relationship(name, of: relationship.destinationEntityName),
            !inverse.isOptional, !inverse.isToMany
        else { return }
        warn(
            "delete-rule",
            "`nullify` cannot succeed: '\(relationship.destinationEntityName).\(name)' must not be "
                + "empty", place, fix: "use cascade or deny, or make '\(name)' optional")
    }
}
