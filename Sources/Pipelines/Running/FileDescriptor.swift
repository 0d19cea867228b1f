import Diagnostics

import GraphModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The few calls of the system on open files that this module needs.
enum FileDescriptor {
    /// Opens a file to write at its end, and makes it where it is missing.
    ///
    /// - Returns: the descriptor, or -1.
    static func createForAppending(_ path: FileName) -> Int32 {
        open(path.cString, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    }

    /// Opens a file to lock it, and makes it where it is missing.
    ///
    /// - Returns: the descriptor, or -1.
    static func createForLocking(_ path: String) -> Int32 {
        // No link is followed, and a pipe is not waited for.
        open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o644)
    }

    /// Opens a file to see whether it is locked, as far as this user may.
    ///
    /// - Returns: the descriptor, or -1.
    static func openForLocking(_ path: String) -> Int32 {
        let flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = open(path, O_RDWR | flags)
        return descriptor >= 0 ? descriptor : open(path, O_RDONLY | flags)
    }

    static func close(_ descriptor: Int32) {
        #if canImport(Glibc)
            _ = Glibc.close(descriptor)
        #elseif canImport(Musl)
            _ = Musl.close(descriptor)
        #else
            _ = Darwin.close(descriptor)
        #endif
    }

    /// Writes all bytes.
    ///
    /// - Returns: whether that succeeded.
    static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { all in
            var rest = UnsafeRawBufferPointer(rebasing: all[...])
            while !rest.isEmpty {
                let count = write(descriptor, rest.baseAddress, rest.count)
                if count < 0 {
                    if errno == EINTR { continue }
                    return false
                }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
            return true
        }
    }

    /// Writes all bytes at a place.
    ///
    /// - Returns: whether that succeeded.
    static func writeAll(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at position: Int64
    ) -> Bool {
        var rest = bytes
        var position = position
        while !rest.isEmpty {
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(position))
            if count < 0 {
                if errno == EINTR { continue }
                return false
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            position += Int64(count)
        }
        return true
    }

    /// Reads bytes from a place on.
    ///
    /// - Returns: how many; 0 at the end, -1 where that failed.
    static func read(
        _ descriptor: Int32, into room: UnsafeMutableRawBufferPointer, at position: Int64
    ) -> Int {
        while true {
            let count = pread(descriptor, room.baseAddress, room.count, off_t(position))
            if count >= 0 || errno != EINTR { return count }
        }
    }

