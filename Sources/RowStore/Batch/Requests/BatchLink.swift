import GraphModel
import SQLite

/// A to-one relationship that a batch update sets to the same target, or to nil, for all matching
/// objects.
package struct BatchLink {
    private let columns: StoreLayout.ToOneColumns
    private let destination: StoreLayout.Entity
    private let id: ManagedObjectID?

    var name: String { columns.relationship.name }

    /// Resolves the new value of a relationship: an object of its destination, or nil.
    ///
    /// - Throws: `StoreError` if the value is not an object of the destination. Also if the
    ///   relationship is one-to-one, because one object cannot be the only target of many.
    package init(
        _ place: StoreLayout.ToOnePlace, _ expression: GraphExpression,
        _ variables: [String: GraphValue], _ schema: StoreLayout
    ) throws(StoreError) {
        let relationship = place.relationship
        let name = relationship.name
        guard let destination = schema.entity(named: relationship.destinationEntityName) else {
            throw StoreError(.invalidRequest, "'\(name)' leads nowhere")
        }
        var value: GraphValue?
        if case .constant(let constant) = expression { value = constant }
        if case .variable(let variable, let path) = expression, path.isEmpty {
            value = variables[variable]
        }
        switch value {
        case .null: id = nil
        case .object(let object): id = object
        default:
            throw StoreError(
                .invalidRequest, "'\(name)' can be set to an object or to nil, not by an expression"
            )
        }
        guard let columns = place.columns,
            relationship.inverseName.flatMap({ destination.toOnes[$0] }) == nil
        else {
            throw StoreError(
                .invalidRequest,
                "'\(name)' is one-to-one: set it on objects, not in a batch")
        }
        self.columns = columns
        self.destination = destination
        if id == nil, !relationship.isOptional {
            throw StoreError(.validation, "'\(name)' is required and cannot be set to nil")
        }
        if let id, !destination.familyNumbers.contains(id.entityNumber) {
            throw StoreError(
                .invalidRequest,
                "'\(name)' leads to '\(destination.name)', and the object is of another entity")
        }
    }

    /// Throws an error if the target is not in the store.
    func check(in session: WriteSession) throws(StoreError) {
        guard let id else { return }
        let count = try session.connection.integer(
            "SELECT count(*) FROM \(destination.table) WHERE Z_PK = \(id.primaryKey)"
                + " AND Z_ENT = \(id.entityNumber)")
        guard count == 1 else {
            throw StoreError(
                .invalidRequest,
                "'\(name)' cannot lead to \(destination.name) p\(id.primaryKey), which is not saved"
            )
        }
    }

    /// Notes the inverse-end objects that gain or lose links to the changing objects.
    ///
    /// - Parameter changed: A query for the primary keys of the changing objects.
    func noteEnds(of table: String, _ changed: String, in session: WriteSession) throws(StoreError)
    {
        guard let inverse = session.schema.inverseEnd(of: columns.relationship) else { return }
        let moving = "FROM \(table) AS t WHERE t.Z_PK IN (\(changed)) AND "
        try session.noteLinks(
            inverse, keys: ("SELECT t.\(columns.column) \(moving)" + difference))
        guard let id else { return }
        try session.noteLinks(
            inverse, keys: "SELECT \(id.primaryKey) \(moving)" + difference + " LIMIT 1")
    }

    private var key: StoredValue { id.map { .integer($0.primaryKey) } ?? .null }

    /// The new key of the relationship, as SQL.
    var value: SQLFragment { SQLFragment("?", [key]) }

    /// An SQL condition for the rows that would change, over the alias `t`.
    var difference: SQLFragment { SQLFragment("t.\(columns.column) IS NOT ?", [key]) }

    /// Returns the assignments of an UPDATE over the alias `t`.
    ///
    /// In an ordered to-many relationship, the objects are appended in the order of their keys.
    func assignments(
        of table: String, _ match: BatchMatch, in session: WriteSession
    ) throws(StoreError) -> [SQLFragment] {
        var sets = [SQLFragment("\(columns.column) = ?", [key])]
        if let column = columns.entityColumn {
            sets.append(
                SQLFragment("\(column) = ?", [id.map { .integer($0.entityNumber) } ?? .null]))
        }
        guard let column = columns.orderColumn else { return sets }
        guard let id else { return sets + [SQLFragment("\(column) = NULL")] }
        let connection = session.connection
        var last =
            try connection.integer(
                "SELECT max(\(column)) FROM \(table)"
                    + " WHERE \(columns.column) = \(id.primaryKey)") ?? 0
        if OrderPositions.position(after: last, count: Int64(match.count)) == nil {
            let positions = OrderPositions(
                in: table, owner: columns.column, object: "Z_PK", order: column, on: connection)
            last = Int64(try positions.renumber(id.primaryKey)) * OrderPositions.step
        }
        let place = try match.numberChanging(on: connection)
        // Objects that are already in the relationship keep their positions.
        return sets + [
            SQLFragment(
                "\(column) = CASE WHEN t.\(columns.column) IS ? THEN t.\(column)"
                    + " ELSE ? + \(OrderPositions.step) * \(place) END", [key, .integer(last)])
        ]
    }
}
