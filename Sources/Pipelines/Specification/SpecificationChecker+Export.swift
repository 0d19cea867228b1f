import Diagnostics
import GraphModel
import GraphStore

/// Export stages: key paths over relationships.
extension SpecificationChecker {
    mutating func checkExport(_ spec: ExportSpec) {
        guard let entity = entity(spec.entity) else { return }
        for field in spec.fields ?? [] { checkPath(field, from: entity, isOrder: false) }
        // The order of the table costs no sorting.
        for term in spec.order where term.path.text != RowRequest.objectID {
            checkPath(term.path, from: entity, isOrder: true)
        }
    }

    /// A path leads over to-one relationships to an attribute.
    ///
    /// A field may also end in a relationship, which stands for the key at its other end, and may
    /// cross one to-many relationship with its last step, which makes a list.
    private mutating func checkPath(
        _ path: PlacedText, from entity: EntityDescription, isOrder: Bool
    ) {
        let steps = path.text.split(separator: ".", omittingEmptySubsequences: false).map(
            String.init)
        var current = entity
        for (position, step) in steps.enumerated() {
            let isLast = position == steps.count - 1
            if let attribute = model.attribute(step, of: current.name) {
                checkLast(attribute, isLast, path, current)
                return
            }
            guard let relationship = model.relationship(step, of: current.name) else {
                return unknown(step, of: current, path)
            }
            let isNearEnd = position >= steps.count - 2
            if relationship.isToMany, isOrder || !isNearEnd || position > 0 {
                return error(
                    "path", "'\(current.name).\(step)' leads to many objects in '\(path.text)'",
                    path.location,
                    fix: isOrder
                        ? "order by attributes and to-one relationships"
                        : "a to-many may be the first step of a field, and an attribute the second")
            }
            if isLast, isOrder {
                return error(
                    "path", "'\(path.text)' ends in a relationship, which has no order",
                    path.location,
                    fix: "name an attribute of '\(relationship.destinationEntityName)'")
            }
            if relationship.isToMany, !isLast {
                return checkManyEnd(steps[position + 1], relationship, path)
            }
            guard let next = model.entity(named: relationship.destinationEntityName) else { return }
            current = next
        }
    }

    private mutating func checkLast(
        _ attribute: AttributeDescription, _ isLast: Bool, _ path: PlacedText,
        _ entity: EntityDescription
    ) {
        if !isLast {
            error(
                "path",
                "'\(entity.name).\(attribute.name)' is an attribute, so '\(path.text)' "
                    + "cannot go on from it", path.location)
        } else if attribute.isTransient {
            error(
                "transient",
                "'\(entity.name).\(attribute.name)' is transient, so no store keeps it",
                path.location)
        }
    }

    /// The one step after a to-many relationship.
    private mutating func checkManyEnd(
        _ step: String, _ relationship: RelationshipDescription, _ path: PlacedText
    ) {
        guard let entity = model.entity(named: relationship.destinationEntityName) else { return }
        if let attribute = model.attribute(step, of: entity.name) {
            checkLast(attribute, true, path, entity)
        } else if model.relationship(step, of: entity.name) != nil {
            error(
                "path",
                "'\(path.text)' goes on to a relationship after the many objects of "
                    + "'\(relationship.name)'", path.location,
                fix: "a to-many may be the first step of a field, and an attribute the second")
        } else {
            unknown(step, of: entity, path)
        }
    }

    private mutating func unknown(
        _ step: String, of entity: EntityDescription, _ path: PlacedText
    ) {
        let names =
            model.attributes(of: entity.name).map(\.name)
            + model.relationships(of: entity.name).map(\.name)
        let message =
            step.isEmpty
            ? "The path '\(path.text)' has an empty step"
            : "'\(entity.name)' has no property '\(step)'"
                + Suggestion.phrase(for: step, among: names)
        error("unknown-property", message, path.location)
    }
}
