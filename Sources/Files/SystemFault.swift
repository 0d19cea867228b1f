#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A failed system call, with its error number (errno(3)).
package struct SystemFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error number, such as `ENOENT`.
    package let number: Int32

    /// Creates the failure of an error number.
    package init(_ number: Int32) {
        self.number = number
    }

    /// The failure of the last system call on this thread.
    static var last: SystemFault { SystemFault(errno) }

    /// The kind of failure.
    package var kind: FaultKind { FaultKind(systemError: number) }

    /// The system's message, such as `No such file or directory`.
    package var text: String { String(cString: strerror(number)) }

    /// The same message as `text`.
    package var description: String { text }

    /// Whether the file does not exist, or a parent in its path is missing or not a folder.
    package var isMissing: Bool { kind == .missing }

    /// Whether the file or a parent folder does not exist (`ENOENT`).
    package var isNoEntry: Bool { number == ENOENT }

    /// Whether a file of that name already exists.
    package var isExisting: Bool { number == EEXIST }

    /// Whether this user lacks permission, or the file system is read-only.
    package var isPermission: Bool { kind == .permission }

    /// Whether this process or the system has no file descriptors or memory left.
    package var isExhausted: Bool { kind == .resources }

    /// Whether the disk or this user's quota is full.
    package var isFull: Bool { number == ENOSPC || number == EDQUOT }

    /// Whether the other end of the pipe is closed.
    package var isBrokenPipe: Bool { number == EPIPE }

    /// Whether the name or the path is too long for the system.
    package var isTooLong: Bool { number == ENAMETOOLONG }

    /// Whether the file or its file system does not support the call.
    ///
    /// For example, a pipe cannot be synchronized.
    package var isUnsupported: Bool {
        number == EINVAL || number == ENOTSUP || number == EROFS
    }

    /// The failure for a missing file (`ENOENT`).
    package static var noEntry: SystemFault { SystemFault(ENOENT) }

    /// The failure for opening a folder as a file.
    package static var isFolder: SystemFault { SystemFault(EISDIR) }

    /// The failure for a canceled wait.
    package static var isCancelled: SystemFault { SystemFault(ECANCELED) }

    /// The failure of a write that accepted no bytes, so that repeating it would never end.
    static var isStuck: SystemFault { SystemFault(EIO) }
}
