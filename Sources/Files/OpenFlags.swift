#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The flags that open a file, for open(2).
///
/// `FileSystem.open` adds `O_CLOEXEC`, so other programs do not inherit the descriptor.
package struct OpenFlags: OptionSet, Sendable {
    /// The system's flags.
    package let rawValue: Int32

    /// Creates a set from the system's flags.
    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Opens the file for reading only.
    package static let reading = OpenFlags(rawValue: O_RDONLY)
    /// Opens the file for writing only.
    package static let writing = OpenFlags(rawValue: O_WRONLY)
    /// Opens the file for reading and writing.
    package static let updating = OpenFlags(rawValue: O_RDWR)
    /// Creates the file if it is missing.
    package static let creating = OpenFlags(rawValue: O_CREAT)
    /// Creates the file, and fails if it exists.
    package static let new: OpenFlags = [.creating, OpenFlags(rawValue: O_EXCL)]
    /// Truncates the file to zero bytes.
    package static let emptying = OpenFlags(rawValue: O_TRUNC)
    /// Appends each write to the file.
    package static let appending = OpenFlags(rawValue: O_APPEND)
    /// Fails if the last path component is a symbolic link.
    package static let withoutLink = OpenFlags(rawValue: O_NOFOLLOW)
    /// Does not wait for the other end of a pipe.
    package static let withoutWaiting = OpenFlags(rawValue: O_NONBLOCK)
}
