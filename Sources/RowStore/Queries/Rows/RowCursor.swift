import GraphModel
package import SQLite

/// A cursor over the rows of one read snapshot, in batches and constant memory.
///
/// Only one thread may use it at a time, except for `interrupt()`.
package final class RowCursor {
    /// The source of a field's cells: a column of the SELECT, a cached value of another table by a
    /// key column, or the items of a to-many relationship.
    private enum Source {
        case column(Int32)
        case known(Int32, KnownValues)
        case list(ToManyReader)
    }

    /// The default maximum number of rows in a batch.
    package static let batchRowsMax = 1024
    private static let batchBytesMax = 512 << 10

    private let connection: Connection
    private let rows: Statement
    // Only one thread accesses it, and never reentrantly.
    @exclusivity(unchecked) private var isDone = false
    /// A statement that counts the rows without the limit and the offset.
    private let counting: SelectSQL
    private let sources: [Source]
    /// The columns, one for each field of the request.
    package let columns: [RowColumn]
    /// The entity of the rows; like `fields`, used in messages.
    package let entityName: String
    /// The requested key paths, in the order of `columns`.
    package let fields: [[String]]
    /// The resolver of cells with external and transformed values.
    package let externalValues: ExternalValues

    /// Opens a cursor; the rows are those of the store at this time.
    ///
    /// - Parameters:
    ///   - files: The external files of the store.
    ///   - newReader: Returns a connection that only the cursor uses.
    package init(
        _ request: RowRequest, in schema: StoreLayout, files: ExternalFiles,
        newReader: () throws(StoreError) -> Connection
    ) throws {
        let entity = try schema.requiredEntity(named: request.entityName)
        let predicate = try request.predicate?.resolved(
            for: request.entityName, in: schema.model, variables: request.variables)
        entityName = request.entityName
        fields = request.fields
        let connection = try newReader()
        self.connection = connection
        externalValues = ExternalValues(files: files, isOfApp: !schema.isOurs)
        var plans: [FieldPlan] = []
        for field in request.fields { plans.append(try FieldPlan(field, of: entity, in: schema)) }
        FieldPlan.align(&plans)
        columns = plans.map(\.column)
        // One snapshot for the rows and their related rows.
        try connection.execute("BEGIN")
        let known = try Self.knownValues(plans, schema, on: connection)
        let select = try request.select(
            of: entity, where: predicate,
            columns: Self.columns(of: plans, known), schema)
        counting = select.statement.counting
        rows = try select.prepare(on: connection)
        sources = try Self.sources(
            plans, known, schema, inTableOrder: select.clauses.order == ["t.Z_PK"],
            on: connection)
    }

    /// Returns the key paths that the statement selects: those of all fields that are no list.
    ///
    /// Of a field with cached values, only the link that leads to them is selected.
    private static func columns(of plans: [FieldPlan], _ known: [KnownValues?]) -> [[String]] {
        zip(plans, known).compactMap { plan, known -> [String]? in
            guard plan.toMany == nil else { return nil }
            return known == nil ? plan.path : Array(plan.path.dropLast())
        }
    }

    /// Returns, for each field, the cached values of the small table that it leads to, if any.
    private static func knownValues(
        _ plans: [FieldPlan], _ schema: StoreLayout, on connection: Connection
    ) throws(StoreError) -> [KnownValues?] {
        try plans.map { plan throws(StoreError) in
            // In an app's store, only a join with the destination detects dangling links.
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
                            toMany, item: plan.item, order: plan.itemOrder, schema,
                            inTableOrder: inTableOrder, on: connection)))
            } else {
                sources.append(known.map { .known(column, $0) } ?? .column(column))
                column += 1
            }
        }
        return sources
    }

    /// Creates a batch for `next`; the last cell of each row contains the primary key.
    package func makeBatch() -> RowBatch {
        RowBatch(width: sources.count + 1, capacity: Self.batchRowsMax)
    }

    /// Fills a batch with the next rows, with one cell per field.
    ///
    /// Cells of to-many relationships are lists. Unless the relationship is ordered, they are sorted
    /// by key, and then by the values of its fields. All lists of a relationship have one order.
    ///
    /// - Returns: whether the batch contains any rows.
    package func next(
        _ batch: RowBatch, rowsMax: Int = batchRowsMax
    ) throws(StoreError) -> Bool {
        batch.removeAll()
        // Cells of known values point into memory that the cursor owns.
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

    /// Interrupts `next` once the flag is raised.
    package func watch(_ flag: InterruptFlag?) {
        connection.watch(flag)
    }

    /// Interrupts `next`; may be called from any thread.
    package func interrupt() {
        connection.interrupter.interrupt()
    }

    /// Returns the number of matching objects in the same snapshot, ignoring limit and offset.
    package func matchCount() throws(StoreError) -> Int {
        try counting.integer(on: connection)
    }
}
