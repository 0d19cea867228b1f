import GraphModel

/// The columns of a result as an entity, so that a predicate can refer to them.
struct HavingFilter {
    /// A name that no entity can have.
    private static let name = "row of the result"

    let entity: StoreLayout.Entity
    private let model: ManagedObjectModel
    private let names: Set<String>

    init(_ columns: [ResultSQL.Column], _ schema: StoreLayout) throws(StoreError) {
        var description = EntityDescription(name: Self.name)
        var entity = StoreLayout.Entity(
            name: Self.name, number: 0, superNumber: 0, isAbstract: false, table: "",
            rootNumber: 0, familyNumbers: [], sharesTable: false, attributes: [:], toOnes: [:],
            toManys: [:])
        for (position, column) in columns.enumerated() {
            if case .object(let root) = column.type, let there = schema.entity(number: root) {
                let toOne = RelationshipDescription(
                    name: column.name, destinationEntityName: there.name)
                description.ownRelationships.append(toOne)
                entity.toOnes[column.name] = .own(
                    StoreLayout.ToOneColumns(
                        column: "c\(position)", entityColumn: nil, orderColumn: nil,
                        relationship: toOne))
            } else {
                var attribute = AttributeDescription(
                    name: column.name, type: column.attribute?.type ?? column.type.attributeType)
                attribute.keepsDigits = column.type == .decimal
                description.ownAttributes.append(attribute)
                entity.attributes[column.name] = StoreLayout.AttributeColumn(
                    column: "c\(position)", attribute: attribute, declaringEntity: Self.name)
            }
        }
        self.entity = entity
        names = Set(columns.map(\.name))
        do {
            model = try ManagedObjectModel(
                entities: schema.model.entities + [description],
                composites: schema.model.composites)
        } catch {
            throw StoreError(.invalidRequest, "\(error)")
        }
    }

    /// Returns the key of a column if the path is its name.
    private func key(_ path: [String]) -> [String]? {
        let name = path.joined(separator: ".")
        return names.contains(name) ? [name] : nil
    }

    func resolved(
        _ predicate: GraphPredicate, _ variables: [String: GraphValue]
    ) throws(StoreError) -> GraphPredicate {
        let named = predicate.replacingLeaves { leaf in
            guard case .keyPath(let path) = leaf else { return nil }
            return key(path).map { .keyPath($0) }
        }
        if let path = named.keyPaths.first(where: { isNumber($0) }) {
            throw StoreError(
                .invalidRequest,
                "Groups have no '\(path[0])'; havingPredicate sees the columns of the result")
        }
        do {
            return try named.resolved(for: Self.name, in: model, variables: variables)
        } catch {
            throw StoreError(
                .invalidRequest,
                error.rendered + "; havingPredicate sees the columns of the result")
        }
    }

    /// Returns whether a path is the object ID, which groups lack.
    private func isNumber(_ path: [String]) -> Bool {
        path.count == 1 && model.isObjectNumber(path[0], of: Self.name)
    }

    func order(_ order: [GraphSortDescriptor]) throws(StoreError) -> [GraphSortDescriptor] {
        var result: [GraphSortDescriptor] = []
        for var descriptor in order {
            guard let key = key(descriptor.keyPath) else {
                throw StoreError(
                    .invalidRequest,
                    "Groups can be sorted by a column of the result only, not by"
                        + " '\(descriptor.keyPath.joined(separator: "."))'")
            }
            descriptor.keyPath = key
            result.append(descriptor)
        }
        return result
    }
}

extension SQLType {
    /// The attribute type that holds values of this SQL type.
    fileprivate var attributeType: AttributeType {
        switch self {
        case .null, .text: .string
        case .boolean: .boolean
        case .integer, .object: .integer64
        case .double, .number: .double
        case .decimal: .decimal
        case .date: .date
        case .uuid: .uuid
        case .binary: .binary
        case .opaque: .transformable
        }
    }
}
