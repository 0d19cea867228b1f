import Diagnostics
import Files

/// The few calls on files that stores need beside SQLite.
enum StoreFiles {
    /// Gives a file another's name, all or nothing.
    static func move(_ path: String, to target: String) throws(StoreError) {
        try calling(path, "cannot take the place of \(target)") { () throws(SystemFault) in
            try FileSystem.rename(path, to: target)
        }
    }

    /// Gives a file a second name.
    ///
    /// - Returns: whether it has one; some file systems know no such thing.
    static func link(_ path: String, as name: String) -> Bool {
        (try? FileSystem.link(path, as: name)) != nil
    }

    /// Removes a file; nothing happens where there is none.
    static func remove(_ path: String) throws(StoreError) {
        do throws(SystemFault) {
            try FileSystem.remove(path)
        } catch {
            guard error.isNoEntry else { throw failure(path, "cannot be removed", error) }
        }
    }

    /// Makes sure that a store's path leads to a regular file, or to nothing yet, and so do the names
    /// of SQLite's logs.
    ///
    /// SQLite would wait for a pipe for ever, and would write to a device.
    static func refuseOtherKinds(_ path: String) throws(StoreError) {
        if let status = try? FileStatus(of: path), let kind = kind(status) {
            throw StoreError(
                .notAStore, "\(path) is \(kind); name the store's file, an SQLite file")
        }
        let file = resolved(path)
        for log in [file + "-wal", file + "-shm", file + "-journal"] {
            guard let status = try? FileStatus(of: log), let kind = kind(status) else { continue }
            throw StoreError(
                .exists,
                "\(log) is \(kind), but SQLite keeps a file of its own by this name; remove it")
        }
    }

    /// What something is that is not a regular file; `nil` if it is one.
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

    /// Makes sure that what has the name of one of our files next to a store can be one of them.
    ///
    /// Through a link, a run would empty or remove a file of somebody else.
    static func checkOwnFiles(besideStoreAt path: String) throws(StoreError) {
        for file in CompanionFile.allCases {
            for end in ["", "-wal", "-shm", "-journal"] {
                let name = file.path(of: path) + end
                // A folder is not opened as a file anyway.
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
                    "\(name) is \(kind), but etl keeps a file of its own by this name; remove it, or"
                        + " give it another name")
            }
        }
    }

    /// Makes the names in a folder durable.
    static func synchronizeFolder(of path: String) throws(StoreError) {
        try calling(PathText.folder(of: path), "cannot be made durable") { () throws(SystemFault) in
            try FileSystem.synchronizeFolder(PathText.folder(of: path))
        }
    }

    /// How many bytes the file has; 0 where there is none.
    static func size(_ path: String) -> Int {
        (try? FileStatus(of: path))?.size ?? 0
    }

    /// Makes a file longer, with zeros.
    static func extend(_ path: String, to bytes: Int) throws(StoreError) {
        try calling(path, "cannot be made longer") { () throws(SystemFault) in
            let descriptor = try FileSystem.open(path, .writing)
            defer { FileSystem.close(descriptor) }
            try FileSystem.cut(descriptor, to: Int64(bytes))
        }
    }

    /// Replaces bytes of a file.
    static func overwrite(_ path: String, at place: Int64, with bytes: [UInt8]) throws(StoreError) {
        try calling(path, "cannot be written") { () throws(SystemFault) in
            let descriptor = try FileSystem.open(path, .writing)
            defer { FileSystem.close(descriptor) }
            try bytes.withUnsafeBufferPointer { room throws(SystemFault) in
                try FileSystem.write(UnsafeRawBufferPointer(room), to: descriptor, at: place)
            }
        }
    }

    /// What changes when a file is written; empty where there is none.
    static func stamp(_ path: String) -> [Int64] {
        guard let status = try? FileStatus(of: path) else { return [] }
        return [
            Int64(truncatingIfNeeded: status.inode), Int64(status.size), status.secondsWritten,
            status.nanosecondsWritten,
        ]
    }

    /// The folder that holds a store's large values
    /// (`.<name>_SUPPORT`, the name without its extension).
    ///
    /// A file that is named after a store, being built or kept, has a folder of its own, also where
    /// the store has no extension: it can be taken away with it.
    static func supportFolder(of path: String) -> String {
        // Beside the file, as its log is, and not beside a link to it.
        let path = resolved(path)
        let name = PathText.components(of: path).last ?? path
        let isBuilt =
            CompanionFile.allCases.contains { $0.isStore && name.hasSuffix($0.rawValue) }
            || [".etl-plan-", ".bak-v"].contains { name.contains($0) }
        let stem = isBuilt ? name : PathText.withoutSuffix(name)
        return "\(PathText.folder(of: path))/.\(stem)_SUPPORT"
    }

    /// The names in a folder; none where there is no folder.
    static func names(in folder: String) throws(StoreError) -> [String] {
        do throws(SystemFault) {
            return try FileSystem.textNames(in: folder)
        } catch {
            // What is not seen would not be kept, or would be taken for what is not needed.
            guard error.isMissing else { throw failure(folder, "cannot be read", error) }
            return []
        }
    }

    /// Removes a folder with what is in it; nothing happens where there is none.
    static func removeFolder(_ folder: String) throws(StoreError) {
        for name in try names(in: folder) {
            let path = "\(folder)/\(name)"
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
