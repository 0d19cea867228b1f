/// A named set of attributes that entities use as the type of one attribute.
public struct CompositeDescription: Sendable, Hashable, Codable {
    /// The composite's name, to which attributes of type `Composite` refer.
    public var name: String
    /// The composite's attributes, which can have other composites as their type.
    public var attributes: [AttributeDescription]
    /// Contents of a model file that have no property here, by their keys in the file.
    @EmptyByDefault public var extras: [String: String]

    /// Creates a composite.
    public init(
        name: String, attributes: [AttributeDescription] = [], extras: [String: String] = [:]
    ) {
        self.name = name
        self.attributes = attributes
        self.extras = extras
    }
}

/// Expands composite attributes into the plain attributes that they consist of.
///
/// ```
/// composites:
///   Scale:     { attributes: { richter: Double, agency: String } }
///   Magnitude: { attributes: { first: { type: Composite, composite: Scale }, felt: Boolean } }
/// entities:
///   Quake: { attributes: { magnitude: { type: Composite, composite: Magnitude } } }
/// ```
/// gives Quake the plain attributes `magnitude.first.richter`, `magnitude.first.agency`, and
/// `magnitude.felt`, each with its own column. So stores, predicates, and loads do not handle
/// composites.
struct CompositeElements {
    /// The maximum number of elements, which bounds the cost of a hostile file.
    static let elementsMax = 10_000
    private static let depthMax = 64

    /// The composites by name.
    private let composites: [String: CompositeDescription]
    /// The total number of elements of each composite, including nested composites.
    ///
    /// The count stops at `elementsMax + 1`.
    private let sizes: [String: Int]
    /// A composite on a cycle, by each composite that contains it; their sizes are invalid.
    private let cycles: [String: String]

    init(_ composites: [CompositeDescription]) {
        let composites = Dictionary(composites.map { ($0.name, $0) }) { first, _ in first }
        var sizes: [String: Int] = [:]
        var cycles: [String: String] = [:]
        var open: Set<String> = []
        func size(_ name: String, depth: Int) -> Int {
            if let known = sizes[name] { return known }
            guard depth <= Self.depthMax else { return Self.elementsMax + 1 }
            sizes[name] = 1
            open.insert(name)
            let attributes = composites[name]?.attributes ?? []
            let total = attributes.reduce(1) { total, attribute in
                guard let inner = attribute.compositeName else {
                    return min(total + 1, Self.elementsMax + 1)
                }
                let count = size(inner, depth: depth + 1)
                if let cycle = open.contains(inner) ? inner : cycles[inner] { cycles[name] = cycle }
                return min(total + count, Self.elementsMax + 1)
            }
            open.remove(name)
            sizes[name] = total
            return total
        }
        for name in composites.keys.sorted() { _ = size(name, depth: 1) }
        self.composites = composites
        self.sizes = sizes
        self.cycles = cycles
    }

    /// Returns the number of plain attributes of an attribute.
    func size(of attribute: AttributeDescription) -> Int {
        attribute.type == .composite ? sizes[attribute.compositeName ?? ""] ?? 0 : 1
    }

    /// Returns the attribute's elements, or the attribute itself if it is not a composite.
    ///
    /// An element is transient, or preserved in history, if an enclosing composite is. Its renaming
    /// identifier is its previous path. If an enclosing composite is optional, a required element
    /// needs a value only if the composite has one: see `requiredBeside`.
    ///
    /// - Throws: `ModelError` if a composite is missing, contains itself, or has too many elements.
    func leaves(of attribute: AttributeDescription) throws(ModelError) -> [AttributeDescription] {
        guard attribute.type == .composite else { return [attribute] }
        if let name = cycles[attribute.compositeName ?? ""] {
            throw ModelError(.compositeCycle(name))
        }
        guard size(of: attribute) <= Self.elementsMax else {
            throw ModelError(.compositeTooLarge(attribute: attribute.name))
        }
        var leaves: [AttributeDescription] = []
        try add(attribute, within: [], to: &leaves)
        return leaves
    }

    private func add(
        _ attribute: AttributeDescription, within around: [String],
        to leaves: inout [AttributeDescription]
    ) throws(ModelError) {
        guard attribute.type == .composite else {
            leaves.append(attribute)
            return
        }
        let name = attribute.compositeName ?? ""
        guard let composite = composites[name] else {
            throw ModelError(.missingComposite(attribute: attribute.name, composite: name))
        }
        guard around.count < Self.depthMax else {
            throw ModelError(.compositeTooLarge(attribute: attribute.name))
        }
        for element in composite.attributes {
            try add(Self.element(element, of: attribute), within: around + [name], to: &leaves)
        }
    }

