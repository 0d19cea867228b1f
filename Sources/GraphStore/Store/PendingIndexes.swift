import SQLite

/// Indexes that a load into an empty table puts off until its end.
///
/// Their statements stand in `ETL_PENDING` from the transaction that drops them to the one that
/// makes them again, so that a load which was killed leaves a store whose next opening by us
/// completes them first. Who is at it stands there, too: while that load runs, openings leave it
/// alone, and saves of others are refused as busy.
enum PendingIndexes {
    /// What links may take while they are sorted, where nobody says how much there is.
    static let linkBytes = 16 << 20
    /// The note in `ETL_PENDING` by which derived attributes that look at other rows are left to the
    /// load's end.
    private static let derivingName = "ETL_TO_DERIVE"

    /// Drops the indexes and notes how to make them; inside the load's first transaction.
    static func putOff(
        _ indexes: [StoreLayout.Index], on connection: Connection
    ) throws(StoreError) {
        for index in indexes {
            try note(name: index.name, sql: SchemaSQL.create(index), on: connection)
            try connection.execute(SchemaSQL.drop(index))
        }
    }

    /// Notes what is to be done at the load's end; in the order of the names.
    static func note(
        name: String, sql: String, on connection: Connection
    ) throws(StoreError) {
        let note = try connection.prepare("INSERT OR REPLACE INTO ETL_PENDING VALUES (?, ?)")
        let notes: [(name: String, sql: String?)] = [
            (name, sql), (LoadOwner.noteName, LoadOwner(connection)?.note),
        ]
        for (name, sql) in notes {
            guard let sql else { continue }
            note.bind(name, at: 1)
            note.bind(sql, at: 2)
            try note.run()
        }
    }

    /// Notes that derived attributes are left to the load's end, whoever comes to it.
    static func noteDeriving(on connection: Connection) throws(StoreError) {
        try connection.execute(
            "INSERT OR IGNORE INTO ETL_PENDING VALUES ('\(derivingName)', '-- derived attributes')")
    }

    /// Makes what was put off; of a large load in several transactions: what is killed goes on with
    /// the next, and the log need not hold all of it at once, in which every page that is read
    /// would be looked for.
    ///
    /// - Parameters:
    ///   - folds: tables whose rows are folded then, too.
    ///   - linkBytes: what links may take while they are sorted.
    ///   - pagesAtOnce: how many pages a transaction adds to the file before another takes the rest.
    ///   - session: begins a transaction for what saves have left to be derived, so that it is told
    ///     as a save's changes are; without one nobody is told.
    ///   - derived: what looks at links, which is worked out anew with the last of it.
    /// - Returns: what was changed, and is to be told.
    @discardableResult
    static func build(
        on connection: Connection, _ schema: StoreLayout, folding folds: [String: FoldTable],
        linkBytes: Int = linkBytes, pagesAtOnce: Int64 = 4_000,
        session: (() throws(StoreError) -> WriteSession)? = nil,
        deriving derived: () throws(StoreError) -> DerivedAttributes?
    ) throws(StoreError) -> StoreChange {
        var change = StoreChange()
        while let next = try nextName(on: connection) {
            let owner = try LoadOwner.note(on: connection)
            // Without waiting for a load that is at work.
            guard LoadOwner.other(than: connection, note: owner) == nil else { return change }
            if next == derivingName, let session {
                change = try complete(session())
                continue
            }
            try connection.writing { () throws(StoreError) in
                let isOver = try makeSome(
                    owner, on: connection, linkBytes, pagesAtOnce,
                    leavesDeriving: session != nil)
                // Whose save makes the rest in between derives it, too.
                if isOver { try derived()?.renew(on: connection, schema) }
            }
        }
        for fold in folds.values.sorted(by: { $0.source < $1.source })
        where try fold.isBehind(on: connection) {
            try connection.writing { () throws(StoreError) in
                try fold.foldAll(on: connection)
            }
        }
        return change
    }

    /// Does what is left, and what is derived from it.
    private static func complete(_ session: WriteSession) throws(StoreError) -> StoreChange {
        do throws(StoreError) {
            try session.completeLoad()
            try session.commit()
            return session.change
        } catch {
            session.rollback()
            throw error
        }
    }

    /// Does what the first notes say, and takes the owner's away once no other is left.
    ///
    /// - Parameters:
    ///   - owner: who put it off; nothing is done where that is another by now.
    ///   - leavesDeriving: the note of what is to be derived stays.
    /// - Returns: whether something was done, and nothing is left.
    private static func makeSome(
        _ owner: String, on connection: Connection, _ linkBytes: Int, _ pagesAtOnce: Int64,
        leavesDeriving: Bool
    ) throws(StoreError) -> Bool {
        guard try LoadOwner.note(on: connection) == owner else { return false }
        let pages = try connection.integer("PRAGMA page_count") ?? 0
        while let next = try nextName(on: connection) {
            if leavesDeriving, next == derivingName { return false }
            try make(next, on: connection, linkBytes)
            if try connection.integer("PRAGMA page_count") ?? 0 > pages + pagesAtOnce { break }
        }
        return try !isPending(on: connection)
    }

    /// The name of what is to be made next: what is derived comes behind what it looks at, and the
    /// owner goes last.
    private static func nextName(on connection: Connection) throws(StoreError) -> String? {
        try connection.text(
            "SELECT NAME FROM ETL_PENDING ORDER BY NAME = '\(LoadOwner.noteName)',"
                + " NAME = '\(derivingName)', NAME LIMIT 1")
    }

    /// Makes what an earlier load put off, inside the open transaction, since links among it
    /// stand in no table yet.
    ///
    /// - Returns: whether there was any of it; then what looks at links is to be derived anew.
    /// - Throws: what tells that the store is busy, where the load is still at work.
    static func settle(on connection: Connection) throws(StoreError) -> Bool {
        guard try isPending(on: connection) else { return false }
        if let owner = try LoadOwner.other(than: connection) {
            throw owner.refusal(connection.path)
        }
        connection.clearStatementCache()
        try run("", on: connection, linkBytes)
        return true
    }

    /// Whether anything is put off.
    static func isPending(on connection: Connection) throws(StoreError) -> Bool {
        try connection.integer("SELECT 1 FROM ETL_PENDING LIMIT 1") != nil
    }

    /// Makes one of the indexes, inside the open transaction.
    static func make(
        _ name: String, on connection: Connection, _ linkBytes: Int = linkBytes
    ) throws(StoreError) {
        try run("WHERE NAME = '\(name)'", on: connection, linkBytes)
        try connection.execute(
            // Without anything that is put off there is nothing that it owns.
            "DELETE FROM ETL_PENDING WHERE NAME = '\(LoadOwner.noteName)'"
                + " AND (SELECT count(*) FROM ETL_PENDING) = 1")
    }

    private static func run(
        _ condition: String, on connection: Connection, _ linkBytes: Int
    ) throws(StoreError) {
        var notes: [(name: String, sql: String)] = []
        let rows = try connection.prepare(
            "SELECT NAME, SQL FROM ETL_PENDING \(condition) ORDER BY NAME")
        while try rows.step() { notes.append((rows.string(0), rows.string(1))) }
        try connection.withSmallSorter { () throws(StoreError) in
            for (name, sql) in notes {
                let links = try PutOffLinks(name: name, note: sql, on: connection)
                let isDone = try links?.complete(on: connection, memoryBytes: linkBytes) ?? false
                if !isDone { try connection.execute(sql) }
            }
        }
        try connection.execute("DELETE FROM ETL_PENDING \(condition)")
    }
}
