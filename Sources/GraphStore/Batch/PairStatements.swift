import SQLite

/// The statements that write a table of pairs, seen from the side of the owners.
struct PairStatements {
    /// A row of the table: its columns in their order.
    struct Pair {
        var first: Int64
        var second: Int64
        /// Nil where the pair has no place in an order.
        var order: Int64?
    }

    let ownerIsFirst: Bool
    private let isOrdered: Bool
    private let insertOne: Statement
    private let insertGroup: Statement
    private let deleteOne: Statement
    private let last: Statement
    private let order: Statement

    init(
        _ join: StoreLayout.Join, _ schema: StoreLayout, on connection: Connection
    ) throws(SQLiteError) {
        let table = schema.joinTables.first { $0.name == join.table }
        ownerIsFirst = table?.firstColumn == join.ownerColumn
        isOrdered = join.orderColumn != nil
        let columns =
            (ownerIsFirst
                ? [join.ownerColumn, join.destinationColumn]
                : [join.destinationColumn, join.ownerColumn])
            + (join.orderColumn.map { [$0] } ?? [])
        let row = "(" + Array(repeating: "?", count: columns.count).joined(separator: ", ") + ")"
        let insert =
            "INSERT OR IGNORE INTO \(join.table) (\(columns.joined(separator: ", "))) VALUES "
        insertOne = try connection.prepare(insert + row)
        insertGroup = try connection.prepare(
            insert
                + Array(repeating: row, count: RowStatements.groupSize).joined(separator: ", "))
        let pair = " WHERE \(join.ownerColumn) = ? AND \(join.destinationColumn) = ?"
        deleteOne = try connection.prepare("DELETE FROM \(join.table)" + pair)
        let orderColumn = join.orderColumn ?? join.destinationColumn
        last = try connection.prepare(
            "SELECT max(\(orderColumn)) FROM \(join.table) WHERE \(join.ownerColumn) = ?")
        order = try connection.prepare("UPDATE \(join.table) SET \(orderColumn) = ?" + pair)
    }

    func pair(_ owner: Int64, _ destination: Int64, order: Int64?) -> Pair {
        ownerIsFirst
            ? Pair(first: owner, second: destination, order: order)
            : Pair(first: destination, second: owner, order: order)
    }

    func owner(of pair: Pair) -> Int64 { ownerIsFirst ? pair.first : pair.second }

    /// Inserts a pair, and tells whether it was not there.
    func insert(_ pair: Pair) throws(SQLiteError) -> Bool {
        bind(pair, to: insertOne, from: 1)
        return try insertOne.run() > 0
    }

    /// Inserts pairs, as far as they are not there.
    func insert(_ pairs: [Pair]) throws(SQLiteError) {
        let size = RowStatements.groupSize
        let width: Int32 = isOrdered ? 3 : 2
        var position = 0
        while position + size <= pairs.count {
            for offset in 0..<size {
                bind(pairs[position + offset], to: insertGroup, from: Int32(offset) * width + 1)
            }
            try insertGroup.step()
            position += size
        }
        for pair in pairs[position...] {
            bind(pair, to: insertOne, from: 1)
            try insertOne.step()
        }
    }

    /// Deletes a pair, and tells whether it was there.
    func delete(_ owner: Int64, _ destination: Int64) throws(SQLiteError) -> Bool {
        deleteOne.bind(owner, at: 1)
        deleteOne.bind(destination, at: 2)
        return try deleteOne.run() > 0
    }

    /// The largest place in the owner's order; 0 where it has no pair.
    func lastOrder(of owner: Int64) throws(SQLiteError) -> Int64 {
        last.bind(owner, at: 1)
        defer { last.reset() }
        return try last.step() ? last.integer(0) : 0
    }

    func setOrder(
        _ place: Int64, _ owner: Int64, _ destination: Int64
    ) throws(SQLiteError) {
        order.bind(place, at: 1)
        order.bind(owner, at: 2)
        order.bind(destination, at: 3)
        try order.run()
    }

    private func bind(_ pair: Pair, to statement: Statement, from index: Int32) {
        statement.bind(pair.first, at: index)
        statement.bind(pair.second, at: index + 1)
        guard isOrdered else { return }
        if let order = pair.order {
            statement.bind(order, at: index + 2)
        } else {
            statement.bindNull(at: index + 2)
        }
    }
}
