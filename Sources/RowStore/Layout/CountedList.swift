import GraphModel

/// A to-many relationship that limits the number of its objects, in SQL.
///
/// The owner has the alias `t`, and a link the alias `l`.
struct CountedList {
    let name: String
    /// The entity that declares the relationship.
    let entity: StoreLayout.Entity
    let destinationRoot: Int64
    let relationship: RelationshipDescription
    /// The rule that applies to the owner if one of its objects is deleted; `nil` without an
    /// inverse.
    let inverseRule: DeleteRule?
    /// The table with the links, or a query for them.
    private let links: String
    /// The names of its columns with the owner and with the object.
    private let ownerColumn: String
    private let objectColumn: String

    /// Returns all relationships of this kind that the entity declares.
    static func all(of entity: StoreLayout.Entity, in schema: StoreLayout) -> [CountedList] {
        schema.model.ownRelationships(named: entity.name).compactMap { relationship in
            CountedList(relationship, of: entity, in: schema)
        }
    }

    private init?(
        _ relationship: RelationshipDescription, of entity: StoreLayout.Entity,
        in schema: StoreLayout
    ) {
        guard
            RelationshipDescription.CountProblem.allCases.contains(where: {
                relationship.limit($0) != nil
            }), let place = entity.toManys[relationship.name],
            let destination = schema.entity(named: relationship.destinationEntityName),
            schema.holds(entity), schema.holds(destination)
        else { return nil }
        name = relationship.name
        self.entity = entity
        destinationRoot = destination.rootNumber
        self.relationship = relationship
        inverseRule = schema.model.inverse(of: relationship)?.relationship.deleteRule
        switch place {
        case .foreignKey(let key):
            links = key.table
            ownerColumn = key.column
            objectColumn = "Z_PK"
        case .joinTable(let join):
            links = join.pairs
            ownerColumn = join.ownerColumn
            objectColumn = join.destinationColumn
        }
    }

    /// Returns a query for the owners of the objects whose keys another query returns.
    func owners(of objects: String) -> String {
        "SELECT l.\(ownerColumn) FROM \(links) l WHERE l.\(objectColumn) IN (\(objects))"
    }

    /// Returns a condition for owners with this problem; `nil` if the relationship has no such
    /// limit.
    ///
    /// - Parameter objects: A query for the keys of objects that do not count.
    func hasProblem(
        _ problem: RelationshipDescription.CountProblem, without objects: String? = nil
    ) -> String? {
        guard let limit = relationship.limit(problem) else { return nil }
        let others = objects.map { " AND l.\(objectColumn) NOT IN (\($0))" } ?? ""
        let count =
            "(SELECT count(*) FROM \(links) l WHERE l.\(ownerColumn) = t.Z_PK\(others))"
        switch problem {
        case .tooFew:
            // An optional relationship can be empty.
            return relationship.isOptional
                ? "\(count) BETWEEN 1 AND \(limit - 1)" : "\(count) < \(limit)"
        case .tooMany: return "\(count) > \(limit)"
        }
    }
}
