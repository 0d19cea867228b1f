package import Files

/// Whose a file is, and who may read and write it: what takes the place of a file takes them over.
package struct FileRights: Sendable, Hashable {
    private var mode: UInt32
    private let owner: UInt32
    private let group: UInt32

    /// The rights of what a path leads to; nil where there is nothing.
    package init?(of path: some FilePath) {
        guard let status = try? FileStatus(of: path) else { return nil }
        mode = status.mode
        owner = status.owner
        group = status.group
    }

    /// The same with more bits, such as those of an owner who is to write.
    package func adding(_ bits: UInt32) -> FileRights {
        var rights = self
        rights.mode |= bits
        return rights
    }

    /// Gives them to an open file, as far as this process may: root alone gives files away.
    package func give(to descriptor: Int32) {
        do throws(SystemFault) {
            try FileSystem.setOwner(owner, group: group, of: descriptor)
        } catch {
            // Whoever may not give it away may do so with a group that he is in.
            try? FileSystem.setOwner(nil, group: group, of: descriptor)
        }
        let isOfGroup = (try? FileStatus(of: descriptor))?.group == group
        // Another group gets no more than everybody.
        let given = isOfGroup ? mode : (mode & 0o707) | ((mode & 0o007) << 3)
        try? FileSystem.setMode(given, of: descriptor)
    }

    /// Gives them to a file or a folder that this process has not open: a lock that it holds on
    /// the file would be gone.
    package func give(toFile path: String) {
        guard let descriptor = try? FileSystem.open(path, [.reading, .withoutLink]) else { return }
        give(to: descriptor)
        FileSystem.close(descriptor)
    }
}
