import Diagnostics
import Files
import SQLite

/// The paths of a store's files, and checks that SQLite can use them.
extension StoreFiles {
    /// Returns the file that a path refers to through symbolic links, even if it does not exist
    /// yet.
    ///
    /// A path that is not a link is returned unchanged.
    package static func resolved(_ path: String) -> String {
        guard FileSystem.isLink(path) else { return path }
        if let found = real(path) { return found }
        var target = path
        // The system follows at most 40 links.
        for _ in 0..<40 where FileSystem.isLink(target) {
            guard let next = FileSystem.destination(ofLink: target)?.exactText else { return path }
            target = PathText.isAbsolute(next) ? next : "\(PathText.folder(of: target))/\(next)"
        }
        guard !FileSystem.isLink(target) else { return path }
        // Returns the path that the file will have after its creation.
        guard let parent = real(PathText.folder(of: target)) else { return target }
        let name = PathText.lastComponent(target)
        return parent == "/" ? "/\(name)" : "\(parent)/\(name)"
    }

    /// Returns the path without links; `nil` if no file is there or the path is not UTF-8.
    private static func real(_ path: String) -> String? {
        FileSystem.resolved(path)?.exactText
    }

    /// The maximum length of a store's path: SQLite allows 512 bytes with the suffix `-journal`.
    private static let pathBytesMax = 504

    /// Returns the error for a path that is too long; `nil` if the length is valid.
    static func tooLong(_ path: String) -> StoreError? {
        let isRefused: Bool
        do throws(SystemFault) {
            _ = try FileStatus(of: path)
            isRefused = false
        } catch {
            isRefused = error.isTooLong
        }
        let name = PathText.lastComponent(path)
        let bytes = real(PathText.folder(of: path)).map { $0.utf8.count + 1 + name.utf8.count } ?? 0
        guard isRefused || bytes > pathBytesMax else { return nil }
        return StoreError(
            .invalidRequest,
            "The path of the store is too long; SQLite allows \(pathBytesMax) bytes, and "
                + "most systems 255 in one name: \(path)")
    }

    /// Throws if this process cannot write a store and the files next to it.
    static func checkIsWritable(_ path: String) throws(StoreError) {
        guard FileSystem.allows(path, .write) else {
            throw StoreError(.permission, "\(path) may not be written")
        }
        try checkLogs(of: path)
    }

    /// Throws if this process cannot write an existing WAL of a store, or must not.
    ///
    /// A reader of a store also creates WAL files, which remain if it may not write the store. They
    /// are removed here if they are empty and unused. SQLite's error would not name them.
    ///
    /// - Throws: also `.corrupt` if the log of an app's store is damaged.
    package static func checkLogs(of path: String) throws(StoreError) {
        let path = resolved(path)
        // If the folder is not writable, the caller reports that instead.
        guard FileSystem.allows(PathText.folder(of: path), .write) else { return }
        let foreign = [path + "-wal", path + "-shm"].first {
            FileSystem.exists($0) && !FileSystem.allows($0, .write)
        }
        if let file = foreign, !removeUnusedLogs(of: path) {
            throw StoreError(
                .permission, "\(file) may not be written, and SQLite writes it with the store",
                cause: ForeignLog(holdsChanges: file.hasSuffix("-wal") && size(file) > 0))
        }
        try keepDamagedLog(of: path)
    }

    /// Removes the WAL files of a store if the WAL is empty and no connection has the store open.
    ///
    /// - Returns: Whether they were removed.
    private static func removeUnusedLogs(of path: String) -> Bool {
        guard size(path + "-wal") == 0 else { return false }
        do throws(StoreError) {
            let connection = try Connection(path: path, mode: .readWrite)
            connection.setBusyTimeout(milliseconds: 1_000)
            // In this mode, the first read locks out all other connections, and does not use the
            // SHM file, which this process cannot write.
            try connection.execute(
                "PRAGMA locking_mode = EXCLUSIVE; SELECT count(*) FROM sqlite_master")
            defer { withExtendedLifetime(connection) {} }
            guard size(path + "-wal") == 0 else { return false }
            try remove(path + "-wal")
            try remove(path + "-shm")
            return true
        } catch {
            // The caller reports the file that cannot be written.
            return false
        }
    }
}

/// The cause of an error: another user's program left a WAL that this user cannot write.
package struct ForeignLog: Error {
    /// Whether the WAL contains changes that are not in the store's file yet.
    package let holdsChanges: Bool
}

extension StoreError {
    /// The WAL that cannot be written, if it and not the store itself caused the error.
    package var foreignLog: ForeignLog? { cause as? ForeignLog }
}
