import FoundationEssentials
import GraphModel
package import SQLite

/// Writes a transaction's changes into the store's history, inside the transaction.
///
/// Only the holder of the write lease uses it.
package final class HistoryWriter {
    let schema: HistorySchema
    private let connection: Connection
    private let retention: HistoryOptions.Retention
    /// The existing columns for author, bundle, context, and process, and whether each holds the
    /// key of an interned string.
    private let textColumns: [(place: Int, column: String, isInterned: Bool)]
    private let tombstoneColumns: [String]
    /// Records the changes that triggers of an app's store make.
    private let triggerNotes: TriggerNotes?
    /// The minimum number of rows that one save purges, if enough have expired.
    private static let purgedChanges = 10_000
    /// A larger counter may leave too few keys for a transaction; only a damaged counter is larger.
    private static let maximumMost = Int64.max - Int64(Int32.max)

    /// Creates the writer, and the history's tables if they do not exist.
    ///
    /// - Returns: `nil` if the store is read-only, or keeps no history and `options` requests none,
    ///   or if `options` turns it off.
    init?(
        _ schema: StoreLayout, _ options: StoreOptions, on connection: Connection
    ) throws(StoreError) {
        guard options.mayWrite else { return nil }
        let history = HistorySchema(schema)
        self.schema = history
        self.connection = connection
        retention = options.history?.retention ?? .untilPurged
        let isWanted = retention != .nothing
        let exists = try HistorySchema.exists(on: connection)
        if !exists, options.history == nil || !isWanted { return nil }
        // The tables of an app's store keep the form that its framework created.
        if schema.isOurs { try Self.prepare(history, isWanted, on: connection) }
        let changes = try connection.columnNames(of: "ACHANGE")
        tombstoneColumns = (0..<history.tombstoneCount).map { "ZTOMBSTONE\($0)" }
            .filter(changes.contains)
        textColumns = try Self.textColumns(on: connection)
        triggerNotes = schema.isOurs ? nil : try TriggerNotes(schema, on: connection)
        if retention == .nothing { return nil }
    }

    /// Creates or drops the tables.
    private static func prepare(
        _ history: HistorySchema, _ isWanted: Bool, on connection: Connection
    ) throws(StoreError) {
        try connection.execute("BEGIN IMMEDIATE")
        do throws(StoreError) {
            if isWanted {
                try history.make(on: connection)
            } else {
                try HistorySchema.remove(on: connection)
            }
            try connection.execute("COMMIT")
        } catch {
            // Throw the original error, even if the rollback fails: SQLite may have rolled back
            // already.
            try? connection.execute("ROLLBACK")
            throw error
        }
    }

    /// Returns the existing columns for strings; older tables contain the strings themselves.
    private static func textColumns(
        on connection: Connection
    ) throws(StoreError) -> [(place: Int, column: String, isInterned: Bool)] {
        let interns = try HistorySchema.internsStrings(on: connection)
        let there = try connection.columnNames(of: "ATRANSACTION")
        let names = ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"]
        return names.enumerated().compactMap { place, name in
            if interns, there.contains(name + "TS") { return (place, name + "TS", true) }
            return there.contains(name) ? (place, name, false) : nil
        }
    }

    /// Writes the changes of a save.
    ///
    /// - Parameter recorder: The details of the changes.
    /// - Returns: the transaction's number; `nil` if nothing changed.
    func write(
        _ change: StoreChange, _ recorder: HistoryRecorder?, author: String?, contextName: String?
    ) throws(StoreError) -> Int64? {
        // Objects in other stores of the container are not part of this store's history.
        let numbers = change.entityNumbers
        guard numbers.contains(where: { schema.entities[$0] != nil }) else { return nil }
        let number = try maximum(HistorySchema.transactionEntity) + 1
        try writeTransaction(number, author: author, contextName: contextName)
        try setMaximum(HistorySchema.transactionEntity, number)
        var key = try maximum(HistorySchema.changeEntity)
        let row = try connection.cached(
            "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID,"
                + " ZCOLUMNS) VALUES (?, \(HistorySchema.changeEntity), ?, ?, ?, ?, ?)")
        func write(_ kind: Int64, _ id: ManagedObjectID, _ mask: [UInt8]?) throws(StoreError) {
            key += 1
            row.bind(key, at: 1)
            row.bind(kind, at: 2)
            row.bind(id.entityNumber, at: 3)
            row.bind(id.primaryKey, at: 4)
            row.bind(number, at: 5)
            if let mask { row.bind(mask, at: 6) } else { row.bindNull(at: 6) }
            try row.run()
        }
        // Not an array: a batch request may have changed every object in the store.
        func forEach(
            _ ids: ManagedObjectIDSet, _ body: (ManagedObjectID) throws(StoreError) -> Void
        ) throws(StoreError) {
            for entity in ids.entityNumbers where schema.entities[entity] != nil {
                for range in ids.keys(entityNumber: entity) {
                    for primaryKey in range {
                        try body(ManagedObjectID(entityNumber: entity, primaryKey: primaryKey))
                    }
                }
            }
        }
        var touched = try triggerNotes?.take() ?? TriggeredChanges()
        try forEach(change.inserted) { id throws(StoreError) in try write(0, id, nil) }
        touched.remove(change.inserted)
        try forEach(change.updated) { id throws(StoreError) in
            let names = touched.properties(of: id)
            if !names.isEmpty, recorder?.mask(of: id) != nil {
                recorder?.update(id, properties: names)
            }
            try write(1, id, recorder?.mask(of: id))
        }
        touched.remove(change.updated)
        touched.remove(change.deleted)
        try forEach(touched.all) { id throws(StoreError) in
            let names = touched.properties(of: id)
            try write(1, id, self.schema.mask(names, entity: id.entityNumber))
        }
        try forEach(change.deleted) { id throws(StoreError) in
            try write(2, id, nil)
            guard let values = try recorder?.tombstone(of: id) else { return }
            defer { values.reset() }
            try setTombstones(key, values)
        }
        try setMaximum(HistorySchema.changeEntity, key)
        try purgeOld(newest: number)
        return number
    }

    private func writeTransaction(
        _ number: Int64, author: String?, contextName: String?
    ) throws(StoreError) {
        let names = textColumns.map { ", \($0.column)" }.joined()
        let row = try connection.cached(
            "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP\(names))"
                + " VALUES (?, \(HistorySchema.transactionEntity), ?"
                + String(repeating: ", ?", count: textColumns.count) + ")")
        var texts: [StoredValue] = []
        let process = ProcessInfo.processInfo
        let known = [
            author, process.processName, contextName,
            "\(process.processIdentifier)",
        ]
        for (place, _, isInterned) in textColumns {
            guard let text = known[place] else {
                texts.append(.null)
                continue
            }
            texts.append(isInterned ? .integer(try interned(text)) : .text(text))
        }
        row.bind(number, at: 1)
        row.bind(Date.now.timeIntervalSinceReferenceDate, at: 2)
        for (place, text) in texts.enumerated() { row.bind(text, at: Int32(place) + 3) }
        try row.run()
    }

    private func interned(_ text: String) throws(StoreError) -> Int64 {
        let find = try connection.cached("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?")
        find.bind(text, at: 1)
        if try find.step() {
            defer { find.reset() }
            return find.integer(0)
        }
        let key = try maximum(HistorySchema.stringEntity) + 1
        let row = try connection.cached(
            "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?, ?, ?)")
        row.bind(key, at: 1)
        row.bind(HistorySchema.stringEntity, at: 2)
        row.bind(text, at: 3)
        try row.run()
        try setMaximum(HistorySchema.stringEntity, key)
        return key
    }

    private func setTombstones(_ key: Int64, _ values: Statement) throws(StoreError) {
        let columns = tombstoneColumns.prefix(Int(values.columnCount))
        guard !columns.isEmpty else { return }
        let row = try connection.cached(
            "UPDATE ACHANGE SET \(columns.map { "\($0) = ?" }.joined(separator: ", "))"
                + " WHERE Z_PK = ?")
        for place in 0..<Int32(columns.count) {
            row.bind(column: place, of: values, at: place + 1)
        }
        row.bind(key, at: Int32(columns.count) + 1)
        try row.run()
    }

    private func maximum(_ entity: Int64) throws(StoreError) -> Int64 {
        let row = try connection.cached("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
        row.bind(entity, at: 1)
        defer { row.reset() }
        let maximum = try row.step() ? row.integer(0) : 0
        guard maximum <= Self.maximumMost else {
            throw StoreError(
                .corrupt,
                "The history has no free primary keys: its counter in Z_PRIMARYKEY"
                    + " has reached its maximum, \(maximum)")
        }
        return maximum
    }

    private func setMaximum(_ entity: Int64, _ value: Int64) throws(StoreError) {
        let row = try connection.cached("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
        row.bind(value, at: 1)
        row.bind(entity, at: 2)
        try row.run()
    }

    // MARK: Purging

    /// Deletes complete transactions, oldest first, until enough rows are deleted for one save.
    private func purgeOld(newest: Int64) throws(StoreError) {
        let condition: String
        switch retention {
        case .untilPurged, .nothing: return
        case .days(let days):
            let oldest = Date.now.timeIntervalSinceReferenceDate - Double(days) * 86_400
            condition = "ZTIMESTAMP < \(oldest)"
        case .transactions(let count):
            condition = "Z_PK <= \(newest - Int64(max(1, count)))"
        }
        var gone = 0
        while gone < Self.purgedChanges {
            guard
                let number = try connection.integer(
                    "SELECT Z_PK FROM ATRANSACTION WHERE \(condition) ORDER BY Z_PK LIMIT 1")
            else { return }
            gone += try Self.purge(upTo: number, on: connection)
        }
    }

    /// Deletes all transactions up to the given number.
    ///
    /// - Returns: the number of deleted changes plus 1.
    @discardableResult
    package static func purge(
        upTo number: Int64, on connection: Connection
    ) throws(StoreError) -> Int {
        let changes = try connection.cached("DELETE FROM ACHANGE WHERE ZTRANSACTIONID <= ?")
        changes.bind(number, at: 1)
        let count = try changes.run()
        let transactions = try connection.cached("DELETE FROM ATRANSACTION WHERE Z_PK <= ?")
        transactions.bind(number, at: 1)
        try transactions.run()
        return count + 1
    }

    /// Returns the number of the newest transaction before a time; 0 if there is none.
    package static func newestNumber(
        before seconds: Double, on connection: Connection
    ) throws(StoreError) -> Int64 {
        try connection.integer("SELECT max(Z_PK) FROM ATRANSACTION WHERE ZTIMESTAMP < \(seconds)")
            ?? 0
    }

    /// Deletes all transactions up to the given number, and the strings that no other one uses.
    ///
    /// - Returns: The number of deleted transactions.
    package static func purgeAll(
        upTo number: Int64, on connection: Connection
    ) throws(StoreError) -> Int64 {
        let count = try connection.count(
            "SELECT count(*) FROM ATRANSACTION WHERE Z_PK <= \(number)")
        try purge(upTo: number, on: connection)
        try connection.execute(
            "DELETE FROM ATRANSACTIONSTRING WHERE Z_PK NOT IN (SELECT ZAUTHORTS FROM"
                + " ATRANSACTION UNION SELECT ZBUNDLEIDTS FROM ATRANSACTION UNION SELECT"
                + " ZCONTEXTNAMETS FROM ATRANSACTION UNION SELECT ZPROCESSIDTS FROM"
                + " ATRANSACTION)")
        return Int64(count)
    }
}
