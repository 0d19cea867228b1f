#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// How a file is opened: open(2).
///
/// It is never handed down to another program.
package struct OpenFlags: OptionSet, Sendable {
    /// The flags of the system.
    package let rawValue: Int32

    /// Those flags.
    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// To read alone.
    package static let reading = OpenFlags(rawValue: O_RDONLY)
    /// To write alone.
    package static let writing = OpenFlags(rawValue: O_WRONLY)
    /// To read and to write.
    package static let updating = OpenFlags(rawValue: O_RDWR)
    /// Makes it where it is missing.
    package static let creating = OpenFlags(rawValue: O_CREAT)
    /// Makes it, and fails where it is there.
    package static let new: OpenFlags = [.creating, OpenFlags(rawValue: O_EXCL)]
    /// Cuts it to nothing.
    package static let emptying = OpenFlags(rawValue: O_TRUNC)
    /// Writes at its end.
    package static let appending = OpenFlags(rawValue: O_APPEND)
    /// Fails where its last part is a link.
    package static let withoutLink = OpenFlags(rawValue: O_NOFOLLOW)
    /// Does not wait for the other end of a pipe.
    package static let withoutWaiting = OpenFlags(rawValue: O_NONBLOCK)
}
