public import FoundationEssentials
import GraphModel
package import SQLite

/// A reader of a store's history, one transaction at a time, as of the start of the read.
///
/// One transaction is in memory at a time, or one change with `nextTransaction` and `nextChange`.
public final class HistoryReader {
    /// The position after the newest transaction at the start of the read.
    public let end: HistoryToken
    /// The oldest transaction that is kept, ignoring the filter; `nil` without any.
    ///
    /// If its number is not 1, earlier transactions were purged.
    public let oldest: (token: HistoryToken, timestamp: Date)?

    let connection: Connection
    private let schema: HistorySchema
    /// The position before the store's first transaction.
    private let start: HistoryToken
    private let transactions: Statement
    private let changes: Statement
    /// Whether `changes` has a current transaction with unread changes.
    private var isInTransaction = false
    private let entityNumbers: Set<Int64>?
    private let kinds: Set<HistoryChange.Kind>

    /// Starts to read the transactions after a position.
    ///
    /// - Parameter start: The position before the first transaction of the store.
    package init(
        _ connection: Connection, _ schema: StoreLayout, _ start: HistoryToken,
        after token: HistoryToken?, _ filter: HistoryFilter
    ) throws(HistoryError) {
        self.connection = connection
        self.schema = HistorySchema(schema)
        self.start = start
        kinds = filter.kinds
        entityNumbers = try Self.numbers(filter.entityNames, schema)
        try Self.reading { () throws(StoreError) in try connection.execute("BEGIN") }
        let exists = try Self.reading { () throws(StoreError) in
            try HistorySchema.exists(on: connection)
        }
        guard exists else { throw .off }
        let place = start
        (end, oldest) = try Self.reading { () throws(StoreError) in
            let first = try connection.prepare(
                "SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION ORDER BY Z_PK LIMIT 1")
            return (
                place.with(sequence: try Self.newestNumber(on: connection)),
                try first.step()
                    ? (
                        place.with(sequence: first.integer(0)),
                        Date(timeIntervalSinceReferenceDate: first.double(1))
                    ) : nil
            )
        }
        if let token { try Self.check(token, oldest?.token, end) }
        let tombstoneCount = self.schema.tombstoneCount
        (transactions, changes) = try Self.reading { () throws(StoreError) in
            // Apps made with old frameworks keep less.
            let kept = try connection.columnNames(of: "ACHANGE")
            let tombstones = (0..<tombstoneCount).map {
                kept.contains("ZTOMBSTONE\($0)") ? ", ZTOMBSTONE\($0)" : ", NULL"
            }.joined()
            return (
                try Self.select(filter, after: token?.sequence ?? 0, on: connection),
                try connection.prepare(
                    "SELECT Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS\(tombstones)"
                        + " FROM ACHANGE WHERE ZTRANSACTIONID = ? AND Z_PK > ? ORDER BY Z_PK")
            )
        }
    }

    /// A handle that interrupts a running read from any thread.
    package var interrupter: InterruptHandle { connection.interrupter }

    /// Returns the next transaction with a change that matches the filter; `nil` after the last.
    public func next() throws(HistoryError) -> HistoryTransaction? {
        while let transaction = try nextTransaction() {
            var found: [HistoryChange] = []
            while let change = try nextChange() { found.append(change) }
            if !found.isEmpty { return transaction.with(changes: found) }
        }
        return nil
    }

    /// Returns the next transaction without its changes; `nil` after the last.
    ///
    /// `nextChange` returns its changes one by one.
    ///
    /// - Parameter number: the reader returns only changes with a larger number.
    package func nextTransaction(
        changesAfter number: Int64 = .min
    ) throws(HistoryError) -> HistoryTransaction? {
        try Self.reading { () throws(StoreError) in
            changes.reset()
            isInTransaction = try transactions.step()
            guard isInTransaction else { return nil }
            let sequence = transactions.integer(0)
            changes.bind(sequence, at: 1)
            changes.bind(number, at: 2)
            return HistoryTransaction(
                token: start.with(sequence: sequence),
                timestamp: Date(timeIntervalSinceReferenceDate: transactions.double(1)),
                author: text(2), contextName: text(3), bundleID: text(4), processID: text(5),
                changes: [])
        }
    }

    /// Returns the next matching change of the current transaction; `nil` after the last.
    package func nextChange() throws(HistoryError) -> HistoryChange? {
        guard isInTransaction else { return nil }
        return try Self.reading { () throws(StoreError) in
            while try changes.step() {
                if let change = change() { return change }
            }
            isInTransaction = false
            return nil
        }
    }

    /// Returns all remaining transactions.
    public func remaining() throws(HistoryError) -> [HistoryTransaction] {
        var found: [HistoryTransaction] = []
        while let transaction = try next() { found.append(transaction) }
        return found
    }