    /// Returns an element as the attribute of an entity.
    private static func element(
        _ element: AttributeDescription, of whole: AttributeDescription
    ) -> AttributeDescription {
        var attribute = element
        attribute.name = "\(whole.name).\(element.name)"
        if whole.renamingIdentifier != nil || element.renamingIdentifier != nil {
            let before = whole.renamingIdentifier ?? whole.name
            attribute.renamingIdentifier =
                "\(before).\(element.renamingIdentifier ?? element.name)"
        }
        attribute.isTransient = whole.isTransient || element.isTransient
        attribute.preservesValueInHistoryOnDeletion =
            whole.preservesValueInHistoryOnDeletion || element.preservesValueInHistoryOnDeletion
        let around = whole.isOptional ? whole.name : whole.requiredBeside
        if element.type == .composite {
            if !element.isOptional { attribute.requiredBeside = around }
        } else if !element.isOptional, let around {
            attribute.isOptional = true
            attribute.requiredBeside = around
        }
        return attribute
    }
}

extension ManagedObjectModel {
    /// Returns every attribute of the entity, inherited ones first.
    ///
    /// Composites are replaced by their elements, such as `magnitude.richter`.
    public func attributes(of name: String) -> [AttributeDescription] {
        lineage(of: name).reversed().flatMap { ownAttributes(of: $0) }
    }

    /// Returns the attributes that the entity declares, with composites replaced by their elements.
    public func ownAttributes(of entity: EntityDescription) -> [AttributeDescription] {
        attributesWithElements[entity.name] ?? entity.ownAttributes
    }

    /// Returns the declared or inherited attribute of that name; an element has its path as the
    /// name.
    public func attribute(_ property: String, of name: String) -> AttributeDescription? {
        // A list of all attributes would make the lookups of many attributes slow.
        for entity in lineage(of: name).reversed() {
            let own = ownAttributes(of: entity)
            if let place = own.firstIndex(where: { $0.name == property }) { return own[place] }
        }
        return nil
    }

    /// Returns the elements of the composite at a path such as `magnitude`, or `nil`.
    ///
    /// Nested composites are replaced by their elements.
    public func elements(of path: String, in entity: String) -> [AttributeDescription]? {
        guard !attributesWithElements.isEmpty else { return nil }
        let found = attributes(of: entity).filter { $0.name.isElement(of: path) }
        return found.isEmpty ? nil : found
    }

    /// Returns a key path in which each composite and its element form one key.
    ///
    /// `region.magnitude.richter` becomes `region`, `magnitude.richter`.
    package func folded(_ keyPath: [String], from entity: String) -> [String] {
        guard !attributesWithElements.isEmpty else { return keyPath }
        var entity = entity
        for (place, key) in keyPath.enumerated() {
            let isComposite = lineage(of: entity).contains { ancestor in
                ancestor.ownAttributes.contains { $0.name == key && $0.type == .composite }
            }
            if isComposite {
                return keyPath[..<place] + [keyPath[place...].joined(separator: ".")]
            }
            guard let relationship = relationship(key, of: entity) else { break }
            entity = relationship.destinationEntityName
        }
        return keyPath
    }

    /// Returns the folded paths of the stored elements of the composite at a path.
    ///
    /// If no element is stored, returns the paths of all elements. If the path does not lead to a
    /// composite, returns the folded path itself.
    package func elementPaths(at keyPath: [String], from entity: String) -> [[String]] {
        let path = folded(keyPath, from: entity)
        var entity = entity
        for key in path.dropLast() {
            guard let relationship = relationship(key, of: entity) else { return [path] }
            entity = relationship.destinationEntityName
        }
        guard let name = path.last, let elements = elements(of: name, in: entity) else {
            return [path]
        }
        let stored = elements.filter { !$0.isTransient }
        return (stored.isEmpty ? elements : stored).map { path.dropLast() + [$0.name] }
    }

    /// Returns whether a path leads to anything except a composite.
    package func isSingle(_ keyPath: [String], from entity: String) -> Bool {
        elementPaths(at: keyPath, from: entity) == [folded(keyPath, from: entity)]
    }

    /// Returns the attributes of each entity that has composites, replaced by their elements.
    static func withElements(
        _ entities: [EntityDescription], _ composites: [CompositeDescription]
    ) throws(ModelError) -> [String: [AttributeDescription]] {
        let elements = CompositeElements(composites)
        var found: [String: [AttributeDescription]] = [:]
        var total = 0
        for entity in entities where entity.ownAttributes.contains(where: { $0.type == .composite })
        {
            var attributes: [AttributeDescription] = []
            for attribute in entity.ownAttributes {
                if attribute.type == .composite { total += elements.size(of: attribute) }
                guard total <= CompositeElements.elementsMax else {
                    throw ModelError(.compositeTooLarge(attribute: attribute.name))
                }
                attributes += try elements.leaves(of: attribute)
            }
            found[entity.name] = attributes
        }
        return found
    }
}

extension GraphSortDescriptor {
    /// Returns the descriptor with each element of a composite as one key.
    package func folded(for entity: String, in model: ManagedObjectModel) -> GraphSortDescriptor {
        var descriptor = self
        descriptor.keyPath = model.folded(keyPath, from: entity)
        return descriptor
    }
}
