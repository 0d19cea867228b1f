#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A call to the system that failed, with the number that the system gave (errno(3)).
package struct SystemFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system's number, such as `ENOENT`.
    package let number: Int32

    /// The failure of that number.
    package init(_ number: Int32) {
        self.number = number
    }

    /// What the last call on this thread failed with.
    static var last: SystemFault { SystemFault(errno) }

    /// The kind of failure.
    package var kind: FaultKind { FaultKind(systemError: number) }

    /// The system's words, such as `No such file or directory`.
    package var text: String { String(cString: strerror(number)) }

    package var description: String { text }

    /// There is nothing of that name.
    package var isMissing: Bool { kind == .missing }

    /// There is nothing of that name in a folder that is there.
    package var isNoEntry: Bool { number == ENOENT }

    /// There is something of that name already.
    package var isExisting: Bool { number == EEXIST }

    /// This user may not do it, or nobody may.
    package var isPermission: Bool { kind == .permission }

    /// Out of descriptors or memory, here or in the whole system.
    package var isExhausted: Bool { kind == .resources }

    /// No room is left, or none that this user may take.
    package var isFull: Bool { number == ENOSPC || number == EDQUOT }

    /// The other end of the pipe is closed.
    package var isBrokenPipe: Bool { number == EPIPE }

    /// The name or the path is longer than the system takes.
    package var isTooLong: Bool { number == ENAMETOOLONG }

    /// What is there is of a kind that cannot do this, as a pipe cannot be synchronised.
    package var isUnsupported: Bool {
        number == EINVAL || number == ENOTSUP || number == EROFS
    }

    /// There is nothing of that name in a folder that is there.
    package static var noEntry: SystemFault { SystemFault(ENOENT) }

    /// What opening a folder as a file amounts to.
    package static var isFolder: SystemFault { SystemFault(EISDIR) }

    /// What giving up a wait amounts to.
    package static var isCancelled: SystemFault { SystemFault(ECANCELED) }

    /// What a write that takes nothing amounts to.
    static var isStuck: SystemFault { SystemFault(EIO) }
}
