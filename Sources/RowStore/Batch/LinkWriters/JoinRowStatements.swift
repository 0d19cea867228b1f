import SQLite

/// The statements that write a join table from the side of the owners.
struct JoinRowStatements {
    /// A join row, with its columns in order.
    struct JoinRow {
        var first: Int64
        var second: Int64
        /// The position in the owner's order; `nil` if there is none.
        var order: Int64?
        /// The position in the order of the inverse end; `nil` if it is not ordered.
        var backOrder: Int64?
    }

    let ownerIsFirst: Bool
    /// Whether the inverse end is ordered.
    let hasBackOrder: Bool
    private let isOrdered: Bool
    private let insertOne: Statement
    private let insertGroup: Statement
    private let deleteOne: Statement
    private let last: Statement
    private let lastBack: Statement
    private let order: Statement

    init(
        _ join: StoreLayout.Join, _ schema: StoreLayout, on connection: Connection
    ) throws(StoreError) {
        let table = schema.joinTables.first { $0.name == join.table }
        ownerIsFirst = table?.firstColumn == join.ownerColumn
        isOrdered = join.orderColumn != nil
        hasBackOrder = join.backOrderColumn != nil
        let columns =
            (ownerIsFirst
                ? [join.ownerColumn, join.destinationColumn]
                : [join.destinationColumn, join.ownerColumn])
            + [join.orderColumn, join.backOrderColumn].compactMap(\.self)
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
        lastBack = try connection.prepare(
            "SELECT max(\(join.backOrderColumn ?? join.ownerColumn)) FROM \(join.table)"
                + " WHERE \(join.destinationColumn) = ?")
        order = try connection.prepare("UPDATE \(join.table) SET \(orderColumn) = ?" + pair)
    }

    func pair(_ owner: Int64, _ destination: Int64, order: Int64?) -> JoinRow {
        ownerIsFirst
            ? JoinRow(first: owner, second: destination, order: order)
            : JoinRow(first: destination, second: owner, order: order)
    }

    func owner(of pair: JoinRow) -> Int64 { ownerIsFirst ? pair.first : pair.second }

    func destination(of pair: JoinRow) -> Int64 { ownerIsFirst ? pair.second : pair.first }

    /// Inserts a join row, and returns whether it is new.
    func insert(_ pair: JoinRow) throws(StoreError) -> Bool {
        bind(pair, to: insertOne, from: 1)
        return try insertOne.run() > 0
    }

    /// Inserts the join rows that do not exist, if the inverse end is not ordered.
    func insert(_ pairs: [JoinRow]) throws(StoreError) {
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

    /// Deletes a join row, and returns whether it existed.
    func delete(_ owner: Int64, _ destination: Int64) throws(StoreError) -> Bool {
        deleteOne.bind(owner, at: 1)
        deleteOne.bind(destination, at: 2)
        return try deleteOne.run() > 0
    }

    /// Returns the last position in the owner's order; 0 if it has no join row.
    func lastOrder(of owner: Int64) throws(StoreError) -> Int64 {
        try Self.last(last, of: owner)
    }

    /// Returns the last position in the destination's order; 0 if it has no join row.
    func lastBackOrder(of destination: Int64) throws(StoreError) -> Int64 {
        try Self.last(lastBack, of: destination)
    }

    private static func last(_ statement: Statement, of key: Int64) throws(StoreError) -> Int64 {
        statement.bind(key, at: 1)
        return try statement.onlyInteger()
    }

    func setOrder(
        _ place: Int64, _ owner: Int64, _ destination: Int64
    ) throws(StoreError) {
        order.bind(place, at: 1)
        order.bind(owner, at: 2)
        order.bind(destination, at: 3)
        try order.run()
    }

    private func bind(_ pair: JoinRow, to statement: Statement, from index: Int32) {
        statement.bind(pair.first, at: index)
        statement.bind(pair.second, at: index + 1)
        var next = index + 2
        if isOrdered {
            Self.bind(pair.order, to: statement, at: next)
            next += 1
        }
        if hasBackOrder { Self.bind(pair.backOrder, to: statement, at: next) }
    }

    private static func bind(_ order: Int64?, to statement: Statement, at index: Int32) {
        if let order {
            statement.bind(order, at: index)
        } else {
            statement.bindNull(at: index)
        }
    }
}
