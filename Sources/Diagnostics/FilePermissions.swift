package import Files

/// A file's owner, group, and permissions, which are copied to a file that replaces it.
package struct FilePermissions: Sendable, Hashable {
    private var mode: UInt32
    private let owner: UInt32
    private let group: UInt32

    /// Reads the permissions of the file at a path; `nil` if it does not exist or cannot be read.
    package init?(of path: some FilePath) {
        guard let status = try? FileStatus(of: path) else { return nil }
        mode = status.mode
        owner = status.owner
        group = status.group
    }

    /// Returns a copy with more permission bits, such as write permission for the owner.
    package func adding(_ bits: UInt32) -> FilePermissions {
        var permissions = self
        permissions.mode |= bits
        return permissions
    }

    /// Applies the permissions to an open file; only root can change the owner.
    package func give(to descriptor: Int32) {
        do throws(SystemFault) {
            try FileSystem.setOwner(owner, group: group, of: descriptor)
        } catch {
            // A user who cannot change the owner can still set a group that they are in.
            try? FileSystem.setOwner(nil, group: group, of: descriptor)
        }
        let isOfGroup = (try? FileStatus(of: descriptor))?.group == group
        // If the group differs, it gets only the permissions of other users.
        let given = isOfGroup ? mode : (mode & 0o707) | ((mode & 0o007) << 3)
        // If the system refuses, the file keeps the narrower permissions of its creation.
        try? FileSystem.setMode(given, of: descriptor)
    }

    /// Applies the permissions to a file or a folder that this process does not have open.
    ///
    /// Opening and closing a file would release a lock that this process holds on it.
    package func give(toFile path: String) {
        // If the file cannot be opened, it keeps the rights that it was created with.
        guard let descriptor = try? FileSystem.open(path, [.reading, .withoutLink]) else { return }
        give(to: descriptor)
        FileSystem.close(descriptor)
    }
}
