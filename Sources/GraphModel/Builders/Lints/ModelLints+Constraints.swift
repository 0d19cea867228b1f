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
            } else if let attribute = attribute(item.name, of: entity.name) {
                guard attribute.isTransient else { continue }
                error(
                    "unique", "'\(item.name)' is transient, so the store cannot keep it unique",
                    item.place)
            } else if let relationship = relationship(item.name, of: entity.name) {
                if relationship.isToMany {
                    error(
                        "unique", "'\(item.name)' leads to many objects and has no column",
                        item.place)
                } else if relationship.isTransient {
                    error(
                        "unique", "'\(item.name)' is transient, so the store cannot keep it unique",
                        item.place)
                }
            } else if isComposite(item.name, of: entity.name) {
                error("unique", wholeComposite(item), item.place)
            } else {
                unknownProperty(item, of: entity, "attribute")
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
                } else if let attribute = attribute(item.name, of: entity.name) {
                    guard attribute.isTransient else { continue }
                    warn("index", "'\(item.name)' is transient and has no column", item.place)
                } else if let relationship = relationship(item.name, of: entity.name) {
                    if relationship.isTransient {
                        warn("index", "'\(item.name)' is transient and has no column", item.place)
                    }
                    guard relationship.isToMany else { continue }
                    warn(
                        "index", "'\(item.name)' leads to many objects and has no column",
                        item.place)
                } else if isComposite(item.name, of: entity.name) {
                    error("index", wholeComposite(item), item.place)
                } else {
                    unknownProperty(item, of: entity, "property")
                }
            }
        }
    }

    private func wholeComposite(_ item: PlacedName) -> String {
        "'\(item.name)' is a composite and has no column; name elements of it, as '\(item.name).x'"
    }

    private func unknownProperty(
        _ item: PlacedName, of entity: EntityDeclaration, _ kind: String
    ) {
        guard hasLegibleProperties(entity.name) else { return }
        let hint = Suggestion.phrase(for: item.name, among: propertyNames(of: entity.name))
        error(
            "unknown-property", "'\(entity.name)' has no \(kind) '\(item.name)'" + hint, item.place)
    }
}
