import GraphModel

/// Where an entity's properties are in its objects, and where those stand in the tables.
///
/// Attributes, to-ones and to-manys have slots of their own, counted from 0, inherited ones first;
/// so a property has the same slot in an entity and in all its descendants. Over all three kinds
/// properties are numbered, too, which is their bit in a `ChangeMask`.
package final class EntityLayout: Sendable {
    /// An attribute.
    struct Attribute: Sendable {
        var description: AttributeDescription
        /// Nil where the attribute is transient.
        var column: String?
        /// Integer types: the values that fit.
        var limits: (Int64, Int64)?

        var name: String { description.name }
        var isExternal: Bool { description.allowsExternalBinaryDataStorage }
        var isDerived: Bool { description.derivationExpression != nil }
    }

    /// What every set and save asks of an attribute: no texts, whose copies are counted.
    struct Slot: Sendable {
        let type: AttributeType
        let isStored: Bool
        let isExternal: Bool
        let isExactDecimal: Bool
        /// The least and the largest value that fits, of integer types.
        let least: Int64
        let largest: Int64

        init(_ attribute: Attribute) {
            type = attribute.description.type
            isStored = attribute.column != nil
            isExternal = attribute.isExternal
            isExactDecimal = attribute.description.isExactDecimal
            least = attribute.limits?.0 ?? .min
            largest = attribute.limits?.1 ?? .max
        }
    }

    /// What a relationship is from its other end; slots are those of the destination's layout.
    enum Inverse: Sendable, Hashable {
        case none
        case toOne(slot: Int)
        case toMany(slot: Int)
    }

    /// A relationship to one object.
    struct ToOne: Sendable {
        var relationship: RelationshipDescription
        var place: StoreLayout.ToOnePlace
        var destination: Int64
        var inverse: Inverse

        var name: String { relationship.name }
    }

    /// A relationship to many objects.
    struct ToMany: Sendable {
        var relationship: RelationshipDescription
        var place: StoreLayout.ToManyPlace
        var destination: Int64
        var inverse: Inverse

        var name: String { relationship.name }
        var isOrdered: Bool { relationship.isOrdered }
    }

    /// Where a name leads.
    enum Property: Sendable, Hashable {
        case attribute(Int)
        case toOne(Int)
        case toMany(Int)
    }

    let entity: StoreLayout.Entity
    let attributes: [Attribute]
    /// The same attributes, as setting and saving look at them.
    let slots: [Slot]
    let attributeNames: [String]
    let toOnes: [ToOne]
    let toManys: [ToMany]
    let properties: [String: Property]
    /// The slots of each composite's elements, nested ones' too, by the composite's path.
    let composites: [String: [Int]]
    /// Requests that stand for properties, inherited ones too.
    let fetchedProperties: [String: FetchRequestTemplate]
    /// What the attributes of a new object hold.
    let defaults: [StoredValue]
    /// The relationships of a new object.
    let emptyLinks: [ManagedObjectID?]
    let emptyLists: [ToManyState]
    /// The attributes and to-one relationships of each uniqueness constraint, inherited ones too.
    let constraints: [[Property]]
    /// Those of all constraints.
    let constrainedProperties: Set<Property>

    /// Some attribute is kept by the store.
    let hasDerived: Bool

    let name: String
    let number: Int64
    let rootNumber: Int64

    init(_ entity: StoreLayout.Entity, _ schema: StoreLayout) {
        let model = schema.model
        self.entity = entity
        name = entity.name
        number = entity.number
        rootNumber = entity.rootNumber
        let attributes = model.attributes(of: entity.name).map { description in
            Attribute(
                description: description, column: entity.attributes[description.name]?.column,
                limits: description.type.integerLimits)
        }
        let relationships = model.relationships(of: entity.name)
        func destination(_ relationship: RelationshipDescription) -> Int64 {
            schema.entity(named: relationship.destinationEntityName)?.number ?? 0
        }
        let toOnes = relationships.filter { !$0.isToMany }.compactMap { relationship in
            entity.toOnes[relationship.name].map {
                ToOne(
                    relationship: relationship, place: $0,
                    destination: destination(relationship),
                    inverse: Self.inverse(of: relationship, in: model))
            }
        }
        let toManys = relationships.filter(\.isToMany).compactMap { relationship in
            entity.toManys[relationship.name].map {
                ToMany(
                    relationship: relationship, place: $0, destination: destination(relationship),
                    inverse: Self.inverse(of: relationship, in: model))
            }
        }
        var properties: [String: Property] = [:]
        for (slot, one) in attributes.enumerated() { properties[one.name] = .attribute(slot) }
        for (slot, one) in toOnes.enumerated() { properties[one.name] = .toOne(slot) }
        for (slot, one) in toManys.enumerated() { properties[one.name] = .toMany(slot) }
        self.attributes = attributes
        slots = attributes.map(Slot.init)
        attributeNames = attributes.map(\.name)
        self.toOnes = toOnes
        self.toManys = toManys
        self.properties = properties
        composites = Self.composites(attributes.map(\.name))
        var fetched: [String: FetchRequestTemplate] = [:]
        for ancestor in model.lineage(of: entity.name).reversed() {
            for property in ancestor.fetchedProperties {
                fetched[property.name] = property.request
            }
        }
        fetchedProperties = fetched
        defaults = attributes.map { $0.description.defaultValue ?? .null }
        emptyLinks = Array(repeating: nil, count: toOnes.count)
        emptyLists = toManys.map { .empty(isOrdered: $0.isOrdered) }
        constraints = model.uniquenessConstraints(of: entity.name).compactMap { names in
            let parts = names.compactMap { properties[$0] }
            return parts.count == names.count ? parts : nil
        }
        hasDerived = attributes.contains { $0.isDerived && $0.column != nil }
        constrainedProperties = Set(constraints.joined())
    }

    private static func composites(_ names: [String]) -> [String: [Int]] {
        var composites: [String: [Int]] = [:]
        for (slot, name) in names.enumerated() {
            for composite in name.compositesAround {
                composites[composite, default: []].append(slot)
            }
        }
        return composites
    }

    private static func inverse(
        of relationship: RelationshipDescription, in model: ManagedObjectModel
    ) -> Inverse {
        guard let name = relationship.inverseName else { return .none }
        let there = model.relationships(of: relationship.destinationEntityName)
        if let slot = there.filter({ !$0.isToMany }).firstIndex(where: { $0.name == name }) {
            return .toOne(slot: slot)
        }
        if let slot = there.filter(\.isToMany).firstIndex(where: { $0.name == name }) {
            return .toMany(slot: slot)
        }
        return .none
    }

    // MARK: Bits

    func bit(toOne slot: Int) -> Int { attributes.count + slot }
    func bit(toMany slot: Int) -> Int { attributes.count + toOnes.count + slot }

    func bit(_ property: Property) -> Int {
        switch property {
        case .attribute(let slot): slot
        case .toOne(let slot): bit(toOne: slot)
        case .toMany(let slot): bit(toMany: slot)
        }
    }

    /// The column of the entity's own row that holds a property; nil if none does.
    func column(of property: Property) -> String? {
        switch property {
        case .attribute(let slot): attributes[slot].column
        case .toOne(let slot): toOnes[slot].place.columns?.column
        case .toMany: nil
        }
    }

    /// Every property's name with its bit, by bit.
    var propertyNames: [String] {
        attributes.map(\.name) + toOnes.map(\.name) + toManys.map(\.name)
    }
}

