import Diagnostics

/// An entity of a model, declared in Swift.
///
/// ```swift
/// Entity("Task", parent: "Item") {
///     Attribute("id", .uuid, optional: false)
///     Attribute("priority", .integer16, default: 0, range: 0...2)
///     Relationship("tags", to: "Tag", .many, inverse: "tasks")
///     Unique("id")
///     Index("byState", .ascending("isCompleted"), .descending("createdAt"))
/// }
/// ```
public struct Entity: Sendable {
    private(set) var declaration: EntityDeclaration
    /// The attributes, in the order of `declaration.description.ownAttributes`.
    private(set) var attributes: [Attribute] = []

    /// Declares an entity; omitted arguments have Core Data's defaults.
    ///
    /// - Parameters:
    ///   - name: The entity's name.
    ///   - parent: The entity whose properties and table it shares.
    ///   - isAbstract: Whether only its sub-entities have objects.
    ///   - className: The class that represents it in code.
    ///   - renamedFrom: Its name in the previous version.
    ///   - hashModifier: A value that changes the version hash although the structure is the same.
    ///   - userInfo: Free text for tools.
    ///   - file: The source file, for messages.
    ///   - line: The line, for messages.
    ///   - column: The column, for messages.
    ///   - parts: Its attributes, relationships, constraints, indexes, and rules.
    public init(
        _ name: String, parent: String? = nil, isAbstract: Bool = false,
        class className: String? = nil, renamedFrom: String? = nil, hashModifier: String? = nil,
        userInfo: [String: String] = [:], file: String = #fileID, line: Int = #line,
        column: Int = #column, @EntityBuilder _ parts: () -> [EntityPart] = { [] }
    ) {
        let place = SourceLocation(file: file, line: line, column: column, keyPath: name)
        declaration = EntityDeclaration(
            description: EntityDescription(
                name: name, superentityName: parent, isAbstract: isAbstract,
                managedObjectClassName: className, renamingIdentifier: renamedFrom,
                versionHashModifier: hashModifier, userInfo: userInfo),
            place: place, parentPlace: parent == nil ? nil : place)
        for part in parts() {
            part.add(to: &declaration)
            if case .attribute(let attribute) = part.content { attributes.append(attribute) }
        }
    }
}

/// A part of an entity: an attribute, a relationship, a constraint, an index, or a rule.
public struct EntityPart: Sendable {
    enum Content: Sendable {
        case attribute(Attribute)
        case relationship(Relationship)
        case unique(Unique)
        case index(Index)
        case rule(Rule)
    }

    let content: Content

    /// Adds the part to the entity, with its location under the entity's name.
    func add(to entity: inout EntityDeclaration) {
        switch content {
        case .attribute(let attribute):
            entity.description.ownAttributes.append(attribute.description)
            entity.attributePlaces.append(attribute.place.inside(entity.name))
        case .relationship(let relationship):
            let place = relationship.place.inside(entity.name)
            entity.description.ownRelationships.append(relationship.description)
            entity.relationshipPlaces.append(
                RelationshipPlaces(
                    place: place, destination: place, inverse: place, deleteRule: place))
        case .unique(let unique):
            let place = unique.place.inside(entity.name)
            entity.description.uniquenessConstraints.append(unique.names)
            entity.constraints.append(unique.names.map { PlacedName(name: $0, place: place) })
        case .index(let index):
            let place = index.place.inside(entity.name)
            entity.description.indexes.append(index.description)
            entity.indexElements.append(
                index.description.elements.map { PlacedName(name: $0.propertyName, place: place) })
            entity.indexPredicatePlaces.append(place)
        case .rule(let rule):
            entity.description.validationRules.append(rule.rule)
            entity.rulePlaces.append(rule.place.inside(entity.name))
        }
    }
}

extension SourceLocation {
    /// Returns the same location with the entity's name before the key path.
    fileprivate func inside(_ entity: String) -> SourceLocation {
        SourceLocation(file: file, line: line, column: column, keyPath: "\(entity).\(keyPath)")
    }
}

/// The result builder for the parts of an entity.
@resultBuilder public enum EntityBuilder {
    /// Adds an attribute.
    public static func buildExpression(_ attribute: Attribute) -> [EntityPart] {
        [EntityPart(content: .attribute(attribute))]
    }

    /// Adds a relationship.
    public static func buildExpression(_ relationship: Relationship) -> [EntityPart] {
        [EntityPart(content: .relationship(relationship))]
    }

    /// Adds a uniqueness constraint.
    public static func buildExpression(_ unique: Unique) -> [EntityPart] {
        [EntityPart(content: .unique(unique))]
    }

    /// Adds an index.
    public static func buildExpression(_ index: Index) -> [EntityPart] {
        [EntityPart(content: .index(index))]
    }

    /// Adds a rule over the whole object.
    public static func buildExpression(_ rule: Rule) -> [EntityPart] {
        [EntityPart(content: .rule(rule))]
    }

    /// Adds parts built elsewhere, such as parts that several entities share.
    public static func buildExpression(_ parts: [EntityPart]) -> [EntityPart] { parts }

    /// Combines parts in their order.
    public static func buildBlock(_ parts: [EntityPart]...) -> [EntityPart] {
        parts.flatMap(\.self)
    }

    /// Adds parts under a condition.
    public static func buildOptional(_ parts: [EntityPart]?) -> [EntityPart] { parts ?? [] }

    /// Adds the parts of the first branch.
    public static func buildEither(first parts: [EntityPart]) -> [EntityPart] { parts }

    /// Adds the parts of the second branch.
    public static func buildEither(second parts: [EntityPart]) -> [EntityPart] { parts }

    /// Adds the parts of a loop.
    public static func buildArray(_ parts: [[EntityPart]]) -> [EntityPart] { parts.flatMap(\.self) }
}
