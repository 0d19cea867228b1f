import GraphModel

/// A to-one relationship without an inverse, from the perspective of a deletion of its
/// destinations.
///
/// The deleted objects have no relationship whose delete rule could clear the links.
struct OneWayLink {
    let name: String
    /// The name of the entity that declares the relationship.
    let entityName: String
    let root: Int64
    let table: String
    let destinationRoot: Int64
    let isRequired: Bool
    /// The columns of the link, the key column first.
    let columns: [String]

    /// Returns all relationships of this kind whose links are in the store.
    static func all(in schema: StoreLayout) -> [OneWayLink] {
        schema.model.entities.flatMap { description in
            schema.model.ownRelationships(of: description).compactMap { relationship in
                OneWayLink(relationship, of: description.name, in: schema)
            }
        }
    }

    private init?(
        _ relationship: RelationshipDescription, of name: String, in schema: StoreLayout
    ) {
        guard !relationship.isToMany, schema.model.inverse(of: relationship) == nil,
            let source = schema.entity(named: name), schema.holds(source),
            let columns = source.toOnes[relationship.name]?.columns,
            let destination = schema.entity(named: relationship.destinationEntityName)
        else { return nil }
        self.name = relationship.name
        entityName = name
        root = source.rootNumber
        table = source.table
        destinationRoot = destination.rootNumber
        isRequired = !relationship.isOptional
        self.columns = [columns.column, columns.entityColumn, columns.orderColumn]
            .compactMap(\.self)
    }
}
