import GraphModel

/// A relationship from the perspective of a deletion: from the deleted objects to their targets.
struct RelationshipEdge {
    let name: String
    let rule: DeleteRule
    /// The name of the entity that declares the relationship.
    let sourceName: String
    let sourceRoot: Int64
    let destinationRoot: Int64
    let destinationTable: String
    let destinationName: String
    let inverseName: String?
    /// The columns of the destination that refer back, the key column first; empty if there are
    /// none.
    let backColumns: [String]
    /// Whether the inverse is required.
    let backIsRequired: Bool
    /// The join table of the relationship, if any.
    let join: StoreLayout.Join?

    private let sourceNumbers: [Int64]
    private let sharesTable: Bool
    let sourceTable: String
    /// The source's column of the link, if many objects may refer to one destination.
    let columnOfManyToOne: String?
    private let forwardColumn: String?
    /// Whether only the source has a column for the link, although there is an inverse.
    private let isOneSided: Bool

    private var backColumn: String? { backColumns.first }

    /// Returns all relationships of the model, from the entities that declare them.
    static func all(in schema: StoreLayout) -> [RelationshipEdge] {
        schema.model.entities.flatMap { description in
            schema.model.ownRelationships(of: description).compactMap { relationship in
                RelationshipEdge(relationship, of: description.name, in: schema)
            }
        }
    }

    private init?(
        _ relationship: RelationshipDescription, of name: String, in schema: StoreLayout
    ) {
        guard let source = schema.entity(named: name),
            let destination = schema.entity(named: relationship.destinationEntityName)
        else { return nil }
        self.name = relationship.name
        rule = relationship.deleteRule
        sourceName = source.name
        sourceRoot = source.rootNumber
        sourceNumbers = source.familyNumbers
        sharesTable = source.sharesTable
        sourceTable = source.table
        destinationRoot = destination.rootNumber
        destinationTable = destination.table
        destinationName = destination.name
        inverseName = relationship.inverseName
        let inverse = relationship.inverseName.flatMap { destination.toOnes[$0] }
        backIsRequired = inverse.map { !$0.relationship.isOptional } ?? false
        if let toOne = source.toOnes[relationship.name] {
            forwardColumn = toOne.column
            isOneSided = inverse.map { $0.columns == nil } ?? false
            columnOfManyToOne = inverse == nil ? toOne.column : nil
            join = nil
            let back = inverse?.columns
            backColumns = [back?.column, back?.entityColumn, back?.orderColumn].compactMap(\.self)
            return
        }
        forwardColumn = nil
        columnOfManyToOne = nil
        isOneSided = false
        switch source.toManys[relationship.name] {
        case .foreignKey(let place):
            backColumns = [place.column, place.entityColumn, place.orderColumn].compactMap(\.self)
            join = nil
        case .joinTable(let join):
            backColumns = []
            self.join = join
        case nil:
            return nil
        }
    }

    /// Returns a query for the objects in the table of objects to delete that have this
    /// relationship.
    func owners(in doomed: String, and condition: String? = nil) -> String {
        var conditions = condition.map { [$0] } ?? []
        if sharesTable {
            conditions.append("ent IN (\(sourceNumbers.map(String.init).joined(separator: ",")))")
        }
        let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        return "SELECT pk FROM \(doomed)\(filter)"
    }

    /// Returns a condition for the destination's rows that belong to these owners; `nil` if a
    /// destination can have several owners.
    func pointingBack(to owners: String) -> String? {
        if let backColumn { return "\(backColumn) IN (\(owners))" }
        guard isOneSided, let forwardColumn else { return nil }
        return "Z_PK IN (SELECT o.\(forwardColumn) FROM \(sourceTable) o WHERE o.Z_PK IN"
            + " (\(owners)))"
    }

    /// Returns a query for `owner, dest, ent` of all links from these owners.
    func related(to owners: String) -> String {
        if let forwardColumn {
            return "SELECT o.Z_PK AS owner, d.Z_PK AS dest, d.Z_ENT AS ent FROM \(sourceTable) o"
                + " JOIN \(destinationTable) d ON d.Z_PK = o.\(forwardColumn)"
                + " WHERE o.Z_PK IN (\(owners))"
        }
        if let join {
            return "SELECT j.\(join.ownerColumn) AS owner, d.Z_PK AS dest, d.Z_ENT AS ent"
                + " FROM \(join.pairs) j JOIN \(destinationTable) d"
                + " ON d.Z_PK = j.\(join.destinationColumn)"
                + " WHERE j.\(join.ownerColumn) IN (\(owners))"
        }
        let column = backColumn ?? "NULL"
        return "SELECT d.\(column) AS owner, d.Z_PK AS dest, d.Z_ENT AS ent"
            + " FROM \(destinationTable) d WHERE d.\(column) IN (\(owners))"
    }
}
