import Diagnostics

/// One entity of a model that is written in Swift.
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
    var declaration: EntityDeclaration

    /// Declares an entity; what is left out has Core Data's default.
    ///
    /// - Parameters:
    ///   - name: the entity's name.
    ///   - parent: the entity whose properties and table it shares.
    ///   - isAbstract: whether only its sub-entities have objects.
    ///   - className: the class that stands for it in code.
    ///   - renamedFrom: its name in the version before.
    ///   - hashModifier: forces a new version hash although the shape is the same.
    ///   - userInfo: free text for tools.
    ///   - file: the source file, for messages.
    ///   - line: the line, for messages.
    ///   - column: the column, for messages.
    ///   - parts: its attributes, relationships, constraints, indexes, and rules.
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
        for part in parts() { part.add(to: &declaration) }
    }
}

/// Something that an entity declares: an attribute, a relationship, a constraint, an index, a rule.
public struct EntityPart: Sendable {
    enum Content: Sendable {
        case attribute(Attribute)
        case relationship(Relationship)
        case unique(Unique)
        case index(Index)
        case rule(Rule)
    }

    let content: Content

    /// Adds the part, with its place below the entity's name.
    func add(to entity: inout EntityDeclaration) {
        switch content {
        case .attribute(let attribute):
            entity.description.ownAttributes.append(attribute.description)
            entity.attributePlaces.append(attribute.place.inside(entity.name))
            entity.attributeDeclarations.append(attribute)
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
    /// The same place, known by its way from the entity.
    fileprivate func inside(_ entity: String) -> SourceLocation {
        SourceLocation(file: file, line: line, column: column, keyPath: "\(entity).\(keyPath)")
    }
}

/// Puts an entity's parts together.
@resultBuilder public enum EntityBuilder {
    /// An attribute.
    public static func buildExpression(_ attribute: Attribute) -> [EntityPart] {
        [EntityPart(content: .attribute(attribute))]
    }

    /// A relationship.
    public static func buildExpression(_ relationship: Relationship) -> [EntityPart] {
        [EntityPart(content: .relationship(relationship))]
    }

    /// A uniqueness constraint.
    public static func buildExpression(_ unique: Unique) -> [EntityPart] {
        [EntityPart(content: .unique(unique))]
    }

    /// An index.
    public static func buildExpression(_ index: Index) -> [EntityPart] {
        [EntityPart(content: .index(index))]
    }

    /// A rule over the whole object.
    public static func buildExpression(_ rule: Rule) -> [EntityPart] {
        [EntityPart(content: .rule(rule))]
    }

    /// Parts made elsewhere, such as those that several entities have.
    public static func buildExpression(_ parts: [EntityPart]) -> [EntityPart] { parts }

    /// Parts in their order.
    public static func buildBlock(_ parts: [EntityPart]...) -> [EntityPart] {
        parts.flatMap(\.self)
    }

    /// Parts under a condition.
    public static func buildOptional(_ parts: [EntityPart]?) -> [EntityPart] { parts ?? [] }

    /// The first way of two.
    public static func buildEither(first parts: [EntityPart]) -> [EntityPart] { parts }

    /// The second way of two.
    public static func buildEither(second parts: [EntityPart]) -> [EntityPart] { parts }

    /// Parts of a loop.
    public static func buildArray(_ parts: [[EntityPart]]) -> [EntityPart] { parts.flatMap(\.self) }
}
