import GraphModel
import SQLite

/// Walks over rows of one read snapshot, in constant memory.
///
/// Cells point into SQLite's current row: they live until the next `next()`.
package final class RowCursor {
    private let connection: Connection
    private let rows: Statement
    /// Counts the rows of the request without its limit and its offset.
    private let counting: SQLFragment
    /// For each field, the select's column; -1 for a list, which `readers` has.
    private let places: [Int32]
    private let readers: [ToManyReader?]
    /// One for each field of the request.
    package let columns: [RowColumn]
    /// Where cells of external values, and transformed ones, lead.
    package let externalValues: ExternalValues

    init(_ request: RowRequest, in container: PersistentContainer) throws {
        let schema = container.schema
        guard let entity = schema.entity(named: request.entityName) else {
            throw StoreError(.invalidRequest, "There is no entity '\(request.entityName)'")
        }
        let predicate = try request.predicate?.resolved(
            for: request.entityName, in: container.model, variables: request.variables)
        connection = try container.newReader()
        externalValues = ExternalValues(
            files: container.externalFiles, isOfApp: !schema.isOurs)
        var plans: [FieldPlan] = []
        for field in request.fields { plans.append(try FieldPlan(field, of: entity, in: schema)) }
        columns = plans.map(\.column)
        let select = try SelectSQL(
            request, of: entity, where: predicate,
            columns: plans.filter { $0.toMany == nil }.map(\.path), schema)
        counting = select.counting
        do throws(SQLiteError) {
            // One snapshot for the rows and their lists.
            try connection.execute("BEGIN")
            rows = try select.fragment.prepare(on: connection)
            (places, readers) = try Self.sources(
                plans, schema, inTableOrder: select.isTableOrder, on: connection)
        } catch {
            throw StoreError(error)
        }
    }

    private static func sources(
        _ plans: [FieldPlan], _ schema: StoreSchema, inTableOrder: Bool,
        on connection: Connection
    ) throws(SQLiteError) -> ([Int32], [ToManyReader?]) {
        var places: [Int32] = []
        var readers: [ToManyReader?] = []
        var column: Int32 = 1
        for plan in plans {
            if let toMany = plan.toMany {
                places.append(-1)
                readers.append(
                    try ToManyReader(
                        toMany, keyColumn: plan.keyColumn, schema, inTableOrder: inTableOrder,
                        on: connection))
            } else {
                places.append(column)
                readers.append(nil)
                column += 1
            }
        }
        return (places, readers)
    }

    /// Moves to the next row.
    ///
    /// - Returns: whether there is one.
    package func next() throws(StoreError) -> Bool {
        do {
            return try rows.step()
        } catch {
            throw StoreError(error)
        }
    }

    /// How many objects meet the request, whatever its limit and its offset, in the same snapshot.
    package func matchCount() throws(StoreError) -> Int {
        try storing { () throws(SQLiteError) in
            let statement = try counting.prepare(on: connection)
            return try statement.step() ? Int(statement.integer(0)) : 0
        }
    }

    /// The current row's value in a column that is no list.
    package func cell(_ column: Int) -> BulkCell {
        BulkCell(column: places[column], of: rows)
    }

    /// Calls the body with each item of the current row's list, by key unless it is ordered.
    package func forEachItem(
        _ column: Int, _ body: (BulkCell) throws -> Void
    ) throws {
        do {
            try readers[column]?.forEachItem(of: rows.integer(0), body)
        } catch let error as SQLiteError {
            throw StoreError(error)
        }
    }
}

/// Where a field of a request leads.
struct FieldPlan {
    var path: [String]
    var toMany: StoreSchema.ToManyPlace?
    /// The destination's column of a to-many's items.
    var keyColumn = "Z_PK"
    var column: RowColumn

    init(
        _ field: [String], of entity: StoreSchema.Entity, in schema: StoreSchema
    ) throws(StoreError) {
        path = field
        column = RowColumn(content: .objectNumber, isList: false)
        var here = entity
        for (position, name) in field.enumerated() {
            if let attribute = here.attributes[name], position == field.count - 1 {
                column.content = .attribute(attribute.attribute.type)
                column.isExternal = attribute.attribute.allowsExternalBinaryDataStorage
                return
            }
            if let place = here.toManys[name], position == 0, field.count <= 2 {
                toMany = place
                column.isList = true
                let destination = place.relationship.destinationEntityName
                let item = field.count == 2 ? field[1] : schema.key(of: destination).first
                guard let item else { return }
                guard let key = schema.entity(named: destination)?.attributes[item] else {
                    throw StoreError(
                        .invalidRequest, "'\(destination)' has no stored attribute '\(item)'")
                }
                keyColumn = key.column
                column.content = .attribute(key.attribute.type)
                return
            }
            guard let toOne = here.toOnes[name],
                let next = schema.entity(named: toOne.relationship.destinationEntityName)
            else {
                throw StoreError(
                    .invalidRequest,
                    "'\(here.name)' has no stored property '\(name)' that a field can show")
            }
            here = next
        }
        // A path that ends in a to-one stands for the key at its other end.
        let key = schema.key(of: here.name)
        if key.count == 1, let attribute = here.attributes[key[0]] {
            path.append(key[0])
            column.content = .attribute(attribute.attribute.type)
        }
    }
}

extension ManagedObjectContext {
    /// Opens a cursor over what is saved.
    package func cursor(_ request: RowRequest) throws -> RowCursor {
        try RowCursor(request, in: container)
    }
}