/// How rows of an entity and its descendants are read: one list of columns for all of them.
struct RowPlan: Sendable {
    /// Where a concrete entity's slots are among the columns.
    struct Places: Sendable {
        /// Nil for transient attributes.
        var attributes: [Int32?]
        var toOnes: [(key: Int32, entity: Int32?, destination: Int64)]
    }

    /// `Z_PK, Z_ENT, Z_OPT` and the columns, of the alias `t`.
    let columns: String
    /// By entity number; nil of those that are not in the plan.
    private let places: [Places?]

    func places(of number: Int64) -> Places? {
        number >= 0 && number < places.count ? places[Int(number)] : nil
    }

    /// - Parameter layouts: by number.
    init(of entity: EntityLayout, _ layouts: [EntityLayout?]) {
        var names: [String] = []
        var positions: [String: Int32] = [:]
        func position(_ expression: String) -> Int32 {
            if let position = positions[expression] { return position }
            let position = Int32(names.count) + 3
            positions[expression] = position
            names.append(expression)
            return position
        }
        var places = [Places?](repeating: nil, count: layouts.count)
        for number in entity.entity.familyNumbers {
            guard let layout = layouts[Int(number)] else { continue }
            places[Int(number)] = Places(
                attributes: layout.attributes.map { $0.column.map { position("t.\($0)") } },
                toOnes: layout.toOnes.map {
                    (
                        position($0.place.key(of: "t")), $0.place.entity(of: "t").map(position),
                        $0.destination
                    )
                })
        }
        columns = (["t.Z_PK", "t.Z_ENT", "t.Z_OPT"] + names).joined(separator: ", ")
        self.places = places
    }
}
