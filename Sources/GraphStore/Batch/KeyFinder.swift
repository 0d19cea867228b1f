import SQLite

/// Decides how a load finds rows by key, and keeps the map where it has one.
struct KeyFinder: ~Copyable {
    private let plan: ColumnPlan
    private var memoryBytes: Int
    /// What of its memory the connection's page cache has for now.
    private var lentBytes = 0
    private var rowsEstimate: Int64 = 0
    private var largestKeyBefore: Int64 = 0
    private var lookups: Int64 = 0
    /// So many come before the map.
    private var lookupsBeforeMap: Int64 = .max
    /// The map is complete; otherwise the key's unique index is asked.
    private(set) var usesMap = false
    /// The table was empty when the load began.
    var isFirstLoad: Bool { rowsEstimate == 0 }
    /// Indexes are put off to the end of the load.
    private(set) var hasPutOff = false
    /// The key's unique index, if it is put off: the map cannot be given up without making it.
    private var keyIndexPutOff: String?
    /// Finds rows while there is no map, if no constraint makes the key unique.
    private(set) var lookup: KeyLookup?
    private let tables: KeyTables
    var map = KeyIndex()
    /// The largest key of a row, as far as is known.
    var largestKey: Int64 { usesMap ? map.largestKey : rowsEstimate }

    /// - Parameter memoryBytes: what the map may take; 0 for no map, and no index put off.
    init(_ plan: ColumnPlan, _ tables: KeyTables, memoryBytes: Int) {
        self.plan = plan
        self.tables = tables
        self.memoryBytes = memoryBytes
    }

    /// Looks at the table, and may put indexes off where it is empty.
    mutating func begin(
        _ session: WriteSession, putsOff: Bool
    ) throws(StoreError) {
        let connection = session.connection
        let table = plan.entity.table
        rowsEstimate = try connection.integer("SELECT max(Z_PK) FROM \(table)") ?? 0
        largestKeyBefore = max(rowsEstimate, try session.peekKey(root: plan.entity.rootNumber))
        lookupsBeforeMap = max(1000, lookupsWorthMap)
        // Another writer adds to the table, too, and relies on its indexes.
        guard memoryBytes > 0 else { return try makeLookup(connection) }
        usesMap = rowsEstimate == 0 && canHoldKeys && !plan.keyColumns.isEmpty
        if !usesMap, !plan.isKeyUnique { try beginLookups(connection) }
        // Only what is in the first file can be put off: a note in `ETL_PENDING` names no file.
        // An app's store has no such table, and indexes that we do not know how to make.
        guard putsOff, session.schema.isOurs, session.schema.parts[plan.entity.rootNumber] == nil,
            usesMap || (isFirstLoad && plan.keyColumns.isEmpty),
            let definition = session.schema.table(named: table)
        else { return }
        let putOff = definition.indexes.filter { mayPutOff($0) }
        hasPutOff = !putOff.isEmpty
        keyIndexPutOff = putOff.first { isKeyIndex($0) }?.name
        // Statements that are kept may use what is dropped.
        connection.clearStatementCache()
        try PendingIndexes.putOff(putOff, on: connection)
    }

    /// Without an index, each lookup would scan the table, so the first one is preceded by the map
    /// or by a table of keys.
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

    private borrowing func mayPutOff(_ index: StoreLayout.Index) -> Bool {
        if isKeyIndex(index) { return true }
        // Other constraints are checked by their index, and links from other rows use theirs.
        let writesOtherRows = plan.toManys.contains { many in
            if case .foreignKey(let place) = many.place {
                place.table == index.table
            } else {
                false
            }
        }
        return !index.isUnique && plan.writesRowsInGroups && !writesOtherRows
    }

