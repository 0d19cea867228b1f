import Diagnostics

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file that is written anew as a whole: beside its place first, then moved there.
struct AtomicFile {
    private let path: String
    private let temporary: String

    /// Writes the bytes beside the file's place, durable.
    ///
    /// - Parameter permissions: the mode of a file that is not there yet; one that is there hands
    ///   its own down.
    init(_ bytes: [UInt8], for path: String, permissions: UInt16?) throws(StoreError) {
        // A link stays a link; what it leads to is written anew.
        self.path = StoreFiles.resolved(path)
        temporary = "\(self.path).etl-new-\(getpid())"
        try StoreFiles.write(
            bytes, to: temporary, permissions: permissions, rights: FileRights(of: self.path))
    }

    /// Takes the place.
    func commit() throws(StoreError) {
        try StoreFiles.move(temporary, to: path)
        StoreFiles.synchronizeFolder(of: path)
    }

    /// Goes away.
    func discard() throws(StoreError) {
        try StoreFiles.remove(temporary)
    }
}

extension StoreFiles {
    /// Writes a new file, or an old one anew, and waits for the disk.
    ///
    /// - Parameter rights: those of the file whose place it is to take, in place of the mode.
    static func write(
        _ bytes: [UInt8], to path: String, permissions: UInt16?, rights: FileRights?
    ) throws(StoreError) {
        let mode = rights == nil ? permissions ?? 0o644 : 0o600
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode_t(mode))
        guard descriptor >= 0 else { throw failure(path, "cannot be made") }
        defer { close(descriptor) }
        rights?.give(to: descriptor)
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                writeBytes(descriptor, buffer.baseAddress.map { $0 + offset }, bytes.count - offset)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path, "cannot be written") }
            offset += count
        }
        guard fsync(descriptor) == 0 else { throw failure(path, "cannot be written") }
    }

    /// The bytes of a file, or no more than the first so many.
    static func read(_ path: String, first limit: Int = .max) throws(StoreError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, "cannot be opened") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(limit, 1 << 18))
        while bytes.count < limit {
            let count = readBytes(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(path, "cannot be read") }
            guard count > 0 else { break }
            bytes.append(contentsOf: buffer[..<min(count, limit - bytes.count)])
        }
        return bytes
    }

    /// Makes an empty file of that mode; nothing happens where there is one.
    static func create(_ path: String, permissions: UInt16) throws(StoreError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(permissions))
        if descriptor < 0, errno == EEXIST { return }
        guard descriptor >= 0 else { throw failure(path, "cannot be made") }
        defer { close(descriptor) }
        guard fchmod(descriptor, mode_t(permissions)) == 0 else {
            throw failure(path, "cannot get its mode")
        }
    }

    /// Makes an empty file for a store with the rights of another, whose copy it becomes or whose
    /// place it is to take: SQLite gives them to the log, too, and nobody else reads what comes in.
    ///
    /// Nothing happens where there is no other, or where the file is there already.
    static func create(_ path: String, withRightsOf other: String) throws(StoreError) {
        guard let rights = FileRights(of: other) else { return }
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0, errno == EEXIST { return }
        guard descriptor >= 0 else { throw failure(path, "cannot be made") }
        defer { close(descriptor) }
        // A copy of what may only be read is written all the same.
        rights.adding(0o600).give(to: descriptor)
    }

    static func failure(_ path: String, _ what: String) -> StoreError {
        let code: StoreError.Code =
            switch errno {
            case ENOENT: .missing
            case EACCES, EPERM, EROFS: .permission
            case ENOSPC, EDQUOT: .full
            case EMFILE, ENFILE, ENOMEM: .resources
            case ENAMETOOLONG: .invalidRequest
            default: .inputOutput
            }
        return StoreError(code, "\(path) \(what): \(String(cString: strerror(errno)))")
    }
}

// The system's calls, whose names the ones above have taken.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

private func readBytes(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
