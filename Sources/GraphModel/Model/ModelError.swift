public import FoundationEssentials

/// Why a set of entities is no model.
public struct ModelError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, as data.
    public enum Kind: Sendable, Hashable {
        /// Two entities have one name.
        case duplicateEntity(String)
        /// A property's name is used twice in an entity and its ancestors.
        case duplicateProperty(entity: String, property: String)
        /// The parent does not exist.
        case missingParent(entity: String, parent: String)
        /// An entity is its own ancestor.
        case parentCycle(entity: String)
        /// The entity at the other end does not exist.
        case missingDestination(entity: String, relationship: String, destination: String)
        /// The inverse is missing or does not point back.
        case inverseMismatch(entity: String, relationship: String, inverse: String)
        /// The composite that an attribute consists of does not exist.
        case missingComposite(attribute: String, composite: String)
        /// A composite contains itself.
        case compositeCycle(String)
        /// With this attribute the composites have more elements than those of any sensible model.
        case compositeTooLarge(attribute: String)
    }

    /// What is wrong.
    public let kind: Kind

    init(_ kind: Kind) {
        self.kind = kind
    }

    /// One sentence.
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
    /// What the command prints of it, too.
    public var errorDescription: String? { description }
}
