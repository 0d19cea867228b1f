/// A composite that must have a value, that is one in an element at least.
///
/// ```
/// composites: { Place: { attributes: { latitude: Double, longitude: Double } } }
/// entities: { Quake: { attributes: { at: { type: Composite, composite: Place, optional: false } } } }
/// ```
/// asks every Quake for `at.latitude` or `at.longitude`.
package struct RequiredComposite: Sendable, Hashable {
    /// The composite's path.
    package var path: String
    /// The paths of its stored elements.
    package var elements: [String]
    /// The optional composite around it, which may have no value without this one; nil where it
    /// must have one anyway.
    package var beside: String?
    /// The paths of the other stored elements of that composite.
    package var others: [String]
}

extension ManagedObjectModel {
    /// The composites of an entity that must have a value, inherited ones first.
    package func requiredComposites(of name: String) -> [RequiredComposite] {
        lineage(of: name).reversed().flatMap { ownRequiredComposites(of: $0) }
    }

    /// Those of the entity's own attributes, from the outside in.
    ///
    /// One with an element that must have a value says no more than this element says itself, and
    /// is left out.
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
                    path: part.name, elements: names, beside: around, others: rest)
            }
        }
    }

    private func stored(_ path: String, _ entity: EntityDescription) -> [AttributeDescription] {
        (elements(of: path, in: entity.name) ?? []).filter { !$0.isTransient }
    }

    /// The attribute as it is declared, behind it the elements of a composite with theirs, by
    /// their paths.
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
