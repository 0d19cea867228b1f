#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// What kind of failure it is.
package enum FaultKind: Sendable, Hashable, CaseIterable {
    /// The content is wrong, or a guard refused it.
    case invalid
    /// There is no such file.
    case missing
    /// The file cannot be made.
    case notCreated
    /// Reading or writing failed, or the disk is full.
    case inputOutput
    /// The user may not.
    case permission
    /// Memory, threads, or descriptors ran out.
    case resources
    /// Another process is in the way; trying later may help.
    case busy
    /// A flag or an argument is wrong.
    case usage

    /// The kind of a failed system call.
    package init(systemError number: Int32) {
        self =
            switch number {
            case ENOENT, ENOTDIR: .missing
            case EACCES, EPERM, EROFS: .permission
            // A thread that cannot be made is `EAGAIN`.
            case EMFILE, ENFILE, ENOMEM, EAGAIN: .resources
            case EISDIR, ELOOP, ENAMETOOLONG, EINVAL, ENXIO, ENODEV: .invalid
            default: .inputOutput
            }
    }
}
