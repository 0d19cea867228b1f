#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// What the system says of a file: stat(2).
package struct FileStatus: Sendable, Hashable {
    /// What there may be of a name.
    package enum Kind: Sendable, Hashable {
        case file, folder, link, pipe, socket, device
    }

    /// What it is.
    package let kind: Kind
    /// Its bytes.
    package let size: Int
    /// The file system that it is on.
    package let device: UInt64
    /// Its number there.
    package let inode: UInt64
    /// How many names it has.
    package let names: Int
    /// Who may read, write and search it: the lowest nine bits of its mode.
    package let mode: UInt32
    /// Whose it is.
    package let owner: UInt32
    /// The group that it belongs to.
    package let group: UInt32
    /// When it was last written, in whole seconds since 1970.
    package let secondsWritten: Int64
    /// The nanoseconds of that second.
    package let nanosecondsWritten: Int64

    /// When it was last written, in nanoseconds since 1970.
    package var timeWritten: Int64 { secondsWritten * 1_000_000_000 + nanosecondsWritten }

    init(_ info: stat) {
        kind =
            switch info.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .link
            case S_IFIFO: .pipe
            case S_IFSOCK: .socket
            default: .device
            }
        size = Int(info.st_size)
        device = UInt64(truncatingIfNeeded: info.st_dev)
        inode = UInt64(truncatingIfNeeded: info.st_ino)
        names = Int(info.st_nlink)
        mode = UInt32(info.st_mode) & 0o777
        owner = UInt32(info.st_uid)
        group = UInt32(info.st_gid)
        #if canImport(Darwin)
            let time = info.st_mtimespec
        #else
            let time = info.st_mtim
        #endif
        secondsWritten = Int64(time.tv_sec)
        nanosecondsWritten = Int64(time.tv_nsec)
    }
}

extension FileStatus {
    /// Of what a path leads to.
    ///
    /// - Parameter followingLinks: else it is of a link itself.
    package init(
        of path: some FilePath, followingLinks: Bool = true
    ) throws(SystemFault) {
        let name = path.fileName
        try FileHooks.ask(name, .status)
        var info = stat()
        let result =
            followingLinks ? stat(name.cString, &info) : lstat(name.cString, &info)
        guard result == 0 else {
            throw .last
        }
        self.init(info)
    }

    /// Of an open file.
    package init(of descriptor: Int32) throws(SystemFault) {
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { throw .last }
        self.init(info)
    }
}
