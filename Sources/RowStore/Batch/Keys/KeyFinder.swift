import SQLite

/// Decides how a load finds rows by key, and maintains the key map if it uses one.
struct KeyFinder: ~Copyable {
    private let plan: ColumnPlan
    private var memoryBytes: Int
    /// The part of its memory that the connection's page cache currently uses, in bytes.
    private var lentBytes = 0
    private var rowsEstimate: Int64 = 0
    private var largestKeyBefore: Int64 = 0
    private var lookups: Int64 = 0
    /// The number of lookups before the map is built.
    private var lookupsBeforeMap: Int64 = .max
    /// Whether the map is complete; otherwise the key's unique index is used.
    private(set) var usesMap = false
    /// Whether the table was empty when the load began.
    var isFirstLoad: Bool { rowsEstimate == 0 }
    /// Whether indexes are deferred to the end of the load.
    private(set) var hasDeferredIndexes = false
    /// The name of the key's unique index if it is deferred; the map cannot be discarded without
    /// building this index.
    private var deferredKeyIndex: String?
    /// Finds rows without a map, if no constraint makes the key unique.
    private(set) var lookup: KeyLookup?
    private let tables: KeyTables
    var map = KeyIndex()
    /// Whether a new row has a primary key that does not fit in the map, so that it must be
    /// discarded.
    private var hasLargeKey = false
    /// The largest known primary key of a row.
    var largestKey: Int64 { usesMap ? map.largestKey : rowsEstimate }

    /// Creates a finder for the rows of a load by the key of its plan.
    ///
    /// - Parameter memoryBytes: The memory limit of the map in bytes; 0 for no map and no deferred
    ///   index.
    init(_ plan: ColumnPlan, _ tables: KeyTables, memoryBytes: Int) {
        self.plan = plan
        self.tables = tables
        self.memoryBytes = memoryBytes
    }

    /// Inspects the table, and may defer its indexes if it is empty.
    mutating func begin(
        _ session: WriteSession, defers: Bool
    ) throws(StoreError) {
        let connection = session.connection
        let table = plan.entity.table
        rowsEstimate = try connection.largestKey(in: table)
        largestKeyBefore = max(rowsEstimate, try session.peekKey(root: plan.entity.rootNumber))
        lookupsBeforeMap = max(1000, lookupsWorthMap)
        // Another writer also adds rows to the table, and relies on its indexes.
        guard memoryBytes > 0 else { return try makeLookup(connection) }
        usesMap = rowsEstimate == 0 && canHoldKeys && !plan.keyColumns.isEmpty
        if !usesMap, !plan.isKeyUnique { try beginLookups(connection) }
        // Only indexes in the main database can be deferred, because a note in `ETL_PENDING` does
        // not name a database. An app's store has no such table, and may have indexes that we
        // cannot rebuild.
        guard defers, session.schema.isOurs, session.schema.parts[plan.entity.rootNumber] == nil,
            usesMap || (isFirstLoad && plan.keyColumns.isEmpty),
            let definition = session.schema.table(named: table)
        else { return }
        let deferIndexes = definition.indexes.filter { mayDefer($0) }
        hasDeferredIndexes = !deferIndexes.isEmpty
        deferredKeyIndex = deferIndexes.first { isKeyIndex($0) }?.name
        // Cached statements may use the dropped indexes.
        connection.clearStatementCache()
        try PendingIndexes.deferIndexes(deferIndexes, on: connection)
    }

    /// Prepares lookups by a key without a constraint.
    ///
    /// Without an index, each lookup would scan the table, so it first builds the map or a table of
    /// keys.
    private mutating func beginLookups(_ connection: Connection) throws(StoreError) {
        let hasIndex = try KeyLookup.hasIndex(
            on: plan.keyColumns, of: plan.entity.table, connection)
        guard !hasIndex, mayBeginMap else { return try makeLookup(connection) }
        usesMap = true
        try load(connection)
    }

    private mutating func makeLookup(_ connection: Connection) throws(StoreError) {
        guard !plan.isKeyUnique, lookup == nil else { return }
        lookup = try KeyLookup(
            plan.entity, columns: plan.keyColumns, tables, on: connection)
    }

    private borrowing func isKeyIndex(_ index: StoreLayout.Index) -> Bool {
        index.isUnique && index.columns == plan.keyColumns.map { "\($0) COLLATE BINARY ASC" }
    }

    private borrowing func mayDefer(_ index: StoreLayout.Index) -> Bool {
        if isKeyIndex(index) { return true }
        // Other constraints are checked by their indexes, and links from other rows use theirs.
        let writesOtherRows = plan.toManys.contains { many in
            if case .foreignKey(let place) = many.place {
                place.table == index.table
            } else {
                false
            }
        }
        return !index.isUnique && plan.writesRowsInGroups && !writesOtherRows
    }

