import GraphModel

/// The contents of the class for one entity.
struct ClassPlan {
    /// A property of the entity, inherited or not.
    struct Property {
        enum Kind {
            case attribute(AttributeDescription)
            case toOne(RelationshipDescription, className: String)
            case toMany(RelationshipDescription, className: String)
        }

        var kind: Kind
        /// The index of the property among the entity's properties of the same kind.
        ///
        /// The kinds are attributes, to-one relationships, and to-many relationships.
        var slot: Int
        /// Whether the superclass has an accessor for the property.
        var isInherited: Bool

        /// The property's name in the model.
        var name: String {
            switch kind {
            case .attribute(let attribute): attribute.name
            case .toOne(let relationship, _), .toMany(let relationship, _): relationship.name
            }
        }

        /// The property's name in Swift.
        var identifier: String { SwiftName.property(name) }
    }

    let entity: EntityDescription
    let className: String
    let mode: ClassGenerator.Mode
    /// The class of the nearest ancestor that has one; `nil` means `ManagedObject`.
    let superclassName: String?
    /// Whether no entity inherits from this one.
    let isFinal: Bool
    /// The attributes, then the to-one and the to-many relationships, each kind in slot order.
    ///
    /// A composite attribute is replaced by its elements.
    let properties: [Property]

    /// Creates a plan; `nil` if the model gives the entity no custom class.
    init?(
        _ entity: EntityDescription, in model: ManagedObjectModel, mode: ClassGenerator.Mode?
    ) {
        guard let className = Self.className(of: entity) else { return nil }
        self.entity = entity
        self.className = className
        self.mode = mode ?? Self.mode(of: entity)
        let lineage = model.lineage(of: entity.name)
        let parent = lineage.dropFirst().first { Self.className(of: $0) != nil }
        superclassName = parent.flatMap(Self.className)
        isFinal = model.family(of: entity.name).count == 1
        var inherited: Set<String> = []
        if let parent {
            inherited.formUnion(model.attributes(of: parent.name).map(\.name))
            inherited.formUnion(model.relationships(of: parent.name).map(\.name))
        }
        let attributes = model.attributes(of: entity.name)
        let relationships = model.relationships(of: entity.name)
        func destination(_ relationship: RelationshipDescription) -> String {
            let lineage = model.lineage(of: relationship.destinationEntityName)
            return lineage.lazy.compactMap(Self.className).first ?? SwiftTypes.base
        }
        let attributeKinds = attributes.map { Property.Kind.attribute($0) }
        let toOnes = relationships.filter { !$0.isToMany }.map {
            Property.Kind.toOne($0, className: destination($0))
        }
        let toManys = relationships.filter(\.isToMany).map {
            Property.Kind.toMany($0, className: destination($0))
        }
        properties = [attributeKinds, toOnes, toManys].flatMap { kinds in
            kinds.enumerated().map { slot, kind in
                var property = Property(kind: kind, slot: slot, isInherited: false)
                property.isInherited = inherited.contains(property.name)
                return property
            }
        }
    }

    /// The class's name, with backticks if necessary.
    var swiftName: String { SwiftName.escaped(className) }

    /// `Task.swift`, or `Task+Properties.swift` if the user writes the class.
    var fileName: String {
        mode == .category ? "\(className)+Properties.swift" : "\(className).swift"
    }

    /// Returns the last part of `Module.Class`; `nil` if the entity uses the base class.
    private static func className(of entity: EntityDescription) -> String? {
        guard let name = entity.managedObjectClassName else { return entity.name }
        guard name != "NSManagedObject", name != SwiftTypes.base else { return nil }
        return name.split(separator: ".").last.map(String.init) ?? entity.name
    }

    /// Returns the mode that the entity sets.
    ///
    /// It is "Codegen" in Xcode's model editor, and `xcode: { codeGenerationType: … }` in YAML.
    private static func mode(of entity: EntityDescription) -> ClassGenerator.Mode {
        switch entity.extras["codeGenerationType"] {
        case "category": .category
        case "manual", "none": .manual
        default: .class
        }
    }
}
