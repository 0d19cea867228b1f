import GraphModel

/// A relationship as a deletion sees it: from the objects that go to those they point at.
struct RelationshipEdge {
    let name: String
    let rule: DeleteRule
    /// The entity that declares it.
    let sourceName: String
    let sourceRoot: Int64
    let destinationRoot: Int64
    let destinationTable: String
    let destinationName: String
    let inverseName: String?
    /// Columns of the destination that point back, the key first; empty where none does.
    let backColumns: [String]
    /// The destination may not be without this end.
    let backIsRequired: Bool
    /// Where this end's pairs are, if they are in a table.
    let join: StoreLayout.Join?

    private let sourceNumbers: [Int64]
    private let sharesTable: Bool
    let sourceTable: String
    /// The column of the source with the link, if many objects may lead to one destination.
    let columnOfManyToOne: String?
    private let forwardColumn: String?
    /// The destination has no column that points back, and only this end's row has the link.
    private let isOneSided: Bool

    private var backColumn: String? { backColumns.first }

    /// Every relationship of the model, from the entity that declares it.
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

    /// The keys of those in the table of doomed objects that have this relationship.
    func owners(in doomed: String, and condition: String? = nil) -> String {
        var conditions = condition.map { [$0] } ?? []
        if sharesTable {
            conditions.append("ent IN (\(sourceNumbers.map(String.init).joined(separator: ",")))")
        }
        let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        return "SELECT pk FROM \(doomed)\(filter)"
    }

    /// The condition of rows of the destination that belong to those owners; nil if they do not
    /// lead to one owner.
    func pointingBack(to owners: String) -> String? {
        if let backColumn { return "\(backColumn) IN (\(owners))" }
        guard isOneSided, let forwardColumn else { return nil }
        return "Z_PK IN (SELECT o.\(forwardColumn) FROM \(sourceTable) o WHERE o.Z_PK IN"
            + " (\(owners)))"
    }

    /// `owner, dest, ent` of all links from those owners.
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
