/// A composite that must have a value in at least one element.
///
/// ```
/// composites: { Place: { attributes: { latitude: Double, longitude: Double } } }
/// entities: { Quake: { attributes: { at: { type: Composite, composite: Place, optional: false } } } }
/// ```
/// requires `at.latitude` or `at.longitude` in every Quake.
package struct RequiredComposite: Sendable, Hashable {
    /// The composite's path.
    package var path: String
    /// The paths of its stored elements.
    package var elements: [String]
    /// The innermost optional composite around this one; this one is required only in it.
    ///
    /// `nil` if this composite must always have a value.
    package var dependent: String?
    /// The paths of the other stored elements of `dependent`.
    ///
    /// If one of them has a value, this composite must have one.
    package var others: [String]
}

extension ManagedObjectModel {
    /// Returns the required composites of an entity, inherited ones first.
    package func requiredComposites(of name: String) -> [RequiredComposite] {
        lineage(of: name).reversed().flatMap { ownRequiredComposites(of: $0) }
    }

    /// Returns the required composites among the entity's own attributes, outermost first.
    ///
    /// A composite with a required element is omitted, since the element already requires a value.
    package func ownRequiredComposites(of entity: EntityDescription) -> [RequiredComposite] {
        entity.ownAttributes.filter { $0.type == .composite }.flatMap { attribute in
            let parts = parts(of: attribute).filter { $0.type == .composite }
            let optional = parts.filter(\.isOptional).map(\.name)
            return parts.filter { !$0.isOptional }.compactMap { part -> RequiredComposite? in
                let around = optional.filter { part.name.isElement(of: $0) }
                    .max { $0.count < $1.count }
                let elements = stored(part.name, entity)
                let others = around.map { stored($0, entity) } ?? []
                let isAsked = elements.contains {
                    around == nil ? !$0.isOptional : $0.requiredBeside == around
                }
                let names = elements.map(\.name)
                let rest = others.map(\.name).filter { !names.contains($0) }
                guard !isAsked, !names.isEmpty, around == nil || !rest.isEmpty else { return nil }
                return RequiredComposite(
                    path: part.name, elements: names, dependent: around, others: rest)
            }
        }
    }

    private func stored(_ path: String, _ entity: EntityDescription) -> [AttributeDescription] {
        (elements(of: path, in: entity.name) ?? []).filter { !$0.isTransient }
    }

    /// Returns an attribute with all its elements at any depth, each named by its path.
    package func parts(of attribute: AttributeDescription) -> [AttributeDescription] {
        let elements = attribute.compositeName.flatMap { composite(named: $0) }?.attributes ?? []
        return [attribute]
            + elements.flatMap { element in
                var element = element
                element.name = "\(attribute.name).\(element.name)"
                return parts(of: element)
            }
    }
}
