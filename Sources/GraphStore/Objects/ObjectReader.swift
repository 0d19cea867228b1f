import GraphModel
import SQLite

/// The decoded values of a row, before they are assigned to an object.
struct ObjectRow {
    var values: [StoredValue]
    var links: [ManagedObjectID?]
    var version: Int64

    var snapshot: ManagedObject.Snapshot { .init(values: values, links: links) }
}

extension Statement {
    /// Returns the ID in the columns of a to-one in the current row; `nil` without a destination.
    ///
    /// - Parameters:
    ///   - key: The column of the destination's key.
    ///   - entity: The column of the destination's entity number, if there is one.
    ///   - number: The entity number of a destination whose row has none.
    @inline(__always)
    func link(_ key: Int32, _ entity: Int32?, _ number: Int64) -> ManagedObjectID? {
        guard !isNull(key) else { return nil }
        var number = number
        if let entity, !isNull(entity) { number = integer(entity) }
        return ManagedObjectID(entityNumber: number, primaryKey: integer(key))
    }
}

/// A reader of rows and links for a context, with its own connection.
final class ObjectReader {
    /// The number of keys in one statement; they are literals, so SQLite's parameter limit is
    /// irrelevant.
    static let chunkSize = 500

    let connection: Connection
    private let objects: ObjectSupport
    private let external: ExternalFiles
    /// The unwritten keys, which are notified of every ID that is read.
    ///
    /// It is `nil` inside a save, which has already handled conflicting keys.
    private let unwritten: UnwrittenKeys?
    private var rowStatements: [Int64: Statement] = [:]
    private var rangeStatements: [Int64: Statement] = [:]
    private var listStatements: [String: Statement] = [:]
    /// Whether a transaction holds the state that is read.
    private(set) var isPinned = false
    /// The container's entry for the pinned state.
    private var pinEntry: AnyObject?

    init(
        _ connection: Connection, _ objects: ObjectSupport, _ external: ExternalFiles,
        _ unwritten: UnwrittenKeys? = nil
    ) {
        self.connection = connection
        self.objects = objects
        self.external = external
        self.unwritten = unwritten
    }

    /// Returns the ID in the first columns of the current row, `Z_PK, Z_ENT`.
    func id(_ statement: Statement) -> ManagedObjectID {
        let id = ManagedObjectID(
            entityNumber: statement.integer(1), primaryKey: statement.integer(0))
        unwritten?.meet(id)
        return id
    }

    // MARK: Rows

    /// Returns one object's row; `nil` if it does not exist.
    func row(_ id: ManagedObjectID) throws(StoreError) -> ObjectRow? {
        guard let layout = objects.layout(id.entityNumber) else { return nil }
        let statement: Statement
        if let known = rowStatements[layout.number] {
            statement = known
        } else {
            let plan = objects.rowPlan(layout.number)
            statement = try connection.prepare(Self.rows(layout, plan, "= ?"))
            rowStatements[layout.number] = statement
        }
        statement.bind(id.primaryKey, at: 1)
        defer { statement.reset() }
        guard try statement.step(), statement.integer(1) == layout.number else { return nil }
        unwritten?.meet(id)
        guard let places = objects.rowPlan(layout.number).places(of: layout.number) else {
            return nil
        }
        return try decode(statement, layout, places)
    }

    /// Reads the rows of many objects, and calls the body for each existing row.
    func rows(
        _ ids: [ManagedObjectID], _ body: (ManagedObjectID, ObjectRow) -> Void
    ) throws(StoreError) {
        for (root, ids) in byRoot(ids) {
            guard let layout = objects.layout(root) else { continue }
            let plan = objects.rowPlan(root)
            let keys = ids.map(\.primaryKey).sorted()
            for chunk in keys.chunks(of: Self.chunkSize) {
                let statement = try select(chunk, layout, plan)
                // After an error, it must not keep its snapshot of the store.
                defer { statement.reset() }
                while try statement.step() {
                    if let (id, row) = try found(statement, plan) { body(id, row) }
                }
            }
        }
    }

    /// Returns the ID and values of the current row; `nil` if its entity is not in the plan.
    func found(
        _ statement: Statement, _ plan: RowPlan
    ) throws(StoreError) -> (ManagedObjectID, ObjectRow)? {
        let number = statement.integer(1)
        guard let layout = objects.layout(number), let places = plan.places(of: number) else {
            return nil
        }
        return (id(statement), try decode(statement, layout, places))
    }

    private func byRoot(_ ids: [ManagedObjectID]) -> [(Int64, [ManagedObjectID])] {
        guard let first = ids.first else { return [] }
        if ids.allSatisfy({ $0.entityNumber == first.entityNumber }) {
            return [(rootNumber(of: first), ids)]
        }
        return Dictionary(grouping: ids, by: { rootNumber(of: $0) }).map { ($0, $1) }
    }