    /// Keeps so much memory for the map as the table's keys need, and leaves the rest to the pages
    /// of the table and its indexes, which are read and written for most records; it comes back
    /// when new keys need it.
    mutating func lendToPages(_ connection: Connection) throws(StoreError) {
        guard !isFirstLoad, memoryBytes > 0 else { return }
        lentBytes = memoryBytes - (mayBeginMap ? max(memoryBytes / 8, mapBytes) : 0)
        memoryBytes -= lentBytes
        try connection.growPageCache(byBytes: lentBytes)
    }

    /// Takes back what is lent, as far as a map needs it that grows.
    private mutating func takeBack(_ connection: Connection) throws(StoreError) {
        let bytes = min(lentBytes, max(memoryBytes, map.bytesAfterGrowth - memoryBytes))
        lentBytes -= bytes
        memoryBytes += bytes
        try connection.growPageCache(byBytes: -bytes)
    }

    /// What a map of the table's keys takes.
    private var mapBytes: Int { KeyIndex.byteCount(rows: rowsEstimate) }

    private var mayBeginMap: Bool { canHoldKeys && mapBytes <= memoryBytes }

    /// Whether the table's keys fit the map, and those that a load may add to them.
    private var canHoldKeys: Bool {
        KeyIndex.canHold(largestKeyBefore) && KeyIndex.canHold(largestKeyBefore * 2)
    }

    /// Notes a lookup.
    ///
    /// - Returns: whether `changeWay(_:)` must be called before it, with all rows written.
    mutating func mustChangeWay() -> Bool {
        if usesMap { return map.isFull && map.bytesAfterGrowth > memoryBytes }
        lookups += 1
        return lookups == lookupsBeforeMap && mayBeginMap
    }

    /// Reading all keys costs about as much as asking the index for an eighth of them.
    private var lookupsWorthMap: Int64 { rowsEstimate / 8 }

    /// Whether there is a map, or may be one for so many lookups as are still to come, about.
    func mayUseMap(lookups count: Int64) -> Bool {
        usesMap || lookupsBeforeMap < .max && count >= lookupsWorthMap && mayBeginMap
    }

    /// Begins the map at once, if there is room for it.
    ///
    /// - Returns: whether there is one.
    mutating func beginMap(_ connection: Connection) throws(StoreError) -> Bool {
        if !usesMap, mayBeginMap { try changeWay(connection) }
        return usesMap
    }

    /// Gives the map up where it may not grow, or begins one.
    mutating func changeWay(_ connection: Connection) throws(StoreError) {
        if usesMap {
            guard map.bytesAfterGrowth <= memoryBytes + lentBytes else {
                return try giveUpMap(connection)
            }
            return try takeBack(connection)
        }
        usesMap = true
        try load(connection)
    }

    /// Reads the keys again: somebody else has written.
    mutating func reload(_ connection: Connection) throws(StoreError) {
        guard usesMap else { return }
        // Not beside the new one.
        map = KeyIndex()
        try load(connection)
    }

    private mutating func load(_ connection: Connection) throws(StoreError) {
        map = KeyIndex(rows: rowsEstimate)
        let columns = (["Z_PK"] + plan.keyColumns).joined(separator: ", ")
        // A constraint covers the whole table, a key without one only the entity's objects.
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
            // Rows without a key, as those of other entities, are looked for by nobody; they would
            // all have one hash, and each insert would go past all of them.
            if isWhole { map.insert(hash.value, rows.integer(0)) }
        }
    }

    private mutating func giveUpMap(_ connection: Connection) throws(StoreError) {
        if let name = keyIndexPutOff { try PendingIndexes.make(name, on: connection) }
        keyIndexPutOff = nil
        usesMap = false
        lookupsBeforeMap = .max
        map = KeyIndex()
        try makeLookup(connection)
    }

    /// Notes a new row.
    mutating func noteInserted(_ hash: UInt64, _ primaryKey: Int64) {
        if usesMap { map.insert(hash, primaryKey) }
    }

    /// Notes that a new row was refused after all.
    mutating func noteRefused(_ hash: UInt64, _ primaryKey: Int64) {
        if usesMap { map.remove(hash, primaryKey) }
    }
}
