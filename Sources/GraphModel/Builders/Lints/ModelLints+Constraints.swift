import Diagnostics

/// Lints for uniqueness constraints and indexes.
extension ModelLints {
    func checkConstraints(_ entity: EntityDeclaration) {
        var seen: [[String]] = []
        for constraint in entity.constraints {
            checkConstraint(constraint, of: entity)
            let names = constraint.map(\.name).sorted()
            if seen.contains(names), let place = constraint.first?.place {
                warn("duplicate-name", "This constraint is declared already", place)
            }
            seen.append(names)
        }
        let ancestor = lineage(entity.name).dropFirst().first { !$0.constraints.isEmpty }
        guard let ancestor, let place = entity.constraints.first?.first?.place else { return }
        warn(
            "constraints-in-hierarchy",
            "'\(entity.name)' and its ancestor '\(ancestor.name)' both have uniqueness constraints; "
                + "Apple advises to keep them on one level", place)
    }

    private func checkConstraint(_ constraint: [PlacedName], of entity: EntityDeclaration) {
        var seen: Set<String> = []
        for item in constraint {
            if !seen.insert(item.name).inserted {
                error("duplicate-name", "'\(item.name)' is in this constraint already", item.place)
            } else if let property = property(item.name, of: entity.name) {
                if property.isToMany {
                    error(
                        "unique", "'\(item.name)' leads to many objects and has no column",
                        item.place)
                } else if property.isTransient {
                    error(
                        "unique", "'\(item.name)' is transient, so the store cannot keep it unique",
                        item.place)
                }
            } else {
                noProperty(item, of: entity, "attribute", in: "unique")
            }
        }
    }

    func checkIndexes(_ entity: EntityDeclaration) {
        for (index, place) in zip(entity.description.indexes, entity.indexPredicatePlaces) {
            guard let reason = index.reasonNotBuilt else { continue }
            warn(
                "index-kind",
                "The index '\(index.name)' \(reason), which stores made here do not have", place)
        }
        var names: [String: String] = [:]
        for (index, elements) in zip(entity.description.indexes, entity.indexElements) {
            var seen: Set<String> = []
            let other = names.updateValue(index.name, forKey: index.name.lowercased())
            if let other, let place = elements.first?.place {
                warn(
                    "duplicate-name",
                    "The indexes '\(other)' and '\(index.name)' have the same name for a store, which "
                        + "ignores case; a new store gets the first one only", place)
            }
            for item in elements {
                if !seen.insert(item.name).inserted {
                    warn(
                        "duplicate-name", "'\(item.name)' is in the index '\(index.name)' already",
                        item.place)
                } else if let property = property(item.name, of: entity.name) {
                    if property.isTransient {
                        warn("index", "'\(item.name)' is transient and has no column", item.place)
                    }
                    guard property.isToMany else { continue }
                    warn(
                        "index", "'\(item.name)' leads to many objects and has no column",
                        item.place)
                } else {
                    noProperty(item, of: entity, "property", in: "index")
                }
            }
        }
    }

    private func property(
        _ name: String, of entity: String
    ) -> (isTransient: Bool, isToMany: Bool)? {
        if let attribute = attribute(name, of: entity) { return (attribute.isTransient, false) }
        return relationship(name, of: entity).map { ($0.isTransient, $0.isToMany) }
    }

    /// Reports a name that is not a property: a composite, or an unknown name.
    private func noProperty(
        _ item: PlacedName, of entity: EntityDeclaration, _ kind: String, in code: String
    ) {
        let name = item.name
        if isComposite(name, of: entity.name) {
            return error(
                code,
                "'\(name)' is a composite and has no column; name elements of it, as '\(name).x'",
                item.place)
        }
        guard hasLegibleProperties(entity.name) else { return }
        let hint = Suggestion.phrase(for: item.name, among: propertyNames(of: entity.name))
        error(
            "unknown-property", "'\(entity.name)' has no \(kind) '\(item.name)'" + hint, item.place)
    }
}
