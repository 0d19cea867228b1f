import Diagnostics
import GraphModel

/// Checks key paths of fields and sort orders against the model.
///
/// A path leads over to-one relationships to an attribute. A field may also end in a relationship,
/// which selects the key of the destination. Its first step may be a to-many relationship, which
/// creates a list. Then it ends there, or in an attribute. Instead of an attribute, a path may end
/// in `objectID`.
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
        // The to-many relationship that the path begins with.
        var list: RelationshipDescription?
        for (position, step) in steps.enumerated() {
            let isLast = position == steps.count - 1
            if let attribute = model.attribute(step, of: current) {
                // In a model with errors, only the names of some properties are known.
                guard !attribute.isDoubtful else { return nil }
                return problem(with: attribute, isLast: isLast, of: current, in: text)
            }
            if let elements = model.elements(of: step, in: current) {
                // A field may be a complete composite, which is an object in JSON.
                guard purpose == .order || list != nil else { return nil }
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
            if relationship.isToMany, purpose == .order || position > 0 {
                return Problem(
                    code: "path",
                    message: "'\(current).\(step)' leads to many objects in '\(text)'"
                        + (list == nil ? "" : ", and so does '\(entityName).\(steps[0])'"),
                    fix: purpose == .order
                        ? "order by attributes and to-one relationships"
                        : fix(after: list ?? relationship, of: current, isFirst: list != nil))
            }
            if isLast, purpose == .order {
                return Problem(
                    code: "path", message: "'\(text)' ends in a relationship, which has no order",
                    fix: "name an attribute of '\(relationship.destinationEntityName)'")
            }
            if isLast, let list {
                return Problem(
                    code: "path",
                    message: "'\(text)' ends in a relationship after the to-many '\(list.name)'",
                    fix: "name an attribute of '\(relationship.destinationEntityName)'"
                        + example(relationship, after: text))
            }
            if relationship.isToMany { list = relationship }
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

    /// Returns a suggestion for a field over many objects, with an example from the model.
    private func fix(
        after relationship: RelationshipDescription, of entity: String, isFirst: Bool
    ) -> String {
        let destination = relationship.destinationEntityName
        let attribute = model.attributes(of: destination).first { !$0.isTransient }
        let example = [relationship.name, attribute?.name].compactMap { $0 }.joined(separator: ".")
        return isFirst
            ? "a field can cross one to-many relationship: name an attribute of "
                + "'\(destination)', such as '\(example)', or export '\(destination)'"
            : "a to-many relationship must be the first step of a field: use '\(entity)', and '\(example)' of it"
    }

    /// Returns the words for a path that continues to the destination's first attribute.
    private func example(_ relationship: RelationshipDescription, after text: String) -> String {
        let attributes = model.attributes(of: relationship.destinationEntityName)
        guard let first = attributes.first(where: { !$0.isTransient }) else { return "" }
        return ", such as '\(text).\(first.name)'"
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
