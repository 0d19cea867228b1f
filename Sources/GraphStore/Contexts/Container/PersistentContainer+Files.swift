import Diagnostics
import Files
import FoundationEssentials
import SQLite

extension PersistentContainer {
    /// Deletes a store's file, write-ahead log (WAL), and external values.
    ///
    /// First waits until no connection has the store open, because saves into a deleted file are
    /// lost. Does nothing if the store does not exist.
    ///
    /// - Parameters:
    ///   - path: the path of the store.
    ///   - timeoutMilliseconds: how long to wait for other connections to close the store.
    /// - Throws: `.busy` if this or another process still has the store open.
    public static func destroy(
        at path: String, timeoutMilliseconds: Int32 = 1_000
    ) throws(StoreError) {
        try StoreFiles.destroy(at: path, timeoutMilliseconds: timeoutMilliseconds)
    }

    /// Returns the free pages of the store to the file system.
    ///
    /// Deleted objects leave free pages, which later objects use. The file shrinks at the next
    /// checkpoint, which no reader delays: see `checkpoint()`. A file that another program created
    /// without `auto_vacuum` is rewritten, which needs as much free disk space again.
    ///
    /// - Throws: `StoreError` with the code `busy` if another writer does not finish in time or is a
    ///   unit of work on this thread.
    public func compact() throws(StoreError) {
        try withoutTransaction { session throws(StoreError) in
            for database in schema.databases.sorted() { try session.connection.compact(database) }
        }
    }

    /// Throws unless the path has no file, an empty file, or a store that can be replaced.
    ///
    /// See `replace(at:with:)`.
    public static func checkReplaceable(at path: String) throws(StoreError) {
        guard FileSystem.exists(path) else { return }
        try StoreFiles.checkLogs(of: path)
        try PersistentStore.checkIsStore(at: path)
    }

    /// Replaces a store atomically with a finished store, which must not be open.
    ///
    /// The old store must not be in use: it is locked, and its write-ahead log is checkpointed and
    /// removed. Then the new file takes its name. The old file is kept under another name until the
    /// new store has been opened.
    public static func replace(at path: String, with newPath: String) throws(StoreError) {
        try replace(at: path, with: newPath, waiting: nil, unlessSeenBy: nil)
        try synchronizeFolder(ofStoreAt: path)
    }

    /// Replaces a store, but does not make this durable: a power failure may restore the old store.
    ///
    /// Call `synchronizeFolder(ofStoreAt:)` afterward.
    ///
    /// - Parameters:
    ///   - patience: how long to wait for other connections to close the old store.
    ///   - witness: detects whether another process has written to the old store.
    package static func replace(
        at path: String, with newPath: String, waiting patience: LockPatience?,
        unlessSeenBy witness: ForeignWriteDetector?
    ) throws(StoreError) {
        // Replace the target of a symbolic link, not the link.
        let path = StoreFiles.resolved(path)
        let guarding: Connection? =
            if let witness {
                try witness.takeOver()
            } else {
                FileSystem.exists(path) ? try .exclusive(path, waiting: patience) : nil
            }
        // Keep other processes out until the new store has the name.
        defer { withExtendedLifetime(guarding) {} }
        try Connection.exclusive(newPath).checkpoint()
        let isOfApp = AppStore.isOne(newPath)
        // Leave an app's metadata unchanged.
        if !isOfApp { try beginLineage(newPath) }
        // Copy before the swap, so that neither store lacks a file at any moment. File names are
        // unique, so the copies cannot conflict.
        let (from, to) = (StoreFiles.supportFolder(of: newPath), StoreFiles.supportFolder(of: path))
        let hasFiles = from != to && FileSystem.exists(from)
        if hasFiles { try StoreFiles.copyFolder(from, to: to, linking: true) }
        let old = CompanionFile.replaced.path(of: path)
        try StoreFiles.remove(old)
        let isKept = try StoreReplacement(path: path, newPath: newPath).swap(lockedBy: guarding) {
            StoreFiles.link(path, as: old)
        }
        do {
            _ = try PersistentStore.model(at: path)
        } catch {
            if isKept { try StoreFiles.move(old, to: path) }
            throw error
        }
        try StoreFiles.remove(old)
        guard hasFiles else { return }
        // Remove the files that only the old store used.
        if isOfApp { try ExternalFiles.removeAll(in: to, butThoseIn: from) }
        try StoreFiles.removeFolder(from)
        if !isOfApp { try PersistentContainer(model: nil, at: path).sweepExternalFiles() }
    }

    /// Makes the replacement of a store durable.
    ///
    /// Until then, a power failure may restore the old store.
    package static func synchronizeFolder(ofStoreAt path: String) throws(StoreError) {
        try StoreFiles.synchronizeFolder(of: StoreFiles.resolved(path))
    }

    /// Copies the last saved state of a store to a new file, while others read and write.
    ///
    /// - Parameters:
    ///   - path: the path of the new file.
    ///   - configuration: the configuration of the store to copy; `nil` copies the first store.
    /// - Throws: `.exists` if a file of that name exists.
    public func copyStore(
        to path: String, configuration: String? = nil
    ) throws(StoreError) {
        let part = try part(ofConfiguration: configuration)
        let description = part?.description ?? storeDescription
        try Self.copy(
            newReader(), part?.database ?? "main", of: description.path, to: path,
            usesLog: description.kind != .sqlite)
    }

