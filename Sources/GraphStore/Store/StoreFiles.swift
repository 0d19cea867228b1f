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
            throw StoreError(
                .inputOutput,
                "\(path) cannot take the place of \(target): \(String(cString: strerror(errno)))")
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
            throw StoreError(
                .permission, "\(path) cannot be removed: \(String(cString: strerror(errno)))")
        }
    }

    /// Whether there is something of that name.
    static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// Whether this process may write the file.
    static func isWritable(_ path: String) -> Bool {
        access(path, W_OK) == 0
    }

    /// The folder of a path.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes the names in a folder durable.
    static func synchronizeFolder(of path: String) {
        let descriptor = open(folder(of: path), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
