internal import Diagnostics

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The few calls to the operating system that this target makes, in one place.
///
/// Each one gives the result or the `errno` of the failure; interrupted calls are repeated.
package enum Platform {
    /// What `stat` says about a name.
    enum NodeKind {
        case file, folder, other
    }

    /// A failed call.
    struct Failure: Error {
        let errno: Int32

        var text: String { String(cString: strerror(errno)) }
        var isMissing: Bool { errno == ENOENT || errno == ENOTDIR }
        var isPermission: Bool { errno == EACCES || errno == EPERM || errno == EROFS }
        /// Out of descriptors or memory, here or in the whole system.
        var isExhausted: Bool { errno == EMFILE || errno == ENFILE || errno == ENOMEM }

        /// The other end of the pipe is closed.
        var isBrokenPipe: Bool { errno == EPIPE }

        var isExisting: Bool { errno == EEXIST }

        static func current() -> Failure { Failure(errno: systemErrno()) }

        /// What opening a folder as a file amounts to.
        static var isFolder: Failure { Failure(errno: EISDIR) }

        /// What giving up a wait amounts to.
        static var isCancelled: Failure { Failure(errno: ECANCELED) }
    }

    static let standardInput: Int32 = 0
    static let standardOutput: Int32 = 1

    static func openForReading(_ path: FileName) throws(Failure) -> Int32 {
        let descriptor = open(path.cString, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .current() }
        return descriptor
    }

    /// Opens what may be a pipe that nobody writes into yet, without waiting for that: `mustWait`
    /// tells when somebody has.
    ///
    /// Linux alone tells a pipe that nobody has opened from one that everybody has closed.
    static func openStream(_ path: FileName) throws(Failure) -> Int32 {
        #if os(Linux)
            let descriptor = open(path.cString, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { throw .current() }
            return descriptor
        #else
            try openForReading(path)
        #endif
    }

    /// Makes a file that must not exist yet.
    ///
    /// - Parameter rights: those of the file whose place it is to take; nil leaves them to the
    ///   process's mask.
    static func createNew(_ path: FileName, with rights: FileRights?) throws(Failure) -> Int32 {
        let mode: mode_t = rights == nil ? 0o666 : 0o600
        let descriptor = open(path.cString, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .current() }
        rights?.give(to: descriptor)
        return descriptor
    }

    /// Whether the file has a size, so that reading never waits for somebody to write.
    static func isRegular(_ descriptor: Int32) -> Bool {
        var info = stat()
        return fstat(descriptor, &info) == 0 && info.st_mode & S_IFMT == S_IFREG
    }

    /// Whether a read would wait for somebody to write, also after so many milliseconds.
    static func mustWait(_ descriptor: Int32, milliseconds: Int32 = 0) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let count = poll(&request, 1, milliseconds)
        return count == 0 || (count < 0 && systemErrno() == EINTR)
    }

    static func closeFile(_ descriptor: Int32) {
        _ = close(descriptor)
    }

    /// Closes a file that was written, where a late failure still counts.
    static func closeWritten(_ descriptor: Int32) throws(Failure) {
        guard close(descriptor) == 0 || systemErrno() == EINTR else { throw .current() }
    }

    /// Bytes read, 0 at the end.
    static func readBytes(
        _ descriptor: Int32, into start: UnsafeMutableRawPointer, count: Int
    ) throws(Failure) -> Int {
        while true {
            let done = read(descriptor, start, count)
            if done >= 0 { return done }
            switch systemErrno() {
            case EINTR: break
            // Another reader of the same pipe was faster.
            case EAGAIN: _ = mustWait(descriptor, milliseconds: 1000)
            default: throw .current()
            }
        }
    }

    /// Writes all of the bytes.
    static func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(Failure) {
        guard var position = bytes.baseAddress else { return }
        var left = bytes.count
        while left > 0 {
            let done = write(descriptor, position, left)
            if done > 0 {
                position += done
                left -= done
            } else if done == 0 {
                throw Failure(errno: EIO)
            } else {
                switch systemErrno() {
                case EINTR: break
                // Who shares the pipe or terminal has made it non-blocking, and it is full.
                case EAGAIN: waitForRoom(descriptor)
                default: throw .current()
                }
            }
        }
    }

    /// Waits until something can be written, or nobody reads any more; a second at most.
    private static func waitForRoom(_ descriptor: Int32) {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&request, 1, 1000)
    }

    /// Makes the file's bytes durable; what cannot be synchronised (a pipe, a device) is left.
    static func synchronize(_ descriptor: Int32) throws(Failure) {
        guard fsync(descriptor) != 0 else { return }
        let code = systemErrno()
        if code != EINVAL && code != ENOTSUP && code != EROFS { throw Failure(errno: code) }
    }

    /// Makes a rename inside the folder durable, where the file system can.
    static func synchronizeFolder(_ path: FileName) throws(Failure) {
        let descriptor = open((path.isEmpty ? "." : path).cString, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .current() }
        defer { closeFile(descriptor) }
        try synchronize(descriptor)
    }

    static func renameFile(_ from: FileName, to: FileName) throws(Failure) {
        guard rename(from.cString, to.cString) == 0 else { throw .current() }
    }

    static func removeFile(_ path: FileName) {
        _ = unlink(path.cString)
    }

    /// The path without links, where it leads to something.
    static func resolved(_ path: FileName) -> FileName? {
        guard let real = realpath(path.cString, nil) else { return nil }
        defer { free(real) }
        return FileName(cString: real)
    }

    static func status(
        _ path: FileName, followingLinks: Bool = true
    ) throws(Failure) -> (kind: NodeKind, size: Int) {
        var info = stat()
        let result = followingLinks ? stat(path.cString, &info) : lstat(path.cString, &info)
        guard result == 0 else { throw .current() }
        switch info.st_mode & S_IFMT {
        case S_IFREG: return (.file, Int(info.st_size))
        case S_IFDIR: return (.folder, 0)
        default: return (.other, 0)
        }
    }

    /// The names in a folder, unsorted, without `.` and `..`.
    ///
    /// - Parameter hiddenOnly: only those that begin with a full stop.
    static func names(
        inFolder path: FileName, hiddenOnly: Bool = false
    ) throws(Failure) -> [FileName] {
        guard let folder = opendir((path.isEmpty ? "." : path).cString) else { throw .current() }
        defer { closedir(folder) }
        var names: [FileName] = []
        while let entry = readdir(folder) {
            if hiddenOnly, entry.pointee.d_name.0 != UInt8(ascii: ".") { continue }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(
                    to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)
                ) { FileName(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    static func processIdentifier() -> Int32 { getpid() }

    /// Whether a process of that number is there; one that is not ours counts as well.
    static func isRunning(_ process: Int32) -> Bool {
        process > 0 && (kill(process, 0) == 0 || errno != ESRCH)
    }

    /// Processors that may run threads of this process now.
    package static func processorCount() -> Int {
        max(1, allowedProcessors() ?? sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }

    /// The processors that this process is kept to; nil where the system does not tell.
    private static func allowedProcessors() -> Int? {
        guard let descriptor = try? openForReading("/proc/self/status") else { return nil }
        defer { closeFile(descriptor) }
        let text = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { room -> String in
            guard let start = room.baseAddress,
                let count = try? readBytes(descriptor, into: start, count: room.count)
            else { return "" }
            return String(decoding: UnsafeRawBufferPointer(rebasing: room[..<count]), as: UTF8.self)
        }
        // `Cpus_allowed:` and a mask, in hexadecimal.
        let line = text.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }
        let digits = line?.dropFirst("Cpus_allowed:".count).compactMap(\.hexDigitValue)
        return digits.map { $0.reduce(0) { $0 + $1.nonzeroBitCount } }
    }
}

private func systemErrno() -> Int32 { errno }

/// The first `byte` in the range, found by the C library's vector code.
@inline(__always)
func firstIndex(
    of byte: UInt8, from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>
) -> UnsafePointer<UInt8>? {
    guard let found = memchr(start, Int32(byte), end - start) else { return nil }
    return UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
}

/// Whether two ranges of memory hold the same bytes.
@inline(__always)
func sameBytes(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    memcmp(left, right, count) == 0
}