    /// Throws unless a file is a store, created by GraphStore or an app, that can be copied.
    package static func checkTemplate(at source: String) throws(StoreError) {
        try PersistentStore.checkIsStore(at: source)
    }

    /// Copies a store of GraphStore or an app, with its external values, as a new store.
    ///
    /// The copy has a new UUID and no notes about loads of the original.
    ///
    /// - Parameter place: the store that the copy will replace, whose permissions it gets.
    /// - Throws: `.missing` if the source does not exist, `.exists` if the new file exists.
    package static func copyTemplate(
        at source: String, to path: String, inPlaceOf place: String? = nil
    ) throws(StoreError) {
        try PersistentStore.checkIsStore(at: source)
        let snapshot = try StoreSnapshot(of: source, copiesOurs: false)
        try copy(
            snapshot.connection, of: source, to: path, isNew: true, withRightsOf: place ?? path)
    }

    /// Creates an empty file for a store that will replace another one.
    ///
    /// The file gets the permissions of the other store, if it exists.
    package static func makeFile(
        at path: String, inPlaceOf place: String
    ) throws(StoreError) {
        try StoreFiles.create(path, withRightsOf: place)
    }

    private static func makeNew(_ copy: Connection) throws(StoreError) {
        try SchemaSQL.dropNotes(on: copy)
        guard try StoreMetadata(readingFrom: copy) != nil else { return }
        try StoreMetadata.setUUID(UUID().uuidString, on: copy)
    }

    /// Copies a store's SQLite file and its external values to a new path.
    ///
    /// - Parameters:
    ///   - usesLog: whether the copy gets a write-ahead log, regardless of the original.
    ///   - isNew: whether the copy is a new store.
    ///   - other: the file whose permissions it gets; `nil` uses the original.
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
                if usesLog { try copy.setJournalMode("WAL") }
                if isNew { try makeNew(copy) }
                try copy.checkpoint()
            }
            try StoreFiles.copyFolder(
                StoreFiles.supportFolder(of: source), to: StoreFiles.supportFolder(of: path))
            try StoreFiles.move(temporary, to: path)
        } catch {
            try StoreFiles.removeStore(temporary)
            throw error
        }
        // The copy is complete; a power failure may lose it, which leaves the previous state.
        try? StoreFiles.synchronizeFolder(of: path)
    }

    /// Returns the store of a configuration; `nil` for the first store.
    private func part(ofConfiguration name: String?) throws(StoreError) -> StorePart? {
        guard let name, storeDescription.configuration != name else { return nil }
        guard let part = parts.first(where: { $0.description.configuration == name }) else {
            throw StoreError(
                .invalidRequest, "No store of the container has the configuration '\(name)'")
        }
        return part
    }

    /// Gives a file that will replace a store a new history lineage.
    ///
    /// History tokens of the replaced store are then invalid for the file, even if the file is an
    /// older copy with the same UUID.
    private static func beginLineage(_ path: String) throws(StoreError) {
        let connection = try Connection.exclusive(path)
        let keepsHistory = try HistorySchema.exists(on: connection)
        guard keepsHistory, var metadata = try StoreMetadata(readingFrom: connection) else {
            return
        }
        metadata.propertyList[StoreMetadata.lineageKey] = .string(UUID().uuidString)
        try metadata.write(to: connection)
        try connection.checkpoint()
    }

    /// Throws unless a run can use a store at this path.
    ///
    /// The store and the files that etl keeps next to it must be regular files or must not exist.
    ///
    /// - Throws: `.notAStore` or `.exists`, with the name of the file.
    package static func checkPlace(_ path: String) throws(StoreError) {
        try StoreFiles.rejectOtherKinds(path)
        try StoreFiles.checkOwnFiles(nextToStoreAt: StoreFiles.resolved(path))
    }

    /// Deletes the replaced store that a process left behind if it was killed during a swap.
    ///
    /// Call it after the new store has been opened.
    package static func removeReplaced(at path: String) throws(StoreError) {
        try StoreFiles.remove(CompanionFile.replaced.path(of: StoreFiles.resolved(path)))
    }

    /// Throws if another process is writing to a store's file.
    ///
    /// Opening the store reports any other fault of the file.
    package static func checkIsUnlocked(
        at path: String, waiting patience: LockPatience?
    ) throws(StoreError) {
        // Without its WAL, SQLite may take long to report that it cannot get the lock.
        try StoreFiles.checkLogs(of: path)
        do {
            let connection = try Connection(path: path, mode: .readWrite)
            connection.waitForLocks(patience, otherwise: 1_000)
            try connection.execute("BEGIN IMMEDIATE; ROLLBACK")
        } catch {
            guard error.code != .busy else { throw StoreError(inUse: path) }
        }
    }

    /// Returns the path of the file, which may not exist yet, after resolving symbolic links.
    package static func file(resolving path: String) -> String { StoreFiles.resolved(path) }

    /// Removes the notes of etl from a copy of an app's store, and checkpoints its write-ahead log.
    package static func removeNotes(at path: String) throws(StoreError) {
        let connection = try Connection.exclusive(path)
        try SchemaSQL.dropNotes(on: connection)
        // Release the pages that the notes used.
        try connection.releasePages()
    }
}
