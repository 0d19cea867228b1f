import Diagnostics
import Files

/// The file operations that stores need in addition to SQLite.
package enum StoreFiles {
    /// Renames a file and replaces the target atomically.
    package static func move(_ path: String, to target: String) throws(StoreError) {
        try calling(path, "cannot replace \(target)") { () throws(SystemFault) in
            try FileSystem.rename(path, to: target)
        }
    }

    /// Creates a hard link to a file.
    ///
    /// - Returns: Whether the link was created; some file systems do not support hard links.
    package static func link(_ path: String, as name: String) -> Bool {
        (try? FileSystem.link(path, as: name)) != nil
    }

    /// Removes a file; has no effect if it does not exist.
    package static func remove(_ path: String) throws(StoreError) {
        do throws(SystemFault) {
            try FileSystem.remove(path)
        } catch {
            guard error.isNoEntry else { throw failure(path, "cannot be removed", error) }
        }
    }

    /// Returns the endings of the logs that hold content, which may not be in the store's file yet.
    static func filledLogs(of path: String) -> [String] {
        ["-wal", "-journal"].filter { ending in
            // SQLite zeros the header of a journal that it keeps and no longer needs.
            size(path + ending) > 0
                && (ending == "-wal" || (try? read(path + ending, first: 1))?.first != 0)
        }
    }

    /// Returns whether a store's write-ahead log (WAL) has content.
    static func hasFilledLog(_ path: String) -> Bool { size(path + "-wal") > 0 }

    /// Returns whether a connection that reads a store would leave WAL files next to it.
    ///
    /// SQLite creates them in any folder that may be written, and removes them only if the store
    /// may be written, too.
    static func readerLeavesLog(of path: String) -> Bool {
        // The two bytes at 18 are 2 in the WAL mode (https://www.sqlite.org/fileformat2.html).
        guard !FileSystem.allows(path, .write), !FileSystem.exists(path + "-wal"),
            FileSystem.allows(PathText.folder(of: path), .write),
            let header = try? read(path, first: 20), header.count == 20
        else { return false }
        return header[18] == 2 || header[19] == 2
    }

    /// Removes the logs of a store.
    package static func removeLogs(of path: String) throws(StoreError) {
        for ending in CompanionFile.logEndings { try remove(path + ending) }
    }

    /// Removes a store's file and its logs, but not its large values.
    package static func removeStore(_ path: String) throws(StoreError) {
        try remove(path)
        try removeLogs(of: path)
    }

    /// Throws `.missing` unless there is a file at a store's path.
    static func checkExists(_ path: String) throws(StoreError) {
        guard FileSystem.exists(path) else {
            throw StoreError(.missing, "\(path) does not exist")
        }
    }

    /// Makes sure that a store's path and the names of SQLite's logs lead to regular files, or to
    /// nothing yet.
    ///
    /// SQLite would wait forever for a pipe, and would write to a device.
    package static func rejectOtherKinds(_ path: String) throws(StoreError) {
        // If the kind is unknown, opening the file fails and reports the reason.
        if let status = try? FileStatus(of: path), let kind = kind(status) {
            throw StoreError(
                .notAStore, "\(path) is \(kind); name the store's file, an SQLite file")
        }
        let file = resolved(path)
        for log in CompanionFile.logEndings.map({ file + $0 }) {
            // If the kind is unknown, opening the file fails and reports the reason.
            guard let status = try? FileStatus(of: log), let kind = kind(status) else { continue }
            throw StoreError(
                .exists,
                "\(log) is \(kind), but SQLite needs this name for its own file; remove it")
        }
    }

    /// Returns the kind of a file that is not a regular file; `nil` if it is one.
    private static func kind(_ status: FileStatus) -> String? {
        switch status.kind {
        case .file: nil
        case .folder: "a folder"
        case .link: "a symbolic link"
        case .pipe: "a pipe"
        case .socket: "a socket"
        case .device: "a device"
        }
    }

    /// Throws if the path of one of etl's files next to a store is taken by something else.
    ///
    /// Through a link, a run would truncate or remove another file.
    package static func checkOwnFiles(nextToStoreAt path: String) throws(StoreError) {
        for file in CompanionFile.allCases {
            for end in [""] + CompanionFile.logEndings {
                let name = file.path(of: path) + end
                // A folder cannot be opened as a file anyway.
                guard let status = try? FileStatus(of: name, followingLinks: false),
                    status.kind != .folder
                else { continue }
                let kind =
                    kind(status)
                    ?? (file == .lock && status.names > 1
                        ? "a file with several names" : nil)
                guard let kind else { continue }
                throw StoreError(
                    .exists,
                    "\(name) is \(kind), but etl needs this name for its own file; remove or "
                        + "rename it")
            }
        }
    }

    /// Makes the names in a folder durable.
    package static func synchronizeFolder(of path: String) throws(StoreError) {
        try calling(PathText.folder(of: path), "cannot be made durable") { () throws(SystemFault) in
            try FileSystem.synchronizeFolder(PathText.folder(of: path))
        }
    }

    /// Returns the size of the file in bytes; 0 if it does not exist or cannot be read.
    package static func size(_ path: String) -> Int {
        (try? FileStatus(of: path))?.size ?? 0
    }

    /// Extends a file with zeros.
    static func extend(_ path: String, to bytes: Int) throws(StoreError) {
        try calling(path, "cannot be made longer") { () throws(SystemFault) in
            let descriptor = try FileSystem.open(path, .writing)
            defer { FileSystem.close(descriptor) }
            try FileSystem.truncate(descriptor, to: Int64(bytes))
        }
    }

    /// Overwrites bytes of a file.
    static func overwrite(_ path: String, at place: Int64, with bytes: [UInt8]) throws(StoreError) {
        try calling(path, "cannot be written") { () throws(SystemFault) in
            let descriptor = try FileSystem.open(path, .writing)
            defer { FileSystem.close(descriptor) }
            try bytes.withUnsafeBufferPointer { room throws(SystemFault) in
                try FileSystem.write(UnsafeRawBufferPointer(room), to: descriptor, at: place)
            }
        }
    }

    /// Returns values that change when a file is written; empty if it does not exist or cannot be
    /// read.
    static func stamp(_ path: String) -> [Int64] {
        guard let status = try? FileStatus(of: path) else { return [] }
        return [
            Int64(truncatingIfNeeded: status.inode), Int64(status.size), status.secondsWritten,
            status.nanosecondsWritten,
        ]
    }

    /// Returns values that change when a store's file or one of its logs is written, created, or
    /// removed.
    static func stamps(ofStoreAt path: String) -> [[Int64]] {
        ["", "-wal", "-journal"].map { stamp(path + $0) }
    }

    /// The folder that holds a store's large values
    /// (`.<name>_SUPPORT`, the name without its extension).
    ///
    /// A temporary store or a backup has a separate folder, which can be removed with it, even if
    /// the store has no extension.
    package static func supportFolder(of path: String) -> String {
        // The folder is next to the file, like its WAL, and not next to a link to it.
        let path = resolved(path)
        let name = PathText.lastComponent(path)
        let isBuilt =
            CompanionFile.allCases.contains { $0.isStore && name.hasSuffix($0.rawValue) }
            || [".etl-plan-", ".bak-v"].contains { name.contains($0) }
        let stem = isBuilt ? name : PathText.withoutSuffix(name)
        return "\(PathText.folder(of: path))/.\(stem)_SUPPORT"
    }

    /// Returns the names in a folder; empty if the folder does not exist.
    static func names(in folder: String) throws(StoreError) -> [String] {
        do throws(SystemFault) {
            return try FileSystem.textNames(in: folder)
        } catch {
            // A missed file would not be kept, or would be treated as unused.
            guard error.isMissing else { throw failure(folder, "cannot be read", error) }
            return []
        }
    }

    /// Removes a folder and its content; has no effect if it does not exist.
    package static func removeFolder(_ folder: String) throws(StoreError) {
        for name in try names(in: folder) {
            let path = "\(folder)/\(name)"
            // If the kind is unknown, removing the file fails and reports the reason.
            if (try? FileStatus(of: path, followingLinks: false))?.kind == .folder {
                try removeFolder(path)
            } else {
                try remove(path)
            }
        }
        do throws(SystemFault) {
            try FileSystem.removeFolder(folder)
        } catch {
            guard error.isNoEntry else { throw failure(folder, "cannot be removed", error) }
        }
    }
}
