#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The kind of a failure.
package enum FaultKind: Sendable, Hashable, CaseIterable {
    /// The content is invalid, or it violates a limit or a check.
    case invalid
    /// The file does not exist.
    case missing
    /// The file cannot be created.
    case notCreated
    /// Reading or writing failed, or the disk is full.
    case inputOutput
    /// The user lacks permission.
    case permission
    /// Memory, threads, or file descriptors are exhausted.
    case resources
    /// Another process holds a lock; a later attempt may succeed.
    case busy
    /// A flag or an argument is invalid.
    case usage

    /// Creates the kind of a failed system call.
    package init(systemError number: Int32) {
        self =
            switch number {
            case ENOENT, ENOTDIR: .missing
            case EACCES, EPERM, EROFS: .permission
            // `EAGAIN` also occurs if a thread cannot be created.
            case EMFILE, ENFILE, ENOMEM, EAGAIN: .resources
            case EISDIR, ELOOP, ENAMETOOLONG, EINVAL, ENXIO, ENODEV: .invalid
            default: .inputOutput
            }
    }
}
