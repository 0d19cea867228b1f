#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Whose a file is, and who may read and write it: what takes the place of a file takes them over.
package struct FileRights: Sendable, Hashable {
    private var mode: UInt32
    private let owner: UInt32
    private let group: UInt32

    /// The rights of what a path leads to; nil where there is nothing.
    package init?(of path: FileName) {
        var status = stat()
        guard stat(path.cString, &status) == 0 else { return nil }
        mode = UInt32(status.st_mode) & 0o777
        owner = UInt32(status.st_uid)
        group = UInt32(status.st_gid)
    }

    /// The rights of what the path of a store or the like leads to; nil where there is nothing.
    package init?(of path: String) { self.init(of: FileName(path)) }

    /// The same with more bits, such as those of an owner who is to write.
    package func adding(_ bits: UInt32) -> FileRights {
        var rights = self
        rights.mode |= bits
        return rights
    }

    /// Gives them to an open file, as far as this process may: root alone gives files away.
    package func give(to descriptor: Int32) {
        if fchown(descriptor, uid_t(owner), gid_t(group)) != 0 {
            // Whoever may not give it away may do so with a group that he is in.
            _ = fchown(descriptor, uid_t.max, gid_t(group))
        }
        var status = stat()
        let isOfGroup = fstat(descriptor, &status) == 0 && UInt32(status.st_gid) == group
        // Another group gets no more than everybody.
        let given = isOfGroup ? mode : (mode & 0o707) | ((mode & 0o007) << 3)
        _ = fchmod(descriptor, mode_t(given))
    }

    /// Gives them to a file or a folder that this process has not open: a lock that it holds on
    /// the file would be gone.
    package func give(toFile path: String) {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        give(to: descriptor)
        _ = close(descriptor)
    }
}
