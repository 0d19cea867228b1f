import GraphModel

/// What the class of one entity consists of.
struct ClassPlan {
    /// A property of the entity, inherited or not.
    struct Property {
        enum Kind {
            case attribute(AttributeDescription)
            case toOne(RelationshipDescription, className: String)
            case toMany(RelationshipDescription, className: String)
        }

        var kind: Kind
        /// Where it stands among all of its kind.
        var slot: Int
        /// The superclass has an accessor for it.
        var isInherited: Bool

        /// The model's name for it.
        var name: String {
            switch kind {
            case .attribute(let attribute): attribute.name
            case .toOne(let relationship, _), .toMany(let relationship, _): relationship.name
            }
        }

        /// What it is called in Swift.
        var identifier: String { SwiftName.property(name) }
    }

    let entity: EntityDescription
    let className: String
    let mode: ClassGenerator.Mode
    /// The nearest ancestor that has a class; nil is `ManagedObject`.
    let superclassName: String?
    /// No entity inherits from it.
    let isFinal: Bool
    /// In the order of attributes, to-ones, to-manys, each by slot; composites by their elements.
    let properties: [Property]

    /// Nil where the model says that the entity has no class of its own.
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

    /// The class's name as it is written.
    var swiftName: String { SwiftName.escaped(className) }

    /// `Task.swift`, or `Task+Properties.swift` where the class stands elsewhere.
    var fileName: String {
        mode == .category ? "\(className)+Properties.swift" : "\(className).swift"
    }

    /// The last part of `Module.Class`; nil where the entity has the plain class.
    private static func className(of entity: EntityDescription) -> String? {
        guard let name = entity.managedObjectClassName else { return entity.name }
        guard name != "NSManagedObject", name != SwiftTypes.base else { return nil }
        return name.split(separator: ".").last.map(String.init) ?? entity.name
    }

    /// What Xcode's model editor calls "Codegen"; in YAML `xcode: { codeGenerationType: … }`.
    private static func mode(of entity: EntityDescription) -> ClassGenerator.Mode {
        switch entity.extras["codeGenerationType"] {
        case "category": .category
        case "manual", "none": .manual
        default: .class
        }
    }
}