    private func text(_ column: Int32) -> String? {
        transactions.isNull(column) ? nil : transactions.string(column)
    }

    /// Returns the change of the statement's current row; `nil` if it does not match the filter.
    private func change() -> HistoryChange? {
        let entity = changes.integer(2)
        guard let kind = HistoryChange.Kind(rawValue: changes.integer(1)),
            kinds.contains(kind), entityNumbers?.contains(entity) ?? true
        else { return nil }
        let properties =
            kind == .update && !changes.isNull(4)
            ? schema.properties(changes.bytes(4), entity: entity) : nil
        var tombstone: [String: StoredValue] = [:]
        if kind == .delete {
            let preserved = schema.entities[entity]?.preserved ?? []
            for (place, attribute) in preserved.enumerated() {
                let value = StoredValue(changes, Int32(place) + 5)
                if value != .null { tombstone[attribute.name] = value }
            }
        }
        return HistoryChange(
            changeID: changes.integer(0), kind: kind,
            objectID: ManagedObjectID(entityNumber: entity, primaryKey: changes.integer(3)),
            updatedProperties: properties, tombstone: tombstone)
    }

    // MARK: Starting

    /// Runs code that reads the store, and converts its errors.
    package static func reading<R>(_ body: () throws(StoreError) -> R) throws(HistoryError) -> R {
        do {
            return try body()
        } catch {
            throw .store(error)
        }
    }

    /// Throws unless all transactions after the token still exist.
    private static func check(
        _ token: HistoryToken, _ oldest: HistoryToken?, _ newest: HistoryToken
    ) throws(HistoryError) {
        // A store restored from a backup has not reached the token.
        guard token.isOfSameStore(as: newest), token.sequence <= newest.sequence else {
            throw .foreign(token)
        }
        guard token.sequence < newest.sequence else { return }
        // The token is smaller than another number, so adding 1 cannot overflow.
        guard let oldest, token.sequence + 1 >= oldest.sequence else { throw .expired(token) }
    }

    /// Returns the number of the newest transaction; 0 if there is none.
    package static func newestNumber(on connection: Connection) throws(StoreError) -> Int64 {
        try connection.integer(
            "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(HistorySchema.transactionEntity)") ?? 0
    }

    private static func numbers(
        _ names: Set<String>?, _ schema: StoreLayout
    ) throws(HistoryError) -> Set<Int64>? {
        guard let names else { return nil }
        var numbers: Set<Int64> = []
        for name in names {
            guard let entity = schema.entity(named: name) else {
                throw .store(.unknownEntity(name))
            }
            numbers.formUnion(entity.familyNumbers)
        }
        return numbers
    }

    private static func select(
        _ filter: HistoryFilter, after sequence: Int64, on connection: Connection
    ) throws(StoreError) -> Statement {
        let interns = try HistorySchema.internsStrings(on: connection)
        // A text is in the row or interned; a store that was migrated can have both.
        let there = try connection.columnNames(of: "ATRANSACTION")
        let columns = ["ZAUTHOR", "ZCONTEXTNAME", "ZBUNDLEID", "ZPROCESSID"].map { name in
            let text = there.contains(name) ? "t.\(name)" : "NULL"
            return interns && there.contains("\(name)TS")
                ? "coalesce((SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.\(name)TS),"
                    + " \(text)) AS \(name)" : "\(text) AS \(name)"
        }
        var conditions = SQLFragment("Z_PK > ?", [.integer(sequence)])
        func restrict(_ column: String, _ values: Set<String>, _ op: String) {
            let marks = Array(repeating: "?", count: values.count).joined(separator: ", ")
            let list = SQLFragment(
                " AND ifnull(\(column), '') \(op) (\(marks))", values.sorted().map { .text($0) })
            conditions = conditions + list
        }
        if let authors = filter.authors { restrict("ZAUTHOR", authors, "IN") }
        if !filter.excludedAuthors.isEmpty { restrict("ZAUTHOR", filter.excludedAuthors, "NOT IN") }
        if let names = filter.contextNames { restrict("ZCONTEXTNAME", names, "IN") }
        if let after = filter.after {
            conditions =
                conditions
                + SQLFragment(
                    " AND ZTIMESTAMP > ?", [.real(after.timeIntervalSinceReferenceDate)])
        }
        let from = "SELECT Z_PK, ZTIMESTAMP, \(columns.joined(separator: ", ")) FROM ATRANSACTION t"
        return try ("SELECT * FROM (\(from)) WHERE " + conditions + " ORDER BY Z_PK")
            .prepare(on: connection)
    }
}
