import GraphModel
import SQLite

/// Walks over rows of one read snapshot, batch by batch, in constant memory.
///
/// Used by one thread at a time, `interrupt()` excepted.
package final class RowCursor {
    /// Where a field's cells come from: a column of the select, as it is or as a key of what is
    /// known of another table, or links.
    private enum Source {
        case column(Int32)
        case known(Int32, KnownValues)
        case list(ToManyReader)
    }

    package static let batchRowsMax = 1024
    private static let batchBytesMax = 512 << 10

    private let connection: Connection
    private let rows: Statement
    // Reached by one thread, and never from inside its own use.
    @exclusivity(unchecked) private var isDone = false
    /// Counts the rows of the request without its limit and its offset.
    private let counting: SelectSQL
    private let sources: [Source]
    /// One for each field of the request.
    package let columns: [RowColumn]
    /// What the rows are of, and the paths of the columns, for messages.
    package let entityName: String
    package let fields: [[String]]
    /// Where cells of external values, and transformed ones, lead.
    package let externalValues: ExternalValues

    init(_ request: RowRequest, in container: PersistentContainer) throws {
        let schema = container.schema
        guard let entity = schema.entity(named: request.entityName) else {
            throw StoreError(.invalidRequest, "There is no entity '\(request.entityName)'")
        }
        let predicate = try request.predicate?.resolved(
            for: request.entityName, in: container.model, variables: request.variables)
        entityName = request.entityName
        fields = request.fields
        let connection = try container.newReader()
        self.connection = connection
        externalValues = ExternalValues(
            files: container.externalFiles, isOfApp: !schema.isOurs)
        var plans: [FieldPlan] = []
        for field in request.fields { plans.append(try FieldPlan(field, of: entity, in: schema)) }
        columns = plans.map(\.column)
        // One snapshot for the rows and what they lead to.
        try connection.execute("BEGIN")
        let known = try Self.knownValues(plans, schema, on: connection)
        let select = try request.select(
            of: entity, where: predicate,
            columns: zip(plans, known).filter { $0.0.toMany == nil }.map { plan, known in
                known == nil ? plan.path : Array(plan.path.dropLast())
            }, schema)
        counting = select.statement.counting
        rows = try select.prepare(on: connection)
        sources = try Self.sources(
            plans, known, schema, inTableOrder: select.clauses.order == ["t.Z_PK"],
            on: connection)
    }

    /// For each field, what is known of the small table that it leads to.
    private static func knownValues(
        _ plans: [FieldPlan], _ schema: StoreLayout, on connection: Connection
    ) throws(StoreError) -> [KnownValues?] {
        try plans.map { plan throws(StoreError) in
            // In an app's store a link to nothing is looked at by joining what it leads to.
            guard schema.isOurs, let (table, column) = plan.distant else { return nil }
            return try KnownValues(of: column, in: table, on: connection)
        }
    }

    private static func sources(
        _ plans: [FieldPlan], _ known: [KnownValues?], _ schema: StoreLayout, inTableOrder: Bool,
        on connection: Connection
    ) throws(StoreError) -> [Source] {
        var sources: [Source] = []
        var column: Int32 = 1
        for (plan, known) in zip(plans, known) {
            if let toMany = plan.toMany {
                sources.append(
                    .list(
                        try ToManyReader(
                            toMany, keyColumn: plan.keyColumn, order: plan.keyOrder, schema,
                            inTableOrder: inTableOrder, on: connection)))
            } else {
                sources.append(known.map { .known(column, $0) } ?? .column(column))
                column += 1
            }
        }
        return sources
    }

    /// A batch for `next` to fill; a cell behind those of the fields has the object's number.
    package func makeBatch() -> RowBatch {
        RowBatch(width: sources.count + 1, capacity: Self.batchRowsMax)
    }

    /// Fills a batch with the next rows: a cell for each field, lists for to-manys, by key unless
    /// they are ordered.
    ///
    /// - Returns: whether there are any.
    package func next(
        _ batch: RowBatch, rowsMax: Int = batchRowsMax
    ) throws(StoreError) -> Bool {
        batch.removeAll()
        // Cells of known values point into what the cursor keeps.
        batch.owner = self
        do {
            while !isDone, batch.count < rowsMax,
                batch.byteCount < Self.batchBytesMax
            {
                if try rows.step() { try read(batch) } else { isDone = true }
            }
        } catch {
            isDone = true
            throw error
        }
        return batch.count > 0
    }

    private func read(_ batch: RowBatch) throws(StoreError) {
        let row = batch.addRow()
        batch[row, sources.count] = .integer(rows.integer(0))
        for place in sources.indices {
            batch[row, place] =
                switch sources[place] {
                case .column(let column): batch.arena.copy(BulkCell(column: column, of: rows))
                case .known(let column, let values): try values.cell(column, of: rows, in: batch)
                case .list(let reader): try reader.list(of: rows.integer(0), in: batch)
                }
        }
    }

    func watch(_ flag: InterruptFlag?) {
        connection.watch(flag)
    }

    /// Stops `next`; may be called from any thread.
    package func interrupt() {
        connection.interrupter.interrupt()
    }

    /// How many objects meet the request, whatever its limit and its offset, in the same snapshot.
    package func matchCount() throws(StoreError) -> Int {
        try counting.integer(on: connection)
    }
}

/// Where a field of a request leads.
struct FieldPlan {
    var path: [String]
    var toMany: StoreLayout.ToManyPlace?
    /// The destination's column of a to-many's items.
    var keyColumn = "Z_PK"
    /// The columns that a to-many's items are in the order of.
    var keyOrder = ["Z_PK"]
    var column: RowColumn
    /// The attribute's table and column, at the end of a path of to-ones.
    var distant: (table: String, column: String)?

    init(
        _ field: [String], of entity: StoreLayout.Entity, in schema: StoreLayout
    ) throws(StoreError) {
        let field = schema.model.folded(field, from: entity.name)
        path = field
        column = RowColumn(content: .objectNumber, isList: false)
        var here = entity
        for (position, name) in field.enumerated() {
            if let attribute = here.attributes[name], position == field.count - 1 {
                column.content = .attribute(attribute.attribute.type)
                column.isExternal = attribute.attribute.allowsExternalBinaryDataStorage
                if position > 0 { distant = (here.table, attribute.column) }
                return
            }
            if position == field.count - 1, schema.model.isObjectNumber(name, of: here.name) {
                return
            }
            if let place = here.toManys[name], position == 0, field.count <= 2 {
                toMany = place
                column.isList = true
                let destination = place.relationship.destinationEntityName
                let whole = schema.linkKey(of: destination)
                let item = field.count == 2 ? field[1] : whole.first
                guard let item, !schema.model.isObjectNumber(item, of: destination) else { return }
                guard let key = schema.entity(named: destination)?.attributes[item] else {
                    throw StoreError(
                        .invalidRequest, "'\(destination)' has no stored attribute '\(item)'")
                }
                keyColumn = key.column
                // So that lists of several parts of a key belong together item by item.
                keyOrder =
                    whole.contains(item)
                    ? whole.compactMap { schema.entity(named: destination)?.attributes[$0]?.column }
                    : [key.column]
                column.content = .attribute(key.attribute.type)
                column.isExternal = key.attribute.allowsExternalBinaryDataStorage
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
            distant = (here.table, attribute.column)
        }
    }
}

extension ManagedObjectContext {
    /// Opens a cursor over what is saved.
    package func cursor(_ request: RowRequest) throws -> RowCursor {
        let cursor = try RowCursor(request, in: container)
        cursor.watch(interruptFlag)
        return cursor
    }
}
