import Diagnostics
import GraphModel

/// Checks key paths of fields and sort orders against the model.
///
/// A path leads over to-one relationships to an attribute. A field may also end in a relationship,
/// which selects the key of the destination. Its first step may cross one to-many relationship,
/// which creates a list. Instead of an attribute, a path may end in `objectID`.
struct PropertyPathCheck {
    /// The use of a path.
    enum Purpose {
        case field, order
    }

    /// A problem of a path.
    struct Problem {
        var code: String
        var message: String
        var fix: String?
    }

    let model: ManagedObjectModel

    /// Returns the problem of the path; `nil` if it is valid.
    func problem(
        in steps: [String], of entityName: String, as purpose: Purpose
    ) -> Problem? {
        let text = steps.joined(separator: ".")
        let steps = model.folded(steps, from: entityName)
        var current = entityName
        for (position, step) in steps.enumerated() {
            let isLast = position == steps.count - 1
            if let attribute = model.attribute(step, of: current) {
                // In a model with errors, only the names of some properties are known.
                guard !attribute.isDoubtful else { return nil }
                return problem(with: attribute, isLast: isLast, of: current, in: text)
            }
            if let elements = model.elements(of: step, in: current) {
                // A field may be a complete composite, which is an object in JSON.
                guard purpose == .order else { return nil }
                return composite(step, elements, in: text)
            }
            if model.isObjectNumber(step, of: current) {
                guard !isLast else { return nil }
                return Problem(
                    code: "path",
                    message:
                        "'\(current).\(step)' is a number, so '\(text)' cannot continue after it")
            }
            guard let relationship = model.relationship(step, of: current) else {
                return unknown(step, of: current, in: text)
            }
            let isNearEnd = position >= steps.count - 2
            if relationship.isToMany, purpose == .order || !isNearEnd || position > 0 {
                return Problem(
                    code: "path",
                    message: "'\(current).\(step)' leads to many objects in '\(text)'",
                    fix: purpose == .order
                        ? "order by attributes and to-one relationships"
                        : fix(after: relationship, of: current, isFirst: position == 0))
            }
            if isLast, purpose == .order {
                return Problem(
                    code: "path", message: "'\(text)' ends in a relationship, which has no order",
                    fix: "name an attribute of '\(relationship.destinationEntityName)'")
            }
            if relationship.isToMany, !isLast {
                return problem(
                    with: steps[position + 1], after: relationship, of: current, in: text)
            }
            current = relationship.destinationEntityName
        }
        return nil
    }

    private func problem(
        with attribute: AttributeDescription, isLast: Bool, of entity: String, in text: String
    ) -> Problem? {
        guard isLast else {
            return Problem(
                code: "path",
                message: "'\(entity).\(attribute.name)' is an attribute, so '\(text)' "
                    + "cannot continue after it")
        }
        guard attribute.isTransient else { return nil }
        return Problem(
            code: "transient",
            message: "'\(entity).\(attribute.name)' is transient, so no store keeps it")
    }

    /// Returns the problem of the step after a to-many relationship, which ends the path.
    private func problem(
        with step: String, after relationship: RelationshipDescription, of owner: String,
        in text: String
    ) -> Problem? {
        let entity = relationship.destinationEntityName
        if let attribute = model.attribute(step, of: entity) {
            guard !attribute.isDoubtful else { return nil }
            return problem(with: attribute, isLast: true, of: entity, in: text)
        }
        if let elements = model.elements(of: step, in: entity) {
            return composite(step, elements, in: text)
        }
        if model.isObjectNumber(step, of: entity) { return nil }
        guard model.relationship(step, of: entity) != nil else {
            return unknown(step, of: entity, in: text)
        }
        return Problem(
            code: "path",
            message: "'\(text)' continues with a relationship after the to-many "
                + "'\(relationship.name)'",
            fix: fix(after: relationship, of: owner, isFirst: true))
    }

    /// Returns a suggestion for a field over many objects, with an example from the model.
    private func fix(
        after relationship: RelationshipDescription, of entity: String, isFirst: Bool
    ) -> String {
        let destination = relationship.destinationEntityName
        let attribute = model.attributes(of: destination).first { !$0.isTransient }
        let example = [relationship.name, attribute?.name].compactMap { $0 }.joined(separator: ".")
        return isFirst
            ? "add one of its attributes, such as '\(example)', or use '\(destination)'"
            : "a to-many relationship must be the first step of a field: use '\(entity)', and '\(example)' of it"
    }

    private func composite(
        _ step: String, _ elements: [AttributeDescription], in text: String
    ) -> Problem {
        Problem(
            code: "path", message: "'\(step)' is a composite, so '\(text)' has no single value",
            fix: "name an element, such as '\(elements[0].name)'")
    }

    private func unknown(_ step: String, of entity: String, in text: String) -> Problem {
        guard !step.isEmpty else {
            return Problem(
                code: "unknown-property", message: "The path '\(text)' has an empty step")
        }
        if model.isTransientRelationship(step, of: entity) {
            return Problem(
                code: "transient",
                message: "'\(entity).\(step)' is transient, so no store keeps it")
        }
        return Problem(
            code: "unknown-property",
            message: "'\(entity)' has no property '\(step)'"
                + Suggestion.phrase(for: step, among: model.keys(of: entity)))
    }
}
