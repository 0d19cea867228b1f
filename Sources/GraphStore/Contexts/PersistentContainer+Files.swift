import Diagnostics
import Files
import FoundationEssentials
import SQLite

extension PersistentContainer {
    /// Takes a store's files away, with its log and its external values.
    ///
    /// Waits until nobody has it open first, since what is saved into a file that has gone is lost;
    /// nothing happens where there is none.
    ///
    /// - Parameters:
    ///   - path: the store's file.
    ///   - timeoutMilliseconds: how long others may take to let go of it.
    /// - Throws: `.busy` where somebody still has it open, in this process or another.
    public static func destroy(
        at path: String, timeoutMilliseconds: Int32 = 1_000
    ) throws(StoreError) {
        // What is beside a linked store is beside the file itself, which goes with it.
        let (link, path) = (path, StoreFiles.resolved(path))
        // Held until the names are gone, so that nobody gets in between.
        var lock: Connection?
        if FileSystem.exists(path), StoreFiles.size(path) > 0 {
            do throws(StoreError) {
                let connection = try exclusive(path, timeoutMilliseconds: timeoutMilliseconds)
                // Takes the log away in order; SQLite would do so at the end, by its name, which
                // may be another store's then.
                try connection.execute("PRAGMA journal_mode = DELETE")
                lock = connection
            } catch {
                // What is no database has no users that SQLite knows of; and a full disk, or a
                // damaged file, is a reason to destroy a store, not to keep it.
                guard error.code != .busy else { throw error }
            }
        }
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try StoreFiles.remove(path + suffix)
        }
        try StoreFiles.removeFolder(StoreFiles.supportFolder(of: path))
        // It is done; what a loss of power may leave otherwise is what was there before.
        try? StoreFiles.synchronizeFolder(of: path)
        if link != path { try StoreFiles.remove(link) }
        // Only now may others make a store of that name.
        withExtendedLifetime(lock) {}
    }

    /// Gives pages that hold nothing back to the file system.
    package func compact() throws(StoreError) {
        let session = try beginWriting()
        defer { endWriting() }
        session.rollback()
        let connection = session.connection
        for database in schema.databases.sorted() {
            let isIncremental =
                try connection.integer("PRAGMA \(database).auto_vacuum") == 2
            try connection.execute(
                isIncremental
                    ? "PRAGMA \(database).incremental_vacuum" : "VACUUM \(database)")
        }
    }

    /// Makes sure that there is nothing at the path, an empty file, or a store that
    /// `replace(at:with:)` may take the place of; any other file is an error.
    public static func checkReplaceable(at path: String) throws(StoreError) {
        guard FileSystem.exists(path) else { return }
        try StoreFiles.checkLogs(of: path)
        try PersistentStore.checkIsStore(at: path)
    }

    /// Puts a finished store, which nobody has open, into the place of another.
    ///
    /// The old store must not be in use: its lock is taken, its log folded in and removed. Then
    /// the new file takes its name, all or nothing; the old one is kept under another name until
    /// the new one has opened.
    public static func replace(at path: String, with newPath: String) throws(StoreError) {
        try replace(at: path, with: newPath, waiting: nil, unlessSeenBy: nil)
        try synchronizeFolder(ofStoreAt: path)
    }

    /// Puts it there; until its folder is synchronized, a loss of power may bring the old one back.
    ///
    /// - Parameters:
    ///   - patience: how long others may take to let go of the old store.
    ///   - witness: has seen whether anybody has written to the old store.
    package static func replace(
        at path: String, with newPath: String, waiting patience: LockPatience?,
        unlessSeenBy witness: StoreWitness?
    ) throws(StoreError) {
        // A link stays a link.
        let path = StoreFiles.resolved(path)
        let guarding: Connection? =
            if let witness {
                try witness.takeOver()
            } else {
                FileSystem.exists(path) ? try exclusive(path, waiting: patience) : nil
            }
        // Keeps others away until the new store has the name.
        defer { withExtendedLifetime(guarding) {} }
        try fold(try exclusive(newPath))
        let isOfApp = AppStore.isOne(newPath)
        // What an app says of its store stays as it is.
        if !isOfApp { try beginLineage(newPath) }
        // Before the swap, since files are named after nothing but themselves: neither the old
        // store nor the new one lacks any at any moment.
        let (from, to) = (StoreFiles.supportFolder(of: newPath), StoreFiles.supportFolder(of: path))
        let hasFiles = from != to && FileSystem.exists(from)
        if hasFiles { try StoreFiles.copyFolder(from, to: to, linking: true) }
        let old = CompanionFile.replaced.path(of: path)
        try StoreFiles.remove(old)
        // Only now: whoever goes on with work beside a store wants its file as it was.
        let journal = try guarding?.removeLog()
        let isKept: Bool
        do throws(StoreError) {
            for suffix in ["-wal", "-shm"] { try StoreFiles.remove(path + suffix) }
            // Whoever may read the old one may read the new one, and nobody else.
            FileRights(of: path)?.adding(0o600).give(toFile: newPath)
            isKept = StoreFiles.link(path, as: old)
            try StoreFiles.move(newPath, to: path)
        } catch {
            // The store is where it was; behind the swap its log would be taken for the new one's.
            // The error that led here is the one to tell.
            if let journal { try? guarding?.execute("PRAGMA journal_mode = \(journal)") }
            throw error
        }
        do {
            _ = try PersistentStore.model(at: path)
        } catch {
            if isKept { try StoreFiles.move(old, to: path) }
            throw error
        }
        try StoreFiles.remove(old)
        guard hasFiles else { return }
        // What the old store alone had.
        if isOfApp { try ExternalFiles.removeAll(in: to, butThoseIn: from) }
        try StoreFiles.removeFolder(from)
        if !isOfApp { try PersistentContainer(model: nil, at: path).sweepExternalFiles() }
    }

    /// Makes durable that a store has taken the place of another, which a loss of power may bring back
    /// until then.
    package static func synchronizeFolder(ofStoreAt path: String) throws(StoreError) {
        try StoreFiles.synchronizeFolder(of: StoreFiles.resolved(path))
    }

    /// Copies a store, as the last save left it, into a new file, while others read and write.
    ///
    /// - Parameters:
    ///   - path: the new file.
    ///   - configuration: which of the container's stores; nil is the first.
    /// - Throws: `.exists` where there is a file of that name.
    public func copyStore(
        to path: String, configuration: String? = nil
    ) throws(StoreError) {
        let part = try part(ofConfiguration: configuration)
        let description = part?.description ?? storeDescription
        try Self.copy(
            newReader(), part?.database ?? "main", of: description.path, to: path,
            usesLog: description.kind != .sqlite)
    }

    /// Makes sure that a file is a store, whoever made it, of which a copy can be made.
    package static func checkTemplate(at source: String) throws(StoreError) {
        try PersistentStore.checkIsStore(at: source)
    }

    /// Copies a store's file, whoever made it, with its external values, for another store that has
    /// a UUID of its own and knows nothing of the loads of the first.
    ///
    /// - Parameter place: the store whose place the new one is to take, with its rights.
    /// - Throws: `.missing` where there is none, `.exists` where there is a file of the new name.
    package static func copyTemplate(
        at source: String, to path: String, inPlaceOf place: String? = nil
    ) throws(StoreError) {
        try PersistentStore.checkIsStore(at: source)
        let snapshot = try StoreSnapshot(of: source, copiesOurs: false)
        try copy(
            snapshot.connection, of: source, to: path, isNew: true, withRightsOf: place ?? path)
    }

    /// Makes an empty file in which a store is to be built that takes the place of another, with the
    /// rights of that one, if there is one.
    package static func makeFile(
        at path: String, inPlaceOf place: String
    ) throws(StoreError) {
        try StoreFiles.create(path, withRightsOf: place)
    }

    private static func makeNew(_ copy: Connection) throws(StoreError) {
        for table in [ProgressNotes.table, KnownInputs.table] {
            try copy.execute("DROP TABLE IF EXISTS \(table)")
        }
        guard try StoreMetadata(readingFrom: copy) != nil else { return }
        // Nothing else of what a store says of itself changes, not even its order.
        let write = try copy.prepare("UPDATE Z_METADATA SET Z_UUID = ?")
        write.bind(UUID().uuidString, at: 1)
        try write.run()
    }

    /// - Parameters:
    ///   - usesLog: the copy gets a write-ahead log, whatever the original has.
    ///   - isNew: it is another store.
    ///   - other: the file whose rights it gets; nil is the original.
    static func copy(
        _ reader: Connection, _ database: String = "main", of source: String, to path: String,
        usesLog: Bool = false, isNew: Bool = false, withRightsOf other: String? = nil
    ) throws(StoreError) {
        guard !FileSystem.exists(path) else {
            throw StoreError(.exists, "\(path) exists already")
        }
        let temporary = CompanionFile.copy.path(of: path)
        try StoreFiles.remove(temporary)
        do {
            try StoreFiles.create(temporary, withRightsOf: other ?? source)
            do {
                let copy = try Connection(path: temporary, mode: .create)
                try reader.backup(to: copy, of: database)
                if usesLog { try copy.execute("PRAGMA journal_mode = WAL") }
                if isNew { try makeNew(copy) }
                try copy.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            }
            try StoreFiles.copyFolder(
                StoreFiles.supportFolder(of: source), to: StoreFiles.supportFolder(of: path))
            try StoreFiles.move(temporary, to: path)
        } catch {
            for suffix in ["", "-wal", "-shm", "-journal"] {
                try StoreFiles.remove(temporary + suffix)
            }
            throw error
        }
        // It is done; what a loss of power may leave otherwise is what was there before.
        try? StoreFiles.synchronizeFolder(of: path)
    }

    /// The store of a configuration; nil is the first.
    private func part(ofConfiguration name: String?) throws(StoreError) -> StorePart? {
        guard let name, storeDescription.configuration != name else { return nil }
        guard let part = parts.first(where: { $0.description.configuration == name }) else {
            throw StoreError(
                .invalidRequest, "No store of the container has the configuration '\(name)'")
        }
        return part
    }

    /// Tokens of the store whose place a file takes say nothing of the file's own history, although
    /// it may be a copy from before with the same UUID.
    private static func beginLineage(_ path: String) throws(StoreError) {
        let connection = try exclusive(path)
        let keepsHistory = try HistorySchema.exists(on: connection)
        guard keepsHistory, var metadata = try StoreMetadata(readingFrom: connection) else {
            return
        }
        metadata.propertyList[StoreMetadata.lineageKey] = .string(UUID().uuidString)
        try metadata.write(to: connection)
        try fold(connection)
    }

    /// Folds a store's log into its file, which nobody else may be using.
    private static func fold(_ connection: Connection) throws(StoreError) {
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// A connection that keeps everybody else out for as long as it lives.
    ///
    /// - Parameter patience: how long others may take to let go of the store; without it the time.
    static func exclusive(
        _ path: String, waiting patience: LockPatience? = nil, timeoutMilliseconds: Int32 = 1_000
    ) throws(StoreError) -> Connection {
        do {
            let connection = try Connection(path: path, mode: .readWrite)
            connection.waitForLocks(patience, otherwise: timeoutMilliseconds)
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
            return connection
        } catch {
            throw error.code == .busy ? StoreError(inUse: path) : error
        }
    }

    /// Makes sure that a run may work at a store's place: the store is a regular file or still to be
    /// made, and so are the files that etl keeps next to it.
    ///
    /// - Throws: `.notAStore` or `.exists`, which name the file.
    package static func checkPlace(_ path: String) throws(StoreError) {
        try StoreFiles.refuseOtherKinds(path)
        try StoreFiles.checkOwnFiles(besideStoreAt: StoreFiles.resolved(path))
    }

    /// Removes the store that a swap has replaced, if the process was killed during the swap.
    ///
    /// Call it when the new store has been opened.
    package static func removeReplaced(at path: String) throws(StoreError) {
        try StoreFiles.remove(CompanionFile.replaced.path(of: StoreFiles.resolved(path)))
    }

    /// Makes sure that nobody is in the middle of writing to a store's file; what else is wrong with
    /// it is left to whoever opens it.
    package static func checkIsUnlocked(
        at path: String, waiting patience: LockPatience?
    ) throws(StoreError) {
        // Without its log SQLite may take long to say that it cannot have the lock.
        try StoreFiles.checkLogs(of: path)
        do {
            let connection = try Connection(path: path, mode: .readWrite)
            connection.waitForLocks(patience, otherwise: 1_000)
            try connection.execute("BEGIN IMMEDIATE; ROLLBACK")
        } catch {
            guard error.code != .busy else { throw StoreError(inUse: path) }
        }
    }
}
