#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The status of a file, from stat(2).
package struct FileStatus: Sendable, Hashable {
    /// The type of a file.
    package enum Kind: Sendable, Hashable {
        case file, folder, link, pipe, socket, device
    }

    /// The type of the file.
    package let kind: Kind
    /// The size in bytes.
    package let size: Int
    /// The file system that contains the file.
    package let device: UInt64
    /// The inode number on that file system.
    package let inode: UInt64
    /// The number of hard links.
    package let names: Int
    /// The permissions: the lowest nine bits of the mode.
    package let mode: UInt32
    /// The ID of the owner.
    package let owner: UInt32
    /// The ID of the group.
    package let group: UInt32
    /// The time of the last modification, in whole seconds since 1970.
    package let secondsWritten: Int64
    /// The nanoseconds within that second.
    package let nanosecondsWritten: Int64

    /// The time of the last modification, in nanoseconds since 1970.
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
    /// Reads the status of the file at a path.
    ///
    /// - Parameter followingLinks: `false` reads the status of a symbolic link itself.
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

    /// Reads the status of an open file.
    package init(of descriptor: Int32) throws(SystemFault) {
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { throw .last }
        self.init(info)
    }
}