    /// Makes a file to write and read that no name leads to, so that it is gone with this process.
    ///
    /// - Returns: the descriptor, or -1.
    static func createUnnamed(in folder: String, prefix: String) -> Int32 {
        var name = Array((folder + "/" + prefix + "XXXXXX").utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else { return -1 }
        unlink(name)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    /// The size of an open file, in bytes.
    static func size(_ descriptor: Int32) -> Int64 {
        var info = stat()
        return fstat(descriptor, &info) == 0 ? Int64(info.st_size) : 0
    }

    /// What is free on the disk of a folder for this user, in bytes.
    static func freeBytes(in folder: String) -> Int64? {
        var info = statvfs()
        guard statvfs(folder, &info) == 0 else { return nil }
        return Int64(clamping: UInt64(info.f_bavail)) &* Int64(clamping: UInt64(info.f_frsize))
    }

    /// Waits until what was written is on the disk.
    ///
    /// - Returns: whether that succeeded.
    static func synchronize(_ descriptor: Int32) -> Bool { fsync(descriptor) == 0 }

    /// Cuts an open file to a length.
    ///
    /// - Returns: whether that succeeded.
    static func cut(_ descriptor: Int32, to length: Int) -> Bool {
        ftruncate(descriptor, off_t(length)) == 0
    }

    /// The size of the file at a path; nil where there is none.
    static func size(_ path: FileName) -> Int? {
        var info = stat()
        guard stat(path.cString, &info) == 0 else { return nil }
        return Int(info.st_size)
    }

    /// What changes when a file is written: which file it is, its size, and when it was changed;
    /// empty where there is none.
    static func state(_ path: String) -> String {
        var info = stat()
        guard stat(path, &info) == 0, info.st_size > 0 else { return "" }
        return "\(info.st_ino):\(info.st_size):\(timeWritten(info))"
    }

    /// When the file at a path was last written, in nanoseconds since 1970; 0 where there is none.
    static func timeWritten(_ path: String) -> Int64 {
        var info = stat()
        return stat(path, &info) == 0 ? timeWritten(info) : 0
    }

    private static func timeWritten(_ info: stat) -> Int64 {
        #if canImport(Darwin)
            let time = info.st_mtimespec
        #else
            let time = info.st_mtim
        #endif
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Gives a file another name, in place of a file that has it.
    ///
    /// - Returns: whether that succeeded.
    static func rename(_ path: FileName, to target: FileName) -> Bool {
        #if canImport(Glibc)
            Glibc.rename(path.cString, target.cString) == 0
        #elseif canImport(Musl)
            Musl.rename(path.cString, target.cString) == 0
        #else
            Darwin.rename(path.cString, target.cString) == 0
        #endif
    }

    /// Removes a file; nothing happens where there is none.
    static func remove(_ path: FileName) { _ = unlink(path.cString) }

    /// The names in a folder, without `.` and `..`; none where it cannot be read.
    static func names(in folder: FileName) -> [FileName] {
        guard let handle = opendir(folder.cString) else { return [] }
        defer { closedir(handle) }
        var names: [FileName] = []
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                FileName(bytes: bytes.prefix { $0 != 0 })
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Whether a path leads to a folder.
    static func isFolder(_ path: FileName) -> Bool {
        var info = stat()
        return stat(path.cString, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
    }

    /// Removes an empty folder; nothing happens where there is none.
    static func removeFolder(_ path: FileName) { _ = rmdir(path.cString) }

    /// Makes the names in a folder durable, as far as its file system can.
    static func synchronizeFolder(_ path: FileName) {
        let descriptor = open(path.cString, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// Takes the lock of an open file, which dies with the process.
    ///
    /// - Returns: whether it was free.
    static func lock(_ descriptor: Int32) -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }

    /// Gives the lock of an open file back, whoever else has the file open by the same descriptor.
    static func unlock(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

    /// Replaces a file's content with a short text.
    static func rewrite(_ descriptor: Int32, _ text: String) {
        _ = ftruncate(descriptor, 0)
        _ = Array(text.utf8).withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    /// The first bytes of a file as text.
    static func head(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 400)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// The first bytes of the file at a path as text; nil where it cannot be read.
    static func head(ofFile path: String) -> String? {
        // A pipe is not waited for.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return head(descriptor)
    }

    /// The bytes of a file; nil where it cannot be read.
    static func contents(_ path: FileName) -> [UInt8]? {
        let descriptor = open(path.cString, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Int(size(descriptor)))
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeMutableBytes { all in
                read(
                    descriptor, into: UnsafeMutableRawBufferPointer(rebasing: all[done...]),
                    at: Int64(done))
            }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            done += count
        }
        return Array(bytes.prefix(done))
    }

    /// SHA-256 over what files hold; those that are missing hold nothing. Nil where one cannot be
    /// read.
    ///
    /// - Parameter ignored: bytes at the beginning of the files that do not count.
    static func digest(_ paths: [String], ignoring ignored: [Range<Int>]) -> String? {
        var digest = ContentDigest()
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        for path in paths {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            if descriptor < 0, errno == ENOENT { continue }
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var position: Int64 = 0
            while true {
                let count = chunk.withUnsafeMutableBytes {
                    read(descriptor, into: $0, at: position)
                }
                guard count >= 0 else { return nil }
                if count == 0 { break }
                if position == 0 {
                    for byte in ignored.joined() where byte < count { chunk[byte] = 0 }
                }
                chunk.withUnsafeBytes {
                    digest.add(UnsafeRawBufferPointer(rebasing: $0[..<count]))
                }
                position += Int64(count)
            }
        }
        return digest.text(bytes: 32)
    }

    /// Which file a path leads to, whatever its name; nil where there is none.
    static func identity(_ path: FileName) -> [UInt64]? {
        var info = stat()
        guard stat(path.cString, &info) == 0 else { return nil }
        return [UInt64(truncatingIfNeeded: info.st_dev), UInt64(truncatingIfNeeded: info.st_ino)]
    }

    /// The size of what is a regular file now, in bytes.
    static func fileSize(_ path: FileName) -> Int? {
        var info = stat()
        guard stat(path.cString, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(info.st_size)
    }

    /// Whether the path's last part is a symbolic link.
    static func isLink(_ path: FileName) -> Bool {
        var info = stat()
        return lstat(path.cString, &info) == 0 && info.st_mode & S_IFMT == S_IFLNK
    }

    /// The path without links, where it leads to something.
    static func resolved(_ path: FileName) -> FileName? {
        guard let real = realpath(path.cString, nil) else { return nil }
        defer { free(real) }
        return FileName(cString: real)
    }

    static var processID: Int32 { getpid() }

    /// Whether a process is there, whoever owns it.
    static func isRunning(_ process: Int32) -> Bool { kill(process, 0) == 0 || errno == EPERM }

    /// Whether files can be made in a folder.
    static func isWritableFolder(_ path: String) -> Bool { access(path, W_OK | X_OK) == 0 }
}

/// The same calls for paths that specs and command lines give as text.
extension FileDescriptor {
    static func size(_ path: String) -> Int? { size(FileName(path)) }

    static func fileSize(_ path: String) -> Int? { fileSize(FileName(path)) }

    static func remove(_ path: String) { remove(FileName(path)) }

    static func synchronizeFolder(_ path: String) { synchronizeFolder(FileName(path)) }

    /// Nil also where the path without links is not UTF-8.
    static func resolved(_ path: String) -> String? { resolved(FileName(path))?.exactText }
}
