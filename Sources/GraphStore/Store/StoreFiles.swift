import Diagnostics

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The few calls on files that stores need beside SQLite.
enum StoreFiles {
    /// Gives a file another's name, all or nothing.
    static func move(_ path: String, to target: String) throws(StoreError) {
        guard rename(path, target) == 0 else {
            throw failure(path, "cannot take the place of \(target)")
        }
    }

    /// Gives a file a second name.
    ///
    /// - Returns: whether it has one; some file systems know no such thing.
    static func link(_ path: String, as name: String) -> Bool {
        #if canImport(Glibc)
            Glibc.link(path, name) == 0
        #elseif canImport(Musl)
            Musl.link(path, name) == 0
        #else
            Darwin.link(path, name) == 0
        #endif
    }

    /// Removes a file; nothing happens where there is none.
    static func remove(_ path: String) throws(StoreError) {
        guard unlink(path) == 0 || errno == ENOENT else {
            throw failure(path, "cannot be removed")
        }
    }

    /// Whether there is something of that name.
    static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// Makes sure that a store's path leads to a regular file, or to nothing yet.
    ///
    /// SQLite would wait for a pipe for ever, and would write to a device.
    static func refuseOtherKinds(_ path: String) throws(StoreError) {
        var status = stat()
        guard stat(path, &status) == 0, let kind = kind(status) else { return }
        throw StoreError(.notAStore, "\(path) is \(kind); name the store's file, an SQLite file")
    }

    /// What something is that is not a regular file; `nil` if it is one.
    private static func kind(_ status: stat) -> String? {
        switch status.st_mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR: "a folder"
        case S_IFLNK: "a symbolic link"
        case S_IFIFO: "a pipe"
        case S_IFSOCK: "a socket"
        default: "a device"
        }
    }

    /// Makes sure that what has the name of one of our files next to a store can be one of them.
    ///
    /// Through a link, a run would empty or remove a file of somebody else.
    static func checkOwnFiles(besideStoreAt path: String) throws(StoreError) {
        for file in CompanionFile.allCases {
            for end in ["", "-wal", "-shm", "-journal"] {
                var status = stat()
                let name = file.path(of: path) + end
                // A folder is not opened as a file anyway.
                guard lstat(name, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
                    continue
                }
                let kind =
                    kind(status)
                    ?? (file == .lock && status.st_nlink > 1
                        ? "a file with several names" : nil)
                guard let kind else { continue }
                throw StoreError(
                    .exists,
                    "\(name) is \(kind), but etl keeps a file of its own by this name; remove it, or"
                        + " give it another name")
            }
        }
    }

    /// Whether this process may write the file.
    static func isWritable(_ path: String) -> Bool {
        access(path, W_OK) == 0
    }

    /// The folder of a path.
    static func folder(of path: String) -> String {
        PathText.folder(of: path)
    }

    /// Makes the names in a folder durable.
    static func synchronizeFolder(of path: String) {
        let descriptor = open(folder(of: path), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// How many bytes the file has; 0 where there is none.
    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Gives a file that many bytes, new ones all zero.
    static func resize(_ path: String, to bytes: Int) throws(StoreError) {
        guard truncate(path, off_t(bytes)) == 0 else {
            throw failure(path, "cannot be made longer")
        }
    }

    /// What changes when a file is written; empty where there is none.
    static func stamp(_ path: String) -> [Int64] {
        var status = stat()
        guard stat(path, &status) == 0 else { return [] }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return [
            Int64(status.st_ino), Int64(status.st_size), Int64(time.tv_sec), Int64(time.tv_nsec),
        ]
    }

    /// Whether there is a process of that number.
    static func isRunning(_ process: Int32) -> Bool {
        kill(process, 0) == 0 || errno == EPERM
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
        return "\(folder(of: path))/.\(stem)_SUPPORT"
    }

    /// The names in a folder; none where there is no folder.
    static func names(in folder: String) -> [String] {
        guard let handle = opendir(folder) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a folder with what is in it; nothing happens where there is none.
    static func removeFolder(_ folder: String) throws(StoreError) {
        for name in names(in: folder) {
            let path = "\(folder)/\(name)"
            var status = stat()
            if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
                try removeFolder(path)
            } else {
                try remove(path)
            }
        }
        guard rmdir(folder) == 0 || errno == ENOENT else {
            throw failure(folder, "cannot be removed")
        }
    }
}
