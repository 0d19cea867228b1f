import Files
import SQLite

/// The file next to a store in which its successor is built: `<store>.migrating`.
///
/// Its header contains a mark from the first page on. The mark distinguishes the remains of a
/// killed migration from another program's file, which migrations never touch.
struct MigrationFile {
    let storePath: String
    var path: String { CompanionFile.migrating.path(of: storePath) }

    /// SQLite's `application_id` of an unfinished store: `etlM`.
    private static let mark: Int64 = 0x6574_6C4D
    private static let markOffset = 68
    /// The header byte that is 2 if the file uses a WAL
    /// (https://www.sqlite.org/fileformat2.html).
    private static let writeVersionOffset = 18

    /// Removes the remains of an earlier migration.
    ///
    /// - Parameter storeUUID: The store's UUID, which a finished successor has too.
    /// - Returns: Whether the remains use a WAL, as the store did before. A migration that is killed
    ///   while it replaces the store has already removed the store's WAL.
    /// - Throws: `.exists` if the file does not belong to a migration of the store.
    func clear(storeUUID: String) throws(StoreError) -> Bool {
        guard FileSystem.exists(path) else {
            try remove()
            return false
        }
        if let reason = try reasonNotOurs(storeUUID) {
            throw StoreError(
                .exists,
                "\(path), the path of the new store, is another file (\(reason));"
                    + " move it away")
        }
        let header = try StoreFiles.read(path, first: Self.writeVersionOffset + 1)
        try remove()
        return header.last == 2 && header.count == Self.writeVersionOffset + 1
    }

    /// Returns why the file is not from a migration of the store; `nil` if it is.
    private func reasonNotOurs(_ storeUUID: String) throws(StoreError) -> String? {
        guard StoreFiles.size(path) > 0 else { return nil }
        let header = try StoreFiles.read(path, first: Self.markOffset + 4)
        guard header.count == Self.markOffset + 4 else { return "no store" }
        let mark = Int64(header.number(at: Self.markOffset, bytes: 4))
        if mark == Self.mark { return nil }
        let connection: Connection
        do throws(StoreError) {
            connection = try PersistentStore.readerOfStore(at: path)
        } catch {
            return error.message
        }
        // The first page may have been written before the mark, and an empty store can be deleted.
        if try PersistentStore.isEmpty(connection, path) { return nil }
        let uuid = try StoreMetadata(readingFrom: connection)?.uuid
        return uuid == storeUUID ? nil : "its UUID is \(uuid ?? "missing")"
    }

    /// Removes the file; large values remain in the store's own folder.
    func remove() throws(StoreError) {
        try StoreFiles.removeStore(path)
    }

    /// Creates an empty file with the mark and the store's permissions.
    func create() throws(StoreError) {
        try StoreFiles.create(path, withRightsOf: storePath)
        let connection = try Connection(path: path, mode: .readWrite)
        // Set auto_vacuum before the file has a page.
        try connection.execute(
            "PRAGMA auto_vacuum = 2; PRAGMA application_id = \(Self.mark)")
    }

    /// Makes the file durable and removes the mark; no connection may have the file open.
    func finish(journalMode: String) throws(StoreError) {
        // Synchronize the content first, so that a file without the mark is complete.
        try StoreFiles.synchronize(path)
        let connection = try Connection(path: path, mode: .readWrite)
        try connection.execute(
            "PRAGMA synchronous = FULL; PRAGMA application_id = 0;"
                + " PRAGMA journal_mode = \(journalMode)")
        try StoreFiles.synchronize(path)
    }
}

extension StoreFiles {
    /// Synchronizes a file's bytes to the disk.
    static func synchronize(_ path: String) throws(StoreError) {
        try calling(path, "cannot be made durable") { () throws(SystemFault) in
            let descriptor = try FileSystem.open(path, .reading)
            defer { FileSystem.close(descriptor) }
            try FileSystem.synchronize(descriptor)
        }
    }

    /// Returns whether two paths refer to the same file.
    static func areSame(_ path: String, _ other: String) -> Bool {
        // A file that does not exist is not the same as another one.
        guard let first = try? FileStatus(of: path), let second = try? FileStatus(of: other) else {
            return false
        }
        return first.inode == second.inode && first.device == second.device
    }
}
