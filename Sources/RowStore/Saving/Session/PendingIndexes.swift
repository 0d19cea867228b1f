package import SQLite

/// The indexes that a load into an empty table defers to its end, and a large deletion until after
/// its commit.
///
/// Their SQL statements are in `ETL_PENDING` from the transaction that drops them to the
/// transaction that creates them again. If the process is killed in between, the next opening for
/// writing by etl completes them first. The table also names the owner of this work. While the
/// owner runs, openings do not touch the indexes, and saves of other connections fail as busy.
package enum PendingIndexes {
    /// The name in `ETL_PENDING` that says that the store had a WAL before pages were built.
    private static let logName = "ETL_LOG"
    /// The memory for sorting deferred links if the caller sets no limit: 16 MiB.
    package static let linkBytes = 16 << 20
    /// The name in `ETL_PENDING` that defers derived attributes that read other rows to the load's
    /// end.
    private static let derivingName = "ETL_TO_DERIVE"

    /// Drops the indexes and records their statements, inside the load's first transaction.
    static func deferIndexes(
        _ indexes: [StoreLayout.Index], on connection: Connection
    ) throws(StoreError) {
        for index in indexes {
            try note(name: index.name, sql: SchemaSQL.create(index), on: connection)
            try connection.execute(SchemaSQL.drop(index))
        }
    }

    /// Records a statement to run at the load's end; the statements run in the order of their
    /// names.
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

    /// Records that derived attributes are deferred to the load's end, whichever process completes
    /// it.
    static func noteDeriving(on connection: Connection) throws(StoreError) {
        try connection.execute(
            "INSERT OR IGNORE INTO ETL_PENDING VALUES ('\(derivingName)', '-- derived attributes')")
    }

    /// Creates the deferred indexes, and writes the deferred links.
    ///
    /// A large load needs several transactions. A killed build thus continues from its last commit,
    /// and the WAL does not have to hold all pages, in which SQLite would search for every page
    /// that it reads.
    ///
    /// - Parameters:
    ///   - folds: The fold tables to update after the build.
    ///   - linkBytes: The memory for sorting links.
    ///   - pagesMin: The minimum size of the file, in pages, for building them as finished pages.
    ///   - pagesAtOnce: The number of pages by which a transaction may grow the file before it
    ///     commits.
    ///   - session: Begins a save session for deferred derivations, so that their changes are
    ///     reported. Without it, they are not reported.
    ///   - derive: Updates the derived attributes, as a part of the last transaction.
    /// - Returns: The changes, which the caller must report.
    @discardableResult
    package static func build(
        on connection: Connection, _ schema: StoreLayout, folding folds: [String: FoldTable],
        linkBytes: Int = linkBytes, pagesMin: Int64 = PageBuild.pagesMin,
        pagesAtOnce: Int64 = 4_000,
        session: (() throws(StoreError) -> WriteSession)? = nil,
        deriving derive: () throws(StoreError) -> Void
    ) throws(StoreError) -> StoreChange {
        var change = StoreChange()
        if try isPending(on: connection), try LoadOwner.other(than: connection) == nil {
            try PageBuild(
                notesByName(on: connection), schema, on: connection, memoryBytes: linkBytes,
                pagesMin: pagesMin)?.run()
        }
        while let next = try nextName(on: connection) {
            let owner = try LoadOwner.note(on: connection)
            // Do not wait for a load that is running.
            guard LoadOwner.other(than: connection, note: owner) == nil else { return change }
            if next == derivingName, let session {
                change = try complete(session())
                continue
            }
            try connection.writing { () throws(StoreError) in
                let isOver = try makeSome(
                    owner, on: connection, linkBytes, pagesAtOnce,
                    leavesDeriving: session != nil)
                // If another connection's save finishes the rest first, it also derives them.
                if isOver { try derive() }
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

    /// Completes the remaining deferred work and the derivations that depend on it.
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

    /// Runs the first deferred statements, and removes the owner's note after the last one.
    ///
    /// - Parameters:
    ///   - owner: The owner of the deferred work; the method does nothing if the owner has changed.
    ///   - leavesDeriving: Whether to leave the note of deferred derivations.
    /// - Returns: Whether the method did something and no work is left.
    private static func makeSome(
        _ owner: String, on connection: Connection, _ linkBytes: Int, _ pagesAtOnce: Int64,
        leavesDeriving: Bool
    ) throws(StoreError) -> Bool {
        guard try LoadOwner.note(on: connection) == owner else { return false }
        let pages = try connection.count("PRAGMA page_count")
        while let next = try nextName(on: connection) {
            if leavesDeriving, next == derivingName { return false }
            try make(next, on: connection, linkBytes)
            if try connection.count("PRAGMA page_count") > pages + Int(pagesAtOnce) { break }
        }
        return try !isPending(on: connection)
    }

    /// Returns the next name: derivations come after the indexes and links, and the owner comes
    /// last.
    private static func nextName(on connection: Connection) throws(StoreError) -> String? {
        try connection.text(
            "SELECT NAME FROM ETL_PENDING ORDER BY NAME = '\(LoadOwner.noteName)',"
                + " NAME = '\(derivingName)', NAME LIMIT 1")
    }

    /// Completes the deferred work of an earlier load inside the open transaction, because its
    /// links are not in any table yet.
    ///
    /// - Returns: Whether there was deferred work; if so, attributes that read links must be
    ///   derived again.
    /// - Throws: `StoreError` with the code `busy` if the load is still running.
    static func complete(on connection: Connection) throws(StoreError) -> Bool {
        guard try isPending(on: connection) else { return false }
        if let owner = try LoadOwner.other(than: connection) {
            throw owner.refusal(connection.path)
        }
        connection.clearStatementCache()
        try run("", on: connection, linkBytes)
        return true
    }

    /// Returns the deferred statements by their names, with the owner's note.
    static func notesByName(on connection: Connection) throws(StoreError) -> [String: String] {
        Dictionary(uniqueKeysWithValues: try notes(on: connection))
    }

    private static func notes(
        _ condition: String = "", on connection: Connection
    ) throws(StoreError) -> [(name: String, sql: String)] {
        let rows = try connection.prepare(
            "SELECT NAME, SQL FROM ETL_PENDING \(condition) ORDER BY NAME")
        var notes: [(name: String, sql: String)] = []
        while try rows.step() { notes.append((rows.string(0), rows.string(1))) }
        return notes
    }

    /// Makes the connection the owner of the deferred work, inside the open transaction.
    ///
    /// - Throws: `StoreError` with the code `busy` if another one has it and still runs.
    static func claim(on connection: Connection) throws(StoreError) {
        if let owner = try LoadOwner.other(than: connection) {
            throw owner.refusal(connection.path)
        }
        guard let owner = LoadOwner(connection) else { return }
        try note(name: LoadOwner.noteName, sql: owner.note, on: connection)
    }

    /// Records that the store is in WAL mode, which the next opening restores if the process is
    /// killed.
    static func noteLog(on connection: Connection) throws(StoreError) {
        try connection.writing { () throws(StoreError) in
            try note(name: logName, sql: "-- WAL", on: connection)
        }
    }

    /// Whether a killed process has left the WAL mode.
    static func hasLeftLog(on connection: Connection) throws(StoreError) -> Bool {
        guard try connection.hasTable("ETL_PENDING"),
            try connection.integer("SELECT 1 FROM ETL_PENDING WHERE NAME = '\(logName)'") != nil
        else { return false }
        return try LoadOwner.other(than: connection) == nil
    }

    /// Deletes the notes of finished work.
    static func forget(_ names: [String], on connection: Connection) throws(StoreError) {
        let forget = try connection.prepare("DELETE FROM ETL_PENDING WHERE NAME = ?")
        for name in names {
            forget.bind(name, at: 1)
            try forget.run()
        }
    }

    /// Returns whether any work is deferred in a database of the connection, which may be one that
    /// has no notes, such as a store of an app.
    static func isPending(
        in database: String, on connection: Connection
    ) throws(StoreError) -> Bool {
        let table = "SELECT 1 FROM \(database).sqlite_master WHERE name = 'ETL_PENDING'"
        guard try connection.integer(table) != nil else { return false }
        return try connection.integer("SELECT 1 FROM \(database).ETL_PENDING LIMIT 1") != nil
    }

    /// Returns whether a killed process has left deferred work in a store, so that reading the store
    /// fails until it is opened for writing.
    ///
    /// The store is read from a snapshot, because opening it would fail or complete the work.
    package static func areAbandoned(inStoreAt path: String) throws(StoreError) -> Bool {
        let snapshot = try StoreSnapshot(of: path, copiesOurs: false)
        guard try isPending(in: "main", on: snapshot.connection) else { return false }
        return try LoadOwner.other(than: snapshot.connection) == nil
    }

    /// Returns whether any work is deferred.
    static func isPending(on connection: Connection) throws(StoreError) -> Bool {
        try connection.integer("SELECT 1 FROM ETL_PENDING LIMIT 1") != nil
    }

    /// Creates one of the indexes, inside the open transaction.
    static func make(
        _ name: String, on connection: Connection, _ linkBytes: Int = linkBytes
    ) throws(StoreError) {
        try run("WHERE NAME = '\(name)'", on: connection, linkBytes)
        try connection.execute(
            // The owner's note is useless if it is the only row left.
            "DELETE FROM ETL_PENDING WHERE NAME = '\(LoadOwner.noteName)'"
                + " AND (SELECT count(*) FROM ETL_PENDING) = 1")
    }

    private static func run(
        _ condition: String, on connection: Connection, _ linkBytes: Int
    ) throws(StoreError) {
        let notes = try notes(condition, on: connection)
        try connection.withSmallSorter { () throws(StoreError) in
            for (name, sql) in notes {
                let links = try DeferredJoinRows(name: name, note: sql, on: connection)
                let isDone = try links?.complete(on: connection, memoryBytes: linkBytes) ?? false
                if !isDone { try connection.execute(sql) }
                // A build with pages may have been killed.
                try connection.dropTree(PageBuild.treeName(name))
            }
        }
        try connection.execute("DELETE FROM ETL_PENDING \(condition)")
    }
}