    /// Returns a select of the rows with the given sorted keys.
    ///
    /// If the keys are consecutive, the statement is cached.
    private func select(
        _ keys: ArraySlice<Int64>, _ layout: EntityLayout, _ plan: RowPlan
    ) throws(StoreError) -> Statement {
        guard let first = keys.first, let last = keys.last,
            last &- first == Int64(keys.count) - 1,
            zip(keys, keys.dropFirst()).allSatisfy({ $0 < $1 })
        else {
            let list = keys.map(String.init).joined(separator: ",")
            return try connection.prepare(Self.rows(layout, plan, "IN (\(list))"))
        }
        let statement: Statement
        if let known = rangeStatements[layout.number] {
            statement = known
        } else {
            statement = try connection.prepare(Self.rows(layout, plan, "BETWEEN ? AND ?"))
            rangeStatements[layout.number] = statement
        }
        statement.reset()
        statement.bind(first, at: 1)
        statement.bind(last, at: 2)
        return statement
    }

    /// Returns the SQL of a select with a condition on the keys.
    private static func rows(_ layout: EntityLayout, _ plan: RowPlan, _ keys: String) -> String {
        SelectSQL(plan.columns, from: "\(layout.entity.table) t", where: ["t.Z_PK \(keys)"]).sql
    }

    private func rootNumber(of id: ManagedObjectID) -> Int64 {
        objects.layout(id.entityNumber)?.rootNumber ?? 0
    }

    private func decode(
        _ statement: Statement, _ layout: EntityLayout, _ places: RowPlan.Places
    ) throws(StoreError) -> ObjectRow {
        var values = statement.values(places.attributes, defaults: layout.defaults)
        for (slot, _) in layout.valuesInFiles {
            values[slot] = try external.value(of: values[slot])
        }
        var links = layout.emptyLinks
        for (slot, place) in places.toOnes.enumerated() {
            guard let id = statement.link(place.key, place.entity, place.destination) else {
                continue
            }
            unwritten?.meet(id)
            links[slot] = id
        }
        return ObjectRow(values: values, links: links, version: statement.integer(2))
    }

    // MARK: To-manys

    /// Returns the saved objects of a to-many.
    func list(
        of owner: ManagedObjectID, _ toMany: EntityLayout.ToMany
    ) throws(StoreError) -> [ManagedObjectID] {
        let sql = listSQL(toMany)
        let statement: Statement
        if let known = listStatements[sql] {
            statement = known
        } else {
            statement = try prepare(sql, toMany)
            listStatements[sql] = statement
        }
        statement.bind(owner.primaryKey, at: 1)
        var ids: [ManagedObjectID] = []
        while try statement.step() { ids.append(id(statement)) }
        return ids
    }

    /// Returns the saved objects of a to-many for many owners, by the owner's primary key.
    func lists(
        of owners: [ManagedObjectID], _ toMany: EntityLayout.ToMany
    ) throws(StoreError) -> [Int64: [ManagedObjectID]] {
        var found: [Int64: [ManagedObjectID]] = [:]
        let keys = owners.map(\.primaryKey).sorted()
        for chunk in keys.chunks(of: Self.chunkSize) {
            let list = chunk.map(String.init).joined(separator: ",")
            let statement = try prepare(
                listSQL(toMany, owners: "IN (\(list))"), toMany)
            while try statement.step() {
                found[statement.integer(2), default: []].append(id(statement))
            }
        }
        return found
    }

    /// Prepares a query for the links of a to-many.
    private func prepare(
        _ sql: String, _ toMany: EntityLayout.ToMany
    ) throws(StoreError) -> Statement {
        let statement = try connection.prepare(sql)
        if case .joinTable(let join) = toMany.place {
            statement.precondition = try connection.linksAreWritten(
                to: objects.schema.deferrable(join))
        }
        return statement
    }

    /// Returns a query for `Z_PK, Z_ENT, owner` of a to-many's objects, in order.
    private func listSQL(_ toMany: EntityLayout.ToMany, owners: String = "= ?1") -> String {
        toMany.place.listSQL(
            destination: objects.layout(toMany.destination)?.entity.table ?? "", owners: owners)
    }

    static func isOwnInverse(_ toMany: EntityLayout.ToMany) -> Bool {
        toMany.relationship.inverseName == toMany.name
    }

    // MARK: Generations

    /// Pins the current state; later saves are not visible until `unpin()`.
    ///
    /// - Parameter entry: Returns an object that is kept as long as the state is pinned.
    func pin(as entry: () -> AnyObject) throws(StoreError) {
        guard !isPinned else { return }
        try objects.schema.beginReading(on: connection)
        isPinned = true
        pinEntry = entry()
    }

    func unpin() throws(StoreError) {
        guard isPinned else { return }
        try connection.execute("COMMIT")
        isPinned = false
        pinEntry = nil
    }
}
