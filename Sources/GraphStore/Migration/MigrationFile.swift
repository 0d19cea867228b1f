import Files
import SQLite

/// The file beside a store in which its successor is built: `<store>.migrating`.
///
/// From its first page on it has a mark in its header, so that what a killed migration has left is
/// told from a file of somebody else, which nobody touches.
struct MigrationFile {
    let storePath: String
    var path: String { CompanionFile.migrating.path(of: storePath) }

    /// SQLite's `application_id` of an unfinished store: `etlM`.
    private static let mark: Int64 = 0x6574_6C4D
    private static let markOffset = 68

    /// Takes away what an earlier migration has left.
    ///
    /// - Parameter storeUUID: a finished successor has that of the store.
    /// - Throws: where there is a file that is none of ours.
    func clear(storeUUID: String) throws(StoreError) {
        guard FileSystem.exists(path) else { return try remove() }
        if let reason = try reasonNotOurs(storeUUID) {
            throw StoreError(
                .exists,
                "\(path), where the new store is to be built, is another file (\(reason));"
                    + " move it away")
        }
        try remove()
    }

    /// Why the file is none that a migration of the store has left; nil where it is.
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
        // Its first page may have been written before the mark; and nobody misses an empty one.
        if try PersistentStore.isEmpty(connection, path) { return nil }
        let uuid = try StoreMetadata(readingFrom: connection)?.uuid
        return uuid == storeUUID ? nil : "its UUID is \(uuid ?? "missing")"
    }

    /// Takes the file away; large values are in the store's own folder, which stays.
    func remove() throws(StoreError) {
        for suffix in ["", "-wal", "-shm", "-journal"] { try StoreFiles.remove(path + suffix) }
    }

    /// Makes an empty file with the mark, and the store's own rights.
    func create() throws(StoreError) {
        try StoreFiles.create(path, withRightsOf: storePath)
        let connection = try Connection(path: path, mode: .readWrite)
        // The first before the file has a page.
        try connection.execute(
            "PRAGMA auto_vacuum = 2; PRAGMA application_id = \(Self.mark)")
    }

    /// Makes what was written durable, and takes the mark away; nobody has it open any more.
    func finish(journalMode: String) throws(StoreError) {
        // First what was written, so that a file without the mark is whole.
        try StoreFiles.synchronize(path)
        let connection = try Connection(path: path, mode: .readWrite)
        try connection.execute(
            "PRAGMA synchronous = FULL; PRAGMA application_id = 0;"
                + " PRAGMA journal_mode = \(journalMode)")
        try StoreFiles.synchronize(path)
    }
}

extension StoreFiles {
    /// Waits until a file's bytes are on the disk.
    static func synchronize(_ path: String) throws(StoreError) {
        try calling(path, "cannot be made durable") { () throws(SystemFault) in
            let descriptor = try FileSystem.open(path, .reading)
            defer { FileSystem.close(descriptor) }
            try FileSystem.synchronize(descriptor)
        }
    }

    /// Whether two names are of one file.
    static func areSame(_ path: String, _ other: String) -> Bool {
        guard let first = try? FileStatus(of: path), let second = try? FileStatus(of: other) else {
            return false
        }
        return first.inode == second.inode && first.device == second.device
    }
}
