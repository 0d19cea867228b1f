/// A sequence of model versions that may allow a migration from the first to the last in one step.
///
/// One step is allowed if its result is the same: each entity, property, and constraint changes in
/// at most one of the steps, apart from renaming. If one step sets a default and the next changes
/// it, one step would use a different default. If a property is removed and added again, one step
/// would keep its old value.
package struct ModelChain {
    private let models: [ManagedObjectModel]
    private let steps: [ModelPairing]

    /// Creates a chain of versions, oldest first.
    package init(_ models: [ManagedObjectModel]) {
        self.models = models
        steps = zip(models, models.dropFirst()).map { ModelPairing(from: $0, to: $1) }
    }

    /// Whether one step has the same result as all steps.
    package var isOneStep: Bool {
        guard let last = models.last, steps.count > 1 else { return true }
        for step in steps {
            guard ModelDiff(from: step.old, to: step.new).effect != .mapping else { return false }
        }
        return steps.dropFirst().allSatisfy(keepsConstraints)
            && last.entities.allSatisfy { entity in
                changes(of: entity) <= 1
                    && last.attributes(of: entity.name).allSatisfy {
                        changes(of: $0, in: entity.name) <= 1
                    }
                    && last.relationships(of: entity.name).allSatisfy {
                        changes(of: $0, in: entity.name) <= 1
                    }
            }
    }

    /// Returns the number of steps that add an entity, or change its parent or whether it is
    /// abstract.
    private func changes(of entity: EntityDescription) -> Int {
        var (entity, count) = (entity, 0)
        for step in steps.reversed() {
            guard let name = step.oldName(of: entity.name),
                let before = step.old.entity(named: name)
            else { return count + 1 }
            let parent = entity.superentityName.flatMap(step.oldName)
            if before.isAbstract != entity.isAbstract || before.superentityName != parent {
                count += 1
            }
            entity = before
        }
        return count
    }

    private func changes(of attribute: AttributeDescription, in entity: String) -> Int {
        changes(of: attribute, in: entity) { step, attribute, entity, name in
            step.attributes(of: entity, from: name)[attribute.name].map {
                ($0, Shape($0) == Shape(attribute))
            }
        }
    }

    private func changes(of relationship: RelationshipDescription, in entity: String) -> Int {
        changes(of: relationship, in: entity) { step, relationship, entity, name in
            step.relationships(of: entity, from: name)[relationship.name].map {
                ($0, Self.isAlike($0, relationship, step))
            }
        }
    }

    /// Returns the number of steps that add a property or change it.
    ///
    /// - Parameter before: Returns the property before a step, and whether it is alike, given its
    ///   entity and the entity's older name.
    private func changes<Property>(
        of property: Property, in entity: String,
        before: (ModelPairing, Property, String, String) -> (Property, isAlike: Bool)?
    ) -> Int {
        var (property, entity, count) = (property, entity, 0)
        for step in steps.reversed() {
            guard let name = step.oldName(of: entity),
                let (older, isAlike) = before(step, property, entity, name)
            else { return count + 1 }
            if !isAlike { count += 1 }
            (property, entity) = (older, name)
        }
        return count
    }

    /// The properties of an attribute that determine how its values are stored.
    ///
    /// Two versions with an equal shape need no change of the values.
    private struct Shape: Equatable {
        let type: AttributeType
        let isOptional, isTransient, isExternal, isExactDecimal: Bool
        let isRequiredBeside: Bool
        let fallback: StoredValue?
        let derivation: String?

        init(_ attribute: AttributeDescription) {
            type = attribute.type
            isOptional = attribute.isOptional
            isTransient = attribute.isTransient
            isExternal = attribute.allowsExternalBinaryDataStorage
            isExactDecimal = attribute.isExactDecimal
            fallback = attribute.defaultValue
            derivation = attribute.derivationExpression
            isRequiredBeside = attribute.requiredBeside != nil
        }
    }

    /// Returns whether a relationship's links stay in the same columns or join rows.
    private static func isAlike(
        _ before: RelationshipDescription, _ after: RelationshipDescription, _ step: ModelPairing
    ) -> Bool {
        guard before.isToMany == after.isToMany, before.isOrdered == after.isOrdered,
            before.isOptional == after.isOptional,
            step.oldName(of: after.destinationEntityName) == before.destinationEntityName
        else { return false }
        guard let inverse = after.inverseName else { return before.inverseName == nil }
        let partners = step.relationships(
            of: after.destinationEntityName, from: before.destinationEntityName)
        return partners[inverse]?.name == before.inverseName
    }

    /// Returns whether each constraint before a step is also one after it.
    ///
    /// A constraint of intermediate versions only could reject a store that all other versions
    /// accept.
    private func keepsConstraints(_ step: ModelPairing) -> Bool {
        step.new.entities.allSatisfy { entity in
            guard let name = step.oldName(of: entity.name),
                let before = step.old.entity(named: name)
            else { return true }
            var names: [String: String] = [:]
            for (new, old) in step.attributes(of: entity.name, from: name) { names[old.name] = new }
            for (new, old) in step.relationships(of: entity.name, from: name) {
                names[old.name] = new
            }
            let known = step.new.lineage(of: entity.name).flatMap(\.uniquenessConstraints)
            return before.uniquenessConstraints.allSatisfy { constraint in
                let renamed = constraint.map { names[$0] ?? "" }
                return known.contains { Set($0) == Set(renamed) }
            }
        }
    }
}
