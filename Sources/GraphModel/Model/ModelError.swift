public import FoundationEssentials

/// The reason that a set of entities is not a valid model.
public struct ModelError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error, as data.
    public enum Kind: Sendable, Hashable {
        /// Two entities have the same name.
        case duplicateEntity(String)
        /// An entity and its ancestors use a property name twice.
        case duplicateProperty(entity: String, property: String)
        /// The parent does not exist.
        case missingParent(entity: String, parent: String)
        /// An entity is its own ancestor.
        case parentCycle(entity: String)
        /// The destination entity does not exist.
        case missingDestination(entity: String, relationship: String, destination: String)
        /// The inverse is missing or does not point back.
        case inverseMismatch(entity: String, relationship: String, inverse: String)
        /// The composite of an attribute does not exist.
        case missingComposite(attribute: String, composite: String)
        /// A composite contains itself.
        case compositeCycle(String)
        /// With this attribute, the composites have more than 10,000 elements.
        case compositeTooLarge(attribute: String)
    }

    /// The kind of error.
    public let kind: Kind

    init(_ kind: Kind) {
        self.kind = kind
    }

    /// A description in one sentence.
    public var description: String {
        switch kind {
        case .duplicateEntity(let name):
            "The entity '\(name)' is declared twice"
        case .duplicateProperty(let entity, let property):
            "'\(entity)' has or inherits the property '\(property)' twice"
        case .missingParent(let entity, let parent):
            "'\(entity)' names the parent '\(parent)', which does not exist"
        case .parentCycle(let entity):
            "'\(entity)' is its own ancestor"
        case .missingDestination(let entity, let relationship, let destination):
            "'\(entity).\(relationship)' leads to '\(destination)', which does not exist"
        case .inverseMismatch(let entity, let relationship, let inverse):
            "'\(entity).\(relationship)' names the inverse '\(inverse)', which does not point back"
        case .missingComposite(let attribute, let composite):
            "'\(attribute)' names the composite '\(composite)', which does not exist"
        case .compositeCycle(let name):
            "The composite '\(name)' contains itself"
        case .compositeTooLarge(let attribute):
            "With '\(attribute)' the composites have more than "
                + "\(CompositeElements.elementsMax) elements"
        }
    }
}

extension ModelError: LocalizedError {
    /// The text that the command also prints.
    public var errorDescription: String? { description }
}
