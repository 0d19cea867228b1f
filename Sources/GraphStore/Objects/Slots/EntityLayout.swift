import GraphModel

/// The locations of an entity's properties in its objects and in the tables.
///
/// Attributes, to-ones, and to-manys have separate slots, counted from 0, with inherited ones
/// first. A property therefore has the same slot in an entity and in all its descendants.
/// Properties are also numbered across all three kinds; this number is the property's bit in a
/// `ChangeMask`.
package final class EntityLayout: Sendable {
    /// An attribute.
    struct Attribute: Sendable {
        var description: AttributeDescription
        /// The column's name; `nil` if the attribute is transient.
        var column: String?
        /// The limits of integer types.
        var limits: (Int64, Int64)?

        var name: String { description.name }
        var isExternal: Bool { description.allowsExternalBinaryDataStorage }
        var isDerived: Bool { description.derivationExpression != nil }
    }

    /// The facts about an attribute that sets and saves need.
    ///
    /// It contains no strings, because copying a string changes a reference count.
    struct Slot: Sendable {
        let type: AttributeType
        let isStored: Bool
        let isExternal: Bool
        let isExactDecimal: Bool
        /// The smallest value of integer types.
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

    /// The inverse of a relationship; slots refer to the destination's layout.
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

    /// The kind and slot of a property.
    enum Property: Sendable, Hashable {
        case attribute(Int)
        case toOne(Int)
        case toMany(Int)
    }

    let entity: StoreLayout.Entity
    let attributes: [Attribute]
    /// The same attributes, reduced for sets and saves.
    let slots: [Slot]
    /// The attributes with a column, by where their values are; each has the position of its column
    /// among those of all attributes.
    let valuesInRows: [(slot: Int, position: Int32)]
    let valuesInFiles: [(slot: Int, position: Int32)]
    let attributeNames: [String]
    let toOnes: [ToOne]
    let toManys: [ToMany]
    let properties: [String: Property]
    /// The slots of each composite's elements, including nested ones, by the composite's path.
    let composites: [String: [Int]]
    /// The requests of fetched properties, including inherited ones.
    let fetchedProperties: [String: FetchRequestTemplate]
    /// The attribute values of a new object.
    let defaults: [StoredValue]
    /// The relationships of a new object.
    let emptyLinks: [ManagedObjectID?]
    let emptyLists: [ToManyState]
    /// The attributes and to-ones of each uniqueness constraint, including inherited constraints.
    let constraints: [[Property]]
    /// The properties of all constraints.
    let constrainedProperties: Set<Property>

    /// Whether the store maintains any attribute.
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
        let facts = slots
        let stored = facts.indices.filter { facts[$0].isStored }.enumerated()
            .map { (slot: $0.element, position: Int32($0.offset)) }
        valuesInRows = stored.filter { !facts[$0.slot].isExternal }
        valuesInFiles = stored.filter { facts[$0.slot].isExternal }
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

    /// Returns the column of the entity's own row that holds a property; `nil` if there is no
    /// column.
    func column(of property: Property) -> String? {
        switch property {
        case .attribute(let slot): attributes[slot].column
        case .toOne(let slot): toOnes[slot].place.columns?.column
        case .toMany: nil
        }
    }

    /// The names of all properties, ordered by bit.
    var propertyNames: [String] {
        attributes.map(\.name) + toOnes.map(\.name) + toManys.map(\.name)
    }
}

/// A plan for reading rows of an entity and its descendants with one list of columns.
struct RowPlan: Sendable {
    /// The column indexes of a concrete entity's slots.
    struct Places: Sendable {
        /// The column indexes; `nil` for transient attributes.
        var attributes: [Int32?]
        var toOnes: [(key: Int32, entity: Int32?, destination: Int64)]
    }

    /// The columns `Z_PK, Z_ENT, Z_OPT` and the property columns, with the alias `t`.
    let columns: String
    /// The places by entity number; `nil` for entities outside the plan.
    private let places: [Places?]

    func places(of number: Int64) -> Places? {
        number >= 0 && number < places.count ? places[Int(number)] : nil
    }

    /// Creates a plan.
    ///
    /// - Parameter layouts: The layouts by entity number.
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