    /// Keeps the memory for a map of the table's keys, and gives the rest to the page cache until
    /// new keys need it.
    ///
    /// Most records read and write pages of the table and its indexes.
    mutating func lendToPages(_ connection: Connection) throws(StoreError) {
        guard !isFirstLoad, memoryBytes > 0 else { return }
        lentBytes = memoryBytes - (mayBeginMap ? max(memoryBytes / 8, mapBytes) : 0)
        memoryBytes -= lentBytes
        try connection.growPageCache(byBytes: lentBytes)
    }

    /// Takes memory back from the page cache, as much as a growing map needs.
    private mutating func takeBack(_ connection: Connection) throws(StoreError) {
        let bytes = min(lentBytes, max(memoryBytes, map.bytesAfterGrowth - memoryBytes))
        lentBytes -= bytes
        memoryBytes += bytes
        try connection.growPageCache(byBytes: -bytes)
    }

    /// The size of a map of the table's keys in bytes.
    private var mapBytes: Int { KeyIndex.byteCount(rows: rowsEstimate) }

    private var mayBeginMap: Bool { canHoldKeys && mapBytes <= memoryBytes }

    /// Whether the map can store the table's keys and the keys that a load may add.
    private var canHoldKeys: Bool {
        KeyIndex.canHold(largestKeyBefore) && KeyIndex.canHold(largestKeyBefore * 2)
    }

    /// Counts a lookup.
    ///
    /// - Returns: Whether `changeWay(_:)` must be called before the lookup, after all rows are
    ///   written.
    mutating func mustChangeWay() -> Bool {
        if usesMap { return hasLargeKey || map.isFull && map.bytesAfterGrowth > memoryBytes }
        lookups += 1
        return lookups == lookupsBeforeMap && mayBeginMap
    }

    /// The number of lookups that justify a map: reading all keys costs about as much as looking up
    /// an eighth of them in the index.
    private var lookupsWorthMap: Int64 { rowsEstimate / 8 }

    /// Returns whether there is a map, or may be one for approximately `count` further lookups.
    func mayUseMap(lookups count: Int64) -> Bool {
        usesMap || lookupsBeforeMap < .max && count >= lookupsWorthMap && mayBeginMap
    }

    /// Builds the map immediately if it fits in memory.
    ///
    /// - Returns: Whether there is a map.
    mutating func beginMap(_ connection: Connection) throws(StoreError) -> Bool {
        if !usesMap, mayBeginMap { try changeWay(connection) }
        return usesMap
    }

    /// Discards the map if it must not grow, or builds one.
    mutating func changeWay(_ connection: Connection) throws(StoreError) {
        if usesMap {
            guard !hasLargeKey, map.bytesAfterGrowth <= memoryBytes + lentBytes else {
                return try giveUpMap(connection)
            }
            return try takeBack(connection)
        }
        usesMap = true
        try load(connection)
    }

    /// Reads the keys again after another process has written.
    mutating func reload(_ connection: Connection) throws(StoreError) {
        guard usesMap else { return }
        // Free the old map before the new one is built.
        map = KeyIndex()
        try load(connection)
    }

    private mutating func load(_ connection: Connection) throws(StoreError) {
        map = KeyIndex(rows: rowsEstimate)
        let columns = (["Z_PK"] + plan.keyColumns).joined(separator: ", ")
        // A constraint covers the complete table; a key without a constraint covers only the
        // entity's objects.
        let select =
            plan.isKeyUnique
            ? SelectSQL(columns, from: plan.entity.table) : SelectSQL(columns, of: plan.entity)
        let rows = try select.prepare(on: connection)
        let count = Int32(plan.keyColumns.count)
        while try rows.step() {
            guard KeyIndex.canHold(rows.integer(0)) else {
                rows.reset()
                return try giveUpMap(connection)
            }
            var hash = KeyHash()
            var isWhole = true
            for column in 1...count {
                let cell = BulkCell(column: column, of: rows)
                if case .null = cell.kind { isWhole = false }
                hash.combine(cell)
            }
            // Rows without a key, such as rows of other entities, are never looked up. They would
            // all have one hash, and each insert would probe past all of them.
            if isWhole { map.insert(hash.value, rows.integer(0)) }
        }
    }

    private mutating func giveUpMap(_ connection: Connection) throws(StoreError) {
        if let name = deferredKeyIndex { try PendingIndexes.make(name, on: connection) }
        deferredKeyIndex = nil
        usesMap = false
        lookupsBeforeMap = .max
        map = KeyIndex()
        try makeLookup(connection)
    }

    /// Adds a new row to the map.
    mutating func noteInserted(_ hash: UInt64, _ primaryKey: Int64) {
        guard usesMap else { return }
        // Another program may have raised the counter of primary keys during the load.
        guard KeyIndex.canHold(primaryKey) else { return hasLargeKey = true }
        map.insert(hash, primaryKey)
    }

    /// Removes a new row that was rejected after all.
    mutating func noteRejected(_ hash: UInt64, _ primaryKey: Int64) {
        if usesMap { map.remove(hash, primaryKey) }
    }
}
