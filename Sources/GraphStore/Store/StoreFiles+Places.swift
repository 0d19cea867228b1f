import Diagnostics
import Files

/// The paths of a store's files, and checks that SQLite can use them.
extension StoreFiles {
    /// Returns the file that a path refers to through symbolic links, even if it does not exist
    /// yet.
    ///
    /// A path that is not a link is returned unchanged.
    static func resolved(_ path: String) -> String {
        guard isLink(path) else { return path }
        if let found = real(path) { return found }
        var target = path
        // 40 is the number of links that the system follows.
        for _ in 0..<40 where isLink(target) {
            guard let next = destination(ofLink: target) else { return path }
            target = PathText.isAbsolute(next) ? next : "\(folder(of: target))/\(next)"
        }
        guard !isLink(target) else { return path }
        // The path as it will be when the file exists.
        guard let parent = real(folder(of: target)),
            let name = PathText.components(of: target).last
        else { return target }
        return parent == "/" ? "/\(name)" : "\(parent)/\(name)"
    }

    private static func isLink(_ path: String) -> Bool {
        (try? FileStatus(of: path, followingLinks: false))?.kind == .link
    }

    /// Returns the absolute path without links; `nil` if it does not exist or is not UTF-8.
    private static func real(_ path: String) -> String? {
        FileSystem.resolved(path)?.exactText
    }

    private static func destination(ofLink path: String) -> String? {
        FileSystem.destination(ofLink: path)?.exactText
    }

    /// Maximum path length in bytes: SQLite allows 512, including the suffix of the journal's name.
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
        let name = PathText.components(of: path).last ?? ""
        let bytes = real(folder(of: path)).map { $0.utf8.count + 1 + name.utf8.count } ?? 0
        guard isRefused || bytes > pathBytesMax else { return nil }
        return StoreError(
            .invalidRequest,
            "The path of the store is too long; SQLite takes \(pathBytesMax) bytes, and most "
                + "systems 255 of one name: \(path)")
    }

    /// Throws if this process cannot write a store and the files next to it.
    static func checkIsWritable(_ path: String) throws(StoreError) {
        guard isWritable(path) else {
            throw StoreError(.permission, "\(path) may not be written")
        }
        try checkLogs(of: path)
    }

    /// Throws if this process cannot write an existing WAL of a store.
    ///
    /// A reader of a store also creates WAL files, which may remain. SQLite's error does not name
    /// them.
    static func checkLogs(of path: String) throws(StoreError) {
        let path = resolved(path)
        // Otherwise, the caller reports the read-only folder.
        guard isWritable(folder(of: path)) else { return }
        for file in [path + "-wal", path + "-shm"] where exists(file) && !isWritable(file) {
            throw StoreError(
                .permission, "\(file) may not be written, and SQLite writes it with the store",
                cause: ForeignLog(holdsChanges: file.hasSuffix("-wal") && size(file) > 0))
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
